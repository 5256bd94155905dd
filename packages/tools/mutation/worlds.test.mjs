/**
 * Runs seeds until one breaks a rule. The workloads take turns by their processor time; without names they are all but exports and owners, which send through
 * the same transport and take longer. `vitest.config.mjs` has what is wrong with the code.
 */
import { writeSync } from "node:fs"
import { setImmediate as turn } from "node:timers/promises"
import { expect, it } from "vitest"
import { workloads } from "../../simulation/src/workloads/Workloads.ts"

const { names, seconds, seeds } = JSON.parse(process.env.WORLDS)
const chosen = Object.values(workloads).filter(({ name }) =>
  names === "world" ? name !== "exports" && name !== "owners" : names.split(",").includes(name)
)
const processorSeconds = () => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1e6
}

const judged = (workload, seed) => {
  try {
    const [violation] = workload.run(seed).violations
    return violation && `${violation.rule}, ${workload.name} seed ${seed}`
  } catch (error) {
    return `throws ${String(error).split("\n")[0].slice(0, 80)}, ${workload.name} seed ${seed}`
  }
}

/** Workloads of many parts get more of the processor. */
const weights = { calls: 2, writes: 3 }

it("breaks no rule", async () => {
  const turns = chosen.map((workload) => ({ workload, seed: 0, seconds: 0 }))
  const started = processorSeconds()
  for (;;) {
    const before = processorSeconds()
    const [next] = turns.filter(({ seed }) => seed < seeds).sort((a, b) => a.seconds - b.seconds)
    if (next === undefined || before - started >= seconds) return
    // It lives: a seed that never ends prints nothing any more.
    writeSync(2, ".")
    const found = judged(next.workload, next.seed++)
    if (found !== undefined) writeSync(2, `\nfound ${found}\n`)
    expect(found).toBeUndefined()
    next.seconds += (processorSeconds() - before) / (weights[next.workload.name] ?? 1)
    // A seed takes no turn of the event loop.
    await turn()
  }
})
