import type * as Instant from "@effect-venue/schemas/Instant"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { RecordList, Records } from "../state/recordList.js"

const week = 7 * 86_400_000

/** An inclusive range in milliseconds. */
export interface Range {
  readonly from: number
  readonly to: number
}

export const everything: Range = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

export const millis = (input: Instant.Input): number => DateTime.unsafeMake(input).epochMillis

/**
 * Returns the range of a history query: by default the last 7 days; with one end, the 7 days from or up to it.
 * (docs/reference/rules.md#conventions)
 */
export const history = (
  request: { readonly startTime?: Instant.Input | undefined; readonly endTime?: Instant.Input | undefined },
  now: number
): Range => {
  const from = Option.map(Option.fromNullable(request.startTime), millis)
  const to = Option.map(Option.fromNullable(request.endTime), millis)
  if (Option.isSome(from)) return { from: from.value, to: Option.getOrElse(to, () => from.value + week) }
  const end = Option.getOrElse(to, () => now)
  return { from: end - week, to: end }
}

/** Returns a range that is unbounded at missing ends. */
export const optional = (start: Instant.Input | undefined, end: Instant.Input | undefined): Range => ({
  from: start === undefined ? everything.from : millis(start),
  to: end === undefined ? everything.to : millis(end)
})

export const contains = (range: Range, at: number): boolean => range.from <= at && at <= range.to

/** Returns the part of a sorted list in a range: the index of the first item, and the index after the last. */
export const slice = <A>(
  items: Records<A>,
  instant: (item: A) => number,
  range: Range
): readonly [start: number, end: number] => {
  const before = (isBefore: (item: A) => boolean): number => {
    let low = 0
    let high = items.length
    // Most ranges extend to the end.
    const last = high === 0 ? undefined : items.at(high - 1)
    if (last === undefined || isBefore(last)) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      const item = items.at(middle)
      if (item !== undefined && isBefore(item)) low = middle + 1
      else high = middle
    }
    return low
  }
  return [before((item) => instant(item) < range.from), before((item) => instant(item) <= range.to)]
}

/** Returns the records from an instant on. */
export const since = <A>(items: RecordList<A>, instant: (item: A) => number, from: number): ReadonlyArray<A> =>
  items.slice(slice(items, instant, { from, to: everything.to })[0])
