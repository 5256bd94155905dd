import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Stores } from "./stores.js"

export interface Cost {
  readonly pairsPerSecond: number
  /** Of a reservation and its settlement, in milliseconds. */
  readonly p50: number
  readonly p99: number
}

const limit = { limit: 1_000_000, window: Duration.seconds(1), cost: 1 }

/** As a call has them: one for the address, one for the account. */
const chargesOf = (caller: number): ReadonlyArray<RateLimitStore.Charge> => [
  { ...limit, key: "address", scope: "ip" },
  { ...limit, key: `address ${caller} /path`, scope: "uid" }
]

/** What reservations and their settlements cost with a number of callers in one process. */
export const measure = (options: {
  readonly stores: Stores
  readonly callers: number
  readonly seconds: number
}): Effect.Effect<Cost> =>
  Effect.gen(function* () {
    const store = yield* RateLimitStore.RateLimitStore
    const millis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1000n) / 1000)
    const begun = yield* millis
    const end = begun + options.seconds * 1000
    const taken: Array<number> = []
    const caller = (index: number) =>
      Effect.gen(function* () {
        const charges = chargesOf(index)
        for (let before = yield* millis; before < end;) {
          const result = yield* store.reserve(charges)
          if (result._tag !== "Taken") return yield* Effect.dieMessage(`a reservation ended as ${result._tag}`)
          yield* store.settle(result.reservation, "counted", Duration.zero)
          const after = yield* millis
          taken.push(after - before)
          before = after
        }
      })
    yield* Effect.forEach(
      Array.from({ length: options.callers }, (_, index) => index),
      caller,
      {
        concurrency: "unbounded",
        discard: true
      }
    )
    const seconds = ((yield* millis) - begun) / 1000
    taken.sort((a, b) => a - b)
    const at = (share: number) => taken[Math.floor(taken.length * share)] ?? Number.NaN
    return { pairsPerSecond: taken.length / seconds, p50: at(0.5), p99: at(0.99) }
  }).pipe(Effect.provide(options.stores))
