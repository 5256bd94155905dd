import { compressed, decompressed } from "#gzip"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
import * as DuckDb from "./duckdb.js"
import * as Cell from "./cell.js"
import { type Format, labelNames } from "./format.js"
import { afterLines, linesOf } from "./lines.js"
import * as Verbatim from "../model/verbatim.js"

/** The records of NDJSON, each with its text. */
export const recordLines = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Verbatim.Line, unknown, R> =>
  Stream.mapChunksEffect(linesOf(bytes), (texts) => Effect.try(() => Chunk.map(texts, Verbatim.line)))

const rowsOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Dataset.Row, unknown, R> =>
  Stream.map(recordLines(bytes), ({ row }) => row)

/** The bytes that are read at once. */
const chunkSize = 256 * 1024

const bytesOf = (file: string) =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(file, { chunkSize })))

/**
 * Each line is read as a text, since DuckDB does not keep the spelling of numbers. A line has at most 16 MiB, and the buffer of each file twice as much: DuckDB
 * would reserve sixteen times as much for compressed files. Each step is a query of its own: DuckDB copies what a macro is given.
 */
const query: Format["query"] = ({ columns, files, labels }) => {
  const names = columns.map(({ name }) => DuckDb.name(name))
  const raws = columns.map(({ name }) => DuckDb.name(`venue_raw ${name}`))
  const texts = columns.map(({ name }) => DuckDb.name(`venue_text ${name}`))
  const others = DuckDb.selectFromFiles(files)
  const lines = String.raw`read_csv(${DuckDb.list(files)}, columns = {venue_line: 'VARCHAR'}, header = false, auto_detect = false, delim = E'\x01', quote = '', escape = '', max_line_size = 16777216, buffer_size = 33554432, ${DuckDb.ofFiles(files)})`
  const shape = Object.fromEntries(columns.map(({ kind, name }) => [name, kind === "json" ? "JSON" : "VARCHAR"]))
  const textOf = ({ kind }: Column.Column, name: string) =>
    kind === "json" ? `venue_spelling(nullif(nullif(CAST(${name} AS VARCHAR), 'null'), '""'))` : `venue_text(${name})`
  const read = columns.map((column, index) => {
    const name = names[index] ?? ""
    return `${name} AS ${raws[index]}, ${textOf(column, name)} AS ${texts[index]}`
  })
  const cells = columns.map((column, index) => `${DuckDb.castColumn(column, texts[index] ?? "")} AS ${names[index]}`)
  const unfit = columns.flatMap(({ kind, name }, index) =>
    kind === "json" ? [] : [`CASE WHEN ${raws[index]} <> '' AND ${names[index]} IS NULL THEN ${DuckDb.text(name)} END`]
  )
  const selected = [
    ...labelNames.map((name) => `nullif(${DuckDb.text(labels[name])}, '') AS ${DuckDb.name(name)}`),
    ...names,
    `venue_extra(venue_row, ${DuckDb.list(columns.map(({ name }) => name))}, [name FOR name IN [${unfit.join(", ")}] IF name IS NOT NULL]) AS ${DuckDb.name(Cell.extra)}`,
    ...others
  ]
  return [
    `SELECT ${selected.join(", ")} FROM (`,
    `  SELECT *, ${cells.join(", ")} FROM (`,
    `    SELECT venue_row, ${[...others, ...read].join(", ")} FROM (`,
    `      SELECT *, unnest(json_transform(venue_row, ${DuckDb.text(JSON.stringify(shape))})) FROM (`,
    `        SELECT venue_encode(venue_line) AS venue_row, * EXCLUDE (venue_line) FROM ${lines}))))`
  ].join("\n")
}

export const plain: Format = {
  name: "ndjson",
  extension: "ndjson",
  toleratesDamage: true,
  render: ({ bytes }) => bytes,
  append: (file, { bytes }) => Stream.concat(file, bytes),
  query,
  rows: (file, _dataset, skipped = 0) => rowsOf(afterLines(bytesOf(file), skipped))
}

/** The position of the operating system in the header. 255 ("unknown") is written on every system. */
const system = 9

/** Compresses. Equal input gives equal output at any time on any system. */
const gzip = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, unknown, R> =>
  Stream.mapAccum(compressed(bytes), 0, (offset, chunk) => {
    if (offset <= system && system < offset + chunk.length) {
      const changed = Uint8Array.from(chunk)
      changed[system - offset] = 255
      return [offset + chunk.length, changed]
    }
    return [offset + chunk.length, chunk]
  })

export const gzipped: Format = {
  name: "ndjson.gz",
  extension: "ndjson.gz",
  toleratesDamage: true,
  render: ({ bytes }) => gzip(bytes),
  append: (file, { bytes }) => gzip(Stream.concat(decompressed(file), bytes)),
  query,
  rows: (file, _dataset, skipped = 0) => rowsOf(afterLines(decompressed(bytesOf(file)), skipped))
}
