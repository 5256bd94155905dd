import type { Unwrapped } from "@effect-venue/schemas/Envelope"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Failure from "../Failure.js"
import type { WriteJournal } from "../WriteJournal.js"
import type { Attempt } from "./attempt.js"

/** The entry of a call in a journal, made before its first sending leaves. */
export interface JournalEntry {
  /** Takes note of the answer to a batch, which says of each part whether it was executed. */
  readonly answered: (attempt: Attempt, answer: Unwrapped) => Effect.Effect<void>
  /** Records the outcome of the call. */
  readonly conclude: (exit: Exit.Exit<unknown, Failure.Failure>) => Effect.Effect<void>
  /** Records that the call is sent again. */
  readonly begin: (at: number) => Effect.Effect<void, Failure.ConnectionFailed>
}

/** Whose writes they are. */
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
    journal: WriteJournal.Shape,
    writer: Writer,
    attempt: Attempt,
    at: number
  ) => Effect.Effect<void, Failure.ConnectionFailed>
}

export const HookId: unique symbol = Symbol.for("@effect-venue/transport/WriteJournal/Hook")

/** The tag by its key, for the same reason: the module of the tag has more than applications without a journal need. */
export const tag = /* @__PURE__ */ Context.GenericTag<WriteJournal, WriteJournal.Shape>(
  "@effect-venue/transport/WriteJournal"
)
