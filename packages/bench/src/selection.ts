/** The rows that are to be measured, named in full (`request.c16`) or by their beginning (`request`). */
export interface Selection {
  /** Whether a row is one of them. */
  readonly includes: (row: string) => boolean
  /** Whether a group, named by the beginning of its rows' names, has one of them. */
  readonly overlaps: (group: string) => boolean
}

const isWithin = (name: string, beginning: string): boolean => name === beginning || name.startsWith(`${beginning}.`)

/** All rows when no name is given. */
export const make = (names: ReadonlyArray<string>): Selection => ({
  includes: (row) => names.length === 0 || names.some((name) => isWithin(row, name)),
  overlaps: (group) => names.length === 0 || names.some((name) => isWithin(name, group) || isWithin(group, name))
})
