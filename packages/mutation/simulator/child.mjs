/**
 * Runs seeds until one breaks a rule: `child.mjs <worlds> <seeds> <seconds>`. Without names, of all worlds but that of exports, which
 * send through the same transport and take longer. Prints a line for every tenth seed, and at the end what was
 * found as JSON.
 */
import { worlds } from "../../simulation/src/worlds.ts"

const [names = "", seeds = "0", seconds = "0"] = process.argv.slice(2)
const chosen =
  names === ""
    ? Object.values(worlds).filter(({ name }) => name !== "export")
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

let found
let seed = 0
for (; seed < Number(seeds) && found === undefined && processorSeconds() < Number(seconds); seed++) {
  if (seed % 10 === 0) say({ seed })
  for (const world of chosen) found ??= judged(world, seed)
}
say({ found, seeds: seed, seconds: processorSeconds() })
