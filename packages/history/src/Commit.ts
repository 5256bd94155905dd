/**
 * Commits: rows with the checkpoint that covers them, for a transaction of the application (see `History.commits`).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Versions } from "./shared/Checkpoint.js"
import type * as Dataset from "./Dataset.js"
import * as Manifest from "./Manifest.js"

/**
 * The progress of a part: opaque, and JSON on its encoded side. It contains the keys of the rows that can be read again: those of the last
 * `overlap`, of instants that are not settled, and those without an instant.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Checkpoint = Schema.Struct({
  version: Schema.Literal(1),
  part: Manifest.Subject,
  identity: Manifest.Identity,
  /** The start of the history. */
  begin: Manifest.At,
  /** The range that is being read, or was read last, and how many of its windows are committed. */
  from: Manifest.At,
  to: Manifest.At,
  done: Schema.NonNegativeInt,
  /** The end of the range before; null in the first one. */
  since: Schema.NullOr(Manifest.At),
  /** Instants before the range that are read again. */
  again: Schema.Array(Manifest.At),
  tail: Schema.Array(Schema.String),
  known: Versions,
  unsettled: Schema.Array(Manifest.At),
  /** The instant from which on `recent` has all rows. */
  recentFrom: Manifest.At,
  /** Rows that can be read again: the identity of the record, its version, its instants (none if they cannot be read). */
  recent: Schema.Array(Schema.Tuple(Schema.String, Schema.String, Schema.Array(Manifest.At)))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Checkpoint = typeof Checkpoint.Type

/**
 * A row that was not committed before, or another version of one that was.
 *
 * @since 0.1.0
 * @category models
 */
export interface Row {
  /** Unique in its part. */
  readonly key: string
  /** The row, as in `Reader.rows`: a number that JavaScript would print differently is text. */
  readonly row: Dataset.Row
  /** The row in the service's spelling, on one line. */
  readonly text: string
  /** The key of the row that this one replaces, if the record was committed in another version. */
  readonly replaces: string | undefined
}

/**
 * The rows of a window, oldest first, and the checkpoint after them. If the application writes both together, it has every row once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Commit {
  readonly rows: ReadonlyArray<Row>
  /** The window. `missing` lists the ranges that can lack rows. */
  readonly window: Manifest.Window
  readonly checkpoint: Checkpoint
}
