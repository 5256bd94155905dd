/**
 * Mutation testing: adds the mistakes of `faults.txt` to the code, one at a time, and tries each where the list has that it is found.
 *
 *     npm run mutation                                      all of them
 *     npm run mutation -- --only "a ban"                    those whose names contain a text
 *     npm run mutation -- --by services/test/guard.test.ts  somewhere else: a file of tests, "type", "world" or workloads
 *     npm run mutation -- --list                            their names
 *     npm run mutation -- --located                         only looks whether the text of each is in the code
 *
 * In the list a mistake has the lines `# what is wrong`, `@ file where`, `-the text`, which must occur exactly once, and `+what replaces it`. `where` is a file
 * of tests, "type", the names of workloads, or "world" for all of them but exports and owners. Those after `?` cannot be shown yet, for the reason in the next line.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { readArguments } from "../readArguments.mjs"
import { packages, tryTests, tryTypes } from "./trial.mjs"

const entries = readFileSync(new URL("faults.txt", import.meta.url), "utf8").split(/\n(?=[#?] )/)

/** A fault as what is replaced where. */
const located = ([head, place, ...lines]) => {
  const name = head.slice(2)
  const [file, foundBy] = place.slice(2).split(" ")
  const textOf = (sign) =>
    lines
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1))
      .join("\n")
  const [full, from] = [path.join(packages, file), textOf("-")]
  const [before, ...after] = readFileSync(full, "utf8").split(from)
  if (after.length !== 1)
    throw new Error(`${name}: the text occurs ${after.length} times in ${file}. faults.txt has to follow it.`)
  const start = before.length
  return { name, foundBy, file: full, start, end: start + from.length, replacement: textOf("+") }
}

const lines = entries.map((entry) => entry.trimEnd().split("\n"))
const faults = lines.filter(([head]) => head.startsWith("#")).map(located)
const pending = lines.filter(([head]) => head.startsWith("?")).map(([head, reason]) => `${head.slice(2)}: ${reason}`)

/** Tries a fault where the list has that it is found: by the compiler, in a file of tests, or in the worlds. */
const search = (mutant, limits) => {
  const { foundBy } = mutant
  if (foundBy === "type") return tryTypes(mutant)
  if (foundBy.endsWith(".ts")) return tryTests(mutant, foundBy)
  return tryTests(mutant, "tools/mutation/worlds.test.mjs", { ...limits, names: foundBy })
}

const { names, values } = readArguments(process.argv.slice(2), {
  command: "npm run mutation",
  options: { seeds: "N", seconds: "N", located: "", only: "PART-OF-A-NAME", by: "WHERE" },
  names: faults.map(({ foundBy, name }) => [name, foundBy])
})
const { by, only = "", seconds = "50", seeds = "2000" } = values
const mutants = faults
  .filter(({ name }) => name.includes(only) && (names.length === 0 || names.includes(name)))
  .map((mutant) => (by === undefined ? mutant : { ...mutant, foundBy: by }))

if (values.located === undefined) {
  let count = 0
  for (const mutant of mutants) {
    const { found, seconds: took = 0 } = await search(mutant, { seeds: Number(seeds), seconds: Number(seconds) })
    if (found !== undefined) count++
    const result = found === undefined ? `NOT FOUND  ${mutant.name}` : `found      ${mutant.name}: ${found}`
    console.log(`${result} (${took.toFixed(0)} s)`)
  }
  for (const text of pending) console.log(`pending    ${text}`)
  console.log(`${count} of ${mutants.length} found`)
  process.exitCode = count === mutants.length ? 0 : 1
}
