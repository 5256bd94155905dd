/**
 * Tables that are no dataset, such as the log of an export, as the bytes of a file.
 *
 * @sibling
 */
import * as Stream from "effect/Stream"
import type * as Column from "../model/Column.js"
import * as Csv from "./csv.js"
import type { Format as FileFormat } from "./format.js"
import { encode } from "./lines.js"
import * as Ndjson from "./ndjson.js"
import * as Parquet from "./parquet.js"

/** The formats of a table. */
export const formats = ["csv", "ndjson", "parquet"] as const

export type Format = (typeof formats)[number]

/** A table. */
export interface Table<E> {
  readonly name: string
  readonly columns: ReadonlyArray<Column.Column>
  /** Rows as JSON texts. */
  readonly lines: Stream.Stream<string, E>
}

const formatOf = (format: Format, spreadsheetSafe: boolean): FileFormat => {
  if (format === "parquet") return Parquet.format(5000)
  if (format === "ndjson") return Ndjson.plain
  return spreadsheetSafe ? Csv.spreadsheetSafe : Csv.format
}

/** Renders a table. `spreadsheetSafe` is for CSV (see `Sink.csv`). */
export const render = <E>(
  { columns, lines, name }: Table<E>,
  format: Format,
  spreadsheetSafe = false
): Stream.Stream<Uint8Array, unknown> =>
  formatOf(format, spreadsheetSafe).render({
    labels: undefined,
    dataset: { columns },
    bytes: Stream.map(Stream.grouped(lines, 1000), (chunk) => encode([...chunk])),
    metadata: { export: name, version: "1" }
  })
