/** Fragments of DuckDB queries. */
import * as Column from "../model/Column.js"

export const name = (text: string): string => `"${text.replaceAll('"', '""')}"`
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
export const list = (names: ReadonlyArray<string>): string => `[${names.map(text).join(", ")}]`

/**
 * Casts a text column to its kind without loss; the query fails for any other text. `instant` returns the expression that converts text to a
 * TIMESTAMP.
 */
export const castColumn = ({ kind, name: column }: Column.Column, instant: (cell: string) => string): string => {
  const cell = `nullif(${name(column)}, '')`
  if (kind === "decimal") return `CAST(${cell} AS DECIMAL(38, 18)) AS ${name(column)}`
  if (kind === "integer") return `CAST(${cell} AS BIGINT) AS ${name(column)}`
  if (kind === "boolean") return `CAST(${cell} AS BOOLEAN) AS ${name(column)}`
  return Column.isInstant(kind) ? `${instant(cell)} AS ${name(column)}` : name(column)
}

/** Whether the files are in folders by month. */
const isByMonth = (files: ReadonlyArray<string>): boolean => files.some((file) => file.includes("/month="))

/** The selected columns after those of the dataset: the month if the files are split, and the file name. */
export const selectFromFiles = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  isByMonth(files) ? ["month", "filename"] : ["filename"]

/**
 * The list of files and the options to read them together, with their names. Only folders of months become a column, not other folders of
 * the path.
 */
export const ofFiles = (files: ReadonlyArray<string>): string =>
  `filename = true, hive_partitioning = ${isByMonth(files)}${isByMonth(files) ? ", hive_types_autocast = false" : ""}`

/** Like `ofFiles`, if a column is missing in some files. */
export const together = (files: ReadonlyArray<string>): string => `${ofFiles(files)}, union_by_name = true`
