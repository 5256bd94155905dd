/**
 * Gauges whose values are computed when they are read: the end of a ban, the room in each rate limit, the writes without an outcome. They carry the
 * address of the service and the limit, never an account or a key.
 *
 * `refresh` computes the registered gauges. Run it before each `Metric.snapshot`, or every few seconds if an exporter takes the snapshots.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as GlobalValue from "effect/GlobalValue"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import type * as Scope from "effect/Scope"
import * as BanGate from "./BanGate.js"
import * as Readings from "./internal/telemetry/readings.js"
import * as RateLimiter from "./RateLimiter.js"
import * as WriteJournal from "./WriteJournal.js"

/**
 * Seconds until the end of a ban, by `address`; 0 if the address is not banned.
 *
 * @since 0.1.0
 * @category metrics
 */
export const banSeconds = Metric.gauge("venue_ban_seconds", { description: "seconds until the end of a ban" })

/**
 * Calls that a rate limit has room for, by `address` and `limit`: `address` for the limit of the address, otherwise the path of the operation, followed by
 * the category if the limit depends on it. Of several accounts the one with the least room counts.
 *
 * @since 0.1.0
 * @category metrics
 */
export const limitRoom = Metric.gauge("venue_limit_room", { description: "calls that a rate limit has room for" })

/**
 * Writes in the journal without an outcome, apart from those under way. `OpenWrites.reconcile` looks them up.
 *
 * @since 0.1.0
 * @category metrics
 */
export const unresolvedWrites = Metric.gauge("venue_unresolved_writes", {
  description: "writes in the journal without an outcome"
})

/**
 * A gauge, with labels and the value to set.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reading {
  readonly gauge: Metric.Metric.Gauge<number>
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const sources = GlobalValue.globalValue("@effect-venue/transport/Gauges", () => new Map<object, Effect.Effect<void>>())

/** How long a source can take: a scrape waits for it. */
const longest = "5 seconds"

/**
 * Registers a source of gauges until the scope ends. Labels that it returns no more become NaN, and so do all of its gauges if it fails or takes
 * more than 5 seconds: nobody takes an old value for a new one. `name` is for the warning in the log.
 *
 * @since 0.1.0
 * @category constructors
 */
export const register = <E, R>(
  name: string,
  read: Effect.Effect<Iterable<Reading>, E, R>
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
    const update = read.pipe(
      Effect.timeout(longest),
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

/**
 * Computes the gauges of all registered sources, side by side.
 *
 * @since 0.1.0
 * @category running
 */
export const refresh: Effect.Effect<void> = Effect.suspend(() =>
  Effect.all([...sources.values()], { concurrency: "unbounded", discard: true })
)

/**
 * Registers the bans and the rate limits of the services in context until the scope ends, with more labels, such as the egress address.
 *
 * @since 0.1.0
 * @category constructors
 */
export const limits = (
  labels: Reading["labels"] = {}
): Effect.Effect<void, never, BanGate.BanGate | RateLimiter.RateLimiter | Scope.Scope> =>
  register(
    "bans and rate limits",
    Effect.gen(function* () {
      const gate = yield* BanGate.BanGate
      const { states } = yield* RateLimiter.RateLimiter
      const now = yield* Clock.currentTimeMillis
      const bans = yield* Effect.forEach(yield* gate.hosts, (address) =>
        Effect.map(gate.closedUntil(address), (until) => ({
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

/**
 * Registers the bans and the rate limits of the services in context.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, BanGate.BanGate | RateLimiter.RateLimiter> = Layer.scopedDiscard(limits())

/**
 * Registers the writes in the journal without an outcome.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWrites: Layer.Layer<never, never, WriteJournal.WriteJournal> = Layer.scopedDiscard(
  register(
    "the write journal",
    Effect.gen(function* () {
      const { open } = yield* WriteJournal.WriteJournal
      return [{ gauge: unresolvedWrites, labels: {}, value: (yield* open).length }]
    })
  )
)
