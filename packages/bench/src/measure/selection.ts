/** The rows to measure, by full name (`request.c16`) or prefix (`request`). */
export interface Selection {
  /** Whether a row is selected. */
  readonly includes: (row: string) => boolean
  /** Whether a group, identified by its prefix, has a selected row. */
  readonly overlaps: (group: string) => boolean
}

const isWithin = (name: string, beginning: string): boolean => name === beginning || name.startsWith(`${beginning}.`)

/** Creates a selection; without names it selects all rows. */
export const make = (names: ReadonlyArray<string>): Selection => ({
  includes: (row) => names.length === 0 || names.some((name) => isWithin(row, name)),
  overlaps: (group) => names.length === 0 || names.some((name) => isWithin(name, group) || isWithin(group, name))
})
