/** Reports which named and hand-written faults the simulator finds. See `../main.mjs`. */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { readArguments } from "../../readArguments.mjs"
import { handwritten } from "./handwritten.mjs"
import { named, pending } from "./named.mjs"
import { packages, trial, tryTests, tryTypes } from "./trial.mjs"

/** A named fault as what is replaced where. */
const located = ({ file, foundBy, from, name, to, workloads }) => {
  const full = path.join(packages, file)
  const parts = readFileSync(full, "utf8").split(from)
  if (parts.length !== 2) {
    throw new Error(
      `${name}: the text that is replaced occurs ${parts.length - 1} times in ${file}. named.mjs has to follow it.`
    )
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

const tried = async (mutants, workloads, limits) => {
  let count = 0
  for (const mutant of mutants) {
    const { found, seconds = 0 } = await search(mutant, workloads, limits)
    const time = `${seconds.toFixed(0)} s`
    if (found !== undefined) count++
    console.log(
      found === undefined ? `NOT FOUND  ${mutant.name} (${time})` : `found      ${mutant.name}: ${found.by} (${time})`
    )
  }
  return count
}

export const run = async (args) => {
  const { values } = readArguments(args, {
    command: "npm run mutation -- simulator",
    options: {
      seeds: "N",
      seconds: "N",
      workloads: "NAME,NAME",
      handwritten: "",
      // Only looks whether the text of each fault is in the code.
      located: "",
      only: "PART-OF-A-NAME",
      // Of all faults: "world", "type" or a file of tests, instead of what the table has.
      by: "WHERE"
    }
  })
  const { by, only = "", seconds = "300", seeds = "2000" } = values
  if (values.located !== undefined) return [...named, ...handwritten].map(located).length > 0
  const limits = { seeds: Number(seeds), seconds: Number(seconds) }
  const workloads = (values.workloads ?? "").split(",").filter((name) => name !== "")
  if (values.handwritten !== undefined) {
    const mistakes = handwritten
      .map(located)
      .filter(({ name }) => name.includes(only))
      .map((mistake) => (by === undefined ? mistake : { ...mistake, foundBy: by }))
    const ofHandwritten = await tried(mistakes, workloads, limits)
    console.log(`handwritten: ${ofHandwritten} of ${mistakes.length} found`)
    return ofHandwritten === mistakes.length
  }
  const faults = named.map(located).filter(({ name }) => name.includes(only))
  const ofNamed = await tried(faults, workloads, limits)
  for (const { name, reason } of pending) console.log(`pending    ${name}: ${reason}`)
  console.log(`named: ${ofNamed} of ${faults.length} found`)
  return ofNamed === faults.length
}
