import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Dataset from "../Dataset.js"
import type { Format } from "./format.js"
import { gunzip, gzip } from "./gzip.js"
import { linesOf } from "./lines.js"
import * as Verbatim from "./verbatim.js"

/** The records of NDJSON, each with its text. */
export const recordLines = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Verbatim.Line, unknown, R> =>
  Stream.mapChunksEffect(linesOf(bytes), (texts) => Effect.try(() => Chunk.map(texts, Verbatim.line)))

const rowsOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Dataset.Row, unknown, R> =>
  Stream.map(recordLines(bytes), ({ row }) => row)

const bytesOf = (file: string) => Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(file)))

export const plain: Format = {
  name: "ndjson",
  extension: "ndjson",
  toleratesDamage: true,
  render: (source) => source.bytes,
  rows: (file) => rowsOf(bytesOf(file))
}

export const gzipped: Format = {
  name: "ndjson.gz",
  extension: "ndjson.gz",
  toleratesDamage: true,
  render: (source) => gzip(source.bytes),
  rows: (file) => rowsOf(gunzip(bytesOf(file)))
}
