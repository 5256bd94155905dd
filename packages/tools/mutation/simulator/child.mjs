/**
 * Runs seeds until one breaks a rule: `child.mjs <worlds> <seeds> <seconds>`. Without names, of all worlds but those of exports, which
 * send through the same transport and take longer. The worlds take turns by the processor time that they have had. Prints a line now and
 * then, and at the end what was found as JSON.
 */
import { worlds } from "../../../simulation/src/worlds.ts"

const [names = "", seeds = "0", seconds = "0"] = process.argv.slice(2)
const chosen =
  names === ""
    ? Object.values(worlds).filter(({ name }) => name !== "export" && name !== "owners")
    : names.split(",").map((name) => worlds[name])
const processorSeconds = () => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1e6
}
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

const judged = (world, seed) => {
  try {
    const [violation] = world.run(seed, { isAnywhere: false }).violations
    return violation === undefined ? undefined : { seed, world: world.name, rule: violation.rule }
  } catch (error) {
    return { seed, world: world.name, rule: `throws ${String(error).split("\n")[0].slice(0, 80)}` }
  }
}

/** What each world has had. */
const turns = chosen.map((world) => ({ world, seed: 0, seconds: 0 }))

let found
let runs = 0
while (found === undefined && processorSeconds() < Number(seconds)) {
  const [next] = turns.filter(({ seed }) => seed < Number(seeds)).sort((a, b) => a.seconds - b.seconds)
  if (next === undefined) break
  if (runs % 10 === 0) say({ seed: next.seed })
  const before = processorSeconds()
  found = judged(next.world, next.seed)
  next.seed++
  next.seconds += processorSeconds() - before
  runs++
}
say({ found, seeds: runs, seconds: processorSeconds() })
