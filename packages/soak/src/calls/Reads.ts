/** Reads of the past, which return the same result at any time. */
import * as Assets from "@effect-venue/schemas/Assets"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Positions from "@effect-venue/schemas/Positions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Faults from "./Faults.js"

const week = 7 * 86_400_000

export interface Read {
  readonly expected: string
  readonly send: Effect.Effect<unknown, Failure.Failure, Transport.Transport>
}

const callWire = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, "read">,
  request: Req
): Read["send"] => Effect.flatMap(Transport.Transport, (transport) => transport.callWire(endpoint, request))

const readsOf = (now: number): Readonly<Record<string, Read["send"]>> => {
  const past = { startTime: now - week, endTime: now - 1000 }
  const early = { startTime: now - 121 * week, endTime: now - 120 * week }
  const opened = Math.floor(now / 1000) * 1000
  return {
    executions: callWire(Executions.list, { category: "linear", limit: 20, ...past }),
    spot: callWire(Executions.list, { category: "spot", limit: 5, ...past }),
    early: callWire(Executions.preUpgrade, { category: "linear", limit: 10, ...early }),
    profits: callWire(Positions.preUpgradeClosedPnl, { category: "linear", limit: 10, ...early }),
    instruments: callWire(Instruments.list, { category: "linear", symbol: "BTCUSDT" }),
    deposits: callWire(Assets.deposits, { type: 2, startTime: opened - 50 * week, endTime: opened - 60_000 })
  }
}

/** Attempts of each read that are timed. */
const trials = 4

/** Makes the reads while nothing goes wrong. Returns their results, and the pace of this machine: of as many calls at a time as later. */
export const make = (now: number) =>
  Effect.gen(function* () {
    const reads = new Map<string, Read>()
    const sends = Object.entries(readsOf(now))
    const timed = yield* Effect.forEach(
      Array.from({ length: trials }, () => sends).flat(),
      ([name, send]) =>
        Effect.map(Effect.timed(send), ([duration, result]) => {
          reads.set(name, { send, expected: JSON.stringify(result) })
          return Duration.toMillis(duration)
        }),
      { concurrency: 32 }
    )
    return { reads, pace: Faults.paceOf(Math.max(...timed)) }
  })
