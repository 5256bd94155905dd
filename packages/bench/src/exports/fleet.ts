import * as Effect from "effect/Effect"
import * as Number from "effect/Number"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Processes from "../measure/processes.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"
import { folder, lastDays } from "./exports.js"

/** Each account exports four windows of a page each, and its wallet before and after them. */
const days = 27
const windows = 4
const callsOfExport = windows + 2

/** The documented limit of an address, and its usable fraction: a call counts until one window after its response. */
const limit = { count: 600, window: 5_000 }
const callsPerSecond = (limit.count / (limit.window / 1000)) * 0.99

const Outcome = Schema.Struct({ seconds: Schema.Number, heap: Schema.Number })

const Counts = Schema.Struct({ calls: Schema.Number, refusals: Schema.Number })

/** Runs a fleet of `accounts` until `enough` of their exports are done. */
const run = (accounts: number, enough: number, limits: "documented" | "none") =>
  Effect.gen(function* () {
    const { from, to } = yield* lastDays(days)
    const [count, window] = limits === "documented" ? [limit.count, limit.window] : [0, 0]
    const url = yield* Processes.server("exports/executionsServer", [from, to, windows, count, window, "address"])
    const args = [url, yield* folder, accounts, enough, from, to, limits]
    const child = yield* Processes.start("exports/fleetProcess", args)
    const outcome = yield* Effect.flatMap(Processes.said(child), Schema.decodeUnknown(Outcome))
    const counts = yield* Effect.promise(async (): Promise<unknown> => (await fetch(`${url}/counts`)).json())
    const { calls, refusals } = yield* Schema.decodeUnknown(Counts)(counts)
    if (calls < enough * callsOfExport) return yield* Effect.dieMessage(`${calls} calls for ${enough} exports`)
    return { ...outcome, refusals }
  }).pipe(Effect.scoped, Effect.orDie)

/** The minimum for an interval. */
const count = 6

const many = 10_000
const few = 100

/** Stops when as many exports as the smaller fleet has are done; the larger fleet is still running then. */
const heap = (accounts: number) => Effect.map(run(accounts, few, "none"), ({ heap }) => heap)

/** The heap of a process with many accounts, compared with one with few. */
export const memory = (): Stream.Stream<Row.Row> =>
  Effect.map(Rounds.pairs({ count }, heap(many), heap(few)), (pairs) => {
    const [baselineName, unit] = [`a fleet of ${few} accounts`, `MiB of heap, of ${many} accounts`]
    return Row.ofPairs({ name: "fleet.memory", baselineName, unit, target: { atMost: 1.2 } }, pairs)
  }).pipe(Stream.fromEffect)

/** Accounts whose calls take a minute at the limit. */
const quiet = 1_200

/** The time of a fleet, compared with that of its calls at the limit of their address, and refusals. */
export const rate = (): Stream.Stream<Row.Row> =>
  Effect.map(Effect.replicateEffect(run(quiet, quiet, "documented"), count), (outcomes) => {
    const [baselineName, unit] = [`their calls at ${callsPerSecond} a second`, `s for ${quiet} accounts`]
    return [
      Row.ofPairs(
        { name: "fleet.rate", baselineName, unit, target: { atMost: 1.05 } },
        // The baseline is computed.
        outcomes.map(({ seconds }) => ({ ours: seconds, baseline: (quiet * callsOfExport) / callsPerSecond }))
      ),
      Row.exact(
        { name: "fleet.refusals", unit: "refusals", target: { atMost: 0 } },
        Number.sumAll(outcomes.map(({ refusals }) => refusals))
      )
    ]
  }).pipe(Stream.fromIterableEffect)
