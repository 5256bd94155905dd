import * as Effect from "effect/Effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Row from "./row.js"
import type { Cost } from "./sandboxWorldChild.js"
import type * as Selection from "./selection.js"

/** The fewest pairs that give an interval. */
const processes = 6
/** In one process, where they are only made. */
const sandboxes = 200

const isCost = (message: unknown): message is Cost =>
  typeof message === "object" && message !== null && "first" in message && "next" in message && "memory" in message

const run = (look: "made" | "balance" | "everything", count: number): Promise<Cost> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL("./sandboxWorldChild.ts", import.meta.url)), [look, String(count)], {
      execArgv: ["--import", new URL("../loader.mjs", import.meta.url).href]
    })
    child.once("message", (message) => {
      if (isCost(message)) resolve(message)
      else reject(new Error(`not a cost: ${JSON.stringify(message)}`))
    })
    child.once("exit", (code) => reject(new Error(`a process of the measurement ended with ${code ?? "a signal"}`)))
  })

/** What is measured of a sandbox, and how much of it a test can afford. */
const figures = {
  "sandbox.fresh": { figure: "first", unit: "ms of processor", allowed: 30 },
  "sandbox.next": { figure: "next", unit: "ms of processor", allowed: 3 },
  "sandbox.memory": { figure: "memory", unit: "MiB a sandbox", allowed: 1 }
} as const

/**
 * What a sandbox costs: the first of a process, the next ones, and the memory of each of 200. Beside what is allowed, and beside
 * sandboxes whose whole world is looked at (`*.world`), which is what every sandbox cost when worlds were made at once. `*.balance`: with
 * a signed wallet balance of the main account answered, for which its trading is simulated.
 */
export const worlds = (selection: Selection.Selection): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.promise(async () => {
    const names = (["sandbox.fresh", "sandbox.next", "sandbox.memory"] as const).filter(selection.overlaps)
    const costs: Array<Record<"made" | "balance" | "everything", Cost>> = []
    for (let process = 0; process < processes; process++) {
      costs.push({
        made: await run("made", sandboxes),
        balance: await run("balance", 40),
        everything: await run("everything", 4)
      })
    }
    return names.flatMap((name) => {
      const { allowed, figure, unit } = figures[name]
      const world = { baselineName: "the whole world looked at", unit }
      return [
        Row.ofPairs(
          { name, baselineName: `${allowed} ${unit} allowed`, unit, target: { atMost: 1 } },
          costs.map(({ made }) => ({ ours: made[figure], baseline: allowed }))
        ),
        Row.ofPairs(
          { ...world, name: `${name}.world` },
          costs.map(({ everything, made }) => ({ ours: made[figure], baseline: everything[figure] }))
        ),
        Row.ofPairs(
          { ...world, name: `${name}.balance` },
          costs.map(({ balance, everything }) => ({ ours: balance[figure], baseline: everything[figure] }))
        )
      ]
    })
  })
