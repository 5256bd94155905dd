import * as MetricKeyType from "effect/MetricKeyType"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"

// Prometheus' text format of Effect's registry of metrics.

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

type Labels = ReadonlyMap<string, string>

type Sample = readonly [suffix: string, labels: Labels, value: number | bigint]

/** A figure that is not in the registry. */
export interface Figure {
  readonly type: "counter" | "gauge"
  readonly help: string
  readonly value: number
}

interface Series {
  readonly type: "counter" | "gauge" | "histogram" | "summary"
  readonly samples: ReadonlyArray<Sample>
}

const nameOf = (text: string): string => text.replaceAll(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_")

const helpOf = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const numberOf = (value: number | bigint): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const labelsOf = (labels: Labels): string => {
  const texts = [...labels].map(([key, value]) => `${nameOf(key)}="${helpOf(value).replaceAll('"', '\\"')}"`)
  return texts.length === 0 ? "" : `{${texts.join(",")}}`
}

const seriesOf = ({ metricKey, metricState }: MetricPair.MetricPair.Untyped): Series | undefined => {
  const labels = new Map(metricKey.tags.map(({ key, value }) => [key, value]))
  const withLabel = (key: string, value: string): Labels => new Map([...labels, [key, value]])
  if (MetricState.isCounterState(metricState)) {
    // A counter of Effect can fall unless it is incremental; one of Prometheus cannot.
    const isCounter = MetricKeyType.isCounterKey(metricKey.keyType) && metricKey.keyType.incremental
    return { type: isCounter ? "counter" : "gauge", samples: [["", labels, metricState.count]] }
  }
  if (MetricState.isGaugeState(metricState)) {
    // NaN stands for no value.
    return Number.isNaN(metricState.value) ? undefined : { type: "gauge", samples: [["", labels, metricState.value]] }
  }
  if (MetricState.isFrequencyState(metricState)) {
    const samples = [...metricState.occurrences].map(([word, count]): Sample => ["", withLabel("key", word), count])
    return { type: "counter", samples }
  }
  if (MetricState.isHistogramState(metricState)) {
    const { buckets, count, sum } = metricState
    const finite = buckets.filter(([boundary]) => Number.isFinite(boundary))
    const samples = [...finite, [Infinity, count] as const].map(([boundary, count]): Sample => [
      "_bucket",
      withLabel("le", numberOf(boundary)),
      count
    ])
    return { type: "histogram", samples: [...samples, ["_sum", labels, sum], ["_count", labels, count]] }
  }
  if (MetricState.isSummaryState(metricState)) {
    const { count, quantiles, sum } = metricState
    const samples = quantiles.flatMap(([quantile, value]): ReadonlyArray<Sample> =>
      Option.isNone(value) ? [] : [["", withLabel("quantile", String(quantile)), value.value]]
    )
    return { type: "summary", samples: [...samples, ["_sum", labels, sum], ["_count", labels, count]] }
  }
  return undefined
}

const headOf = (name: string, type: Series["type"], help: Option.Option<string>): ReadonlyArray<string> => [
  ...Option.toArray(help).map((text) => `# HELP ${name} ${helpOf(text)}`),
  `# TYPE ${name} ${type}`
]

/** A snapshot of metrics, and figures of the process. */
export const render = (
  pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>,
  figures: Readonly<Record<string, Figure>> = {}
): string => {
  const families = new Map<string, Array<string>>()
  for (const pair of pairs) {
    const series = seriesOf(pair)
    if (series === undefined) continue
    const name = nameOf(pair.metricKey.name)
    const family = families.get(name) ?? [...headOf(name, series.type, pair.metricKey.description)]
    for (const [suffix, labels, value] of series.samples) {
      family.push(`${name}${suffix}${labelsOf(labels)} ${numberOf(value)}`)
    }
    families.set(name, family)
  }
  for (const [name, { help, type, value }] of Object.entries(figures)) {
    families.set(name, [...headOf(name, type, Option.some(help)), `${name} ${numberOf(value)}`])
  }
  const lines = [...families].sort(([left], [right]) => (left < right ? -1 : 1)).flatMap(([, family]) => family)
  return [...lines, ""].join("\n")
}
