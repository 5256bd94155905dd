/**
 * Runs seeds until one breaks a rule: `child.mjs <workloads> <seeds> <seconds>`. Without names, of all workloads but exports and owners, which
 * send through the same transport and take longer. The workloads take turns by their processor time. Prints a line now and then, and at the end the
 * finding as JSON.
 */
import { workloads } from "../../simulation/src/workloads/Workloads.ts"

const [names = "", seeds = "0", seconds = "0"] = process.argv.slice(2)
const chosen =
  names === ""
    ? Object.values(workloads).filter(({ name }) => name !== "exports" && name !== "owners")
    : names.split(",").map((name) => workloads[name])
const processorSeconds = () => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1e6
}
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

const judged = (workload, seed) => {
  try {
    const [violation] = workload.run(seed).violations
    return violation === undefined ? undefined : { seed, workload: workload.name, rule: violation.rule }
  } catch (error) {
    return { seed, workload: workload.name, rule: `throws ${String(error).split("\n")[0].slice(0, 80)}` }
  }
}

/** Workloads of many parts get more of the processor. */
const weights = { calls: 2, writes: 3 }

/** The turns of each workload. */
const turns = chosen.map((workload) => ({ workload, seed: 0, seconds: 0 }))

let found
let runs = 0
while (found === undefined && processorSeconds() < Number(seconds)) {
  const [next] = turns.filter(({ seed }) => seed < Number(seeds)).sort((a, b) => a.seconds - b.seconds)
  if (next === undefined) break
  print({ seed: next.seed })
  const before = processorSeconds()
  found = judged(next.workload, next.seed)
  next.seed++
  next.seconds += (processorSeconds() - before) / (weights[next.workload.name] ?? 1)
  runs++
}
print({ found, seeds: runs, seconds: processorSeconds() })
