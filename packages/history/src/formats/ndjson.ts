import { compressed, decompressed } from "#gzip"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
import * as DuckDb from "./duckdb.js"
import type { Format, Source } from "./format.js"
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

/** An escape of a surrogate, in text and in a query of DuckDB. */
const escapedSurrogate = /\\u[dD][89a-fA-F]/

const ascii = new TextDecoder("latin1")

const backslash = 92

/** The bytes of a file, watched for escapes of surrogates. */
const watchEscapes = ({ bytes, onEscapedSurrogate }: Pick<Source, "bytes" | "onEscapedSurrogate">) =>
  Stream.suspend(() => {
    // An escape can begin in one chunk and end in the next.
    let end = ""
    return Stream.map(bytes, (chunk) => {
      if (end.includes("\\") || chunk.includes(backslash)) {
        const text = end + ascii.decode(chunk)
        if (escapedSurrogate.test(text)) onEscapedSurrogate()
        end = text.slice(-3)
      } else end = ""
      return chunk
    })
  })

/** A line of JSON with U+FFFD for each half of a surrogate pair, which DuckDB refuses. Control characters, which no JSON contains, mark what stays. */
const withoutHalves = (line: string): string => {
  const marked = `replace(${line}, '\\\\', chr(1))`
  const pairs = String.raw`regexp_replace(${marked}, '\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)', chr(2) || '\1' || chr(2) || '\2', 'g')`
  const replaced = String.raw`regexp_replace(${pairs}, '${escapedSurrogate.source}..', chr(65533), 'g')`
  const whole = String.raw`replace(replace(${replaced}, chr(2), '\u'), chr(1), '\\')`
  return `CASE WHEN regexp_matches(${line}, '${escapedSurrogate.source}') THEN ${whole} ELSE ${line} END`
}

/** A column of whole lines. A control character, which no JSON contains, separates columns, and nothing quotes them. */
const lines = (files: ReadonlyArray<string>): string =>
  String.raw`read_csv(${DuckDb.list(files)}, columns = {venue_line: 'VARCHAR'}, header = false, auto_detect = false, delim = E'\x01', quote = '', escape = '', max_line_size = 1000000000, ${DuckDb.ofFiles(files)})`

const query: Format["query"] = (files, columns, hasEscapedSurrogates) => {
  const selected = [
    ...columns.map((column) => DuckDb.castColumn(column, ofCount(column.kind))),
    ...DuckDb.selectFromFiles(files)
  ].join(", ")
  if (hasEscapedSurrogates) {
    const shape = JSON.stringify(Object.fromEntries(columns.map(({ name }) => [name, "VARCHAR"])))
    const fields = `unnest(json_transform(${withoutHalves("venue_line")}, ${DuckDb.text(shape)}))`
    return `SELECT ${selected} FROM (SELECT ${fields}, * EXCLUDE (venue_line) FROM ${lines(files)})`
  }
  const types = columns.map(({ name }) => `${DuckDb.text(name)}: 'VARCHAR'`).join(", ")
  const read = `read_json(${DuckDb.list(files)}, format = 'newline_delimited', columns = {${types}}, ${DuckDb.ofFiles(files)})`
  return `SELECT ${selected} FROM ${read}`
}

export const plain: Format = {
  name: "ndjson",
  extension: "ndjson",
  toleratesDamage: true,
  render: watchEscapes,
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
  render: (source) => gzip(watchEscapes(source)),
  query,
  rows: (file, _dataset, skipped = 0) => rowsOf(afterLines(decompressed(bytesOf(file)), skipped))
}
