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

/** The violations that judges find. */
export const violations = (judges: ReadonlyArray<Judge>, journal: Journal.Journal): ReadonlyArray<Violation> =>
  judges.flatMap(({ find, rule }) => find(journal).map((finding) => ({ rule, ...finding })))
