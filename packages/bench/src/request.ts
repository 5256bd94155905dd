import * as Effect from "effect/Effect"
import { withClients } from "./processes.js"
import type { RemoteClient } from "./processes.js"
import { interleaved } from "./rounds.js"
import * as Row from "./row.js"

const rounds = 13
const warmUp = 6_000

/** Calls a round: long enough to tell, short enough for what happens on the machine to fall on all. */
const callsAt = { 1: 200, 16: 320, 64: 384 } as const

const beside = [
  ["ours", "undici", "", { 1: ">= 0.75", 16: ">= 0.7", 64: "" }],
  ["ours", "bybit-api", ".bybit-api", { 1: "", 16: ">= 1.6", 64: "" }],
  ["ours", "ccxt", ".ccxt", { 1: "", 16: ">= 0.9", 64: "" }],
  ["ours.domain", "undici", ".domain", { 1: "", 16: "", 64: "" }],
  ["ours.domain", "bybit-api", ".domain.bybit-api", { 1: "", 16: ">= 1.0", 64: "" }],
  ["ours.domain", "ccxt.unified", ".domain.ccxt", { 1: "", 16: ">= 1.2", 64: "" }]
] as const

const baselines = {
  undici: "undici and JSON.parse, nothing signed or checked",
  "bybit-api": "bybit-api: signed, nothing checked",
  ccxt: "ccxt's raw call: signed, nothing checked",
  "ccxt.unified": "ccxt's fetchMyTrades"
} as const

const names = ["undici", "ours", "ours.domain", "bybit-api", "ccxt", "ccxt.unified"] as const

type Clients = Readonly<Record<(typeof names)[number], RemoteClient>>

const at = async (lines: 1 | 16 | 64, clients: Clients): Promise<ReadonlyArray<Row.Row>> => {
  const calls = callsAt[lines]
  const cpu = new Map<string, Array<number>>()
  const rate = (name: (typeof names)[number]) => async () => {
    const took = await clients[name].run({ calls, lines })
    cpu.set(name, [...(cpu.get(name) ?? []), took.cpu / calls])
    return (calls * 1e6) / took.wall
  }
  const figures = await interleaved(rounds, {
    undici: rate("undici"),
    ours: rate("ours"),
    "ours.domain": rate("ours.domain"),
    "bybit-api": rate("bybit-api"),
    ccxt: rate("ccxt"),
    "ccxt.unified": rate("ccxt.unified")
  })
  return beside.map(([ours, baseline, suffix, targets]) => ({
    ...Row.ofRounds(
      {
        name: `request.c${lines}${suffix}`,
        baselineName: baselines[baseline],
        unit: "calls/s",
        target: targets[lines]
      },
      figures[ours],
      figures[baseline]
    ),
    cpu: Row.cpuOf(cpu.get(ours) ?? [], cpu.get(baseline) ?? [])
  }))
}

/** Calls for a page of 100 executions over loopback, 1, 16 and 64 at a time, in calls a second. */
export const request = (isWanted: (name: string) => boolean): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.promise(() =>
    withClients(names, async (clients) => {
      // Until the engine has compiled all of it; what has more code takes longer.
      for (const name of names) await clients[name].run({ calls: warmUp, lines: 16 })
      const rows: Array<Row.Row> = []
      for (const lines of [1, 16, 64] as const) {
        if (isWanted(`request.c${lines}`)) rows.push(...(await at(lines, clients)))
      }
      return rows
    })
  )
