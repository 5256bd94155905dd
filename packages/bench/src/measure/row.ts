import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Rounds from "./rounds.js"

/** The minimum confidence of every interval. */
const confidence = 0.95

/** The bound that a value should satisfy. */
export const Target = Schema.Union(Schema.Struct({ atLeast: Schema.Number }), Schema.Struct({ atMost: Schema.Number }))

export type Target = typeof Target.Type

const Interval = Schema.Struct({ low: Schema.Number, high: Schema.Number, confidence: Schema.Number })

/** A measurement, rounded to five digits. Decisions use the rounded values that are shown. */
export const Row = Schema.Struct({
  name: Schema.String,
  /** The median of the ratios, ours / baseline; for an exact row its value. */
  median: Schema.Number,
  /** The interval of the median. An exact row has none, because the same commit gives the same value. */
  interval: Schema.optionalWith(Interval, { exact: true }),
  /** The number of measured pairs. */
  n: Schema.Number,
  target: Schema.optionalWith(Target, { exact: true }),
  /** The unit of `ours` and `baseline`, or of an exact value. */
  unit: Schema.String,
  /** The median of our measurements. */
  ours: Schema.optionalWith(Schema.Number, { exact: true }),
  /** The median of the baseline's measurements. */
  baseline: Schema.optionalWith(Schema.Number, { exact: true }),
  baselineName: Schema.optionalWith(Schema.String, { exact: true })
})

export type Row = typeof Row.Type

/** The description of a row. */
export type Description = Pick<Row, "name" | "unit"> & { readonly target?: Target | undefined }

const digits = (value: number): number => Number(value.toPrecision(5))

const about = ({ name, target, unit }: Description) => ({ name, unit, ...(target === undefined ? {} : { target }) })

/**
 * Creates the row of a comparison with a baseline. Dies if there are too few pairs for an interval (at least six at 95 %) or a ratio is not
 * finite.
 */
export const ofPairs = (
  description: Description & { readonly baselineName: string },
  pairs: ReadonlyArray<Rounds.Pair>
): Row => {
  const ratios = pairs.map(({ baseline, ours }) => ours / baseline)
  const { name } = description
  if (!ratios.every(Number.isFinite)) throw new Error(`${name}: not every ratio is a number: ${ratios.join(", ")}`)
  const interval = Option.getOrThrowWith(
    Rounds.medianInterval(ratios, confidence),
    () => new Error(`${name}: ${pairs.length} pairs are too few for an interval of the median`)
  )
  return {
    ...about(description),
    median: digits(Rounds.median(ratios)),
    interval: { low: digits(interval.low), high: digits(interval.high), confidence: digits(interval.confidence) },
    n: pairs.length,
    ours: digits(Rounds.median(pairs.map(({ ours }) => ours))),
    baseline: digits(Rounds.median(pairs.map(({ baseline }) => baseline))),
    baselineName: description.baselineName
  }
}

/** Creates the row of a deterministic value, such as a size. It has no interval. */
export const exact = (description: Description, value: number): Row => ({
  ...about(description),
  median: digits(value),
  n: 1
})

/** Whether the worse end of the interval reaches the target. None without a target. */
export const isReached = ({ interval, median, target }: Row): Option.Option<boolean> =>
  Option.map(Option.fromNullable(target), (bound) =>
    "atLeast" in bound ? (interval?.low ?? median) >= bound.atLeast : (interval?.high ?? median) <= bound.atMost
  )

/** Formats the values of a row for tables. */
export const texts = (row: Row) => ({
  median: String(row.median),
  interval: row.interval === undefined ? "exact" : `${row.interval.low} to ${row.interval.high}`,
  target:
    row.target === undefined ? "" : "atLeast" in row.target ? `>= ${row.target.atLeast}` : `<= ${row.target.atMost}`,
  decision: Option.match(isReached(row), {
    onNone: () => "",
    onSome: (reached) => (reached ? "reached" : "not reached")
  })
})

const columns = ["row", "median", "interval", "pairs", "target", "decision", "ours", "baseline", "unit", "baseline is"]

const widths = [33, 8, 20, 5, 8, 11, 8, 8, 22, 0]

const line = (cells: ReadonlyArray<string>): string =>
  cells
    .map((text, index) => text.padEnd(widths[index] ?? 0))
    .join(" ")
    .trimEnd()

/** The header of a table that is printed line by line. */
export const tableHead = line(columns)

export const tableLine = (row: Row): string => {
  const { decision, interval, median, target } = texts(row)
  const medians = [row.ours, row.baseline].map((value) => (value === undefined ? "" : String(value)))
  return line([
    ...[row.name, median, interval, String(row.n), target, decision],
    ...medians,
    ...[row.unit, row.baselineName ?? ""]
  ])
}

/** Formats a row as a line of JSON, with `reached` if it has a target. */
export const json = (row: Row): string => {
  const reached = Option.getOrUndefined(isReached(row))
  return JSON.stringify({ ...row, reached })
}

/** The rows to measure, by full name (`request.c16`) or prefix (`request`). */
export interface Selection {
  /** Whether a row is selected. */
  readonly includes: (row: string) => boolean
  /** Whether a group, identified by its prefix, has a selected row. */
  readonly overlaps: (group: string) => boolean
}

const isWithin = (name: string, beginning: string): boolean => name === beginning || name.startsWith(`${beginning}.`)

/** Selects rows by their names; without names it selects all. */
export const select = (names: ReadonlyArray<string>): Selection => ({
  includes: (row) => names.length === 0 || names.some((name) => isWithin(row, name)),
  overlaps: (group) => names.length === 0 || names.some((name) => isWithin(name, group) || isWithin(group, name))
})
