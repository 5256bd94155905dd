/** A judge holds one guarantee over the journal of a run. It shares no code with the library. */
import type * as Journal from "./Journal.js"

export interface Finding {
  /** The call, or the part of an export, that it is about. */
  readonly call: string
  readonly detail: string
}

export interface Violation extends Finding {
  readonly rule: string
}

export interface Judge {
  readonly rule: string
  readonly find: (journal: Journal.Journal) => ReadonlyArray<Finding>
}
