/**
 * Gauges whose values are computed when they are read: the end of a ban, the room in each rate limit, the writes without an outcome. They carry the
 * address of the service and the limit, never an account or a key.
 *
 * `refresh` computes the registered gauges. Run it before each `Metric.snapshot`, or every few seconds if an exporter takes the snapshots.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as BanGate from "../bans/BanGate.js"
import type * as RateLimiter from "../limits/RateLimiter.js"
import * as GaugeReadings from "./GaugeReadings.js"
import * as WriteJournal from "../journal/WriteJournal.js"

/**
 * Computes the gauges of all registered sources, side by side.
 *
 * @category running
 */
export const refresh: Effect.Effect<void> = Effect.suspend(() =>
  Effect.all([...GaugeReadings.sources.values()], { concurrency: "unbounded", discard: true })
)

/** Registers the bans and the rate limits of the services in context. */
export const layer: Layer.Layer<never, never, BanGate.BanGate | RateLimiter.RateLimiter> = Layer.scopedDiscard(
  GaugeReadings.limits()
)

/** Registers the writes in the journal without an outcome. */
export const layerWrites: Layer.Layer<never, never, WriteJournal.WriteJournal> = Layer.scopedDiscard(
  GaugeReadings.register(
    "the write journal",
    Effect.gen(function* () {
      const { open } = yield* WriteJournal.WriteJournal
      return [{ gauge: GaugeReadings.unresolvedWrites, labels: {}, value: (yield* open).length }]
    })
  )
)
