/**
 * What a sink keeps while an export is under way: rows, and how far it has come, always together.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Checkpoint from "./Checkpoint.js"
import type { SinkFailure } from "./internal/failures.js"
import type * as Manifest from "./Manifest.js"
import type * as Part from "./Part.js"

/**
 * The rows of one window, in the order in which they are exported.
 *
 * @since 0.1.0
 * @category models
 */
export interface Batch {
  /** The part that they belong to. */
  readonly part: Part.Part
  readonly rows: ReadonlyArray<StoredRow>
  /** Lines for the side file: rows that do not fit the domain side, each with where and why. */
  readonly asides: ReadonlyArray<string>
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
}

/**
 * An open sink.
 *
 * @since 0.1.0
 * @category models
 */
export interface Store {
  /** How far an export here has come; `none` where none is under way. */
  readonly checkpoint: Option.Option<Checkpoint.Checkpoint>
  /** The manifest of the export that was finished here. */
  readonly manifest: Option.Option<Manifest.Manifest>
  /** Begins anew, with this checkpoint. What is finished here stays until it is replaced. */
  readonly begin: (checkpoint: Checkpoint.Checkpoint) => Effect.Effect<void, SinkFailure>
  /** Keeps the rows of a window and the checkpoint after it: both or neither, whenever the process dies. */
  readonly commit: (batch: Batch, checkpoint: Checkpoint.Checkpoint) => Effect.Effect<void, SinkFailure>
  /** Forgets how far an export has come; what is finished stays. */
  readonly forget: Effect.Effect<void, SinkFailure>
  /** How often the finished export has rows of a base (see `Dataset.key`), from an instant on. */
  readonly known: (part: Part.Part, from: number) => Effect.Effect<Readonly<Record<string, number>>, SinkFailure>
  /**
   * Makes the rows visible under their names, then the manifest, then forgets the checkpoint. May be called again after it was cut
   * short. The manifest comes without the new files of its parts and goes back with them.
   */
  readonly finish: (manifest: Manifest.Manifest) => Effect.Effect<Manifest.Manifest, SinkFailure>
}
