import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import type * as MetricKeyType from "effect/MetricKeyType"

export const calls = MetricKey.counter("venue_calls_total", { description: "calls that ended", incremental: true })

export const retries = MetricKey.counter("venue_retries_total", {
  description: "attempts beyond the first of a call",
  incremental: true
})

// Readers of metrics that know units take them from this tag.
const inSeconds = <Type extends MetricKeyType.MetricKeyType.Untyped>(key: MetricKey.MetricKey<Type>) =>
  MetricKey.tagged(key, "unit", "s")

export const rateLimitWait = inSeconds(
  MetricKey.histogram(
    "venue_rate_limit_wait_seconds",
    MetricBoundaries.exponential({ start: 0.001, factor: 4, count: 9 }),
    "how long attempts waited for their rate limits"
  )
)

// The boundaries are those of OpenTelemetry's convention.
export const requestDuration = inSeconds(
  MetricKey.histogram(
    "http.client.request.duration",
    MetricBoundaries.fromIterable([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]),
    "duration of HTTP requests"
  )
)

export const skew = inSeconds(
  MetricKey.gauge("venue_clock_skew_seconds", { description: "the service's clock minus ours" })
)

export const remaining = MetricKey.gauge("venue_limit_remaining", {
  description: "calls that remain of an operation's limit, by the service"
})

/** Makes the metric of some tags once: a tagged metric puts its tags on again with every value. */
export const memoize = <Tags extends ReadonlyArray<string>, A>(make: (...tags: Tags) => A): ((...tags: Tags) => A) => {
  const made = new Map<string, A>()
  return (...tags) => {
    const id = tags.join(" ")
    const known = made.get(id)
    if (known !== undefined) return known
    const metric = make(...tags)
    made.set(id, metric)
    return metric
  }
}

export const callsOf = memoize((operation: string, outcome: string) =>
  Metric.fromMetricKey(MetricKey.tagged(MetricKey.tagged(calls, "operation", operation), "outcome", outcome))
)

export const retriesOf = memoize((operation: string) =>
  Metric.fromMetricKey(MetricKey.tagged(retries, "operation", operation))
)

export const rateLimitWaitOf = memoize((operation: string) =>
  Metric.fromMetricKey(MetricKey.tagged(rateLimitWait, "operation", operation))
)

export const remainingOf = memoize((operation: string) =>
  Metric.fromMetricKey(MetricKey.tagged(remaining, "operation", operation))
)
