import type * as Effect from "effect/Effect"
import type * as Failure from "../model/Failure.js"
import * as Context from "effect/Context"
import type { Operations, WriteJournal } from "./WriteJournal.js"
import type { Attempt } from "../attempt/callState.js"

/** The tag by its key, because its module has code that applications without a journal do not need. */
export const tag = /* @__PURE__ */ Context.GenericTag<WriteJournal, WriteJournal.Shape>(
  "@effect-venue/transport/WriteJournal"
)

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

/** Records the intents of writes in a journal. */
export const recordIntent =
  (journal: WriteJournal.Shape, writer: Writer) =>
  (attempt: Attempt, at: number): Effect.Effect<void, Failure.ConnectionFailed> =>
    of(journal).intended(journal, writer, attempt, at)
