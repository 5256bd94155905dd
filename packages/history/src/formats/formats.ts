import * as Csv from "./csv.js"
import type { Format } from "./format.js"
import * as Ndjson from "./ndjson.js"
import * as Parquet from "./parquet.js"

/** Every format of a folder. The options with which a file was written do not matter for reading. */
export const all: ReadonlyArray<Format> = [
  Ndjson.plain,
  Ndjson.gzipped,
  Csv.format,
  Csv.spreadsheetSafe,
  Parquet.format(1)
]
