import * as Decoder from "@effect-venue/schemas/Decoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Envelope from "@effect-venue/schemas/Envelope"
import * as Json from "@effect-venue/schemas/Json"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as BanGate from "../BanGate.js"
import * as Failure from "../Failure.js"
import * as ServerClock from "../ServerClock.js"
import { mismatch } from "./codec.js"
import { isUnsendable } from "./connection.js"
import { excerpt } from "./scrub.js"
import { ResponseTooLarge, WholeResponse } from "./wholeResponse.js"

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

/** A failure that does not say whether a write was executed. */
export type Ambiguous = Failure.OutcomeUnknown["because"]

/** Whether the outcome of a write is unknown after this failure. */
export const isAmbiguous = (failure: Failure.Failure): failure is Ambiguous => {
  switch (failure._tag) {
    case "ConnectionFailed":
      return failure.sent
    case "Unavailable":
      return failure.executed === "unknown"
    case "Rejected":
      return failure.proof === "none"
    case "UnexpectedResponse":
      return true
    default:
      return false
  }
}

/** What a return code is judged by beside its number. */
interface Circumstances {
  readonly status: number
  readonly retCode: number
  readonly message: string
  /** When the service takes calls again, by the wall clock. */
  readonly resetAt: number | undefined
  /** The service's clock minus this process's. */
  readonly skewMillis: number
  /** When a ban that the code reports ends. */
  readonly bannedUntil: number
  /** Only a documented code proves that a transfer or withdrawal was not executed. */
  readonly movesFunds: boolean
}

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

const banned = ({ attempts, operation }: Head, until: number): Failure.Banned =>
  new Failure.Banned({ operation, attempts, until: DateTime.unsafeMake(until) })

type Said = Pick<Failure.RateLimited, "operation" | "attempts" | "status" | "retCode" | "retMsg">

const rateLimited = (said: Said, resetAt: number | undefined): Failure.RateLimited =>
  new Failure.RateLimited({ ...said, ...(resetAt === undefined ? {} : { resetAt: DateTime.unsafeMake(resetAt) }) })

const banEnd = (from: number): number => from + Duration.toMillis(BanGate.banLength)

const isLimitText = (text: string): boolean => /^\s*too many visits/i.test(text)

const banText = "access too frequent"

/**
 * Whether the body of an HTTP 403 says that the address is banned, by its text or by the return code of a ban. Other 403s refuse one
 * request: a blocked country, a GET with a body. Of a body that broke off a part of the text will do.
 * (rule errors/2.status; docs/reference/responses.md#http-statuses)
 */
const isBanBody = (body: string, codes: ReturnCodes.Table, isWhole: boolean): boolean => {
  const text = body.trim().toLowerCase()
  if (text.includes(banText) || (!isWhole && text !== "" && banText.startsWith(text))) return true
  const code = /"ret_?code"\s*:\s*(\d+)\s*[,}]/.exec(text)?.[1]
  return code !== undefined && Option.exists(ReturnCodes.get(codes, Number(code)), ({ family }) => family === "ipBan")
}

/** What an HTTP status other than 200 means. */
const fromStatus = (
  head: Head,
  answer: Answer,
  codes: ReturnCodes.Table,
  receivedAt: number,
  resetAt: number | undefined
): Failure.ReadFailure => {
  const { attempts, operation, scrub } = head
  const { body, status } = answer
  const said = { operation, attempts, status, retMsg: excerpt(scrub, body.trim()) }
  if (status === 403 && isBanBody(body, codes, true)) return banned(head, banEnd(receivedAt))
  if (status >= 400 && status < 500 && isLimitText(body)) return rateLimited(said, resetAt)
  switch (status) {
    case 400:
      return new Failure.Rejected({ ...said, reason: "InvalidRequest", noChange: false })
    case 401:
      return new Failure.Unauthorized({ ...said, reason: "Key" })
    case 403:
      return new Failure.Unauthorized({ ...said, reason: "Permission" })
    case 404:
      return new Failure.Rejected({ ...said, reason: "NotFound", noChange: false })
  }
  return status === 429 || status >= 500
    ? new Failure.Unavailable({ ...said, executed: "unknown" })
    : unexpected(head, answer, "", "expected HTTP status 200")
}

