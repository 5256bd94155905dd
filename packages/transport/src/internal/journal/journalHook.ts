import type * as Effect from "effect/Effect"
import type * as Failure from "../../Failure.js"
import type { Operations } from "../../WriteJournal.js"
import type { Attempt } from "../call/callState.js"

/** The account of the writes. */
export interface Writer {
  readonly host: string
  readonly key: string
  readonly uid: string | undefined
  /** Milliseconds. */
  readonly recvWindow: number
}

/** How the calls of a transport use a journal. It is part of the journal, so that applications without one do not bundle it. */
export interface Hook {
  readonly intended: (
    journal: Operations,
    writer: Writer,
    attempt: Attempt,
    at: number
  ) => Effect.Effect<void, Failure.ConnectionFailed>
}

/** The hook of a journal. */
export const of = (journal: { readonly "~hook": unknown }): Hook =>
  // `WriteJournal.make` is the only constructor of journals, and sets this field. A precise type would make internals public.
  journal["~hook"] as Hook
