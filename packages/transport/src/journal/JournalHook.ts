/**
 * The tag of journals of writes, and how the calls of a transport use one. Applications without a journal bundle this module only.
 *
 * @sibling
 */
import type * as Effect from "effect/Effect"
import type * as Failure from "../model/Failure.js"
import * as Context from "effect/Context"
import type { Operations } from "./WriteJournal.js"
import type { Attempt } from "../attempt/callState.js"

/** Its constructors are in another module, because applications without a journal do not need them. */
export class WriteJournal extends Context.Tag("@effect-venue/transport/WriteJournal")<
  WriteJournal,
  WriteJournal.Shape
>() {}

export declare namespace WriteJournal {
  /** A journal for transports. `make` creates it from its operations. */
  export interface Shape extends Operations {
    /** Used by transports. */
    readonly "~hook": Hook
  }
}

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

/** Records the intents of writes in a journal. */
export const recordIntent =
  (journal: WriteJournal.Shape, writer: Writer) =>
  (attempt: Attempt, at: number): Effect.Effect<void, Failure.ConnectionFailed> =>
    journal["~hook"].intended(journal, writer, attempt, at)
