import type { Unwrapped } from "@effect-venue/schemas/siblings/Envelope"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import type * as BigDecimal from "effect/BigDecimal"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type * as Failure from "../model/Failure.js"
import type * as CallOptions from "../model/CallOptions.js"
import type { CallContext } from "../model/callContext.js"
import type { Restore } from "../model/ended.js"
import type { Charges } from "../limits/charges.js"
import type { Essence } from "../response/codec.js"
import type { Sending } from "./sending.js"
import type { Head, InterpretedResponse } from "../response/answer.js"

/** Orders and transfers have separate caps. */
export type Kind = "orders" | "transfers"

export interface Amount {
  readonly kind: Kind
  /** A currency for orders, a coin for transfers. */
  readonly unit: string
  readonly value: BigDecimal.BigDecimal
  /** The position of the order in its batch; 0 for any other write. */
  readonly index: number
  /** The id of the write, unique with its account; `undefined` for a write without one, and for an amendment. */
  readonly id: string | undefined
}

/** The entry of a call in a journal, created before its first sending. */
export interface JournalEntry {
  readonly id: string
  /** Records the intent of a sending that is signed with this time. */
  readonly begin: (at: number) => Effect.Effect<void, Failure.ConnectionFailed>
  /** Notes the response to a batch, which reports for each part whether it was executed. */
  readonly answered: (answer: Unwrapped) => Effect.Effect<void>
  /** Records the outcome of the call. */
  readonly conclude: (exit: Exit.Exit<unknown, Failure.Failure>) => Effect.Effect<void>
}

/** A call in progress, from its parameters to its last attempt. */
export interface Call {
  readonly around: CallContext
  readonly endpoint: Endpoint.Properties
  readonly parameters: Signer.Parameters
  /** Removes the details that cannot be read from the result of a write, which is readable as a whole or not. */
  readonly essence: (result: unknown, isReadable: boolean) => Essence
  /** The attempts that failed, oldest first. */
  readonly attempts: Array<Failure.Attempt>
  /** The sendings of all attempts, oldest first. */
  readonly sendings: Array<Sending>
  /** The signatures that were sent, to be removed from the text of failures. */
  readonly signatures: Array<string>
  /** When `CallTimeout` ends the call, in milliseconds of the monotonic clock. */
  deadline: number
  /** Of the call; the parent of the spans of its requests. */
  span: Tracer.Span | undefined
  /** Of a write, once its intent is recorded; `undefined` without a journal. */
  entry: JournalEntry | undefined
  /** For a write that a guard has let through; `undefined` without a guard. */
  pass: Pass | undefined
  /** For a write that the service executes once for its id. */
  readonly followed: Followed | undefined
}

/**
 * What is known of an id when a sending with it is refused as used before. `received`: a caller had its success when the sending left. `inDoubt`: another call
 * sent an equal request. `new`: neither.
 */
export type IdState = "received" | "inDoubt" | "new"

/** Notes what happens to the ids of a call. */
export interface Followed {
  /** Before each sending leaves. */
  readonly depart: () => void
  /** What is known of the id since the last sending left. */
  readonly state: () => IdState
  /** When the call ends; `isHidden` if its caller does not get the exit. */
  readonly conclude: (call: Call, exit: Exit.Exit<unknown, Failure.Failure>, isHidden: boolean) => void
}

/** An attempt of a call: its charges and its sendings. */
export interface Attempt extends Head {
  readonly call: Call
  readonly charges: Charges
  readonly priority: CallOptions.PriorityName
  readonly turn: number
  readonly sendings: Array<Sending>
  /** Milliseconds of the monotonic clock. */
  readonly now: () => number
  /** Milliseconds of the wall clock. */
  readonly wall: () => number
  /** How long its sendings waited for their rate limits, in milliseconds. */
  waited: number
  /** The latest response of a wrapped client. */
  reading: InterpretedResponse | undefined
}

/** How an attempt can fail: like a read, or because the guard lets nothing leave. */
export type AttemptFailure = Failure.ReadFailure | Failure.Blocked

/** A write that a guard has let through. */
export interface Pass {
  /** Recorded in the journal, so that a later process counts them too. */
  readonly amounts: ReadonlyArray<Amount>
  /** Notes the response to a batch, which reports for each part whether it was executed. */
  readonly answered: (attempt: Attempt, answer: Unwrapped) => void
  /** Fails while the guard lets nothing leave: read in the last step before the bytes leave. */
  readonly mayDepart: (restore: Restore) => Effect.Effect<void, Failure.Blocked>
  /** Releases the amounts that were provably not executed. */
  readonly end: (call: Call) => void
}
