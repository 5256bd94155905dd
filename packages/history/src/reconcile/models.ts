import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import type * as Rows from "../formats/Rows.js"
import type * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import type * as SeenIds from "../model/seenIds.js"
import type { ReportedConflicts } from "./conflicts.js"

/** A window as it is exported. */
export interface WindowResult<out E, R> {
  readonly part: Part.Part<unknown, R>
  /** The number of its unit. */
  readonly index: number
  /** Read this once, and after the rows of the window before. */
  readonly rows: Stream.Stream<Sink.RowChunk, E>
  /** Run this after `rows` has ended. It returns the same summary each time. */
  readonly summary: Effect.Effect<WindowSummary>
}

export interface WindowSummary {
  readonly coverage: Manifest.Window
  /** All conflicts of the window: its coverage lists some of them. */
  readonly conflicts: ReadonlyArray<Manifest.Conflict>
  /** Lines of the side file that belong to no chunk. */
  readonly rejectedRows: ReadonlyArray<string>
  readonly rereads: number
  readonly retries: number
  readonly state: ReconcileState
}

/** State carried from one window to the next. */
export interface ReconcileState {
  /** Keys of rows that the next window can contain too. */
  readonly tail: ReadonlyArray<string>
  /** Versions of records in the overlap with an earlier export. */
  readonly known: Checkpoint.Versions
  /** Records that can still change. */
  readonly unsettled: ReadonlyArray<Manifest.Unsettled>
}

export const start: ReconcileState = { tail: [], known: [], unsettled: [] }

/** A part that is read. */
export interface Unit<R> {
  readonly part: Part.Part<unknown, R>
  /** The windows to read, oldest first. */
  readonly windows: ReadonlyArray<Dataset.Window>
  /** Gaps of earlier runs. A window of one of them that fails stays a gap, so that it delays no other window. */
  readonly gaps: ReadonlyArray<Dataset.Window>
  readonly state: ReconcileState
  /** The form of the identities in `state` and of the ids. */
  readonly shortened: Rows.Shortening
  /** Ids of the rows that exist already; those that are read are added. */
  readonly ids: SeenIds.SeenIds
  readonly conflicts: ReportedConflicts
}
