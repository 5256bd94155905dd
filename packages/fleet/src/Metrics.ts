/**
 * The metrics of a fleet. They carry the egress address as `egress`, and never an account.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"

/**
 * Runs of exports that ended, by `egress` and `outcome`: `done`, `incomplete`, `failed`, `stopped` or `lost`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const exports = Metric.counter("venue_fleet_exports_total", {
  description: "runs of exports that ended",
  incremental: true
})

/**
 * Exports that run, by `egress`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const running = Metric.gauge("venue_fleet_running", { description: "exports that run" })

/**
 * Calls per second over the last report, by `egress`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const callsPerSecond = Metric.gauge("venue_fleet_calls_per_second", { description: "calls per second" })
