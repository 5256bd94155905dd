import * as Decoder from "@effect-venue/schemas/Decoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Envelope from "@effect-venue/schemas/Envelope"
import * as Json from "@effect-venue/schemas/Json"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Failure from "../Failure.js"
import { mismatch } from "./codec.js"
import { excerpt } from "./scrub.js"

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** What an answer says: the envelope's content when the service did what was asked, the refusal otherwise. */
export type Verdict = Either.Either<Envelope.Unwrapped, Refusal>

/** What a failure has in common with the call that it ends. */
export interface Context {
  readonly operation: string
  readonly attempts: ReadonlyArray<Failure.Attempt>
  /** Takes key and signature out of text. */
  readonly scrub: (text: string) => string
}

/** Codes and statuses whose meaning the transport acts on, before they become a failure. */
export type Refusal =
  | { readonly _tag: "Failed"; readonly failure: Failure.ReadFailure }
  | { readonly _tag: "Skewed"; readonly serverTime: Option.Option<DateTime.Utc>; readonly said: Said }
  | { readonly _tag: "IpBanned" }
  | { readonly _tag: "OverLimit"; readonly said: Said }

export interface Said {
  readonly status: number
  readonly retCode?: number
  readonly retMsg: string
}

const failed = (failure: Failure.ReadFailure): Refusal => ({ _tag: "Failed", failure })

export const unexpected = (
  context: Context,
  answer: Answer,
  path: string,
  expected: string
): Failure.UnexpectedResponse =>
  new Failure.UnexpectedResponse({
    operation: context.operation,
    attempts: context.attempts,
    status: answer.status,
    // A path names the answer's own keys, and what a schema expected is told beside what was there instead.
    path: excerpt(context.scrub, path),
    expected: excerpt(context.scrub, expected),
    body: excerpt(context.scrub, answer.body)
  })

const kinds: ReadonlyArray<Envelope.Kind> = ["standard", "legacy", "bare"]

const decoders = {
  standard: Decoder.decodeUnknownEither(Envelope.fromKind("standard")),
  legacy: Decoder.decodeUnknownEither(Envelope.fromKind("legacy")),
  bare: Decoder.decodeUnknownEither(Envelope.fromKind("bare"))
}

/**
 * The wrapping that the endpoint is documented with. A refusal is also understood in another one, since the gateway in front of
 * the service does not know every endpoint's; a success is not, because its result is then somebody else's.
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

const byStatus = (context: Context, answer: Answer): Option.Option<Refusal> => {
  // Of what was done nothing has to be said in words.
  if (answer.status === 200) return Option.none()
  const { attempts, operation } = context
  const said = { status: answer.status, retMsg: excerpt(context.scrub, answer.body.trim()) }
  const rejected = (reason: Failure.RejectedReason) =>
    Option.some(failed(new Failure.Rejected({ operation, attempts, ...said, reason, noChange: false })))
  switch (answer.status) {
    case 400:
      return rejected("InvalidRequest")
    case 401:
      return Option.some(failed(new Failure.Unauthorized({ operation, attempts, ...said, reason: "Key" })))
    case 403:
      return Option.some({ _tag: "IpBanned" })
    case 404:
      return rejected("NotFound")
  }
  if (answer.status === 429 || answer.status >= 500) {
    return Option.some(failed(new Failure.Unavailable({ operation, attempts, ...said, executed: "unknown" })))
  }
  return Option.some(failed(unexpected(context, answer, "", "expected HTTP status 200")))
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

/** What a return code means, of a whole answer or of one slot of a batch's. */
export const byCode = (
  context: Context,
  status: number,
  answered: Pick<Envelope.Unwrapped, "code" | "message" | "time">,
  codes: ReturnCodes.Table
): Refusal => {
  const { attempts, operation } = context
  const said = { status, retCode: answered.code, retMsg: context.scrub(answered.message) } satisfies Said
  const row = Option.getOrUndefined(ReturnCodes.get(codes, answered.code))
  if (row === undefined) {
    return failed(new Failure.Rejected({ operation, attempts, ...said, reason: "Unknown", noChange: false }))
  }
  switch (row.family) {
    case "timestamp":
      return { _tag: "Skewed", serverTime: answered.time, said }
    case "ipBan":
      return { _tag: "IpBanned" }
    case "rateLimit":
      return { _tag: "OverLimit", said }
    case "auth":
    case "permission":
      return failed(
        new Failure.Unauthorized({ operation, attempts, ...said, reason: unauthorizedReason(row.code, row.family) })
      )
    case "unavailable":
      return failed(new Failure.Unavailable({ operation, attempts, ...said, executed: row.executed }))
    default:
      // A code that does not prove anything, such as "still processing", must not be told as a refusal.
      return failed(
        row.executed === "unknown"
          ? new Failure.Unavailable({ operation, attempts, ...said, executed: "unknown" })
          : new Failure.Rejected({
              operation,
              attempts,
              ...said,
              reason: rejectedReasons[row.family] ?? "Unknown",
              noChange: row.noChange
            })
      )
  }
}

export const read = (
  context: Context,
  endpoint: Pick<Endpoint.Properties, "envelope">,
  answer: Answer,
  codes: ReturnCodes.Table
): Verdict => {
  const refused = byStatus(context, answer)
  if (Option.isSome(refused)) return Either.left(refused.value)
  const json = Json.parse(answer.body)
  if (Option.isNone(json)) return Either.left(failed(unexpected(context, answer, "", "expected JSON")))
  return Either.flatMap(
    Either.mapLeft(unwrap(endpoint.envelope, json.value), ({ expected, path }) =>
      failed(unexpected(context, answer, path, expected))
    ),
    (unwrapped) =>
      unwrapped.code === ReturnCodes.success
        ? Either.right(unwrapped)
        : Either.left(byCode(context, answer.status, unwrapped, codes))
  )
}

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : undefined

/** What the headers say of the limit, as far as they say anything: the limit, what is left, when calls are taken again. */
export const limits = (answer: Answer) => ({
  limit: wholeNumber(answer.headers["x-bapi-limit"]),
  remaining: wholeNumber(answer.headers["x-bapi-limit-status"]),
  resetAt: wholeNumber(answer.headers["x-bapi-limit-reset-timestamp"])
})
