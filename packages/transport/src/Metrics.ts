/**
 * What the transport counts. All carry the operation as `operation`; nothing in them is secret.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/**
 * Calls that ended, by `operation` and `outcome` (`success` or the tag of the failure).
 *
 * @since 0.1.0
 * @category metrics
 */
export const calls = Metric.counter("venue_calls_total", { description: "calls that ended", incremental: true })

/**
 * Sendings beyond the first of a call.
 *
 * @since 0.1.0
 * @category metrics
 */
export const retries = Metric.counter("venue_retries_total", {
  description: "sendings beyond the first of a call",
  incremental: true
})

/**
 * How long calls waited for their budgets, in milliseconds.
 *
 * @since 0.1.0
 * @category metrics
 */
export const budgetWait = Metric.histogram(
  "venue_budget_wait_milliseconds",
  MetricBoundaries.exponential({ start: 1, factor: 4, count: 9 }),
  "how long calls waited for their budgets"
)

/**
 * What the service says is left of an operation's limit.
 *
 * @since 0.1.0
 * @category metrics
 */
export const remaining = Metric.gauge("venue_limit_remaining", {
  description: "what the service says is left of an operation's limit"
})

/**
 * The service's clock minus ours, in milliseconds, by the latest answer.
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
