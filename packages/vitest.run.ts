import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { isLong, testsOf } from "./vitest.project.js"

const packages = path.dirname(fileURLToPath(import.meta.url))

const names = fs.readdirSync(packages).filter((name) => fs.existsSync(path.join(packages, name, "vitest.config.ts")))

const workers = os.availableParallelism() + (isLong ? 1 : 2)

/**
 * `npm test` and `npm run test:long`: the tests of all packages as one project. Vitest would wait for the last file of a project
 * before it begins the next, and import everything again.
 */
export default defineConfig({
  root: path.dirname(packages),
  test: {
    ...testsOf(names),
    // Importing effect and the packages anew takes longer than most files of tests. The long tests measure memory.
    isolate: isLong,
    // By default vitest leaves a core free: on two cores half of the machine. Some tests wait for sockets, processes and rate limits:
    // two workers more than there are cores keep these busy meanwhile; one of the long ones, which wait less.
    maxWorkers: workers,
    // Vitest ends idle workers above the minimum, and fails when one of them is ended while it tears down.
    minWorkers: workers,
    // Without the durations of an earlier run the largest files go first. With them the longest do, which wait at the same time, and the
    // processor with them.
    cache: false,
    // Tests make much that is gone at once: in a larger nursery it is cleared up less often. The long ones measure memory.
    poolOptions: { forks: { execArgv: isLong ? [] : ["--max-semi-space-size=64"] } },
    // The output of a test is printed if the test fails.
    silent: "passed-only",
    reporters: ["dot"]
  }
})
