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
import type * as Failure from "../model/Failure.js"
import type * as ServerClock from "../time/ServerClock.js"
import { skew } from "../time/hostClocks.js"
import { makeBanned, isBanBody } from "./banAnswer.js"
import { mismatch } from "./codec.js"
import { isSaneReset, type LimitHeaders, retryAt } from "./limitAnswer.js"
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
import { fromStatus } from "./statusFailure.js"
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

/** The parts of a call that its responses are interpreted by. */
interface InterpretedCall {
  readonly endpoint: Pick<Endpoint.Properties, "contradicts" | "envelope" | "movesFunds" | "safety">
  readonly parameters: Signer.Parameters
}

/** Interprets a complete response. */
export const fromAnswer = (
  head: Head,
  { endpoint: { contradicts, envelope, movesFunds, safety }, parameters }: InterpretedCall,
  answer: Answer,
  codes: ReturnCodes.Table,
  timing: Timing,
  limits: LimitHeaders
): InterpretedResponse => {
  const { receivedAt, sentAt, wall } = timing
  const waits = {
    resetAt: isSaneReset(limits.resetAt, receivedAt) ? limits.resetAt - receivedAt + wall : undefined,
    retryAt: retryAt(answer, timing)
  }
  const coding = stillCompressed(answer.headers, answer.body)
  const shown = coding === undefined ? answer : { ...answer, body: "" }
  if (coding !== undefined && answer.status !== 429 && answer.status < 500) {
    const expected = `expected text, the body is still compressed (${coding})`
    return toRefused(answer, makeUnexpected(head, shown, "content-encoding", expected))
  }
  if (answer.status !== 200) {
    const failure = fromStatus(head, shown, codes, wall, waits)
    const isForeign = safety !== "read" && isRefusal(failure) && !refusesInEnvelope(envelope, answer.body)
    return toRefused(
      answer,
      isForeign ? makeUnexpected(head, answer, "", "expected an envelope with a return code") : failure
    )
  }
  if (Json.isDeeperThan(answer.body, maxDepth)) {
    return toRefused(answer, makeUnexpected(head, answer, "body", `expected at most ${maxDepth} levels of nesting`))
  }
  const json = Json.parse(answer.body, answer.bytes)
  if (Option.isNone(json)) return toRefused(answer, makeUnexpected(head, answer, "", "expected JSON"))
  const unwrapped = unwrap(envelope, json.value)
  if (Either.isLeft(unwrapped)) {
    return toRefused(answer, makeUnexpected(head, answer, unwrapped.left.path, unwrapped.left.expected))
  }
  const { code, message, time } = unwrapped.right
  // Gateways and test doubles send a time of 0, which is not a time.
  const sample = Option.filterMap(time, ({ epochMillis: serverTime }) =>
    serverTime !== 0 ? Option.some<ServerClock.Sample>({ sentAt, receivedAt, serverTime }) : Option.none()
  )
  if (code === ReturnCode.success) {
    const contradiction = Predicate.isRecord(unwrapped.right.result)
      ? contradicts?.(parameters, unwrapped.right.result)
      : undefined
    return contradiction === undefined
      ? { answer, verdict: Either.right(unwrapped.right), retCode: code, sample }
      : toRefused(
          answer,
          otherResponse(
            head,
            `the response has ${contradiction.field} ${contradiction.received}, not ${contradiction.sent}`
          )
        )
  }
  const failure = fromCode(head, codes, {
    status: answer.status,
    retCode: code,
    message,
    waits,
    skewMillis: Option.getOrUndefined(Option.map(sample, skew)),
    bannedUntil: wall,
    movesFunds: movesFunds === true
  })
  return { answer, verdict: Either.left(failure), retCode: code, sample }
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