const unauthorizedReason = (code: number, family: ReturnCodes.Family): Failure.Unauthorized["reason"] =>
  family === "permission" ? "Permission" : code === 10004 || code === 10022 ? "Signature" : "Key"

const rejectedReasons: Partial<Record<ReturnCodes.Family, Failure.RejectedReason>> = {
  invalidRequest: "InvalidRequest",
  notFound: "NotFound",
  insufficientBalance: "InsufficientBalance",
  duplicate: "Duplicate",
  orderState: "OrderState",
  positionState: "PositionState",
  riskLimit: "RiskLimit"
}

/** What follows from a return code and its message. The limit of the UID is documented by its text. (rule errors/3) */
const ruleOf = (codes: ReturnCodes.Table, code: number, message: string): ReturnCodes.Rule | undefined => {
  const row = Option.getOrUndefined(ReturnCodes.get(codes, code))
  return row?.family !== "ipBan" && isLimitText(message)
    ? { code, family: "rateLimit", executed: "no", noChange: false }
    : row
}

/** What a return code other than 0 means, of a whole answer or of one slot of a batch's. */
export const fromCode = (head: Head, codes: ReturnCodes.Table, circumstances: Circumstances): Failure.ReadFailure => {
  const { attempts, operation } = head
  const { bannedUntil, message, movesFunds, resetAt, retCode, skewMillis, status } = circumstances
  const said = { operation, attempts, status, retCode, retMsg: head.scrub(message) }
  const row = ruleOf(codes, retCode, message)
  if (row === undefined) {
    const proof = ReturnCodes.isRefusingFamily(retCode) && !movesFunds ? "family" : "none"
    return new Failure.Rejected({ ...said, reason: "Unknown", noChange: false, proof })
  }
  switch (row.family) {
    case "timestamp":
      return new Failure.ClockSkew({ ...said, skewMillis })
    case "ipBan":
      return banned(head, bannedUntil)
    case "rateLimit":
      return rateLimited(said, resetAt)
    case "auth":
    case "permission":
      return new Failure.Unauthorized({ ...said, reason: unauthorizedReason(row.code, row.family) })
    case "unavailable":
      return new Failure.Unavailable({ ...said, executed: row.executed })
    default:
      // A code that proves nothing, such as "still processing", must not be reported as a refusal.
      return row.executed === "unknown"
        ? new Failure.Unavailable({ ...said, executed: "unknown" })
        : new Failure.Rejected({ ...said, reason: rejectedReasons[row.family] ?? "Unknown", noChange: row.noChange })
  }
}

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

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : undefined

/** The limit of the UID as the headers state it. */
export interface LimitHeaders {
  readonly limit: number | undefined
  readonly remaining: number | undefined
  /** When the service takes calls again, by the monotonic clock. */
  readonly resetAt: number | undefined
}

export const limitHeaders = ({ headers }: Answer, { ahead }: Timing): LimitHeaders => {
  const resetAt = wholeNumber(headers["x-bapi-limit-reset-timestamp"])
  return {
    limit: wholeNumber(headers["x-bapi-limit"]),
    remaining: wholeNumber(headers["x-bapi-limit-status"]),
    resetAt: resetAt === undefined ? undefined : resetAt - ahead
  }
}

// No documented window is longer than a minute: a reset further away is absurd.
const longestWindow = 61_000

const isSaneReset = (resetAt: number | undefined, now: number): resetAt is number =>
  resetAt !== undefined && resetAt > now && resetAt <= now + longestWindow

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

/** How a client reports that no answer came in time, and that no byte of a request left. */
export interface Evidence {
  readonly isTimeout: (error: HttpClientError.HttpClientError) => boolean
  readonly isNotSent: (error: HttpClientError.HttpClientError) => boolean
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

/** Why no answer came. */
export type LossReason = "Timeout" | "Connection" | "NotSent"

/** The meaning of a missing response: why, and whether it is proved that no byte of the request left. */
export interface Loss {
  readonly reason: LossReason
  readonly isNotSent: boolean
}

export const fromError = (error: HttpClientError.HttpClientError, { isNotSent, isTimeout }: Evidence): Loss => ({
  reason: isUnsendable(error) ? "NotSent" : isTimeout(error) ? "Timeout" : "Connection",
  isNotSent: isUnsendable(error) || isNotSent(error)
})
