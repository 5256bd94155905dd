import { compressed, decompressed } from "#gzip"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Column from "../../shared/Column.js"
import type * as Dataset from "../../Dataset.js"
import * as DuckDb from "./duckdb.js"
import type { Format } from "./format.js"
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

const ofCount = (kind: Column.Kind) => (cell: string) => {
  const count = `CAST(${cell} AS BIGINT)`
  if (kind === "millis") return `epoch_ms(${count})`
  if (kind === "seconds") return `epoch_ms(${count} * 1000)`
  return `epoch_ms(CASE WHEN abs(${count}) < ${Column.border} THEN ${count} * 1000 ELSE ${count} END)`
}

const query: Format["query"] = (files, columns) => {
  const types = columns.map(({ name }) => `${DuckDb.text(name)}: 'VARCHAR'`).join(", ")
  const selected = [
    ...columns.map((column) => DuckDb.typed(column, ofCount(column.kind))),
    ...DuckDb.selectedOfFiles(files)
  ]
  const read = `read_json(${DuckDb.list(files)}, format = 'newline_delimited', columns = {${types}}, ${DuckDb.ofFiles(files)})`
  return `SELECT ${selected.join(", ")} FROM ${read}`
}

export const plain: Format = {
  name: "ndjson",
  extension: "ndjson",
  toleratesDamage: true,
  render: (source) => source.bytes,
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
  render: (source) => gzip(source.bytes),
  query,
  rows: (file, _dataset, skipped = 0) => rowsOf(afterLines(decompressed(bytesOf(file)), skipped))
}
