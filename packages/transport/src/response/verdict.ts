/** Interprets a complete or incomplete response: its status, then its envelope, then its return code. */
import type * as Signer from "@effect-venue/signing/Signer"
import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import * as Json from "@effect-venue/schemas/siblings/Json"
import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as ReturnCode from "@effect-venue/schemas/siblings/ReturnCode"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { excerpt } from "@effect-venue/schemas/siblings/ShownText"
import * as Failure from "../model/Failure.js"
import type * as ServerClock from "../time/ServerClock.js"
import { skew } from "../time/hostClocks.js"
import { makeBanned, isBanBody } from "./banAnswer.js"
import { mismatch } from "./codec.js"
import {
  isLimitText,
  isSaneReset,
  type LimitHeaders,
  rateLimited,
  retryAt,
  unavailable,
  type Waits
} from "./limitAnswer.js"
import {
  type Answer,
  type Head,
  otherResponse,
  type InterpretedResponse,
  type Timing,
  makeUnexpected
} from "./answer.js"
import { stillCompressed } from "./compression.js"
import { fromCode } from "./returnCodeFailure.js"
import { ResponseTooLarge, WholeResponse } from "./wholeResponse.js"

// Envelopes A and B of the service's document, and one that it shows without a name.
const kinds: ReadonlyArray<Endpoint.Envelope> = ["standard", "legacy", "bare"]

const decoders = {
  standard: Decoder.decodeUnknownEither(Envelope.fromKind("standard")),
  legacy: Decoder.decodeUnknownEither(Envelope.fromKind("legacy")),
  bare: Decoder.decodeUnknownEither(Envelope.fromKind("bare"))
}

/**
 * Reads the envelope that the endpoint is documented with. A refusal is also read from a different envelope, since the gateway in front of the service does
 * not know every endpoint's; a success is not, because its result then belongs to another operation.
 */
const unwrap = (
  kind: Endpoint.Envelope,
  json: unknown
): Either.Either<Envelope.Unwrapped, { readonly path: string; readonly expected: string }> =>
  Either.orElse(decoders[kind](json), (error) => {
    for (const candidate of kinds) {
      const answer = candidate === kind ? Option.none() : Either.getRight(decoders[candidate](json))
      if (Option.isSome(answer) && answer.value.code !== ReturnCode.success) return Either.right(answer.value)
    }
    return Either.left(mismatch("", error))
  })

const toRefused = (answer: Answer, failure: Failure.ReadFailure): InterpretedResponse => ({
  answer,
  verdict: Either.left(failure),
  retCode: undefined,
  sample: Option.none()
})

// Documented responses have six levels. Recursive readers such as JSON.stringify can read this depth.
const maxDepth = 512

const isRefusal = ({ _tag }: Failure.ReadFailure): boolean => _tag === "Rejected" || _tag === "Unauthorized"

/** Whether the service itself has refused a request. The page of a proxy does not show that, since a proxy can reply after it has passed the request on. */
const refusesInEnvelope = (kind: Endpoint.Envelope, body: string): boolean => {
  const json = Json.isDeeperThan(body, maxDepth) ? Option.none() : Json.parse(body)
  const unwrapped = Option.flatMap(json, (value) => Either.getRight(unwrap(kind, value)))
  return Option.exists(unwrapped, ({ code }) => code !== ReturnCode.success)
}

/** A complete response, and the values by which it is interpreted. */
interface ReceivedResponse {
  readonly head: Head
  readonly call: {
    readonly endpoint: Pick<Endpoint.Properties, "contradicts" | "envelope" | "movesFunds" | "safety">
    readonly parameters: Signer.Parameters
  }
  readonly answer: Answer
  readonly codes: ReturnCodes.Table
  readonly timing: Timing
  readonly limits: LimitHeaders
}

const waitsOf = ({ answer, limits: { resetAt }, timing }: ReceivedResponse): Waits => ({
  resetAt: isSaneReset(resetAt, timing.receivedAt) ? resetAt - timing.receivedAt + timing.wall : undefined,
  retryAt: retryAt(answer, timing)
})

/** Interprets a complete response. */
export const fromAnswer = (received: ReceivedResponse): InterpretedResponse => {
  const { answer, call, head } = received
  const unexpected = (path: string, expected: string) => toRefused(answer, makeUnexpected(head, answer, path, expected))
  const coding = stillCompressed(answer.headers, answer.body)
  if (coding !== undefined) return fromCompressed(received, coding)
  if (answer.status !== 200) return fromOtherStatus(received)
  if (Json.isDeeperThan(answer.body, maxDepth)) {
    return unexpected("body", `expected at most ${maxDepth} levels of nesting`)
  }
  const json = Json.parse(answer.body, answer.bytes)
  if (Option.isNone(json)) return unexpected("", "expected JSON")
  const unwrapped = unwrap(call.endpoint.envelope, json.value)
  return Either.isLeft(unwrapped)
    ? unexpected(unwrapped.left.path, unwrapped.left.expected)
    : fromEnvelope(received, unwrapped.right)
}

