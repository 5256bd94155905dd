import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"

export const calls = MetricKey.counter("venue_calls_total", { description: "calls that ended", incremental: true })

export const retries = MetricKey.counter("venue_retries_total", {
  description: "sendings beyond the first of a call",
  incremental: true
})

export const rateLimitWait = MetricKey.histogram(
  "venue_rate_limit_wait_milliseconds",
  MetricBoundaries.exponential({ start: 1, factor: 4, count: 9 }),
  "how long calls waited for their rate limits"
)

export const remaining = MetricKey.gauge("venue_limit_remaining", {
  description: "what the service says is left of an operation's limit"
})

/** What is made for some tags, made once: tags that are put on a metric are put on it anew with every value. */
const memoize = <Tags extends ReadonlyArray<string>, A>(make: (...tags: Tags) => A): ((...tags: Tags) => A) => {
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
