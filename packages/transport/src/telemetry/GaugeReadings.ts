/**
 * The gauges, and the sources that `Gauges.refresh` reads.
 *
 * @sibling
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as GlobalValue from "effect/GlobalValue"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import type * as Scope from "effect/Scope"
import * as BanGate from "../bans/BanGate.js"
import * as Readings from "./readings.js"
import * as RateLimiter from "../limits/RateLimiter.js"
import * as TimeLimit from "../time/TimeLimit.js"

export type { Reading } from "./readings.js"

/** Seconds until the end of a ban, by `address`; 0 if the address is not banned. */
export const banSeconds = Metric.gauge("venue_ban_seconds", { description: "seconds until the end of a ban" })

/**
 * Calls that a rate limit has room for, by `address` and `limit`: `address` for the limit of the address, otherwise the path of the operation, followed by
 * the category if the limit depends on it. Of several accounts the one with the least room counts.
 */
export const limitRoom = Metric.gauge("venue_limit_room", { description: "calls that a rate limit has room for" })

/** Writes in the journal without an outcome, apart from those under way. `OpenWrites.reconcile` looks them up. */
export const unresolvedWrites = Metric.gauge("venue_unresolved_writes", {
  description: "writes in the journal without an outcome"
})

export const sources = GlobalValue.globalValue(
  "@effect-venue/transport/Gauges",
  () => new Map<object, Effect.Effect<void>>()
)

/** How long a source can take: a scrape waits for it. */
const longest = Duration.seconds(5)

/**
 * Registers a source of gauges until the scope ends. Labels that it returns no more become NaN, and so do all of its gauges if it fails or takes
 * more than 5 seconds: nobody takes an old value for a new one. `name` is for the warning in the log.
 */
export const register = <E, R>(
  name: string,
  read: Effect.Effect<Iterable<Readings.Reading>, E, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const set = Readings.setter(({ gauge, labels }) =>
      Metric.taggedWithLabels(
        gauge,
        Object.entries(labels).map(([key, value]) => MetricLabel.make(key, value))
      )
    )
    const clear = Effect.sync(() => set([]))
    const onTimeout = () => new Cause.TimeoutException(`no answer within ${Duration.format(longest)}`)
    const update = TimeLimit.within(read, longest, onTimeout).pipe(
      Effect.map(set),
      Effect.catchAllCause((cause) =>
        Effect.zipRight(clear, Effect.logWarning(`the gauges of ${name} cannot be read`, cause))
      ),
      Effect.provide(context)
    )
    const key = {}
    yield* Effect.acquireRelease(
      Effect.sync(() => sources.set(key, update)),
      () =>
        Effect.zipRight(
          Effect.sync(() => sources.delete(key)),
          clear
        )
    )
  })

/** Registers the bans and the rate limits of the services in context until the scope ends, with more labels, such as the egress address. */
export const limits = (
  labels: Readings.Reading["labels"] = {}
): Effect.Effect<void, never, BanGate.BanGate | RateLimiter.RateLimiter | Scope.Scope> =>
  register(
    "bans and rate limits",
    Effect.gen(function* () {
      const gate = yield* BanGate.BanGate
      const { states } = yield* RateLimiter.RateLimiter
      const clock = yield* Effect.clock
      const now = clock.unsafeCurrentTimeMillis()
      const bans = yield* Effect.forEach(yield* gate.hosts, (address) =>
        Effect.map(gate.closedUntil(address, clock), (until) => ({
          gauge: banSeconds,
          labels: { ...labels, address },
          value: Math.max(until - now, 0) / 1000
        }))
      )
      const rooms = Readings.roomOf(yield* states).map(({ address, limit, room }) => ({
        gauge: limitRoom,
        labels: { ...labels, address, limit },
        value: room
      }))
      return [...bans, ...rooms]
    })
  )
