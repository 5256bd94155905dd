import * as Option from "effect/Option"
import * as Column from "../Column.js"
import type * as Dataset from "../Dataset.js"
import type * as Manifest from "../Manifest.js"
import { extra } from "./csv.js"
import { labelNames } from "./format.js"

/** The file beside the manifest with a view of DuckDB for each part. */
export const fileName = "views.sql"

const head = "-- The current rows of this export, for DuckDB:"

/** Whether a file of this name was written by an export. */
export const isOwn = (text: string): boolean => text.startsWith(head)

const name = (text: string): string => `"${text.replaceAll('"', '""')}"`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const list = (names: ReadonlyArray<string>): string => `[${names.map(text).join(", ")}]`

/** A column of text as its kind, exactly, or the query fails. `instant` makes a TIMESTAMP of the text of one. */
const typed = ({ kind, name: column }: Column.Column, instant: (cell: string) => string): string => {
  const cell = `nullif(${name(column)}, '')`
  if (kind === "decimal") return `CAST(${cell} AS DECIMAL(38, 18)) AS ${name(column)}`
  if (kind === "integer") return `CAST(${cell} AS BIGINT) AS ${name(column)}`
  if (kind === "boolean") return `CAST(${cell} AS BOOLEAN) AS ${name(column)}`
  return Column.isInstant(kind) ? `${instant(cell)} AS ${name(column)}` : name(column)
}

const ofCount = (kind: Column.Kind) => (cell: string) => {
  const count = `CAST(${cell} AS BIGINT)`
  if (kind === "millis") return `epoch_ms(${count})`
  if (kind === "seconds") return `epoch_ms(${count} * 1000)`
  return `epoch_ms(CASE WHEN abs(${count}) < ${Column.border} THEN ${count} * 1000 ELSE ${count} END)`
}

/** Reads files, with the columns of `columns` as Parquet has them, instants as TIMESTAMP in UTC, and `filename`. */
const source = (format: string, files: ReadonlyArray<string>, columns: ReadonlyArray<Column.Column>): string => {
  const options = "filename = true, union_by_name = true"
  if (format === "parquet") {
    const instants = columns.filter(({ kind }) => Column.isInstant(kind)).map(({ name }) => name)
    const replaced = instants.map((column) => `epoch_ms(epoch_ms(${name(column)})) AS ${name(column)}`)
    return `SELECT * REPLACE (${replaced.join(", ")}) FROM read_parquet(${list(files)}, ${options})`
  }
  if (format.startsWith("csv")) {
    const cells = columns.map((column) => typed(column, (cell) => `CAST(${cell} AS TIMESTAMP)`))
    const selected = [...labelNames.map(name), ...cells, name(extra), "filename"]
    return `SELECT ${selected.join(", ")} FROM read_csv(${list(files)}, all_varchar = true, ${options})`
  }
  const types = columns.map(({ name: column }) => `${text(column)}: 'VARCHAR'`).join(", ")
  const selected = [...columns.map((column) => typed(column, ofCount(column.kind))), "filename"]
  const read = `read_json(${list(files)}, format = 'newline_delimited', columns = {${types}}, filename = true)`
  return `SELECT ${selected.join(", ")} FROM ${read}`
}

/** What the versions of one record have in common; nothing where records do not change. */
const identityOf = ({ instant, key, settling }: Dataset.Dataset<never, unknown>): ReadonlyArray<string> => {
  if (settling.identity.length > 0) return settling.identity
  if (settling.version.length === 0 || key === "content") return []
  return [...new Set([...key, ...Option.match(instant, { onNone: () => [], onSome: ({ name }) => [name] })])]
}

/** The rows of all files; of a record with versions in several files those of the latest, as `Reader.rows` has them. */
const query = (
  format: string,
  { files }: Pick<Manifest.Part, "files">,
  dataset: Dataset.Dataset<never, unknown>
): string => {
  const names = files.map(({ name }) => name)
  const rows = source(format, names, dataset.columns)
  const identity = identityOf(dataset).map(name).join(", ")
  if (identity === "" || names.length === 1) return `SELECT * EXCLUDE (filename) FROM (${rows})`
  return [
    `SELECT * EXCLUDE (filename, venue_row, venue_rows) FROM (`,
    `  SELECT *, count(*) OVER (PARTITION BY ${identity}, filename) AS venue_rows FROM (`,
    `    SELECT *, row_number() OVER () AS venue_row FROM (${rows})))`,
    `QUALIFY row_number() OVER (PARTITION BY ${identity} ORDER BY venue_row DESC) <= max(venue_rows) OVER (PARTITION BY ${identity})`
  ].join("\n")
}

/** A view of each part that has files. */
export const make = (
  { format, parts }: Pick<Manifest.Manifest, "format" | "parts">,
  datasetOf: (part: Manifest.Part) => Dataset.Dataset<never, unknown> | undefined
): string => {
  const views = parts.flatMap((part) => {
    const dataset = datasetOf(part)
    return dataset === undefined || part.files.length === 0
      ? []
      : [`CREATE OR REPLACE VIEW ${name(part.name)} AS\n${query(format, part, dataset)};\n`]
  })
  return [
    head,
    "-- run it in this folder (duckdb -init views.sql), or SET file_search_path to this folder first.",
    "-- Written anew by each export that adds rows. manifest.json says whether they are complete.",
    "",
    ...views
  ].join("\n")
}
