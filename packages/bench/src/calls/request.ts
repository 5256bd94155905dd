import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Processes from "../measure/processes.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"
import type { Name, Order, Took } from "./clientProcess.js"

const count = 17

/** Allocations hardly differ between measurements. */
const countedPairs = 7
const warmUp = 6_000

/**
 * The number of calls of a measurement: large enough to be precise, small enough that both measurements of a pair see the same machine
 * load.
 */
const callsAt = { 1: 200, 16: 320 } as const

type Lines = keyof typeof callsAt

const baselines = {
  ours: "the same call without it",
  undici: "undici and JSON.parse, nothing signed or checked",
  "bybit-api": "bybit-api: signed, nothing checked",
  ccxt: "ccxt's raw call: signed, nothing checked",
  "ccxt.unified": "ccxt's fetchMyTrades"
} as const

interface Comparison {
  readonly ours: Name
  readonly baseline: keyof typeof baselines
  readonly suffix: string
  readonly targets?: Partial<Record<Lines, Row.Target>>
}

const comparisons: ReadonlyArray<Comparison> = [
  { ours: "ours", baseline: "undici", suffix: "", targets: { 1: { atLeast: 0.75 }, 16: { atLeast: 0.75 } } },
  { ours: "ours", baseline: "bybit-api", suffix: ".bybit-api", targets: { 16: { atLeast: 1.6 } } },
  { ours: "ours", baseline: "ccxt", suffix: ".ccxt", targets: { 16: { atLeast: 1 } } },
  { ours: "ours.domain", baseline: "undici", suffix: ".domain", targets: { 16: { atLeast: 0.65 } } },
  { ours: "ours.domain", baseline: "bybit-api", suffix: ".domain.bybit-api", targets: { 16: { atLeast: 1 } } },
  { ours: "ours.domain", baseline: "ccxt.unified", suffix: ".domain.ccxt", targets: { 16: { atLeast: 1.2 } } },
  { ours: "ours.traced", baseline: "ours", suffix: ".traced" },
  { ours: "ours.wrapped", baseline: "ours", suffix: ".wrapped" }
]

type Run = (order: Order) => Effect.Effect<Took>

/** Starts a client and warms it up until the engine has compiled everything, which takes longer with larger clients. */
const warmClient = (name: Name, url: string) =>
  Effect.gen(function* () {
    const child = yield* Processes.start("calls/clientProcess", [name, url])
    yield* Processes.said(child)
    const run: Run = (order) =>
      Effect.zipRight(
        Effect.sync(() => child.send(order)),
        Processes.said(child)
        // The answer of `clientProcess.ts`.
      ) as Effect.Effect<Took>
    yield* run({ calls: warmUp, lines: 16, isSampled: false })
    return run
  })

/** Measures a client: calls per second of wall-clock time, and the rest per call; allocations in kB. */
const measureRun = (run: Run, lines: Lines, isSampled: boolean) => {
  const calls = callsAt[lines]
  return Effect.map(run({ calls, lines, isSampled }), ({ allocated, cpu, p50, p99, wall }) => ({
    ...{ rate: (calls * 1e6) / wall, cpu: cpu / calls, allocated: allocated / calls / 1_000 },
    ...{ p50, p99 }
  }))
}

const compareRuns = (ours: Run, baseline: Run, lines: Lines, description: Parameters<typeof Row.ofPairs>[0]) =>
  Effect.gen(function* () {
    const measure = (count: number, isSampled: boolean) =>
      Rounds.pairs({ count, warmUp: 1 }, measureRun(ours, lines, isSampled), measureRun(baseline, lines, isSampled))
    const { baselineName, name } = description
    const detail = (part: string, unit: string, pairs: ReadonlyArray<Rounds.Pair>) =>
      Row.ofPairs({ name: `${name}${part}`, baselineName, unit }, pairs)
    const pairs = yield* measure(count, false)
    return [
      Row.ofPairs(description, Rounds.figures(pairs, "rate")),
      detail(".cpu", "us of processor a call", Rounds.figures(pairs, "cpu")),
      detail(".p50", "us, half of the calls", Rounds.figures(pairs, "p50")),
      detail(".p99", "us, 99 of 100 calls", Rounds.figures(pairs, "p99")),
      detail(".allocated", "kB of heap a call", Rounds.figures(yield* measure(countedPairs, true), "allocated"))
    ]
  })

/**
 * Calls for a page of 100 executions over loopback, 1 and 16 at a time: by wall-clock time; rows that end in `.cpu` by the processor time
 * of the client, in `.p50` and `.p99` by percentiles of the duration, and in `.allocated` by allocations.
 */
export const request = ({ overlaps }: Row.Selection): Stream.Stream<Row.Row> =>
  Effect.gen(function* () {
    const selected = ([1, 16] as const).flatMap((lines) =>
      comparisons
        .map((comparison) => ({ ...comparison, lines, name: `request.c${lines}${comparison.suffix}` }))
        .filter(({ name }) => overlaps(name))
    )
    const url = yield* Processes.server("calls/answerServer", [])
    const clients = new Map<Name, Run>()
    for (const name of selected.flatMap(({ baseline, ours }): ReadonlyArray<Name> => [baseline, ours])) {
      if (!clients.has(name)) clients.set(name, yield* warmClient(name, url))
    }
    const clientOf = (name: Name): Run => clients.get(name) ?? (() => Effect.dieMessage(`no client ${name}`))
    return Stream.fromIterable(selected).pipe(
      Stream.mapEffect(({ baseline, lines, name, ours, targets }) => {
        const description = { name, baselineName: baselines[baseline], unit: "calls/s", target: targets?.[lines] }
        return compareRuns(clientOf(ours), clientOf(baseline), lines, description)
      }),
      Stream.mapConcat((rows) => rows)
    )
  }).pipe(Stream.unwrapScoped)
