/** A measurement beside that of a plain program. */
export interface Row {
  readonly name: string
  readonly ours: number
  readonly baseline: number
  readonly baselineName: string
  readonly unit: string
  /** `ours / baseline`. */
  readonly ratio: number
}

const digits = (value: number): number => Number(value.toPrecision(4))

export const make = (row: Omit<Row, "ratio">): Row => ({
  ...row,
  ours: digits(row.ours),
  baseline: digits(row.baseline),
  ratio: digits(row.ours / row.baseline)
})
