/**
 * Whether the simulator notices faults: named ones, and mutants at random places. See `../main.mjs`.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { draw } from "./drawn.mjs"
import { named, pending } from "./named.mjs"
import { packages, trial } from "./trial.mjs"

const needed = 90

/** A named fault as what is replaced where. */
const located = ({ file, from, name, to, worlds }) => {
  const full = path.join(packages, file)
  const parts = readFileSync(full, "utf8").split(from)
  if (parts.length !== 2) {
    throw new Error(
      `${name}: the text that is replaced occurs ${parts.length - 1} times in ${file}. named.mjs has to follow it.`
    )
  }
  const start = parts[0].length
  return { name, worlds, file: full, start, end: start + from.length, replacement: to }
}

/** Does something with each value, two at a time. */
const each = async (values, use) => {
  const rest = [...values]
  const work = async () => {
    for (let value = rest.shift(); value !== undefined; value = rest.shift()) await use(value)
  }
  await Promise.all([work(), work()])
}

const tried = async (mutants, worlds, limits) => {
  let count = 0
  await each(mutants, async (mutant) => {
    const { found, seconds = 0, seeds } = await trial(mutant, { ...limits, worlds: mutant.worlds ?? worlds })
    const time = `${seconds.toFixed(0)} s`
    if (found === undefined) return console.log(`NOT FOUND  ${mutant.name} (${seeds} seeds, ${time})`)
    count++
    console.log(`found      ${mutant.name}: ${found.rule}, ${found.world ?? ""} seed ${found.seed} (${time})`)
  })
  return count
}

export const run = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      random: { type: "string", default: "50" },
      seed: { type: "string", default: "1" },
      seeds: { type: "string", default: "2000" },
      seconds: { type: "string", default: "300" },
      worlds: { type: "string", default: "" },
      "drawn-only": { type: "boolean", default: false },
      only: { type: "string", default: "" }
    }
  })
  const limits = { seeds: Number(values.seeds), seconds: Number(values.seconds) }
  const worlds = values.worlds === "" ? [] : values.worlds.split(",")
  const all = values["drawn-only"] ? [] : named
  const faults = all.map(located).filter(({ name }) => name.includes(values.only))
  const ofNamed = await tried(faults, worlds, limits)
  for (const { name, reason } of pending) console.log(`pending    ${name}: ${reason}`)
  console.log(`named: ${ofNamed} of ${faults.length} found`)

  const { judged, mutants, total } = await draw(Number(values.random), Number(values.seed))
  const chosen = mutants.filter(({ name }) => name.includes(values.only))
  const ofDrawn = await tried(chosen, worlds, limits)
  const score = chosen.length === 0 ? 100 : (100 * ofDrawn) / chosen.length
  console.log(
    `at random: ${ofDrawn} of ${chosen.length} found, ${score.toFixed(0)} %; drawn with seed ${values.seed} from ${judged} of ${total} mutants`
  )
  return ofNamed === faults.length && score >= needed
}
