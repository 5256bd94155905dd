/** Parts of queries for DuckDB. */
import * as Column from "../../shared/Column.js"

export const name = (text: string): string => `"${text.replaceAll('"', '""')}"`
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
export const list = (names: ReadonlyArray<string>): string => `[${names.map(text).join(", ")}]`

/** A column of text as its kind, exactly, or the query fails. `instant` makes a TIMESTAMP of the text of one. */
export const typed = ({ kind, name: column }: Column.Column, instant: (cell: string) => string): string => {
  const cell = `nullif(${name(column)}, '')`
  if (kind === "decimal") return `CAST(${cell} AS DECIMAL(38, 18)) AS ${name(column)}`
  if (kind === "integer") return `CAST(${cell} AS BIGINT) AS ${name(column)}`
  if (kind === "boolean") return `CAST(${cell} AS BOOLEAN) AS ${name(column)}`
  return Column.isInstant(kind) ? `${instant(cell)} AS ${name(column)}` : name(column)
}

/** Whether files are in folders of months. */
const isByMonth = (files: ReadonlyArray<string>): boolean => files.some((file) => file.includes("/month="))

/** What a query selects behind the columns: the month, if the files are split, and the name of the file. */
export const selectedOfFiles = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  isByMonth(files) ? ["month", "filename"] : ["filename"]

/** How files are read together: with the name of each, and with the month that a folder names and not what other folders are called. */
export const ofFiles = (files: ReadonlyArray<string>): string =>
  `filename = true, hive_partitioning = ${isByMonth(files)}${isByMonth(files) ? ", hive_types_autocast = false" : ""}`

/** The same, with a column that only some have. */
export const together = (files: ReadonlyArray<string>): string => `${ofFiles(files)}, union_by_name = true`
