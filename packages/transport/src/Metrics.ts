/**
 * The metrics of the transport. All carry the operation as `operation`; nothing in them is secret.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"
import * as keys from "./internal/telemetry/metricKeys.js"

/**
 * Calls that ended, by `operation` and `outcome` (`success` or the tag of the failure).
 *
 * @since 0.1.0
 * @category metrics
 */
export const calls: Metric.Metric.Counter<number> = Metric.fromMetricKey(keys.calls)

/**
 * Attempts beyond the first of a call.
 *
 * @since 0.1.0
 * @category metrics
 */
export const retries: Metric.Metric.Counter<number> = Metric.fromMetricKey(keys.retries)

/**
 * How long calls waited for their rate limits, in milliseconds.
 *
 * @since 0.1.0
 * @category metrics
 */
export const rateLimitWait: Metric.Metric.Histogram<number> = Metric.fromMetricKey(keys.rateLimitWait)

/**
 * The calls that remain of an operation's limit, by the service.
 *
 * @since 0.1.0
 * @category metrics
 */
export const remaining: Metric.Metric.Gauge<number> = Metric.fromMetricKey(keys.remaining)

/**
 * The service's clock minus ours, in milliseconds, by the latest response.
 *
 * @since 0.1.0
 * @category metrics
 */
export const skew = Metric.gauge("venue_clock_skew_milliseconds", { description: "the service's clock minus ours" })

/**
 * Bans of this address.
 *
 * @since 0.1.0
 * @category metrics
 */
export const bans = Metric.counter("venue_bans_total", { description: "bans of this address", incremental: true })
