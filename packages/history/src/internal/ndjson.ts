import * as Predicate from "effect/Predicate"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Dataset from "../Dataset.js"
import type { Format } from "./format.js"
import { gunzip, gzip } from "./gzip.js"
import { linesOf } from "./lines.js"

const parsed = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Dataset.Row, unknown, R> =>
  Stream.mapEffect(linesOf(bytes), (line) =>
    Effect.try((): Dataset.Row => {
      const row: unknown = JSON.parse(line)
      if (!Predicate.isRecord(row)) throw new Error("expected an object")
      return row
    })
  )

const bytesOf = (file: string) => Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(file)))

export const plain: Format = {
  name: "ndjson",
  extension: "ndjson",
  render: (source) => source.bytes,
  rows: (file) => parsed(bytesOf(file))
}

export const gzipped: Format = {
  name: "ndjson.gz",
  extension: "ndjson.gz",
  render: (source) => gzip(source.bytes),
  rows: (file) => parsed(gunzip(bytesOf(file)))
}

export { parsed }
