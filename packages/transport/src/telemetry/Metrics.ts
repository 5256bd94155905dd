/**
 * The metrics of the transport. Those of calls have the tag `operation`. They contain no secrets.
 *
 * To Effect the order of tags is a part of the metric: to read one with `Metric.tagged`, add the tags in the order of its description, and those
 * of `Effect.tagMetrics` last. In another order the value is 0.
 */
import * as Metric from "effect/Metric"
import * as keys from "./metricKeys.js"

/** Calls that ended, by `operation` and `outcome` (`success` or the tag of the failure). */
export const calls: Metric.Metric.Counter<number> = Metric.fromMetricKey(keys.calls)

/** Attempts beyond the first of a call. */
export const retries: Metric.Metric.Counter<number> = Metric.fromMetricKey(keys.retries)

/** How long attempts waited for their rate limits, in seconds. */
export const rateLimitWait: Metric.Metric.Histogram<number> = Metric.fromMetricKey(keys.rateLimitWait)

/**
 * How long each HTTP request took, in seconds, by the attributes of OpenTelemetry's convention: `http.request.method`, `server.address`,
 * `server.port`, `url.template`, `http.response.status_code` if there was a response, and `error.type` if it failed.
 */
export const requestDuration: Metric.Metric.Histogram<number> = Metric.fromMetricKey(keys.requestDuration)

/** The calls that remain of an operation's limit, by the service. */
export const remaining: Metric.Metric.Gauge<number> = Metric.fromMetricKey(keys.remaining)

/** The service's clock minus ours, in seconds, by the latest response. */
export const skew: Metric.Metric.Gauge<number> = Metric.fromMetricKey(keys.skew)

/** Bans of this address. */
export const bans = Metric.counter("venue_bans_total", { description: "bans of this address", incremental: true })
