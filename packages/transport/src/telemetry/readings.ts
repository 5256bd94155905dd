import type * as Metric from "effect/Metric"
import type * as RateLimiter from "../limits/RateLimiter.js"

/** A gauge, with labels and the value to set. */
export interface Reading {
  readonly gauge: Metric.Metric.Gauge<number>
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The address and the name of the limit that a key of a charge stands for. The account in the key is left out. */
export const limitOf = (key: string): { readonly address: string; readonly limit: string } => {
  const stream = /^stream (?:(?<address>\S+) )?(?<limit>\S+ (?:opening|open))$/.exec(key)?.groups
  if (stream !== undefined) return { address: stream.address ?? "", limit: `stream ${stream.limit ?? ""}` }
  const operation = /^(?<address>\S+) (?:uid|key):.* (?<limit>\/\S+(?: \w*)?)$/.exec(key)?.groups
  if (operation !== undefined) return { address: operation.address ?? "", limit: operation.limit?.trimEnd() ?? "" }
  return key.includes(" ") ? { address: "", limit: "custom" } : { address: key, limit: "address" }
}

/** The room of each limit: of several accounts, the least. */
export const roomOf = (
  states: ReadonlyArray<Pick<RateLimiter.State, "key" | "remaining">>
): ReadonlyArray<{ readonly address: string; readonly limit: string; readonly room: number }> => {
  const rooms = new Map<string, { readonly address: string; readonly limit: string; readonly room: number }>()
  for (const { key, remaining } of states) {
    const { address, limit } = limitOf(key)
    const id = `${address} ${limit}`
    rooms.set(id, { address, limit, room: Math.min(rooms.get(id)?.room ?? Infinity, Math.max(remaining, 0)) })
  }
  return [...rooms.values()]
}

/**
 * Sets gauges to the values of a source. Effect keeps every label that a gauge was ever set with: labels that are absent from the new values are set
 * to NaN.
 */
export const setter = (
  tagged: (reading: Reading) => Metric.Metric.Gauge<number>
): ((readings: Iterable<Reading>) => void) => {
  type Labelled = Map<string, Metric.Metric.Gauge<number>>
  let current = new Map<Reading["gauge"], Labelled>()
  return (readings) => {
    const next = new Map<Reading["gauge"], Labelled>()
    for (const reading of readings) {
      const { gauge, labels, value } = reading
      const id = JSON.stringify(labels)
      const known = current.get(gauge)?.get(id) ?? tagged(reading)
      next.set(gauge, (next.get(gauge) ?? new Map<string, typeof known>()).set(id, known))
      current.get(gauge)?.delete(id)
      known.unsafeUpdate(value, [])
    }
    for (const labelled of current.values()) for (const gauge of labelled.values()) gauge.unsafeUpdate(Number.NaN, [])
    current = next
  }
}
