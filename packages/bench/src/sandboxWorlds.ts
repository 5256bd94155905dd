import * as Effect from "effect/Effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Row from "./row.js"
import type { Cost } from "./sandboxWorldChild.js"

const processes = 3
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

/**
 * What a sandbox costs: the first of a process, the next ones, and the memory of each of 200, beside sandboxes whose whole world is
 * looked at, which is what every sandbox cost when worlds were made at once. `*.balance`: with a signed wallet balance of the main account
 * answered, for which its trading is simulated.
 */
export const worlds: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.promise(async () => {
  const costs: Record<"made" | "balance" | "everything", Array<Cost>> = { made: [], balance: [], everything: [] }
  for (let round = 0; round < processes; round++) {
    costs.made.push(await run("made", sandboxes))
    costs.balance.push(await run("balance", 40))
    costs.everything.push(await run("everything", 4))
  }
  const row = (name: string, look: "made" | "balance", figure: keyof Cost, unit: string, target?: string) =>
    Row.ofRounds(
      { name, baselineName: "the whole world looked at", unit, ...(target === undefined ? {} : { target }) },
      costs[look].map((cost) => cost[figure]),
      costs.everything.map((cost) => cost[figure])
    )
  return [
    row("sandbox.fresh", "made", "first", "ms of processor", "<= 30 ms"),
    row("sandbox.fresh.balance", "balance", "first", "ms of processor"),
    row("sandbox.next", "made", "next", "ms of processor", "<= 3 ms"),
    row("sandbox.next.balance", "balance", "next", "ms of processor"),
    row("sandbox.memory", "made", "memory", "MiB a sandbox", "<= 1 MiB"),
    row("sandbox.memory.balance", "balance", "memory", "MiB a sandbox")
  ]
})
