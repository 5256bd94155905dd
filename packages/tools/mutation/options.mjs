import * as path from "node:path"
import { fileURLToPath } from "node:url"

const here = path.dirname(fileURLToPath(import.meta.url))

/** How a group is run, in the folder of its package. */
export const optionsFor = (group, concurrency) => ({
  mutate: group.mutate,
  // Every mutator is used. Left alone are only the names of tags and references: `ignore.mjs` says why.
  mutator: { excludedMutations: [] },
  plugins: [fileURLToPath(import.meta.resolve("@stryker-mutator/vitest-runner")), path.join(here, "ignore.mjs")],
  ignorers: ["names of tags"],
  testRunner: "vitest",
  // The files to run are named by vitest.config.mjs: with the option `testFiles`, mutants of what is evaluated when a module
  // is read are activated too late to be noticed.
  vitest: { configFile: path.join(here, "vitest.config.mjs"), related: false },
  coverageAnalysis: "perTest",
  concurrency,
  // Generous, because a mutant that is only slow on a busy machine would count as killed.
  timeoutMS: 10_000,
  timeoutFactor: 2,
  dryRunTimeoutMinutes: 10,
  tempDirName: ".stryker-tmp",
  cleanTempDir: "always",
  ignorePatterns: ["build", "dist"],
  reporters: ["progress-append-only", "json"],
  jsonReporter: { fileName: path.join(here, "build", `${group.name}.json`) },
  warnings: { slow: false },
  allowConsoleColors: false
})
