/**
 * Mutation testing: adds the mistakes of `faults.mjs` to the code, one at a time, and tries each where the table has that it is found.
 *
 *     npm run mutation                                      all of them
 *     npm run mutation -- --only "a ban"                    those whose names contain a text
 *     npm run mutation -- --by services/test/guard.test.ts  somewhere else: a file of tests, "type" or "world"
 *     npm run mutation -- --list                            their names
 *     npm run mutation -- --located                         only looks whether the text of each is in the code
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { readArguments } from "../readArguments.mjs"
import { faults, pending } from "./faults.mjs"
import { packages, trial, tryTests, tryTypes } from "./trial.mjs"

/** A fault as what is replaced where. */
const located = ({ file, foundBy, from, name, to, workloads }) => {
  const full = path.join(packages, file)
  const parts = readFileSync(full, "utf8").split(from)
  if (parts.length !== 2) {
    throw new Error(`${name}: the text occurs ${parts.length - 1} times in ${file}. faults.mjs has to follow it.`)
  }
  const start = parts[0].length
  return { name, foundBy, workloads, file: full, start, end: start + from.length, replacement: to }
}

/** Tries a fault where the table has that it is found: in the worlds, in a file of tests, or by the compiler. */
const search = async (mutant, workloads, limits) => {
  const { foundBy = "world" } = mutant
  if (foundBy === "type") return tryTypes(mutant)
  if (foundBy !== "world") return tryTests(mutant, foundBy)
  const { found, ...rest } = await trial(mutant, { ...limits, workloads: mutant.workloads ?? workloads })
  return { found: found && { by: `${found.rule}, ${found.workload ?? ""} seed ${found.seed}` }, ...rest }
}

const { names, values } = readArguments(process.argv.slice(2), {
  command: "npm run mutation",
  options: { seeds: "N", seconds: "N", workloads: "NAME,NAME", located: "", only: "PART-OF-A-NAME", by: "WHERE" },
  names: faults.map(({ foundBy = "world", name }) => [name, foundBy])
})
const { by, only = "", seconds = "50", seeds = "2000", workloads = "" } = values
const mutants = faults
  .map(located)
  .filter(({ name }) => name.includes(only) && (names.length === 0 || names.includes(name)))
  .map((mutant) => (by === undefined ? mutant : { ...mutant, foundBy: by }))

if (values.located === undefined) {
  const worlds = workloads.split(",").filter((name) => name !== "")
  let count = 0
  for (const mutant of mutants) {
    const { found, seconds: took = 0 } = await search(mutant, worlds, {
      seeds: Number(seeds),
      seconds: Number(seconds)
    })
    if (found !== undefined) count++
    const result = found === undefined ? `NOT FOUND  ${mutant.name}` : `found      ${mutant.name}: ${found.by}`
    console.log(`${result} (${took.toFixed(0)} s)`)
  }
  for (const { name, reason } of pending) console.log(`pending    ${name}: ${reason}`)
  console.log(`${count} of ${mutants.length} found`)
  process.exitCode = count === mutants.length ? 0 : 1
}
