import type * as WriteJournal from "../WriteJournal.js"

/** The return codes of the parts of a batch. `isClear`: they say of each part whether it was executed. */
export interface Parts {
  readonly codes: ReadonlyArray<number>
  readonly isClear: boolean
}

/** The entry of a call in a journal, made before its first sending leaves. */
export interface JournalEntry {
  readonly journal: WriteJournal.WriteJournal.Shape
  readonly id: string
  /** Of a batch: what the answer says of its parts. */
  parts: Parts | undefined
}
