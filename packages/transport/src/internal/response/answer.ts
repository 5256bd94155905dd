import type * as Envelope from "@effect-venue/schemas/Envelope"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import * as Failure from "../../Failure.js"
import type * as ServerClock from "../../ServerClock.js"
import { excerpt } from "./secretsInText.js"

/** What every failure of a call carries. */
export interface Head {
  readonly operation: string
  readonly attempts: ReadonlyArray<Failure.Attempt>
  /** Takes key and signature out of text. */
  readonly scrub: (text: string) => string
}

/** An answer, unmodified, and the response that it was read from. */
export interface Answer {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** What an answer says: the content of its envelope where the service did what was requested, the failure otherwise. */
export type Verdict = Either.Either<Envelope.Unwrapped, Failure.ReadFailure>

/** An answer with its verdict, its return code, and the service's clock where it states it. */
export interface Reading {
  readonly answer: Answer
  readonly verdict: Verdict
  readonly retCode: number | undefined
  readonly sample: Option.Option<ServerClock.Sample>
}

/**
 * The instants of an exchange, milliseconds of the monotonic clock, how far the service's clock was ahead of it by then, and what the wall
 * clock was when the answer came.
 */
export interface Timing {
  readonly sentAt: number
  readonly receivedAt: number
  readonly ahead: number
  readonly wall: number
}

/** Whether the service refused, and with which failure. */
export const isRefusedWith = ({ verdict }: Reading, tag: Failure.ReadFailure["_tag"]): boolean =>
  Either.isLeft(verdict) && verdict.left._tag === tag

/** The failure of a request whose response belongs to another request. */
export const otherResponse = ({ attempts, operation, scrub }: Head, detail: string): Failure.ConnectionFailed =>
  new Failure.ConnectionFailed({
    operation,
    attempts,
    reason: "OtherResponse",
    sent: true,
    detail: excerpt(scrub, detail)
  })

/** The failure of an answer that is not what the operation answers. */
export const unexpected = (
  { attempts, operation, scrub }: Head,
  { body, status }: Answer,
  path: string,
  expected: string
): Failure.UnexpectedResponse =>
  new Failure.UnexpectedResponse({
    operation,
    attempts,
    status,
    // A path names the answer's own keys, and an expectation quotes the value that broke it.
    path: excerpt(scrub, path),
    expected: excerpt(scrub, expected),
    body: excerpt(scrub, body)
  })
