import type * as Dataset from "./Dataset.js"

/** A range that can lack rows, and whether a later reading cannot fill it. */
export interface Gap extends Dataset.Window {
  readonly because: string
  readonly lost: boolean
}

/** The most reasons that one gap names. */
const mostReasons = 3

const joinReasons = (left: string, right: string): string => {
  const reasons = left.split("; ")
  const added = right.split("; ").filter((reason) => !reasons.includes(reason))
  return [...reasons, ...added].slice(0, mostReasons).join("; ")
}

/** The rest of some ranges without another one. */
const subtract = <A extends Dataset.Window>(ranges: ReadonlyArray<A>, { from, to }: Dataset.Window): ReadonlyArray<A> =>
  ranges.flatMap((range) => {
    if (range.to <= from || range.from >= to) return [range]
    const before = range.from < from ? [{ ...range, to: from }] : []
    return range.to > to ? [...before, { ...range, from: to }] : before
  })

/** Gaps of one kind as few ranges, oldest first: those that overlap or touch are merged. */
const merge = (gaps: ReadonlyArray<Gap>): ReadonlyArray<Gap> => {
  const merged: Array<Gap> = []
  for (const gap of gaps.toSorted((left, right) => left.from - right.from || left.to - right.to)) {
    const last = merged.at(-1)
    if (gap.from >= gap.to) continue
    if (last === undefined || gap.from > last.to) merged.push(gap)
    else {
      const because = joinReasons(last.because, gap.because)
      merged.splice(-1, 1, { ...last, to: Math.max(last.to, gap.to), because })
    }
  }
  return merged
}

/** Merges gaps that touch. A range that is lost is not open. */
const normalize = (gaps: ReadonlyArray<Gap>): ReadonlyArray<Gap> => {
  const lost = merge(gaps.filter((gap) => gap.lost))
  const open = lost.reduce(
    subtract<Gap>,
    gaps.filter((gap) => !gap.lost)
  )
  return [...lost, ...merge(open)].toSorted((left, right) => left.from - right.from)
}

/** The gaps after a window was read: a complete reading of a range removes its gap. */
export const afterWindow = (
  gaps: ReadonlyArray<Gap>,
  window: Dataset.Window & { readonly missing: ReadonlyArray<Gap> }
): ReadonlyArray<Gap> =>
  gaps.length === 0 && window.missing.length === 0 ? gaps : normalize([...subtract(gaps, window), ...window.missing])

/** The gaps that windows leave, which were read in this order. */
export const ofWindows = (windows: ReadonlyArray<Parameters<typeof afterWindow>[1]>): ReadonlyArray<Gap> =>
  windows.reduce<ReadonlyArray<Gap>>(afterWindow, [])

/** Whether two lists have the same gaps. Their reasons can differ. */
export const isSameRanges = (left: ReadonlyArray<Gap>, right: ReadonlyArray<Gap>): boolean =>
  left.length === right.length &&
  left.every(({ from, lost, to }, index) => {
    const other = right[index]
    return from === other?.from && to === other.to && lost === other.lost
  })

/** The gaps that a later reading can fill. */
export const open = <A extends Gap>(gaps: ReadonlyArray<A>): ReadonlyArray<A> => gaps.filter(({ lost }) => !lost)

/** The parts of gaps that are lost now and were not before. */
export const newlyLost = <A extends Gap>(before: ReadonlyArray<Gap>, after: ReadonlyArray<A>): ReadonlyArray<A> =>
  before
    .filter(({ lost }) => lost)
    .reduce(
      subtract<A>,
      after.filter(({ lost }) => lost)
    )

/** The parts of ranges before an instant. */
export const before = (ranges: ReadonlyArray<Dataset.Window>, instant: number): ReadonlyArray<Dataset.Window> =>
  subtract(ranges, { from: instant, to: Number.POSITIVE_INFINITY })

/** Whether a window has an instant of one of these ranges. */
export const touches = (ranges: ReadonlyArray<Dataset.Window>, { from, to }: Dataset.Window): boolean =>
  ranges.some((range) => range.from < to && range.to > from)
