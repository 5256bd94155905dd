/**
 * What happened in a run of owners, as the judge reads it, in order. Instants in milliseconds since the start.
 */
import type * as Plan from "./Plan.js"
import type * as Stores from "./Stores.js"

interface Owning {
  readonly egress: string
  readonly epoch: number
}

export type Happening =
  /** A machine became the owner of an address. */
  | ({ readonly _tag: "Owned"; readonly machine: string } & Owning)
  /** A machine received the answer that it is the owner, which it had asked for at `askedAt`. */
  | ({ readonly _tag: "Heard"; readonly machine: string; readonly askedAt: number } & Owning)
  /** The library handed a call to the connections of a machine. */
  | ({ readonly _tag: "Begun"; readonly machine: string } & Owning)
  /** A call arrived: `count` is how many of its address the exchange counts in the window that ends here. */
  | { readonly _tag: "Arrived"; readonly egress: string; readonly count: number }
  /** A store accepted a write. */
  | ({ readonly _tag: "Written"; readonly name: string; readonly write: Stores.Write; readonly run: number } & Owning)
  | { readonly _tag: "Done"; readonly name: string }
  /** A machine was killed or frozen while it ran exports of an address. */
  | ({
      readonly _tag: "Struck"
      readonly machine: string
      readonly event: Plan.Event
      readonly running: number
    } & Owning)
  /** A machine ended as planned: `running` are the exports that its owners have not released. */
  | { readonly _tag: "Left"; readonly machine: string; readonly running: ReadonlyArray<string> }

export type Fact = Happening & { readonly at: number }

/** An export at the end of a run. */
export interface Export {
  readonly name: string
  /** The ids of its rows, and of those that the exchange has in the range of its manifest. */
  readonly rows: ReadonlyArray<string>
  readonly expected: ReadonlyArray<string>
  /** Rows that are newer than its manifest: of a run that is under way. */
  readonly newer: ReadonlyArray<string>
  /** The range that was declared last, without an end where it goes on; and what it covers, by the ledger, where that is complete. */
  readonly declared: { readonly from: number; readonly to: number | undefined }
  readonly covered: { readonly from: number; readonly to: number } | undefined
  /** By the ledger it is finished. */
  readonly isFinished: boolean
  /** When it was to be done by, after the end of all faults; `undefined` where it was not due. */
  readonly doneBy: number | undefined
  readonly state: string
}

export interface Journal {
  readonly facts: ReadonlyArray<Fact>
  readonly end: "Asleep" | "Done" | "Spinning" | "TooLong"
  /** When everything had been calm for long enough: what is due from here on is to be done. */
  readonly settledAt: number
  readonly exports: ReadonlyArray<Export>
}
