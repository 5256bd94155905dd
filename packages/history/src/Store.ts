/**
 * The state that a sink keeps while an export is under way: rows, and how far it is, always together.
 *
 * @since 0.1.0
 */
import type * as Windows from "@effect-venue/transport/Windows"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as Checkpoint from "./Checkpoint.js"
import * as Dataset from "./Dataset.js"
import type { SinkFailure } from "./internal/model/failures.js"
import type * as Manifest from "./Manifest.js"
import type * as Part from "./Part.js"
import type * as Spool from "./Spool.js"

/**
 * The rows of one window, in the order in which they are exported.
 *
 * @since 0.1.0
 * @category models
 */
export interface Batch {
  /** The part that it belongs to. */
  readonly part: Part.Part<unknown, unknown>
  /** Some rows at a time, since a window may hold more than memory does. To be read once. */
  readonly pieces: Stream.Stream<Piece, SinkFailure>
  /** How far the export is with them: available after the end of `pieces`. */
  readonly checkpoint: Effect.Effect<Checkpoint.Checkpoint>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Piece {
  readonly rows: ReadonlyArray<StoredRow>
  /** Lines for the side file: rows that do not fit the domain side, each with where and why. */
  readonly rejectedRows: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface StoredRow {
  /** Unique within its part. */
  readonly key: string
  /** The row as JSON, on one line. */
  readonly text: string
  /** The key of the row that it replaces, where an earlier export has one and that can be. */
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
 * A row of a store, as an export that continues it needs it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const existingRow = (dataset: Dataset.Dataset<never, unknown>, row: Dataset.Row): ExistingRow => {
  const [identity, version] = Dataset.version(dataset, row)
  return { key: Dataset.key(dataset, row), identity, version }
}

/**
 * An open sink.
 *
 * @since 0.1.0
 * @category models
 */
export interface Store {
  /** How far an export here is; `none` where none is under way. */
  readonly checkpoint: Option.Option<Checkpoint.Checkpoint>
  /** The manifest of the export that was finished here. */
  readonly manifest: Option.Option<Manifest.Manifest>
  /** Begins anew, with this checkpoint. What is finished here stays until it is replaced. */
  readonly begin: (checkpoint: Checkpoint.Checkpoint) => Effect.Effect<void, SinkFailure>
  /** Stores the rows of a window and the checkpoint after it: both or neither, whenever the process dies. */
  readonly commit: (batch: Batch) => Effect.Effect<void, SinkFailure>
  /** Where rows are buffered until their window has been read. Defaults to memory. */
  readonly spool?: Spool.Spool<SinkFailure> | undefined
  /** Discards how far an export is; a finished export stays. */
  readonly forget: Effect.Effect<void, SinkFailure>
  /**
   * The rows of which an instant is in one of these windows (see `Dataset.instants`), and those without one: of the finished export, and
   * of one under way those that were committed when the store was opened.
   */
  readonly existing: (
    part: Part.Part<unknown, unknown>,
    windows: ReadonlyArray<Windows.Window>
  ) => Stream.Stream<ExistingRow, SinkFailure>
  /**
   * Publishes the rows under their names, then the manifest, then discards the checkpoint. May be called again after an interruption.
   * The manifest is passed without the new files of its parts and returned with them.
   */
  readonly finish: (manifest: Manifest.Manifest) => Effect.Effect<Manifest.Manifest, SinkFailure>
}
