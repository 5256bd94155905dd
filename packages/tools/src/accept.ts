/**
 * The acceptance runs: everything that takes too long for `.ci/run`. They are run before a release.
 *
 *     npm run accept                           all of them, in hours
 *     npm run accept -- --list                 their commands
 *     npm run accept -- kill-exports --seed 7  only the named ones, with options of their commands
 */
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { readArguments } from "../readArguments.mjs"
import { root } from "./repository.js"

/** By name: variables of the environment, then a command of packages/tools/bootstrap.mjs with its arguments. */
const runs: Readonly<Record<string, string>> = {
  "kill-exports": "workload kill-exports --runs 200",
  rivals: "workload kill-exports --runs 100 --processes 2",
  "kill-writes": "workload kill-writes --runs 100",
  "kill-fleet": "workload kill-fleet --accounts 200 --kills 10",
  "fleet-cluster": "workload fleet-cluster",
  "shared-limits": "workload shared-limits",
  calls: "workload calls --calls 10000",
  large: "VENUE_TESTS=long test",
  long: "VENUE_TEST_FILES=accept test:long",
  history: "VENUE_TEST_FILES=accept EXPORT_SEEDS=3 EXPORT_DAYS=730 test:long --project history complete",
  frozen: "VENUE_TEST_FILES=accept VENUE_TEST_FREEZE=all test:long --project history frozen",
  lock: "VENUE_TEST_ACQUISITIONS=2000 test --project history exclusion",
  hour: "VENUE_TEST_FILES=accept VENUE_HOUR=1 test:long --project services hour",
  sandbox: "VENUE_MODEL_COMMANDS=10000 test --project sandbox invariants",
  properties: "VENUE_PROPERTIES_SEED=2 test",
  simulate: "simulate --seeds 100000 --from 100000",
  exports: "simulate --workload exports --seeds 5000 --from 5000",
  browser: "check site report sandboxPage pictures",
  mutation: "mutation",
  simulator: "mutation simulator"
}

const words = process.argv.slice(2)
const firstOption = words.findIndex((word) => word.startsWith("-"))
const isNamed = firstOption > 0 && !words.includes("--list") && !words.includes("--help")
// The options after names are read by the commands.
const { names } = readArguments(isNamed ? words.slice(0, firstOption) : words, {
  command: "npm run accept",
  options: {},
  names: Object.entries(runs)
})
const more = isNamed ? words.slice(firstOption) : []

const run = (name: string): boolean => {
  const parts = (runs[name] ?? "").split(" ")
  const variables = parts.filter((part) => /^[A-Z_]+=/.test(part))
  const args = parts.slice(variables.length)
  console.log(`\n== ${name}: ${[...parts, ...more].join(" ")}`)
  const bootstrap = path.join(root, "packages", "tools", "bootstrap.mjs")
  const set = new Map(
    variables.map((variable) => variable.split("=")).map(([name = "", value = ""]) => [name, value] as const)
  )
  const env: NodeJS.ProcessEnv = { ...process.env, ...Object.fromEntries(set) }
  return spawnSync(process.execPath, [bootstrap, ...args, ...more], { cwd: root, stdio: "inherit", env }).status === 0
}

const selected = names.length === 0 ? Object.keys(runs) : names
const failed = selected.filter((name) => !run(name))
console.log(`\n${selected.length - failed.length} passed, ${failed.length} failed: ${failed.join(", ") || "none"}`)
process.exitCode = failed.length === 0 ? 0 : 1
