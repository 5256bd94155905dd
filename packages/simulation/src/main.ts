/**
 * Runs the library in worlds made from seeds.
 *
 *     npm run simulate -- --seeds 1000 --from 0        1,000 seeds, in lawful mode
 *     npm run simulate -- --anywhere --seeds 1000      fibers yield before any operation
 *     npm run simulate -- --replay 24                  one seed, with its trace
 *
 * A program at the edge, without fibers of its own: it writes to the console.
 *
 * Prints what was reached, and of each kind of violation the first: rule, shrunk plan, trace, and the command that replays it. Exit code
 * 1 when there is a violation.
 */
import { parseArgs } from "node:util"
import * as CallWorld from "./CallWorld.js"
import * as Judge from "./Judge.js"
import * as Plan from "./Plan.js"
import * as Shrink from "./Shrink.js"

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "0" },
    anywhere: { type: "boolean", default: false },
    replay: { type: "string" }
  }
})

const judged = (plan: Plan.Plan) => {
  const run = CallWorld.run(plan)
  return { run, violations: Judge.violations(run.journal, run.expectations) }
}

const planOf = (seed: number) => Plan.make(seed, { isAnywhere: values.anywhere })

const replay = (seed: number): number => {
  const plan = planOf(seed)
  const { run, violations } = judged(plan)
  console.log(JSON.stringify(plan))
  console.log(run.events.join("\n"))
  for (const { call, detail, rule } of violations) console.log(`${rule} ${call}: ${detail}`)
  console.log(`hash ${run.hash}`)
  return violations.length === 0 ? 0 : 1
}

const show = (seed: number, rule: Judge.Rule): void => {
  const shows = (plan: Plan.Plan) => judged(plan).violations.some((violation) => violation.rule === rule)
  const plan = Shrink.shrink(planOf(seed), shows)
  const { run, violations } = judged(plan)
  console.log(`\n${rule}, first by seed ${seed}:`)
  for (const { call, detail } of violations.filter((violation) => violation.rule === rule))
    console.log(`  ${call}: ${detail}`)
  console.log(`  shrunk plan: ${JSON.stringify(plan)}`)
  console.log(run.events.map((event) => `  ${event}`).join("\n"))
  console.log(`  npm run simulate -- --replay ${seed}${values.anywhere ? " --anywhere" : ""}`)
}

const simulate = (from: number, seeds: number): number => {
  const coverage = new Map<string, number>()
  const found = new Map<Judge.Rule, Array<number>>()
  let calls = 0
  let virtual = 0
  const started = process.cpuUsage()
  for (let seed = from; seed < from + seeds; seed++) {
    const plan = planOf(seed)
    calls += plan.calls.length
    const { run, violations } = judged(plan)
    virtual += run.journal.facts.at(-1)?.at ?? 0
    for (const name of run.coverage) coverage.set(name, (coverage.get(name) ?? 0) + 1)
    for (const rule of new Set(violations.map((violation) => violation.rule))) {
      found.set(rule, [...(found.get(rule) ?? []), seed])
    }
  }
  const { system, user } = process.cpuUsage(started)
  const seconds = (user + system) / 1e6
  for (const [name, count] of [...coverage].sort()) console.log(`${String(count).padStart(7)}  ${name}`)
  console.log(
    `${seeds} seeds, ${calls} calls, ${(virtual / 3_600_000).toFixed(1)} virtual hours; ${((seconds * 1000) / seeds).toFixed(1)} ms of processor time a seed`
  )
  for (const [rule, [first = 0]] of found) show(first, rule)
  for (const rule of Judge.rules) {
    const all = found.get(rule) ?? []
    if (all.length > 0) console.log(`${rule}: ${all.length} seeds: ${all.slice(0, 20).join(" ")}`)
  }
  console.log(found.size === 0 ? "no violation" : `${found.size} rules were violated`)
  return found.size === 0 ? 0 : 1
}

process.exitCode =
  values.replay === undefined ? simulate(Number(values.from), Number(values.seeds)) : replay(Number(values.replay))
