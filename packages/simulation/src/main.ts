/**
 * Runs the library in a world generated from seeds.
 *
 *     npm run simulate -- --seeds 1000 --from 0               1,000 seeds, shared out over the workloads, in lawful mode
 *     npm run simulate -- --workload calls --seeds 1000       of one workload
 *     npm run simulate -- --workload calls --seconds 60       as many seeds as a minute of processor time takes
 *     npm run simulate -- --anywhere --seeds 1000             fibers yield before any operation
 *     npm run simulate -- --workload calls --replay 24        one seed, with its trace
 *
 * A program at the edge, without fibers: it writes to the console.
 *
 * Prints the things that were reached, and of each kind of violation the first: rule, shrunk plan, causes, trace, and the command that replays it.
 * Exit code 1 after a violation.
 */
import { parseArgs } from "node:util"
import type * as Workload from "./workloads/Workload.js"
import { shares, workloads } from "./workloads/Workloads.js"

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    workload: { type: "string" },
    seeds: { type: "string" },
    seconds: { type: "string" },
    from: { type: "string", default: "0" },
    anywhere: { type: "boolean", default: false },
    replay: { type: "string" }
  }
})

const options: Workload.Options = { isAnywhere: values.anywhere }

const replay = (workload: Workload.Workload, seed: number): boolean => {
  const { events, hash, violations } = workload.run(seed, options)
  // The output of this program.
  console.log(JSON.stringify(workload.plan(seed, options)))
  console.log(events.join("\n"))
  for (const { call, detail, rule } of violations) console.log(`${rule} ${call}: ${detail}`)
  console.log(`hash ${hash}`)
  return violations.length === 0
}

const show = (workload: Workload.Workload, seed: number, rule: string): void => {
  const { causes, outcome, plan } = workload.show(seed, options, rule)
  console.log(`\n${rule}, first by seed ${seed}:`)
  for (const { call, detail } of outcome.violations.filter((violation) => violation.rule === rule))
    console.log(`  ${call}: ${detail}`)
  console.log(`  shrunk plan: ${JSON.stringify(plan)}`)
  if (causes.length > 0) console.log(`  not without: ${causes.join(", ")}`)
  console.log(outcome.events.map((event) => `  ${event}`).join("\n"))
  console.log(
    `  npm run simulate -- --workload ${workload.name} --replay ${seed}${options.isAnywhere ? " --anywhere" : ""}`
  )
}

const processorSeconds = (since: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(since)
  return (user + system) / 1e6
}

/** Weak references are only collected when the event loop turns, and a run takes no turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

const simulate = async (
  workload: Workload.Workload,
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
    const outcome = workload.run(from + seeds, options)
    calls += outcome.journal.of("Reported").length + outcome.journal.of("Compared").length
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
    `${workload.name}: ${seeds} seeds, ${calls} results, ${(virtual / 3_600_000).toFixed(1)} virtual hours; ` +
      `${(seeds / elapsed).toFixed(1)} seeds and ${(calls / elapsed).toFixed(0)} results a second, ` +
      `${((seconds * 1000) / seeds).toFixed(1)} ms of processor time a seed`
  )
  for (const [rule, [first = 0]] of found) show(workload, first, rule)
  for (const [rule, all] of found) console.log(`${rule}: ${all.length} seeds: ${all.slice(0, 20).join(" ")}`)
  console.log(
    found.size === 0 ? `${workload.name}: no violation` : `${workload.name}: ${found.size} rules were violated`
  )
  return found.size === 0
}

const chosen = Object.values(workloads).filter(({ name }) => values.workload === undefined || name === values.workload)
const from = Number(values.from)
const most =
  values.seeds === undefined ? (values.seconds === undefined ? 200 : Number.POSITIVE_INFINITY) : Number(values.seeds)
const longest = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds)

if (
  chosen.length === 0 ||
  (values.replay !== undefined && chosen.length > 1) ||
  ![from, most, longest].every((n) => n >= 0)
) {
  console.error(
    `One of the workloads is needed: --workload ${Object.keys(workloads).join("|")}. Numbers are at least 0.`
  )
  process.exitCode = 2
} else {
  for (const workload of chosen) {
    const ofWorkload = chosen.length === 1 ? most : Math.max(1, Math.round(most * shares[workload.name]))
    const isClean =
      values.replay === undefined
        ? await simulate(workload, from, (seeds, seconds) => seeds >= ofWorkload || seconds >= longest)
        : replay(workload, Number(values.replay))
    if (!isClean) process.exitCode = 1
  }
}
