import * as Effect from "effect/Effect"
import { withClients } from "./processes.js"
import type { RemoteClient } from "./processes.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"
import type * as Selection from "./selection.js"

const count = 17

/** Allocations hardly differ between measurements. */
const countedPairs = 7
const warmUp = 6_000

/**
 * The number of calls of a measurement: large enough to be precise, small enough that both measurements of a pair see the same machine
 * load.
 */
const callsAt = { 1: 200, 16: 320, 64: 384 } as const

type Lines = keyof typeof callsAt

const baselines = {
  ours: "the same call without it",
  undici: "undici and JSON.parse, nothing signed or checked",
  "bybit-api": "bybit-api: signed, nothing checked",
  ccxt: "ccxt's raw call: signed, nothing checked",
  "ccxt.unified": "ccxt's fetchMyTrades"
} as const

const beside: ReadonlyArray<{
  readonly ours: "ours" | "ours.domain" | "ours.traced" | "ours.wrapped"
  readonly baseline: keyof typeof baselines
  readonly suffix: string
  readonly targets?: Partial<Record<Lines, Row.Target>>
}> = [
  { ours: "ours", baseline: "undici", suffix: "", targets: { 1: { atLeast: 0.75 }, 16: { atLeast: 0.75 } } },
  { ours: "ours", baseline: "bybit-api", suffix: ".bybit-api", targets: { 16: { atLeast: 1.6 } } },
  { ours: "ours", baseline: "ccxt", suffix: ".ccxt", targets: { 16: { atLeast: 1 } } },
  { ours: "ours.domain", baseline: "undici", suffix: ".domain", targets: { 16: { atLeast: 0.65 } } },
  { ours: "ours.domain", baseline: "bybit-api", suffix: ".domain.bybit-api", targets: { 16: { atLeast: 1 } } },
  { ours: "ours.domain", baseline: "ccxt.unified", suffix: ".domain.ccxt", targets: { 16: { atLeast: 1.2 } } },
  { ours: "ours.traced", baseline: "ours", suffix: ".traced" },
  { ours: "ours.wrapped", baseline: "ours", suffix: ".wrapped" }
]

const names = [
  ...(["undici", "ours", "ours.domain", "ours.traced", "ours.wrapped"] as const),
  ...(["bybit-api", "ccxt", "ccxt.unified"] as const)
] as const

const nameOf = (lines: Lines, suffix: string): string => `request.c${lines}${suffix}`

type Clients = Readonly<Record<(typeof names)[number], RemoteClient>>

/** Measures a client: calls per second of wall-clock time, and microseconds of processor time per call. */
const measured = (client: RemoteClient, lines: Lines) => {
  const calls = callsAt[lines]
  return Effect.map(
    Effect.promise(() => client.run({ calls, lines })),
    ({ cpu, p50, p99, wall }) => ({ rate: (calls * 1e6) / wall, cpu: cpu / calls, p50, p99 })
  )
}

/** The heap per call, in kB. Only several collections show what survives one. */
const heapOf = (client: RemoteClient, lines: Lines, heap: "allocated" | "surviving") => {
  const calls = callsAt[lines] * (heap === "surviving" ? 5 : 1)
  return Effect.map(
    Effect.promise(() => client.run({ calls, lines, heap })),
    ({ heap = Number.NaN }) => heap / calls / 1_000
  )
}

const compared = (clients: Clients, lines: Lines, { baseline, ours, suffix, targets }: (typeof beside)[number]) =>
  Effect.gen(function* () {
    const [mine, theirs] = [clients[ours], clients[baseline]]
    const baselineName = baselines[baseline]
    const name = nameOf(lines, suffix)
    const row = (part: string, unit: string, pairs: ReadonlyArray<Rounds.Pair>, target?: Row.Target) =>
      Row.ofPairs({ name: `${name}${part}`, baselineName, unit, target }, pairs)
    const pairs = yield* Rounds.pairs({ count, warmUp: 1 }, measured(mine, lines), measured(theirs, lines))
    const heaps = (heap: "allocated" | "surviving") =>
      Rounds.pairs({ count: countedPairs }, heapOf(mine, lines, heap), heapOf(theirs, lines, heap))
    return [
      row("", "calls/s", Rounds.figures(pairs, "rate"), targets?.[lines]),
      row(".cpu", "us of processor a call", Rounds.figures(pairs, "cpu")),
      row(".p50", "us, half of the calls", Rounds.figures(pairs, "p50")),
      row(".p99", "us, 99 of 100 calls", Rounds.figures(pairs, "p99")),
      row(".allocated", "kB of heap a call", yield* heaps("allocated")),
      row(".surviving", "kB of heap a call", yield* heaps("surviving"))
    ]
  })

/**
 * Calls for a page of 100 executions over loopback, 1, 16 and 64 at a time: by wall-clock time; rows that end in `.cpu` by the processor
 * time of the client, in `.p50` and `.p99` by percentiles of the duration, in `.allocated` by allocations, and
 * in `.surviving` by the objects that outlive a collection of young ones.
 */
export const request = ({ overlaps }: Selection.Selection): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.gen(function* () {
    const comparisons = beside.filter(({ suffix }) =>
      ([1, 16, 64] as const).some((lines) => overlaps(nameOf(lines, suffix)))
    )
    const needed = names.filter((name) => comparisons.some(({ baseline, ours }) => name === ours || name === baseline))
    const clients = yield* withClients(needed)
    // Warms up until the engine has compiled everything; larger clients take longer.
    for (const name of needed) yield* Effect.promise(() => clients[name].run({ calls: warmUp, lines: 16 }))
    const rows: Array<Row.Row> = []
    for (const lines of [1, 16, 64] as const) {
      for (const comparison of comparisons) {
        if (overlaps(nameOf(lines, comparison.suffix))) rows.push(...(yield* compared(clients, lines, comparison)))
      }
    }
    return rows
  }).pipe(Effect.scoped)
