import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Stream from "effect/Stream"
import type * as Column from "../../shared/Column.js"
import type * as Dataset from "../../Dataset.js"

/** Whose rows they are, and of which category; "" where a part has none. Tables repeat it in every row. */
export interface Labels {
  readonly account: string
  readonly category: string
}

/** The columns of the labels, in their order. No dataset has columns of these names. */
export const labelNames = ["account", "category"] as const

/** The names of the labels that a file has. */
export const namesOf = (labels: Labels | undefined): ReadonlyArray<keyof Labels> =>
  labels === undefined ? [] : labelNames

/** What is written: rows of a dataset, one JSON text a line. May be read more than once. */
export interface Source {
  /** `undefined`: the rows name their account themselves. */
  readonly labels: Labels | undefined
  readonly dataset: Pick<Dataset.Dataset<never, unknown>, "columns">
  readonly bytes: Stream.Stream<Uint8Array, unknown>
  /** Facts about the file, for formats that keep some. */
  readonly metadata: Readonly<Record<string, string>>
  /** Called for each value that the type of its column does not hold. */
  readonly onUnfit: (column: string) => void
}

/** What a file of rows looks like. */
export interface Format {
  readonly name: string
  readonly extension: string
  /** The bytes of a file; the same for the same rows. */
  readonly render: (source: Source) => Stream.Stream<Uint8Array, unknown>
  /** Whether the reader of a damaged file ends, within a bounded time. */
  readonly toleratesDamage: boolean
  /**
   * The query of DuckDB that reads files, with the columns of a dataset as Parquet has them, instants as TIMESTAMP in UTC, `month` if the files are in folders of months,
   * and `filename`.
   */
  readonly query: (files: ReadonlyArray<string>, columns: ReadonlyArray<Column.Column>) => string
  /** Reads a file back, as far as it can be read. */
  readonly rows: (
    file: string,
    dataset: Dataset.Dataset<never, unknown>
  ) => Stream.Stream<Dataset.Row, unknown, FileSystem.FileSystem>
}
