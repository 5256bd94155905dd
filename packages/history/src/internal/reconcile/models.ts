import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Checkpoint from "../../shared/Checkpoint.js"
import type * as Dataset from "../../Dataset.js"
import type * as Manifest from "../../Manifest.js"
import type * as Part from "../../Part.js"
import type { NonRecord } from "../read/collect.js"
import type * as SeenIds from "./seenIds.js"

/** A row on its way to a store or a stream. */
export interface Entry {
  /** Unique in the part of the row: equal records without an id are numbered. */
  readonly key: string
  readonly text: string
  readonly mismatch: Dataset.Mismatch | undefined
  /** The key of the row of an earlier export that this one replaces. */
  readonly replaces: string | undefined
}

/** Some rows of a window. */
export interface RowChunk {
  /** Oldest first, each once. */
  readonly entries: ReadonlyArray<Entry>
  /** Items of the responses that are not exported. */
  readonly aside: ReadonlyArray<NonRecord>
}

/** A window as it is exported. */
export interface WindowResult<out E, R> {
  readonly part: Part.Part<unknown, R>
  /** The number of its unit. */
  readonly index: number
  /** Read this once, and after the rows of the window before. */
  readonly rows: Stream.Stream<RowChunk, E>
  /** Run this after `rows` has ended. It returns the same summary each time. */
  readonly summary: Effect.Effect<WindowSummary>
}

export interface WindowSummary {
  readonly coverage: Manifest.Window
  readonly nonRecords: ReadonlyArray<NonRecord>
  readonly rereads: number
  readonly retries: number
  readonly state: State
}

/** State carried from one window to the next. */
export interface State {
  /** Keys of rows that the next window can contain too. */
  readonly tail: ReadonlyArray<string>
  /** Versions of records in the overlap with an earlier export. */
  readonly known: Checkpoint.Versions
  /** Instants of rows that can still change. */
  readonly unsettled: ReadonlyArray<number>
}

export const start: State = { tail: [], known: [], unsettled: [] }

/** A part that is read. */
export interface Unit<R> {
  readonly part: Part.Part<unknown, R>
  /** The windows to read, oldest first. */
  readonly windows: ReadonlyArray<Dataset.Window>
  readonly state: State
  /** Ids of the rows that exist already; those that are read are added. */
  readonly ids: SeenIds.SeenIds
}
