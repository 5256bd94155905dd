import * as Effect from "effect/Effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Row from "./row.js"
import type { Cost } from "./sandboxWorldChild.js"
import type * as Selection from "./selection.js"

/** The minimum number of pairs for an interval. */
const processes = 6

const isCost = (message: unknown): message is Cost =>
  typeof message === "object" && message !== null && "fresh" in message && "next" in message && "memory" in message

const run = (): Promise<Cost> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL("./sandboxWorldChild.ts", import.meta.url)), {
      execArgv: ["--import", new URL("../loader.mjs", import.meta.url).href]
    })
    child.once("message", (message) => {
      if (isCost(message)) resolve(message)
      else reject(new Error(`not a cost: ${JSON.stringify(message)}`))
    })
    child.once("exit", (code) => reject(new Error(`a process of the measurement ended with ${code ?? "a signal"}`)))
  })

/** Affordable costs in a test. */
const rows = [
  { name: "sandbox.fresh", figure: "fresh", unit: "ms of processor", allowed: 30 },
  { name: "sandbox.next", figure: "next", unit: "ms of processor", allowed: 3 },
  { name: "sandbox.memory", figure: "memory", unit: "MiB a sandbox", allowed: 0.15 }
] as const

/**
 * The cost of a sandbox that returns a page of executions and a wallet balance: the first of a seed, further ones of that seed, and the
 * memory of each of 200.
 */
export const worlds = (selection: Selection.Selection): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.promise(async () => {
    const costs: Array<Cost> = []
    for (let process = 0; process < processes; process++) costs.push(await run())
    return rows
      .filter(({ name }) => selection.overlaps(name))
      .map(({ allowed, figure, name, unit }) =>
        Row.ofPairs(
          { name, baselineName: `${allowed} ${unit} allowed`, unit, target: { atMost: 1 } },
          costs.map((cost) => ({ ours: cost[figure], baseline: allowed }))
        )
      )
  })