/** A body that cannot be read. The statuses of an overloaded service have their meaning without it. */
const fromCompressed = (received: ReceivedResponse, coding: string): InterpretedResponse => {
  const { answer, head } = received
  const unread = { ...answer, body: "" }
  return answer.status === 429 || answer.status >= 500
    ? toRefused(answer, fromStatus({ ...received, answer: unread }))
    : toRefused(
        answer,
        makeUnexpected(head, unread, "content-encoding", `expected text, the body is still compressed (${coding})`)
      )
}

const fromOtherStatus = (received: ReceivedResponse): InterpretedResponse => {
  const { answer, call, head } = received
  const failure = fromStatus(received)
  const { envelope, safety } = call.endpoint
  const isForeign = safety !== "read" && isRefusal(failure) && !refusesInEnvelope(envelope, answer.body)
  return toRefused(
    answer,
    isForeign ? makeUnexpected(head, answer, "", "expected an envelope with a return code") : failure
  )
}

/** The failure for an HTTP status other than 200. */
const fromStatus = (received: ReceivedResponse): Failure.ReadFailure => {
  const { answer, codes, head, timing } = received
  const { attempts, operation, scrub } = head
  const { body, status } = answer
  const fields = { operation, attempts, status, retMsg: excerpt(scrub, body.trim()) }
  if (status === 403 && isBanBody(body, codes, true)) return makeBanned(head, timing.wall)
  if (status >= 400 && status < 500 && isLimitText(body)) return rateLimited(fields, waitsOf(received))
  switch (status) {
    case 400:
      return new Failure.Rejected({ ...fields, reason: "InvalidRequest", noChange: false })
    case 401:
      return new Failure.Unauthorized({ ...fields, reason: "Key" })
    case 403:
      return new Failure.Unauthorized({ ...fields, reason: "Permission" })
    case 404:
      return new Failure.Rejected({ ...fields, reason: "NotFound", noChange: false })
  }
  return status === 429 || status >= 500
    ? unavailable(fields, waitsOf(received), "unknown")
    : makeUnexpected(head, answer, "", "expected HTTP status 200")
}

const fromEnvelope = (received: ReceivedResponse, content: Envelope.Unwrapped): InterpretedResponse => {
  const { answer, call, codes, head, timing } = received
  const { code, message, result, time } = content
  // Gateways and test doubles send a time of 0, which is not a time.
  const sample = Option.filterMap(time, ({ epochMillis: serverTime }) =>
    serverTime !== 0
      ? Option.some<ServerClock.Sample>({ sentAt: timing.sentAt, receivedAt: timing.receivedAt, serverTime })
      : Option.none()
  )
  if (code !== ReturnCode.success) {
    const failure = fromCode(head, codes, {
      status: answer.status,
      retCode: code,
      message,
      waits: waitsOf(received),
      skewMillis: Option.getOrUndefined(Option.map(sample, skew)),
      bannedUntil: timing.wall,
      movesFunds: call.endpoint.movesFunds === true
    })
    return { answer, verdict: Either.left(failure), retCode: code, sample }
  }
  const contradiction = Predicate.isRecord(result) ? call.endpoint.contradicts?.(call.parameters, result) : undefined
  if (contradiction === undefined) return { answer, verdict: Either.right(content), retCode: code, sample }
  const { field, received: stated, sent } = contradiction
  return toRefused(answer, otherResponse(head, `the response has ${field} ${stated}, not ${sent}`))
}

/** Interprets a response that was created before its request was sent. `serverSentAt` is the time of the service when the request was sent. */
export const earlier = (
  head: Head,
  { answer, sample }: InterpretedResponse,
  serverSentAt: number
): InterpretedResponse => {
  const millis = Option.map(sample, ({ serverTime }) => `${Math.round(serverSentAt - serverTime)} ms `)
  return toRefused(
    answer,
    otherResponse(head, `the response was made ${Option.getOrElse(millis, () => "")}before the request was sent`)
  )
}

/** Interprets an incomplete response: it was too large, or it is a ban by its status and by the received part. Any other is ambiguous. */
export const fromBroken = (
  head: Head,
  error: HttpClientError.HttpClientError,
  codes: ReturnCodes.Table,
  wall: number
): InterpretedResponse | undefined => {
  if (error._tag !== "ResponseError" || !(error.response instanceof WholeResponse)) return undefined
  const { cause, response } = error
  const { headers, status } = response
  if (cause instanceof ResponseTooLarge) {
    const answer = { response, status, headers, body: "" }
    return toRefused(answer, makeUnexpected(head, answer, "body", cause.message))
  }
  const answer = { response, status, headers, body: response.received }
  return status === 403 && isBanBody(answer.body, codes, false) ? toRefused(answer, makeBanned(head, wall)) : undefined
}
