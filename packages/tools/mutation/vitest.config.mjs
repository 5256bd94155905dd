/** One file of tests with the mutant of the environment variable `MUTANT`: `{ file, start, end, replacement, test }`. */
import { writeSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { testsOf } from "../../vitest.project.js"

const packages = fileURLToPath(new URL("../..", import.meta.url))
const { end, file, replacement, start, test } = JSON.parse(process.env.MUTANT ?? "{}")

const mutating = {
  name: "mutant",
  enforce: "pre",
  transform: (source, id) => {
    if (id.split("?")[0] !== file) return undefined
    writeSync(2, "mutated\n")
    return source.slice(0, start) + replacement + source.slice(end)
  }
}

export default defineConfig({
  root: packages,
  plugins: [mutating],
  test: {
    ...testsOf([test.split("/")[0]]),
    // The worlds end by their processor time.
    testTimeout: 2 ** 31 - 1,
    include: [path.join(packages, test)],
    bail: 1,
    maxWorkers: 1,
    minWorkers: 1
  }
})
