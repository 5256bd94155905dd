/**
 * The memory of a fleet compared with its number of accounts, and its rate compared with the limit of its address.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Runs from "./exportRuns.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"
import type * as Selection from "./selection.js"

const day = 86_400_000

/** Each account exports four windows of a page each, and its wallet before and after them. */
const days = 27
const callsOfExport = 4 + 2

/** The documented limit of an address, and its usable fraction: a call counts until one window after its response. */
const limit = { count: 600, window: 5_000 }
const callsPerSecond = (limit.count / (limit.window / 1000)) * 0.99

const Outcome = Schema.Struct({ seconds: Schema.Number, heap: Schema.Number })

const Counts = Schema.Struct({ calls: Schema.Number, refusals: Schema.Number })

/** Runs a fleet of `accounts` until `enough` of their exports are done. */
const run = (accounts: number, enough: number, limits: "documented" | "none") =>
  Effect.gen(function* () {
    const isLimited = limits === "documented"
    const server = yield* Runs.started("fleetServer", isLimited ? [limit.count, limit.window] : [0, 0])
    const target = `http://127.0.0.1:${String(yield* Runs.said(server))}`
    const to = Math.floor((yield* Clock.currentTimeMillis) / day) * day
    const args = [target, yield* Runs.folder, accounts, enough, to - days * day, to, limits]
    const outcome = yield* Effect.flatMap(
      Runs.said(yield* Runs.started("fleetChild", args)),
      Schema.decodeUnknown(Outcome)
    )
    const counts = yield* Effect.promise(async (): Promise<unknown> => (await fetch(`${target}/counts`)).json())
    const { calls, refusals } = yield* Schema.decodeUnknown(Counts)(counts)
    if (calls < enough * callsOfExport) return yield* new Runs.Died({ message: `${calls} calls for ${enough} exports` })
    return { ...outcome, refusals }
  }).pipe(Effect.scoped, Effect.orDie)

/** The minimum for an interval. */
const count = 6

const many = 10_000
const few = 100

/** Stops when as many exports as the smaller fleet has are done; the larger fleet is still running then. */
const heap = (accounts: number) => Effect.map(run(accounts, few, "none"), ({ heap }) => heap)

const memory = Effect.map(Rounds.pairs({ count }, heap(many), heap(few)), (pairs) =>
  Row.ofPairs(
    {
      name: "fleet.memory",
      baselineName: `a fleet of ${few} accounts`,
      unit: `MiB of heap, of ${many} accounts`,
      target: { atMost: 1.2 }
    },
    pairs
  )
)

/** Accounts whose calls take a minute at the limit. */
const quiet = 1_200

const rates = Effect.map(Effect.replicateEffect(run(quiet, quiet, "documented"), count), (outcomes) => [
  Row.ofPairs(
    {
      name: "fleet.rate",
      baselineName: `their calls at ${callsPerSecond} a second`,
      unit: `s for ${quiet} accounts`,
      target: { atMost: 1.05 }
    },
    // The baseline is computed.
    outcomes.map(({ seconds }) => ({ ours: seconds, baseline: (quiet * callsOfExport) / callsPerSecond }))
  ),
  Row.exact(
    { name: "fleet.refusals", unit: "refusals", target: { atMost: 0 } },
    outcomes.reduce((sum, { refusals }) => sum + refusals, 0)
  )
])

/** Measures the selected rows. */
export const fleet = ({ overlaps }: Selection.Selection): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.gen(function* () {
    yield* Runs.compile
    const rows: Array<Row.Row> = []
    if (overlaps("fleet.memory")) rows.push(yield* memory)
    if (["fleet.rate", "fleet.refusals"].some(overlaps)) rows.push(...(yield* rates))
    return rows
  })
