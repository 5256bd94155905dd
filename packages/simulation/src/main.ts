/**
 * Runs the library in worlds made from seeds.
 *
 *     npm run simulate -- --seeds 1000 --from 0           1,000 seeds, shared out over the worlds, in lawful mode
 *     npm run simulate -- --world call --seeds 1000       of one world
 *     npm run simulate -- --world call --seconds 60       as many seeds as a minute of processor time takes
 *     npm run simulate -- --anywhere --seeds 1000         fibers yield before any operation
 *     npm run simulate -- --world call --replay 24        one seed, with its trace
 *
 * A program at the edge, without fibers of its own: it writes to the console.
 *
 * Prints what was reached, and of each kind of violation the first: rule, shrunk plan, what it does not occur without, trace, and the
 * command that replays it. Exit code 1 when there is a violation.
 */
import { parseArgs } from "node:util"
import type * as World from "./World.js"
import { shares, worlds } from "./worlds.js"

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    world: { type: "string" },
    seeds: { type: "string" },
    seconds: { type: "string" },
    from: { type: "string", default: "0" },
    anywhere: { type: "boolean", default: false },
    replay: { type: "string" }
  }
})

const options: World.Options = { isAnywhere: values.anywhere }

const replay = (world: World.World, seed: number): boolean => {
  const { events, hash, violations } = world.run(seed, options)
  // The output of this program.
  console.log(JSON.stringify(world.planned(seed, options)))
  console.log(events.join("\n"))
  for (const { call, detail, rule } of violations) console.log(`${rule} ${call}: ${detail}`)
  console.log(`hash ${hash}`)
  return violations.length === 0
}

const show = (world: World.World, seed: number, rule: string): void => {
  const { causes, outcome, plan } = world.show(seed, options, rule)
  console.log(`\n${rule}, first by seed ${seed}:`)
  for (const { call, detail } of outcome.violations.filter((violation) => violation.rule === rule))
    console.log(`  ${call}: ${detail}`)
  console.log(`  shrunk plan: ${JSON.stringify(plan)}`)
  if (causes.length > 0) console.log(`  not without: ${causes.join(", ")}`)
  console.log(outcome.events.map((event) => `  ${event}`).join("\n"))
  console.log(`  npm run simulate -- --world ${world.name} --replay ${seed}${options.isAnywhere ? " --anywhere" : ""}`)
}

const processorSeconds = (since: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(since)
  return (user + system) / 1e6
}

/** What is referred to weakly is kept until the event loop turns, and a run takes no turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

const simulate = async (
  world: World.World,
  from: number,
  isEnough: (seeds: number, seconds: number) => boolean
): Promise<boolean> => {
  const coverage = new Map<string, number>()
  const found = new Map<string, Array<number>>()
  let calls = 0
  let virtual = 0
  const started = process.cpuUsage()
  const clock = performance.now()
  let seeds = 0
  for (; !isEnough(seeds, processorSeconds(started)); seeds++) {
    const outcome = world.run(from + seeds, options)
    calls += outcome.calls
    virtual += outcome.virtual
    for (const name of outcome.coverage) coverage.set(name, (coverage.get(name) ?? 0) + 1)
    for (const rule of new Set(outcome.violations.map((violation) => violation.rule))) {
      found.set(rule, [...(found.get(rule) ?? []), from + seeds])
    }
    await turn()
  }
  const seconds = processorSeconds(started)
  const elapsed = (performance.now() - clock) / 1000
  for (const [name, count] of [...coverage].sort()) console.log(`${String(count).padStart(7)}  ${name}`)
  console.log(
    `${world.name}: ${seeds} seeds, ${calls} calls, ${(virtual / 3_600_000).toFixed(1)} virtual hours; ` +
      `${(seeds / elapsed).toFixed(1)} seeds and ${(calls / elapsed).toFixed(0)} calls a second, ` +
      `${((seconds * 1000) / seeds).toFixed(1)} ms of processor time a seed`
  )
  for (const [rule, [first = 0]] of found) show(world, first, rule)
  for (const [rule, all] of found) console.log(`${rule}: ${all.length} seeds: ${all.slice(0, 20).join(" ")}`)
  console.log(found.size === 0 ? `${world.name}: no violation` : `${world.name}: ${found.size} rules were violated`)
  return found.size === 0
}

const chosen = Object.values(worlds).filter(({ name }) => values.world === undefined || name === values.world)
const from = Number(values.from)
const most =
  values.seeds === undefined ? (values.seconds === undefined ? 200 : Number.POSITIVE_INFINITY) : Number(values.seeds)
const longest = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds)

if (
  chosen.length === 0 ||
  (values.replay !== undefined && chosen.length > 1) ||
  ![from, most, longest].every((n) => n >= 0)
) {
  console.error(`One of the worlds is needed: --world ${Object.keys(worlds).join("|")}. Numbers are at least 0.`)
  process.exitCode = 2
} else {
  for (const world of chosen) {
    const ofWorld = chosen.length === 1 ? most : Math.max(1, Math.round(most * shares[world.name]))
    const isClean =
      values.replay === undefined
        ? await simulate(world, from, (seeds, seconds) => seeds >= ofWorld || seconds >= longest)
        : replay(world, Number(values.replay))
    if (!isClean) process.exitCode = 1
  }
}
