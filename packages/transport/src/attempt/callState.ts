import type { Unwrapped } from "@effect-venue/schemas/siblings/Envelope"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as BigDecimal from "effect/BigDecimal"
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type * as Failure from "../model/Failure.js"
import type * as CallOptions from "../model/CallOptions.js"
import type { CallContext } from "../model/callContext.js"
import type * as BanGate from "../bans/BanGate.js"
import type * as Connections from "../connections/Connections.js"
import type { Charges } from "../limits/charges.js"
import type * as RateLimiter from "../limits/RateLimiter.js"
import type { Evidence } from "../response/missingAnswer.js"
import type * as ServerClock from "../time/ServerClock.js"
import type { Essence } from "../response/codec.js"
import type { Phase, Sending } from "./sending.js"
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
  readonly answered: (answer: Unwrapped) => void
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
  /** Whether the caller can be interrupted. */
  isInterruptible: boolean
  /** Makes an effect as interruptible as the caller. */
  restore: Restore
  /** For a write that the service executes once for its id. */
  readonly followed: Followed | undefined
}

/**
 * What is known of an id when a call with it fails. `received`: a caller had its success when the last sending left. `inDoubt`: another call sent an equal
 * request, whose outcome no caller knows. `new`: neither. Of a batch: `inDoubt` if any of its ids is.
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

/** Makes an effect of an uninterruptible region as interruptible as the region is from outside. */
export type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

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
  /** Makes an effect as interruptible as the caller. */
  readonly restore: Restore
  /** The latest response of a wrapped client. */
  reading: InterpretedResponse | undefined
}

/** Ends the telemetry of a request: its phase, the time in milliseconds of the monotonic clock, and the cause if it was interrupted or died. */
export type EndRequest = (phase: Phase, endedAt: number, cause?: Cause.Cause<never>) => void

/** What all sendings of a transport share. */
export interface Venue {
  readonly host: string
  readonly limiter: RateLimiter.RateLimiter.Shape
  readonly gate: BanGate.BanGate.Shape
  readonly clock: ServerClock.ServerClock.Shape
  readonly signer: Signer.Signer.Shape
  readonly connections: Connections.Connections.Shape
  /** How the connections prove that a request was not sent. */
  readonly evidence: Evidence
  /** How long after sending a request can still arrive at the service, in milliseconds. */
  readonly journey: number
  /** Records that a write is about to be sent, signed with this time; `undefined` without a journal. */
  readonly recordIntent:
    ((attempt: Attempt, signedAt: number) => Effect.Effect<void, Failure.ConnectionFailed>) | undefined
  /** Begins the telemetry of a request that departs now. Call it before its phase changes. */
  readonly beginRequest: (attempt: Attempt, sentAt: number) => EndRequest
}

/** A sending in progress: the values that its steps hand on. None of them refers to the response, which would be kept as long as the sending. */
export interface SendingSteps extends Sending {
  readonly venue: Venue
  readonly attempt: Attempt
  /** The request that a wrapped client sees, for its errors. */
  readonly unsigned: () => HttpClientRequest.HttpClientRequest
  /** Makes a step that waits interruptible, as its caller is. */
  readonly restore: Restore
  /** Its reservation of rate limits. */
  readonly ticket: RateLimiter.Ticket
  readonly passage: BanGate.Passage
  /** The time with which it is signed, milliseconds of the service's clock. */
  signedAt: number
  /** The text to send; `undefined` until it is signed. */
  signed: Signer.Signed | undefined
  /** When it departed, milliseconds of the monotonic clock. */
  sentAt: number
  end: EndRequest
}

/** Why a sending has no response. */
export type SendError = HttpClientError.HttpClientError | Failure.Banned | Failure.Blocked | Failure.ConnectionFailed

/** How an attempt can fail: like a read, or because the guard lets nothing leave. */
export type AttemptFailure = Failure.ReadFailure | Failure.Blocked

/** A write that a guard has let through. */
export interface Pass {
  /** Recorded in the journal, so that a later process counts them too. */
  readonly amounts: ReadonlyArray<Amount>
  /** Notes the response to a batch, which reports for each part whether it was executed. */
  readonly answered: (attempt: Attempt, answer: Unwrapped) => void
  /** Fails while the guard lets nothing leave: read in the last step before the bytes leave. */
  readonly mayDepart: Effect.Effect<void, Failure.Blocked>
  /** Releases the amounts that were provably not executed. */
  readonly end: (call: Call) => void
}
