import * as Csv from "./csv.js"
import type { Format } from "./format.js"
import * as Ndjson from "./ndjson.js"
import * as Parquet from "./parquet.js"

/** Every format that a folder can be in; to read them, how they were written is of no account. */
export const all: ReadonlyArray<Format> = [
  Ndjson.plain,
  Ndjson.gzipped,
  Csv.format,
  Csv.spreadsheetSafe,
  Parquet.format(1)
]
