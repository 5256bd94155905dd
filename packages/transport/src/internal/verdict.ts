/** What an answer means, whole or broken off: its status, then its envelope, then its return code. */
import * as Decoder from "@effect-venue/schemas/Decoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Envelope from "@effect-venue/schemas/Envelope"
import * as Json from "@effect-venue/schemas/Json"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Failure from "../Failure.js"
import * as ServerClock from "../ServerClock.js"
import { banEnd, banned, isBanBody } from "./banAnswer.js"
import { mismatch } from "./codec.js"
import { isSaneReset, type LimitHeaders } from "./limitAnswer.js"
import { type Answer, type Head, type Reading, type Timing, unexpected } from "./answer.js"
import { fromCode } from "./returnCodeFailure.js"
import { fromStatus } from "./statusFailure.js"
import { ResponseTooLarge, WholeResponse } from "./wholeResponse.js"

const kinds: ReadonlyArray<Envelope.Kind> = ["standard", "legacy", "bare"]

const decoders = {
  standard: Decoder.decodeUnknownEither(Envelope.fromKind("standard")),
  legacy: Decoder.decodeUnknownEither(Envelope.fromKind("legacy")),
  bare: Decoder.decodeUnknownEither(Envelope.fromKind("bare"))
}

/**
 * The envelope that the endpoint is documented with. A refusal is also understood in another one, since the gateway in front of
 * the service does not know every endpoint's; a success is not, because its result then belongs to another operation. (docs/decisions/0006)
 */
const unwrap = (
  kind: Envelope.Kind,
  json: unknown
): Either.Either<Envelope.Unwrapped, { readonly path: string; readonly expected: string }> =>
  Either.orElse(decoders[kind](json), (error) => {
    for (const other of kinds) {
      const answer = other === kind ? Option.none() : Either.getRight(decoders[other](json))
      if (Option.isSome(answer) && answer.value.code !== ReturnCodes.success) return Either.right(answer.value)
    }
    return Either.left(mismatch("", error))
  })

const refused = (answer: Answer, failure: Failure.ReadFailure): Reading => ({
  answer,
  verdict: Either.left(failure),
  retCode: undefined,
  sample: Option.none()
})

// Documented answers have six levels. Whatever reads a value by recursion, as JSON.stringify does, can read this depth.
const maxDepth = 512

/** What a whole answer means. */
export const fromAnswer = (
  head: Head,
  { envelope, movesFunds }: Pick<Endpoint.Properties, "envelope" | "movesFunds">,
  answer: Answer,
  codes: ReturnCodes.Table,
  timing: Timing,
  limits: LimitHeaders
): Reading => {
  const { receivedAt, sentAt, wall } = timing
  const resetAt = isSaneReset(limits.resetAt, receivedAt) ? limits.resetAt - receivedAt + wall : undefined
  if (answer.status !== 200) return refused(answer, fromStatus(head, answer, codes, wall, resetAt))
  if (Json.isDeeperThan(answer.body, maxDepth)) {
    return refused(answer, unexpected(head, answer, "body", `expected at most ${maxDepth} levels of nesting`))
  }
  const json = Json.parse(answer.body)
  if (Option.isNone(json)) return refused(answer, unexpected(head, answer, "", "expected JSON"))
  const unwrapped = unwrap(envelope, json.value)
  if (Either.isLeft(unwrapped)) {
    return refused(answer, unexpected(head, answer, unwrapped.left.path, unwrapped.left.expected))
  }
  const { code, message, time } = unwrapped.right
  const sample = Option.map(time, (serverTime): ServerClock.Sample => ({
    sentAt,
    receivedAt,
    serverTime: DateTime.toEpochMillis(serverTime)
  }))
  if (code === ReturnCodes.success) return { answer, verdict: Either.right(unwrapped.right), retCode: code, sample }
  const failure = fromCode(head, codes, {
    status: answer.status,
    retCode: code,
    message,
    resetAt,
    skewMillis: Option.match(sample, { onNone: () => 0, onSome: ServerClock.skew }),
    bannedUntil: banEnd(wall),
    movesFunds: movesFunds === true
  })
  return { answer, verdict: Either.left(failure), retCode: code, sample }
}

/**
 * What an answer means that was not received to its end: it was too large, or it is a ban by its status and by what was received.
 * Any other says nothing.
 */
export const fromBroken = (
  head: Head,
  error: HttpClientError.HttpClientError,
  codes: ReturnCodes.Table,
  wall: number
): Reading | undefined => {
  if (error._tag !== "ResponseError" || !(error.response instanceof WholeResponse)) return undefined
  const { cause, response } = error
  const { headers, status } = response
  if (cause instanceof ResponseTooLarge) {
    const answer = { response, status, headers, body: "" }
    return refused(answer, unexpected(head, answer, "body", cause.message))
  }
  const answer = { response, status, headers, body: response.received }
  return status === 403 && isBanBody(answer.body, codes, false)
    ? refused(answer, banned(head, banEnd(wall)))
    : undefined
}
