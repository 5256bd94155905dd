import type { Unwrapped } from "@effect-venue/schemas/siblings/Envelope"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Failure from "../../Failure.js"
import * as Context from "effect/Context"
import type { WriteJournal } from "../../WriteJournal.js"

/** The tag by its key, because its module has code that applications without a journal do not need. */
export const tag = /* @__PURE__ */ Context.GenericTag<WriteJournal, WriteJournal.Shape>(
  "@effect-venue/transport/WriteJournal"
)

/** The entry of a call in a journal, created before its first sending. */
export interface JournalEntry {
  /** Records the intent of a sending that is signed with this time. */
  readonly begin: (at: number) => Effect.Effect<void, Failure.ConnectionFailed>
  /** Notes the response to a batch, which reports for each part whether it was executed. */
  readonly answered: (answer: Unwrapped) => Effect.Effect<void>
  /** Records the outcome of the call. */
  readonly conclude: (exit: Exit.Exit<unknown, Failure.Failure>) => Effect.Effect<void>
}
