import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

const limit = { limit: 1_000_000, window: Duration.seconds(1), cost: 1 }

/** As a call has them: one for the address, one for the account. */
const chargesOf = (caller: number): ReadonlyArray<RateLimitStore.Charge> => [
  { ...limit, key: "address", scope: "ip" },
  { ...limit, key: `address ${caller} /path`, scope: "uid" }
]

/** How many reservations with their settlements a number of callers make a second, and their milliseconds. */
export const measure = (callers: number, seconds: number) =>
  Effect.gen(function* () {
    const store = yield* RateLimitStore.RateLimitStore
    const millis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1000n) / 1000)
    const begun = yield* millis
    const taken: Array<number> = []
    const caller = (index: number) =>
      Effect.gen(function* () {
        for (let before = yield* millis; before < begun + seconds * 1000;) {
          const result = yield* store.reserve(chargesOf(index))
          if (result._tag !== "Taken") return yield* Effect.dieMessage(`a reservation ended as ${result._tag}`)
          yield* store.settle(result.reservation, "counted", Duration.zero)
          const after = yield* millis
          taken.push(after - before)
          before = after
        }
      })
    yield* Effect.all(
      Array.from({ length: callers }, (_, index) => caller(index)),
      { concurrency: "unbounded", discard: true }
    )
    const elapsed = ((yield* millis) - begun) / 1000
    taken.sort((a, b) => a - b)
    const at = (share: number) => taken[Math.floor(taken.length * share)] ?? Number.NaN
    return { pairsPerSecond: taken.length / elapsed, p50: at(0.5), p99: at(0.99) }
  })
