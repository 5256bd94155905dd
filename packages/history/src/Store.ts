/**
 * The interface of a place for an export: it keeps rows and the checkpoint that covers them, always together.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as Checkpoint from "./shared/Checkpoint.js"
import * as Dataset from "./Dataset.js"
import type { SinkFailure } from "./ExportFailure.js"
import type * as Manifest from "./Manifest.js"
import type * as Part from "./Part.js"
import type * as Spool from "./Spool.js"

export {
  /**
   * How far an export is. A store keeps it by this schema, which is JSON on its encoded side.
   *
   * @since 0.1.0
   * @category schemas
   */
  Checkpoint as ExportCheckpoint
} from "./shared/Checkpoint.js"

/**
 * The rows of one window, in the order in which they are exported.
 *
 * @since 0.1.0
 * @category models
 */
export interface WindowRows {
  readonly part: Part.Part<unknown, unknown>
  /** The rows, some at a time: a window can have more than memory holds. Read this once. */
  readonly chunks: Stream.Stream<RowChunk, SinkFailure>
  /** The checkpoint that covers the rows. Run this after the end of `chunks`. */
  readonly checkpoint: Effect.Effect<Checkpoint.Checkpoint>
}

/**
 * Some rows of a window.
 *
 * @since 0.1.0
 * @category models
 */
export interface RowChunk {
  readonly rows: ReadonlyArray<StoredRow>
  /** Lines for the side file: rows that do not fit the schema, each with the path and the reason. */
  readonly rejectedRows: ReadonlyArray<string>
}

/**
 * A row of an export.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredRow {
  /** Unique in its part. */
  readonly key: string
  /** The row as JSON, on one line. */
  readonly text: string
  /** The key of the row of an earlier export that this one replaces. */
  readonly replaces?: string | undefined
}

/**
 * A row that an earlier export has.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExistingRow {
  readonly key: string
  readonly identity: string
  readonly version: string
}

/**
 * Makes an `ExistingRow` from a row of a store.
 *
 * @since 0.1.0
 * @category constructors
 */
export const existingRow = (dataset: Dataset.Dataset<never, unknown>, row: Dataset.Row): ExistingRow => {
  const [identity, version] = Dataset.version(dataset, row)
  return { key: Dataset.key(dataset, row), identity, version }
}

/**
 * An open store. One process at a time has it.
 *
 * @since 0.1.0
 * @category models
 */
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
  readonly spool?: Spool.Spool<SinkFailure> | undefined
  /** Discards the export that is under way; a finished export stays. */
  readonly forget: Effect.Effect<void, SinkFailure>
  /**
   * The rows with an instant in one of these windows (see `Dataset.instants`), and those without an instant: of the finished export, and
   * of the one under way those that were stored when the store was opened.
   */
  readonly existing: (
    part: Part.Part<unknown, unknown>,
    windows: ReadonlyArray<Dataset.Window>
  ) => Stream.Stream<ExistingRow, SinkFailure>
  /**
   * Publishes the rows under their final names, then the manifest, then discards the checkpoint. Can be run again after an interruption.
   * The manifest is passed without the new files of its parts and returned with them.
   */
  readonly publish: (manifest: Manifest.Manifest) => Effect.Effect<Manifest.Manifest, SinkFailure>
}
