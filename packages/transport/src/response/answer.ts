import type * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import * as Failure from "../model/Failure.js"
import type * as ServerClock from "../time/ServerClock.js"
import { excerpt } from "@effect-venue/schemas/siblings/ShownText"

/** The context of every failure of a call. */
export interface Head {
  readonly operation: string
  readonly attempts: ReadonlyArray<Failure.Attempt>
  /** Removes key and signature from text. A failure has `shown` or `excerpt` of it. */
  readonly scrub: (text: string) => string
}

/** An unmodified response: its text, and the platform's response. */
export interface Answer {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly bytes?: Uint8Array | undefined
}

/** The meaning of a response: the content of its envelope if the service did what was requested, otherwise the failure. */
export type Verdict = Either.Either<Envelope.Unwrapped, Failure.ReadFailure>

/** A response with its verdict, its return code, and the service's clock if it contains one. */
export interface InterpretedResponse {
  readonly answer: Answer
  readonly verdict: Verdict
  readonly retCode: number | undefined
  readonly sample: Option.Option<ServerClock.Sample>
}

/**
 * The instants of an exchange in milliseconds of the monotonic clock, the offset of the service's clock at that time, and the wall clock when the response
 * arrived.
 */
export interface Timing {
  readonly sentAt: number
  readonly receivedAt: number
  readonly ahead: number
  readonly wall: number
}

/** Whether the service refused, and with which failure. */
export const isRefusedWith = ({ verdict }: InterpretedResponse, tag: Failure.ReadFailure["_tag"]): boolean =>
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

/** The failure of a response that the operation does not have. */
export const makeUnexpected = (
  { attempts, operation, scrub }: Head,
  { body, status }: Answer,
  path: string,
  expected: string
): Failure.UnexpectedResponse =>
  new Failure.UnexpectedResponse({
    operation,
    attempts,
    status,
    // A path contains keys of the response, and an expectation quotes the wrong value.
    path: excerpt(scrub, path),
    expected: excerpt(scrub, expected),
    body: excerpt(scrub, body)
  })
