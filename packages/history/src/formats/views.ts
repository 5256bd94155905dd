import type * as Manifest from "../model/Manifest.js"
import * as DuckDb from "./duckdb.js"
import type { Format } from "./format.js"

/** The file beside the manifest with a view of DuckDB for each part. */
export const fileName = "views.sql"

const head = "-- The current rows of this export, for DuckDB:"

/** Whether a file of this name was written by an export. */
export const isOwn = (text: string): boolean => text.startsWith(head)

/** The rows of all files. If files contain several versions of a record, only those of the latest file count. */
const query = (format: Format, { columns, files, recordKey, windows }: Manifest.Part): string => {
  const names = files.map(({ name }) => name)
  const rows = format.query(
    names,
    columns,
    files.some(({ escapedSurrogates }) => escapedSurrogates === true)
  )
  const identity = recordKey.map(DuckDb.name).join(", ")
  if (identity === "" || windows.every(({ changed }) => changed === 0))
    return `SELECT * EXCLUDE (filename) FROM (${rows})`
  return [
    `SELECT * EXCLUDE (filename, venue_row, venue_rows) FROM (`,
    `  SELECT *, count(*) OVER (PARTITION BY ${identity}, filename) AS venue_rows FROM (`,
    `    SELECT *, row_number() OVER () AS venue_row FROM (${rows})))`,
    `QUALIFY row_number() OVER (PARTITION BY ${identity} ORDER BY venue_row DESC) <= max(venue_rows) OVER (PARTITION BY ${identity})`
  ].join("\n")
}

/** The statements that create a view for each part with files. They depend on the manifest alone. */
export const make = (format: Format, { parts }: Pick<Manifest.Manifest, "parts">): string =>
  [
    head,
    "-- run it in this folder (duckdb -init views.sql), or SET file_search_path to this folder first.",
    "-- Written anew by each export that adds rows. manifest.json says whether they are complete.",
    "",
    ...parts
      .filter(({ files }) => files.length > 0)
      .map((part) => `CREATE OR REPLACE VIEW ${DuckDb.name(part.name)} AS\n${query(format, part)};\n`)
  ].join("\n")
