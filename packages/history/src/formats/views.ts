import * as Manifest from "../model/Manifest.js"
import * as DuckDb from "./duckdb.js"
import type { Format } from "./format.js"

/** The file beside the manifest with a view of DuckDB for each part. */
export const fileName = "views.sql"

const head = "-- The current rows of this export, for DuckDB:"

/** Whether a file of this name was written by an export. */
export const isOwn = (text: string): boolean => text.startsWith(head)

/** The rows of all files. If files contain several versions of a record, only those of the latest file count. */
const query = (format: Format, part: Manifest.Part): string => {
  const { columns, files, recordKey, windows } = part
  const rows = format.query({ files: files.map(({ name }) => name), columns, labels: Manifest.labelsOf(part) })
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

const isExecutions = ({ dataset }: Manifest.Part): boolean =>
  dataset === "executions" || dataset === "pre-upgrade-executions"

/** The coins of the instruments that the service listed. A symbol that it listed with different coins has none. */
const instruments = ({ run }: Pick<Manifest.Manifest, "run">): string => {
  const lines = new Map<string, string>()
  for (const { category, list } of run.listings) {
    for (const line of list) {
      const [symbol = "", base = "", quote = "", settle = quote] = line.split(" ")
      const key = `${category} ${symbol}`
      lines.set(key, lines.has(key) ? "" : `(${[category, symbol, base, quote, settle].map(DuckDb.text).join(", ")})`)
    }
  }
  const rows = [...lines.values()].filter((line) => line !== "")
  return [
    `CREATE OR REPLACE VIEW "instruments" AS SELECT * FROM (VALUES`,
    rows.length === 0 ? "('', '', '', '', '')" : rows.join(",\n"),
    `) AS listed(category, symbol, "baseCoin", "quoteCoin", "settleCoin");\n`
  ].join("\n")
}

/**
 * Adds the coin of the fee. Rows do not have it: it follows from the coins of the instrument, and on spot from the side. NULL if the service does not
 * list the symbol, and for rebates of spot trades, whose coin no row decides.
 */
const withFeeCoin = (rows: string, { parameters: { category = "" } }: Manifest.Part): string =>
  [
    `SELECT fills.*, ${category === "spot" ? `CASE WHEN CAST(fills."execFee" AS DOUBLE) < 0 THEN NULL WHEN fills."side" = 'Buy' THEN coins."baseCoin" WHEN fills."side" = 'Sell' THEN coins."quoteCoin" END` : `coins."settleCoin"`} AS "feeCoin" FROM (`,
    rows,
    `) AS fills LEFT JOIN "instruments" AS coins ON coins.category = ${DuckDb.text(category)} AND coins.symbol = fills."symbol"`
  ].join("\n")

/** The statements that create a view for each part with files. They depend on the manifest alone. */
export const make = (format: Format, { parts, run }: Pick<Manifest.Manifest, "parts" | "run">): string =>
  [
    head,
    "-- run it in this folder (duckdb -init views.sql), or SET file_search_path to this folder first.",
    "-- Written anew by each export that adds rows. manifest.json says whether they are complete.",
    "",
    ...DuckDb.castMacros,
    ...DuckDb.jsonMacros,
    "",
    ...(parts.some((part) => isExecutions(part) && part.files.length > 0) ? [instruments({ run })] : []),
    ...parts
      .filter(({ files }) => files.length > 0)
      .map((part) => {
        const rows = query(format, part)
        return `CREATE OR REPLACE VIEW ${DuckDb.name(part.name)} AS\n${isExecutions(part) ? withFeeCoin(rows, part) : rows};\n`
      })
  ].join("\n")
