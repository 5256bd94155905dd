import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Failure from "../model/Failure.js"
import type * as RateLimitStore from "../stores/RateLimitStore.js"
import { describeCause } from "../response/connection.js"
import { shown } from "@effect-venue/schemas/siblings/ShownText"
import { type Ambiguous, isAmbiguous } from "../response/unknownOutcome.js"
import type { Loss, LossReason } from "../response/missingAnswer.js"
import type { Head, InterpretedResponse } from "../response/answer.js"

/**
 * The progress of a sending. This is the only stored fact; the rest is computed from it.
 *
 * `Answered` stores the conclusions from the response and not the response: a call outlives its network wait in old memory, so a response that it refers to
 * would only be collected with the old memory. (docs/decisions/0055)
 */
export type Phase =
  /** Nothing has left this process. */
  | { readonly _tag: "Queued" }
  /** The address is banned until this time, in milliseconds. Nothing has left. */
  | { readonly _tag: "Held"; readonly until: number }
  /** The request can have arrived and can be executed. */
  | { readonly _tag: "InFlight"; readonly sentAt: number }
  | { readonly _tag: "NotSent"; readonly reason: LossReason; readonly cause: HttpClientError.HttpClientError }
  | {
      readonly _tag: "Lost"
      readonly reason: LossReason
      readonly cause: HttpClientError.HttpClientError
      readonly sentAt: number
    }
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly retCode: number | undefined
      readonly verdict: Either.Either<unknown, Failure.ReadFailure>
    }

/** Whether the service has executed the request. */
export const isExecuted = ({ phase }: Sending): boolean => phase._tag === "Answered" && Either.isRight(phase.verdict)

/** Whether bytes of it can have left this process. */
export const isDeparted = ({ phase }: Sending): boolean => phase._tag !== "Queued" && phase._tag !== "Held"

/** One request on the wire. An attempt has several if a wrapped client repeats it. */
export interface Sending {
  phase: Phase
}

export const queued: Phase = { _tag: "Queued" }

const executed = Either.void

export const toAnswered = ({ answer: { status }, retCode, verdict }: InterpretedResponse): Phase => ({
  _tag: "Answered",
  status,
  retCode,
  verdict: Either.isRight(verdict) ? executed : verdict
})

/** The phase of a sending that was in flight since `sentAt` and had no response. */
export const toUnanswered = (
  cause: HttpClientError.HttpClientError,
  { isNotSent, reason }: Loss,
  sentAt: number
): Phase => (isNotSent ? { _tag: "NotSent", reason, cause } : { _tag: "Lost", reason, cause, sentAt })

/** Whether the service counts the sending against the limit of the UID. */
export const chargeOutcome = (phase: Phase): RateLimitStore.ChargeOutcome => {
  switch (phase._tag) {
    case "Queued":
    case "Held":
    case "NotSent":
      return "unsent"
    case "InFlight":
    case "Lost":
      return "counted"
    case "Answered":
      return Either.isLeft(phase.verdict) && phase.verdict.left._tag === "RateLimited" ? "refused" : "counted"
  }
}

/**
 * How much longer the request can still arrive at the service, in milliseconds. A broken connection delivers nothing more, but a request that was given up can
 * still arrive. `journey` is the longest time for which a request is in flight.
 */
export const arrivesWithin = (phase: Phase, now: number, journey: number): number =>
  phase._tag === "InFlight" || (phase._tag === "Lost" && phase.reason === "Timeout")
    ? Math.max(phase.sentAt + journey - now, 0)
    : 0

const isPossiblyExecuted = ({ phase }: Sending): boolean => {
  switch (phase._tag) {
    case "Queued":
    case "Held":
    case "NotSent":
      return false
    case "InFlight":
    case "Lost":
      return true
    case "Answered":
      return Either.isRight(phase.verdict) || isAmbiguous(phase.verdict.left)
  }
}

/** Whether a write can have been executed by any of its sendings: a later response proves nothing about an earlier sending. */
export const mayBeExecuted = (sendings: ReadonlyArray<Sending>): boolean => sendings.some(isPossiblyExecuted)

/** The failure of a sending; `none` while it is in flight and after a success. */
export const failure = (phase: Phase, head: Head): Option.Option<Failure.ReadFailure> => {
  const { attempts, operation } = head
  switch (phase._tag) {
    case "Queued":
    case "InFlight":
      return Option.none()
    case "Held":
      return Option.some(new Failure.Banned({ operation, attempts, until: DateTime.unsafeMake(phase.until) }))
    case "NotSent":
    case "Lost":
      return Option.some(connectionFailed(head, phase.reason, phase._tag === "Lost", describeCause(phase.cause)))
    case "Answered":
      return Either.getLeft(phase.verdict)
  }
}

export const connectionFailed = (
  { attempts, operation, scrub }: Head,
  reason: Failure.ConnectionFailed["reason"],
  sent: boolean,
  detail: string
): Failure.ConnectionFailed =>
  new Failure.ConnectionFailed({ operation, attempts, reason, sent, detail: shown(scrub, detail) })

/** Why the outcome of a write is unknown: the first ambiguous sending, otherwise `unanswered`. */
export const doubt = (
  sendings: ReadonlyArray<Sending>,
  head: Head,
  unanswered: () => Ambiguous
): Ambiguous | undefined => {
  for (const { phase } of sendings) {
    const ended = Option.getOrUndefined(failure(phase, head))
    if (ended !== undefined && isAmbiguous(ended)) return ended
  }
  return mayBeExecuted(sendings) ? unanswered() : undefined
}
