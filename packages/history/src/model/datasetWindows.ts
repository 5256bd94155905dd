import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Dataset from "./Dataset.js"
import * as Gaps from "./gaps.js"
import * as Ranges from "./ranges.js"

/** Milliseconds of the unit in which a dataset takes its windows. */
export const unitMillis = { ms: 1, s: 1000 } as const

/**
 * The windows of a range. Each is asked for from one unit before its first instant up to its end, so that every reading of the
 * service's bounds gives all of it; a row that belongs to a neighbour is recognised by its instant.
 */
export const windowsOf = (
  dataset: Dataset.Dataset<never, unknown>,
  range: Dataset.Window
): ReadonlyArray<Dataset.Window> => {
  const { span, unit } = dataset.windows
  if (range.from >= range.to) return []
  if (Option.isNone(dataset.instant) || !Duration.isFinite(span)) return [range]
  // A window on seconds is asked for from a whole second to a whole second.
  const margin = unit === "ms" ? 1 : 3000
  return Ranges.split(range, Duration.millis(Duration.toMillis(span) - margin))
}

/** Instants that lie no further apart than this are read in one window. */
const neighbours = Duration.toMillis("1 minute")

/** Stretches of time around instants, oldest first; one for instants that are `gap` milliseconds apart at most. */
const stretchesAround = (
  { windows: { unit } }: Dataset.Dataset<never, unknown>,
  instants: ReadonlyArray<number>,
  gap: number
): ReadonlyArray<Dataset.Window> => {
  const millis = unitMillis[unit]
  const stretches: Array<Dataset.Window> = []
  for (const at of instants.toSorted((left, right) => left - right)) {
    const from = Math.floor(at / millis) * millis
    const last = stretches.at(-1)
    if (last !== undefined && from - last.to <= gap) stretches.splice(-1, 1, { from: last.from, to: from + millis })
    else stretches.push({ from, to: from + millis })
  }
  return stretches
}

/** Windows around instants, oldest first; one for instants that are `gap` milliseconds apart at most. */
export const around = (
  dataset: Dataset.Dataset<never, unknown>,
  instants: ReadonlyArray<number>,
  gap = neighbours
): ReadonlyArray<Dataset.Window> =>
  stretchesAround(dataset, instants, gap).flatMap((stretch) => windowsOf(dataset, stretch))

/** What earlier readings left: gaps, and instants that are not settled, before the instant from which on everything is read. */
export interface Unread {
  readonly from: number
  readonly gaps: ReadonlyArray<Dataset.Window>
  readonly unsettled: ReadonlyArray<number>
}

/** What is read again before the range of a continuation, each instant once: its gaps, and instants that are not settled. */
export const again = (
  dataset: Dataset.Dataset<never, unknown>,
  { from, gaps, unsettled }: Unread,
  apart = neighbours
): ReadonlyArray<Dataset.Window> => {
  const earlier = Gaps.before(gaps, from)
  const stretches = stretchesAround(
    dataset,
    unsettled.filter((at) => at < from),
    apart
  )
  return merge([...earlier, ...stretches]).flatMap((stretch) => windowsOf(dataset, stretch))
}

/** The month of an instant in UTC: `2026-05`. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** The first instant of the month after. */
const nextMonth = (at: number): number => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Splits a window where a month of UTC begins. */
export const splitAtMonths = ({ from, to }: Dataset.Window): ReadonlyArray<Dataset.Window> => {
  const windows: Array<Dataset.Window> = []
  for (let begin = from; begin < to; begin = nextMonth(begin)) {
    windows.push({ from: begin, to: Math.min(to, nextMonth(begin)) })
  }
  return windows
}

export const ask = (
  dataset: Dataset.Dataset<never, unknown>,
  { from, to }: Dataset.Window
): Omit<Dataset.Ask, "cursor"> => {
  if (Option.isNone(dataset.instant)) return { from, to }
  const unit = unitMillis[dataset.windows.unit]
  return { from: Math.max(0, (Math.floor(from / unit) - 1) * unit), to: Math.ceil(to / unit) * unit }
}

/** Windows as few stretches of time, oldest first. */
export const merge = (windows: ReadonlyArray<Dataset.Window>): ReadonlyArray<Dataset.Window> => {
  const stretches: Array<Dataset.Window> = []
  for (const window of windows.toSorted((left, right) => left.from - right.from)) {
    const last = stretches.at(-1)
    if (last === undefined || window.from > last.to) stretches.push(window)
    else stretches.splice(-1, 1, { from: last.from, to: Math.max(last.to, window.to) })
  }
  return stretches
}
