/**
 * The destination of an export, and how its rows are read again. A sink stores rows together with a checkpoint, so that a killed run is resumed at the end of its last
 * window, and publishes the export only when it is whole.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Csv from "../formats/csv.js"
import type { Refused, SinkFailure, Unreadable } from "../model/ExportFailure.js"
import * as Folder from "./folderStore.js"
import type { Format } from "../formats/format.js"
import * as Ndjson from "../formats/ndjson.js"
import * as Parquet from "../formats/parquet.js"
import type * as Part from "../model/Part.js"
import type * as Dataset from "../model/Dataset.js"
import type * as Checkpoint from "../model/Checkpoint.js"
import * as Spools from "./spool.js"
import * as PartRows from "../files/partRows.js"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as Manifest from "../model/Manifest.js"

export {
  /**
   * How far an export is. A store keeps it by this schema, which is JSON on its encoded side.
   *
   * @category schemas
   */
  Checkpoint as ExportCheckpoint
} from "../model/Checkpoint.js"

export interface OpenOptions {
  /** The existing export is about to be replaced: parts that cannot be read are taken for absent. Defaults to a `SinkFailure`. */
  readonly overwrite?: boolean | undefined
}

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
  ) => Effect.Effect<Store, SinkFailure | Refused, R | Scope.Scope>
}

/** The rows of one window, in the order in which they are exported. */
export interface WindowRows {
  readonly part: Part.Part<unknown, unknown>
  /** The rows, some at a time: a window can have more than memory holds. Read this once. */
  readonly chunks: Stream.Stream<RowChunk, SinkFailure>
  /** The checkpoint that covers the rows. Run this after the end of `chunks`. */
  readonly checkpoint: Effect.Effect<Checkpoint.Checkpoint>
}

/** Some rows of a window. */
export interface RowChunk {
  readonly rows: ReadonlyArray<{
    /** Unique in its part. */
    readonly key: string
    /** The row as JSON, on one line. */
    readonly text: string
    /** The key of the row of an earlier export that this one replaces. */
    readonly replaces?: string | undefined
  }>
  /** Lines for the side file: rows that do not fit the schema, each with the path and the reason. */
  readonly rejectedRows: ReadonlyArray<string>
}

/** An open sink: it keeps rows and the checkpoint that covers them, always together. One process at a time has it. */
export interface Store {
  /** The checkpoint of the unfinished export; `none` without one. */
  readonly checkpoint: Option.Option<Checkpoint.Checkpoint>
  /** The manifest of the finished export; `none` without one. */
  readonly manifest: Option.Option<Manifest.Manifest>
  /** Begins a new export with this checkpoint. A finished export stays until `publish` replaces it. */
  readonly begin: (checkpoint: Checkpoint.Checkpoint) => Effect.Effect<void, SinkFailure>
  /** Stores the rows of a window and the checkpoint that covers them: both or neither, whenever the process dies. */
  readonly append: (rows: WindowRows) => Effect.Effect<void, SinkFailure>
  /** Buffers rows until their window has been read. Defaults to memory. */
  readonly spool?: Spool<SinkFailure> | undefined
  /** Discards the export that is under way; a finished export stays. */
  readonly forget: Effect.Effect<void, SinkFailure>
  /**
   * The rows of a part, at least those with an instant in one of these windows, by `instant` or `filedBy` of the dataset, and those without an
   * instant: of the finished export, and of the one under way those that were stored when the store was opened.
   */
  readonly existing: (
    part: Part.Part<unknown, unknown>,
    windows: ReadonlyArray<Dataset.Window>
  ) => Stream.Stream<Dataset.Row, SinkFailure>
  /** The lines of the side file of a part in the finished export. */
  readonly rejectedLines: (part: Part.Part<unknown, unknown>) => Stream.Stream<string, SinkFailure>
  /** The rows of the export under way whose id a row of the finished export has at another instant. */
  readonly reissued: (part: Part.Part<unknown, unknown>) => Effect.Effect<ReadonlyArray<Manifest.Conflict>, SinkFailure>
  /**
   * Publishes the rows under their final names, then the manifest, then discards the checkpoint. Can be run again after an interruption.
   * The manifest is passed without the new files of its parts and returned with them. It can lack windows without rows that were stored.
   */
  readonly publish: (manifest: Manifest.Manifest) => Effect.Effect<Manifest.Manifest, SinkFailure>
}

/** Buffers the rows of a window: the service returns the newest first, an export writes the oldest first. */
export interface Spool<out E = never> {
  /** A place for blocks of lines, until the scope ends. */
  readonly open: Effect.Effect<Buffer<E>, E, Scope.Scope>
}

export interface Buffer<out E = never> {
  /** Stores lines, and returns the number of their block: the first is 0. A line has no line break in it. */
  readonly put: (lines: ReadonlyArray<string>) => Effect.Effect<number, E>
  /** The lines of a block. */
  readonly get: (block: number) => Effect.Effect<ReadonlyArray<string>, E>
}

type Files = FileSystem.FileSystem | Path.Path

/** Options of every sink that writes files. */
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
 * @category sinks
 */
export const ndjson = (
  location: string,
  options: FileOptions & { readonly gzip?: boolean | undefined } = {}
): Sink<Files> => folder(location, options.gzip === true ? Ndjson.gzipped : Ndjson.plain, options)

/**
 * A folder of CSV files (RFC 4180) with a header. The columns are always those of the dataset, after `account` (its name, or the UID of
 * its credentials) and `category`, which are empty if a part has none; instants are ISO text. Fields without a column, and values that the type of their column
 * does not have exactly (see `parquet`), are in a last column `extra`, as JSON.
 *
 * `spreadsheetSafe` puts a single quote before cells that a spreadsheet takes for a formula: those that begin with `=`, `+`, `-`, `@`, a tab or a line
 * break, and are no plain number. It changes data, and defaults to `false`; the manifest's format is then `csv.safe`, and `rows` and `views.sql` remove
 * the quote.
 *
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
 * @category sinks
 */
export const parquet = (
  location: string,
  options: FileOptions & { readonly rowGroup?: number | undefined } = {}
): Sink<Files> => folder(location, Parquet.format(options.rowGroup ?? 5000), options)

/**
 * A spool in files of a folder, which is created if missing; memory holds a few thousand rows. Files of a killed run can be removed.
 *
 * @category constructors
 */
export const folderSpool: (location: string) => Effect.Effect<Spool<SinkFailure>, never, Files> = Spools.folder

/**
 * The rows of a part of an export in a folder, from its files one after the other; memory holds a piece of one file. Rows are as verbatim as the format allows: a
 * number that JavaScript would print differently is text; tables have text instead of flags and numbers; a Parquet column of decimals
 * has values, not spellings. If a record changed between two exports, the later version is emitted in its place; later files are then
 * read twice. A damaged Parquet file is not opened. `datasets` are custom datasets, in addition to those of the library.
 *
 * @category streams
 */
export const rows: (
  location: string,
  manifest: Pick<Manifest.Manifest, "format">,
  part: Pick<Manifest.Part, "name" | "dataset" | "files" | "windows">,
  options?: { readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined }
) => Stream.Stream<Dataset.Row, Unreadable, Files> = PartRows.rows
