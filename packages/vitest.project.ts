import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { defineProject, type UserWorkspaceConfig } from "vitest/config"

const packages = path.dirname(fileURLToPath(import.meta.url))

/** Whether tests that repeat themselves do so as often as they can. */
export const isLong = process.env.VENUE_TESTS === "long"

/** The files of the tests: those of `npm test` by default. */
const files = process.env.VENUE_TEST_FILES

const pattern = files === undefined ? "test/**/*.test.ts" : `test/**/*.${files}.test.ts`

/**
 * How long a test or a hook may take, in milliseconds: it ends what hangs, and is no measure of what is slow. A machine that is shared, or that
 * runs the checks beside, is several times slower than an idle one.
 */
const timeout = isLong ? 1_500_000 : 600_000

/**
 * The tests of packages. `npm test` runs those that fit into three minutes; `npm run test:long` a short list of files named `*.long.test.ts`, with
 * processes that are killed and clients of others; `npm run accept -- long` the files named `*.accept.test.ts`, which take longer, and
 * `npm run accept -- large` those of `npm test` with more repetitions. A package prepares its tests in `globalSetup.ts` beside them.
 */
export const testsOf = (names: ReadonlyArray<string>): NonNullable<UserWorkspaceConfig["test"]> => ({
  include: names.map((name) => path.posix.join(packages, name, pattern)),
  exclude: ["**/node_modules/**", ...(files === undefined ? ["**/*.long.test.ts", "**/*.accept.test.ts"] : [])],
  globalSetup: names
    .map((name) => path.join(packages, name, "test", "globalSetup.ts"))
    .filter((file) => fs.existsSync(file)),
  setupFiles: [path.join(packages, "tools", "src", "testSetup.ts")],
  testTimeout: timeout,
  hookTimeout: timeout
})

/** The tests of one package, for its `vitest.config.ts`. */
export const project = (name: string) => defineProject({ test: { name, ...testsOf([name]) } })
