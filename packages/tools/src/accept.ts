/**
 * The acceptance runs: everything that takes too long for `.ci/run`. They are run before a release.
 *
 *     npm run accept                           all of them, in hours
 *     npm run accept -- --list                 their commands
 *     npm run accept -- kill-exports --seed 7  only the named ones, with options of their commands
 */
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { acceptRuns as runs } from "../acceptRuns.mjs"
import { readArguments } from "../readArguments.mjs"
import { root } from "./repository/repository.js"

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
