import { summary } from "./rounds.js"

/** A measurement beside that of something else in the same run. */
export interface Row {
  readonly name: string
  readonly ours: number
  readonly baseline: number
  readonly baselineName: string
  readonly unit: string
  /** `ours / baseline`. */
  readonly ratio: number
  /** The smallest and the largest ratio of any round, where there were several. */
  readonly spread?: readonly [number, number]
  /** Microseconds of the process's own processor time a call, in the best round, where the other figures are by the clock. */
  readonly cpu?: { readonly ours: number; readonly baseline: number; readonly ratio: number }
  /** What the ratio should be, where something was promised. */
  readonly target?: string
}

const digits = (value: number): number => Number(value.toPrecision(4))

export const make = (row: Omit<Row, "ratio">): Row => ({
  ...row,
  ours: digits(row.ours),
  baseline: digits(row.baseline),
  ratio: digits(row.ours / row.baseline)
})

/** Processor time of the rounds that were disturbed least: the same work takes more of it where other programs share the caches. */
export const cpuOf = (ours: ReadonlyArray<number>, baseline: ReadonlyArray<number>) => {
  const [one, other] = [summary(ours).min, summary(baseline).min]
  return { ours: digits(one), baseline: digits(other), ratio: digits(one / other) }
}

/** Of rounds in which both were measured one right after the other: the medians, and that of the rounds' ratios. */
export const ofRounds = (
  row: Pick<Row, "name" | "baselineName" | "unit" | "target">,
  ours: ReadonlyArray<number>,
  baseline: ReadonlyArray<number>
): Row => {
  const ratios = summary(ours.map((value, round) => value / (baseline[round] ?? Number.NaN)))
  return {
    ...row,
    ours: digits(summary(ours).median),
    baseline: digits(summary(baseline).median),
    ratio: digits(ratios.median),
    spread: [digits(ratios.min), digits(ratios.max)]
  }
}

const columns = ["row", "ours", "baseline", "unit", "ratio", "rounds", "cpu", "target", "baseline is"]

const cells = (row: Row): ReadonlyArray<string> => [
  row.name,
  String(row.ours),
  String(row.baseline),
  row.unit,
  row.ratio.toFixed(2),
  row.spread === undefined ? "" : row.spread.map((ratio) => ratio.toFixed(2)).join(" to "),
  row.cpu === undefined ? "" : `${row.cpu.ours} / ${row.cpu.baseline} us`,
  row.target ?? "",
  row.baselineName
]

const widths = [28, 8, 8, 22, 6, 16, 18, 8, 0]

const line = (texts: ReadonlyArray<string>): string =>
  texts
    .map((text, index) => text.padEnd(widths[index] ?? 0))
    .join(" ")
    .trimEnd()

/** The head of a table whose lines come one by one. */
export const tableHead = line(columns)

export const tableLine = (row: Row): string => line(cells(row))
