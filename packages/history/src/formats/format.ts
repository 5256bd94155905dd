import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Stream from "effect/Stream"
import type * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"

/** The account and the category of the rows; "" if the part has none. Tables repeat both in every row. */
export interface Labels {
  readonly account: string
  readonly category: string
}

/** The columns of the labels, in order. No dataset has columns with these names. */
export const labelNames = ["account", "category"] as const

/** The names of a file's labels. */
export const namesOf = (labels: Labels | undefined): ReadonlyArray<keyof Labels> =>
  labels === undefined ? [] : labelNames

/** The content of a file: rows of a dataset, one JSON text per line. Formats can read it more than once. */
export interface Source {
  /** `undefined` if the rows contain their account. */
  readonly labels: Labels | undefined
  readonly dataset: Pick<Dataset.Dataset<never, unknown>, "columns">
  readonly bytes: Stream.Stream<Uint8Array, unknown>
  /** Metadata of the file, for formats that support it. */
  readonly metadata: Readonly<Record<string, string>>
}

/** The rows of some files of a part. */
export interface FileRows {
  readonly files: ReadonlyArray<string>
  readonly columns: ReadonlyArray<Column.Column>
  readonly labels: Labels
}

/** A file format for rows. */
export interface Format {
  readonly name: string
  readonly extension: string
  /** The bytes of a file. Equal rows give equal bytes. */
  readonly render: (source: Source) => Stream.Stream<Uint8Array, unknown>
  /** The bytes of a file with more rows after those of another one; absent if the format cannot add rows to a file. */
  readonly append?: (file: Stream.Stream<Uint8Array, unknown>, source: Source) => Stream.Stream<Uint8Array, unknown>
  /** Whether reading a damaged file ends in bounded time. */
  readonly toleratesDamage: boolean
  /**
   * The DuckDB query that reads files: the labels, the columns of the dataset with the types of Parquet, instants as TIMESTAMP in UTC, `extra`, `month` if
   * the files are split by month, and `filename`. It uses the macros of `duckdb.ts`.
   */
  readonly query: (rows: FileRows) => string
  /** Reads the rows of a file up to the first error. The first `skipped` rows are not needed: a format can leave them out. */
  readonly rows: (
    file: string,
    dataset: Dataset.Dataset<never, unknown>,
    skipped?: number
  ) => Stream.Stream<Dataset.Row, unknown, FileSystem.FileSystem>
}
