import * as Option from "effect/Option"
import type * as Dataset from "../../Dataset.js"
import type * as Manifest from "../../Manifest.js"
import * as DuckDb from "./duckdb.js"
import type { Format } from "./format.js"

/** The file beside the manifest with a view of DuckDB for each part. */
export const fileName = "views.sql"

const head = "-- The current rows of this export, for DuckDB:"

/** Whether a file of this name was written by an export. */
export const isOwn = (text: string): boolean => text.startsWith(head)

/** The columns that identify a record in all its versions; empty if records do not change. */
const identityOf = ({ instant, key, settling }: Dataset.Dataset<never, unknown>): ReadonlyArray<string> => {
  if (settling.identity.length > 0) return settling.identity
  if (settling.version.length === 0 || key === "content") return []
  return [...new Set([...key, ...Option.match(instant, { onNone: () => [], onSome: ({ name }) => [name] })])]
}

/** The rows of all files. If files contain several versions of a record, only those of the latest file count. */
const query = (
  format: Format,
  { files, windows }: Pick<Manifest.Part, "files" | "windows">,
  dataset: Dataset.Dataset<never, unknown>
): string => {
  const names = files.map(({ name }) => name)
  const rows = format.query(names, dataset.columns)
  const identity = identityOf(dataset).map(DuckDb.name).join(", ")
  if (identity === "" || windows.every(({ changed }) => changed === 0))
    return `SELECT * EXCLUDE (filename) FROM (${rows})`
  return [
    `SELECT * EXCLUDE (filename, venue_row, venue_rows) FROM (`,
    `  SELECT *, count(*) OVER (PARTITION BY ${identity}, filename) AS venue_rows FROM (`,
    `    SELECT *, row_number() OVER () AS venue_row FROM (${rows})))`,
    `QUALIFY row_number() OVER (PARTITION BY ${identity} ORDER BY venue_row DESC) <= max(venue_rows) OVER (PARTITION BY ${identity})`
  ].join("\n")
}

/** The statements that create a view for each part with files. */
export const make = (
  format: Format,
  { parts }: Pick<Manifest.Manifest, "parts">,
  datasetOf: (part: Manifest.Part) => Dataset.Dataset<never, unknown> | undefined
): string => {
  const views = parts.flatMap((part) => {
    const dataset = datasetOf(part)
    return dataset === undefined || part.files.length === 0
      ? []
      : [`CREATE OR REPLACE VIEW ${DuckDb.name(part.name)} AS\n${query(format, part, dataset)};\n`]
  })
  return [
    head,
    "-- run it in this folder (duckdb -init views.sql), or SET file_search_path to this folder first.",
    "-- Written anew by each export that adds rows. manifest.json says whether they are complete.",
    "",
    ...views
  ].join("\n")
}
