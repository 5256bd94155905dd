/**
 * Runs the library in a world generated from seeds. A program at the edge, without fibers: it writes to the console.
 *
 * Prints the things that were reached, and of each kind of violation the first: rule, shrunk plan, causes, trace, and the command that replays it.
 * Exit code 1 after a violation, 2 for wrong options.
 */
import { parseArgs } from "node:util"
import type * as Workload from "./run/Workload.js"
import { shares, workloads } from "./workloads/Workloads.js"

const usage = `npm run simulate -- [options]

  --workload <name>   ${Object.keys(workloads).join(", ")}; default: all, which share the seeds
  --seeds <count>     how many seeds; default: 200, or as many as --seconds allows
  --seconds <time>    as many seeds as this processor time allows, for each workload
  --from <seed>       the first seed; default: 0
  --anywhere          fibers yield before any operation
  --replay <seed>     one seed of --workload, with its trace
  --help              this text`

const names = ["seeds", "seconds", "from", "replay"] as const

/** The options of the command line. Throws an error with the reason if they are wrong. */
const parseOptions = () => {
  const text = { type: "string" } as const
  const numeric = { seeds: text, seconds: text, from: text, replay: text }
  const isThere = { type: "boolean", default: false } as const
  const { values } = parseArgs({ options: { workload: text, ...numeric, anywhere: isThere, help: isThere } })
  const chosen = Object.values(workloads).filter(({ name }) => (values.workload ?? name) === name)
  if (chosen.length === 0) throw new Error(`there is no workload ${values.workload ?? ""}`)
  if (values.replay !== undefined && chosen.length > 1) throw new Error("--replay needs --workload")
  const wrong = names.find((name) => !/^[\d.]+$/.test(values[name] ?? "0"))
  if (wrong !== undefined) throw new Error(`--${wrong} needs a number of at least 0, not "${values[wrong] ?? ""}"`)
  const numberOf = (name: (typeof names)[number]) => (values[name] === undefined ? undefined : Number(values[name]))
  return {
    chosen,
    isHelp: values.help,
    isAnywhere: values.anywhere,
    from: numberOf("from") ?? 0,
    seeds: numberOf("seeds"),
    seconds: numberOf("seconds"),
    replayed: numberOf("replay")
  }
}

const replay = (workload: Workload.Workload, seed: number, options: Workload.Options): boolean => {
  const { events, hash, violations } = workload.run(seed, options)
  // The output of this program.
  console.log(JSON.stringify(workload.plan(seed, options)))
  console.log(events.join("\n"))
  for (const { call, detail, rule } of violations) console.log(`${rule} ${call}: ${detail}`)
  console.log(`hash ${hash}`)
  return violations.length === 0
}

const show = (workload: Workload.Workload, seed: number, rule: string, options: Workload.Options): void => {
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
  isEnough: (seeds: number, seconds: number) => boolean,
  options: Workload.Options
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
  for (const [rule, [first = 0]] of found) show(workload, first, rule, options)
  for (const [rule, all] of found) console.log(`${rule}: ${all.length} seeds: ${all.slice(0, 20).join(" ")}`)
  console.log(
    found.size === 0 ? `${workload.name}: no violation` : `${workload.name}: ${found.size} rules were violated`
  )
  return found.size === 0
}

const main = async (request: ReturnType<typeof parseOptions>): Promise<boolean> => {
  const { chosen, from, isAnywhere, replayed, seconds, seeds } = request
  const most = seeds ?? (seconds === undefined ? 200 : Number.POSITIVE_INFINITY)
  const longest = seconds ?? Number.POSITIVE_INFINITY
  let isClean = true
  for (const workload of chosen) {
    const own = chosen.length === 1 ? most : Math.max(1, Math.round(most * shares[workload.name]))
    const isEnough = (done: number, took: number) => done >= own || took >= longest
    const options = { isAnywhere }
    const isKept =
      replayed === undefined ? await simulate(workload, from, isEnough, options) : replay(workload, replayed, options)
    isClean &&= isKept
  }
  return isClean
}

try {
  const request = parseOptions()
  if (request.isHelp) console.log(usage)
  // A world that fails is no wrong option.
  else void main(request).then((isClean) => (process.exitCode = isClean ? 0 : 1))
} catch (error) {
  console.error(`simulate: ${String(error)}\n\n${usage}`)
  process.exitCode = 2
}
