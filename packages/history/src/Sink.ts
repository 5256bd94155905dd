/**
 * The destination of an export. A sink stores rows together with a checkpoint, so that a killed run is resumed at the end of its last
 * window, and publishes the export only when it is whole.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Csv from "./internal/formats/csv.js"
import type { Refused, SinkFailure } from "./ExportFailure.js"
import * as Folder from "./internal/store/FolderStore.js"
import type { Format } from "./internal/formats/format.js"
import * as Ndjson from "./internal/formats/ndjson.js"
import * as Parquet from "./internal/formats/parquet.js"
import type * as Part from "./Part.js"
import type * as Store from "./Store.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface OpenOptions {
  /** The existing export is about to be replaced: parts that cannot be read are taken for absent. Defaults to a `SinkFailure`. */
  readonly overwrite?: boolean | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Sink<out R = never> {
  /** The location of the rows, for people: a folder, a database. */
  readonly location: string
  /** The format of the rows. */
  readonly format: string
  /** How the files are split. Defaults to a file for each part. */
  readonly partition?: "month" | undefined
  /** Opens it, for one run alone, until the scope ends. */
  readonly open: (
    parts: ReadonlyArray<Part.Part<unknown, unknown>>,
    options?: OpenOptions
  ) => Effect.Effect<Store.Store, SinkFailure | Refused, R | Scope.Scope>
}

type Files = FileSystem.FileSystem | Path.Path

/**
 * Options of every sink that writes files.
 *
 * @since 0.1.0
 * @category models
 */
export interface FileOptions {
  /**
   * `month`: the files of a part are in folders `PART/month=2026-05/`, one for each month of UTC with rows, by the instant of a row. Late rows of an earlier month are added to the folder of
   * that month. Defaults to a file for each part.
   */
  readonly partition?: "month" | undefined
}

const folder = (location: string, format: Format, { partition }: FileOptions): Sink<Files> => ({
  location,
  format: format.name,
  partition,
  open: (parts, options) => Folder.open(location, format, partition, parts, options?.overwrite === true)
})

/**
 * A folder of files with one JSON text a line: each row verbatim, with a space for a line break between two tokens. `gzip`: compressed, the same bytes for the same rows.
 *
 * @since 0.1.0
 * @category sinks
 */
export const ndjson = (
  location: string,
  options: FileOptions & { readonly gzip?: boolean | undefined } = {}
): Sink<Files> => folder(location, options.gzip === true ? Ndjson.gzipped : Ndjson.plain, options)

/**
 * A folder of CSV files (RFC 4180) with a header. The columns are always those of the dataset, after `account` (its name, or the UID of
 * its credentials) and `category`, which are empty if a part has none; instants are ISO text; unknown fields are in a last column `extra`, as JSON.
 *
 * `spreadsheetSafe` puts a single quote before cells that a spreadsheet takes for a formula. It changes data, and defaults to `false`;
 * `Reader.rows` removes the quote.
 *
 * @since 0.1.0
 * @category sinks
 */
export const csv = (
  location: string,
  options: FileOptions & { readonly spreadsheetSafe?: boolean | undefined } = {}
): Sink<Files> => folder(location, options.spreadsheetSafe === true ? Csv.spreadsheetSafe : Csv.format, options)

/**
 * A folder of Parquet files, with `account` and `category` as first columns. The types of the columns are the same in every file of a dataset: decimals are DECIMAL(38, 18), instants
 * TIMESTAMP in milliseconds, UTC. A value that its type does not hold exactly is in the last column `extra`, as JSON, and its cell is empty. `rowGroup`: rows that are in memory at once, default 5,000.
 *
 * @since 0.1.0
 * @category sinks
 */
export const parquet = (
  location: string,
  options: FileOptions & { readonly rowGroup?: number | undefined } = {}
): Sink<Files> => folder(location, Parquet.format(options.rowGroup ?? 5000), options)
