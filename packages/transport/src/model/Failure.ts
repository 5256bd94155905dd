/**
 * The failures of a call. A caller can act on each tag; `reason` refines it.
 *
 * | tag | was it executed? |
 * |---|---|
 * | InvalidRequest, Blocked, Rejected, Unauthorized, ClockSkew, RateLimited, Banned | no |
 * | Unavailable, ConnectionFailed | a write: provably not; a read: unknown, and it does not matter |
 * | UnexpectedResponse | reads only |
 * | OutcomeUnknown | writes only: unknown |
 *
 * A write that repeats another call with its id, whose outcome is not known, ends as `OutcomeUnknown`, whatever its failure is.
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import { formatDuration } from "@effect-venue/schemas/siblings/Words"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { lookUps } from "./lookUps.js"

/**
 * An earlier attempt of a call that failed: when it began, how it failed, and how long the call waited after it.
 *
 * @category models
 */
export class Attempt extends Schema.Class<Attempt>("@effect-venue/transport/Attempt")({
  /** When it began. */
  at: Schema.DateTimeUtc,
  /** The tag of its failure, such as `ConnectionFailed`. */
  failure: Schema.String,
  /** The message of its failure. */
  message: Schema.String,
  /** How long the call waits after it. */
  wait: Schema.Duration
}) {}

const common = {
  /** The operation, named as its endpoint: `orders.amend`. */
  operation: Schema.String,
  /** The attempts before the one that this failure reports, oldest first. */
  attempts: Schema.Array(Attempt)
}

/** The service's code and message, if it sent any. The key and the signature are removed from the message. */
const answer = {
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  retCode: Schema.optionalWith(Schema.Int, { exact: true }),
  retMsg: Schema.optionalWith(Schema.String, { exact: true })
}

const stated = {
  /** The end of the wait that the response states in `Retry-After`, by the local clock. Absent if it states none. */
  retryAt: Schema.optionalWith(Schema.DateTimeUtc, { exact: true })
}

/** The last of the instants, as the end of a sentence. */
const until = (...instants: ReadonlyArray<DateTime.Utc | undefined>): string => {
  const [first, ...others] = instants.filter((instant) => instant !== undefined)
  return first === undefined ? "" : ` until ${DateTime.formatIso(others.reduce(DateTime.max, first))}`
}

const responseText = (failure: {
  readonly status?: number
  readonly retCode?: number
  readonly retMsg?: string
}): string =>
  [
    failure.retCode === undefined
      ? failure.status === undefined
        ? ""
        : `HTTP ${failure.status}`
      : `code ${failure.retCode}`,
    failure.retMsg ?? ""
  ]
    .filter((part) => part !== "")
    .join(": ")

// A batch can break a rule in each of its orders, and a message is read in a line of a log.
const shownCharacters = 300

const joinRules = (rules: ReadonlyArray<string>): string => {
  let length = 0
  const shown = rules.filter((rule, index) => (length += rule.length) <= shownCharacters || index === 0)
  const others = rules.length - shown.length
  return [...shown, ...(others === 0 ? [] : [`and ${others} more`])].join("; ")
}

/** A rule about several fields names them; in a batch, of an order. */
const inWords = ({ field, rule }: { readonly field: string; readonly rule: string }): string => {
  if (!rule.startsWith("one of ")) return `${field} ${rule}`
  const [order] = /^.*(?=\.)/.exec(field) ?? []
  return order === undefined ? rule : `${order}: ${rule}`
}

/** The request breaks a rule of the operation. Nothing was sent. `issues` lists every violation, the message the first of them; `field` and `rule` are those of the first. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  operation: Schema.String,
  field: Schema.String,
  rule: Schema.String,
  issues: Schema.Array(Schema.Struct({ field: Schema.String, rule: Schema.String }))
}) {
  override get message(): string {
    return `${this.operation}: ${joinRules(this.issues.map(inWords))}`
  }
}

/**
 * The guard's rule that refused a write.
 *
 * @category models
 */
export const BlockedRule = Schema.Literal(
  "stopped",
  "operation",
  "symbol",
  "unmeasured",
  "largest",
  "perHour",
  "perDay",
  "dryRun"
)

export type BlockedRule = typeof BlockedRule.Type

/**
 * The guard of the application refused the write. Nothing was sent.
 *
 * `stopped`: the kill switch is on, or could not be read. `operation`, `symbol`: it is not among those that are allowed. `unmeasured`: the
 * amount of the write is not known, so that a cap cannot be checked. `largest`, `perHour`, `perDay`: the write would exceed this cap.
 * `dryRun`: it passed every rule, and the guard sends nothing.
 *
 * The `figures` of a cap are the amount, the cap and the total without this write, each in `unit`.
 */
export class Blocked extends Schema.TaggedError<Blocked>()("Blocked", {
  operation: Schema.String,
  rule: BlockedRule,
  detail: Schema.String,
  figures: Schema.optionalWith(
    Schema.Struct({
      unit: Schema.String,
      amount: Schema.BigDecimal,
      limit: Schema.BigDecimal,
      used: Schema.BigDecimal
    }),
    { exact: true }
  )
}) {
  override get message(): string {
    return `${this.operation}: blocked by the guard (${this.rule}), ${this.detail}`
  }
}

/**
 * Why the service refused: the families of return codes.
 *
 * @category models
 */
export const RejectedReason = Schema.Literal(
  "InvalidRequest",
  "NotFound",
  "InsufficientBalance",
  "Duplicate",
  "OrderState",
  "PositionState",
  "RiskLimit",
  "Unknown"
)

export type RejectedReason = typeof RejectedReason.Type

/**
 * The service refused and did nothing. `noChange` is `true` if the requested state was already in force.
 *
 * `InvalidRequest`: a parameter, or a combination of parameters, is refused. `NotFound`: there is no such order, position or record, or it is
 * too late for it. `InsufficientBalance`: balance or margin does not suffice. `Duplicate`: the id was used before, perhaps by the same write.
 * `OrderState`: the order is in a state that does not allow this, such as filled. `PositionState`: the position or its mode does not allow
 * this. `RiskLimit`: a limit of size, price, leverage or risk would be exceeded. `Unknown`: the table of return codes does not contain the
 * code.
 *
 * `proof` is there for a return code that the table lacks:
 *
 * `family`: documented codes with neighbouring numbers refuse, so this one is read as a refusal too. `none`: it proves nothing; of a write
 * this is then `because` of an `OutcomeUnknown`.
 */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  ...common,
  ...answer,
  reason: RejectedReason,
  noChange: Schema.Boolean,
  proof: Schema.optionalWith(Schema.Literal("family", "none"), { exact: true })
}) {
  override get message(): string {
    return `${this.operation}: rejected (${this.reason}), ${responseText(this)}`
  }
}

/**
 * The caller is not allowed to do this.
 *
 * `Credentials`: there are none, and nothing was sent. `Key`: the key is unknown, disabled, expired, or of another environment. `Signature`:
 * it does not match. `Permission`: the key, the account or its address lacks a right.
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  ...common,
  ...answer,
  reason: Schema.Literal("Credentials", "Key", "Signature", "Permission")
}) {
  override get message(): string {
    return `${this.operation}: unauthorized (${this.reason})${responseText(this) === "" ? "" : `, ${responseText(this)}`}`
  }
}

/**
 * The request was outside the receive window, even after its response had corrected the estimate of the service's clock. `skewMillis` is the service's clock
 * minus the local clock, in milliseconds; absent if no response has a time that can be read.
 */
export class ClockSkew extends Schema.TaggedError<ClockSkew>()("ClockSkew", {
  ...common,
  ...answer,
  skewMillis: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  override get message(): string {
    const { skewMillis } = this
    const difference =
      skewMillis === undefined
        ? "the service's clock is not known"
        : `the service's clock is ${formatDuration(skewMillis)} ${skewMillis < 0 ? "behind" : "ahead of"} ours`
    return `${this.operation}: ${difference}, ${responseText(this)}`
  }
}

/** The limit per UID was reached. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...common,
  ...answer,
  ...stated,
  /** When the service accepts calls again, by the local clock. Absent if the response has no such time. */
  resetAt: Schema.optionalWith(Schema.DateTimeUtc, { exact: true })
}) {
  override get message(): string {
    return `${this.operation}: rate limited${until(this.resetAt, this.retryAt)}, ${responseText(this)}`
  }
}

/** The service has banned this address. Nothing is sent until `until`, because sending would prolong the ban. */
export class Banned extends Schema.TaggedError<Banned>()("Banned", {
  ...common,
  until: Schema.DateTimeUtc
}) {
  override get message(): string {
    return `${this.operation}: this address is banned until ${DateTime.formatIso(this.until)}`
  }
}

/**
 * The service could not execute the call. A write fails with this only if `executed` is `no`.
 *
 * `no`: the code proves that nothing was done. `unknown`: it does not.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  ...common,
  ...answer,
  ...stated,
  executed: Schema.Literal("no", "unknown")
}) {
  override get message(): string {
    return `${this.operation}: the service is unavailable${until(this.retryAt)}, ${responseText(this)}`
  }
}

const connectionWords = {
  Timeout: "no answer in time",
  Connection: "connection failed",
  NotSent: "not sent",
  RateLimitStore: "not sent",
  WriteJournal: "not sent",
  OtherResponse: "no answer of its own",
  Interrupted: "interrupted"
}

/**
 * There was no response to the request. `sent` is `false` if the request provably never left, as with a refused connection; a write fails with
 * this only then.
 *
 * `Timeout`: there was no response in `CallOptions.AttemptTimeout` or `CallOptions.CallTimeout`. `Connection`: the connection could not be
 * made, or broke. `OtherResponse`: the response belongs to another request, because it was made before this one was signed, or repeats other
 * ids than were sent. `NotSent`: an order of a batch that was not sent any more, because a call for earlier ones had failed, or a request
 * that the HTTP client refused to make. `RateLimitStore`: the store of the rate limits could not be reached, and without it nothing is sent.
 * `WriteJournal`: the journal of writes could not record the write, and without its record it is not sent. `Interrupted`: the fiber was
 * interrupted after the service had accepted the write, and before its caller had the result.
 */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>()("ConnectionFailed", {
  ...common,
  reason: Schema.Literal(
    "Timeout",
    "Connection",
    "OtherResponse",
    "NotSent",
    "RateLimitStore",
    "WriteJournal",
    "Interrupted"
  ),
  sent: Schema.Boolean,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.operation}: ${connectionWords[this.reason]}, ${this.detail}`
  }
}

/** The response does not fit its schema. `path` is the first place that does not fit, `body` the beginning of the response without key and signature. */
export class UnexpectedResponse extends Schema.TaggedError<UnexpectedResponse>()("UnexpectedResponse", {
  ...common,
  status: Schema.Int,
  path: Schema.String,
  expected: Schema.String,
  body: Schema.String
}) {
  override get message(): string {
    return `${this.operation}: unexpected response (HTTP ${this.status}) at ${this.path === "" ? "its root" : this.path}: ${this.expected}`
  }
}

/**
 * A write whose outcome is unknown: it was executed, or it was not. `because` is the cause. If an earlier call with the same id is in doubt, `because` is the
 * failure of this one, whatever it is. Find out with `lookUp`, or by `identifiers`, before doing anything else. Do not send the write again, unless
 * `isSafeToRepeat` is `true` for this failure.
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  ...common,
  /** Identifies the write in a later query: category, symbol, orderId, orderLinkId and requestId, as far as the request had them. */
  identifiers: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** For an interrupted write: the identifiers of the accepted write, or of each accepted order of a batch. */
  accepted: Schema.optionalWith(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.String })), {
    exact: true
  }),
  ...stated,
  /** The service executes the write once for its id, so the same request with the same id can be sent again: `isSafeToRepeat`. */
  isOnce: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  because: Schema.Union(
    ConnectionFailed,
    Rejected,
    Unavailable,
    UnexpectedResponse,
    RateLimited,
    Banned,
    ClockSkew,
    Unauthorized,
    Blocked
  )
}) {
  override get message(): string {
    const closed = this.retryAt === undefined ? "" : `; the service accepts no calls${until(this.retryAt)}`
    return `${this.operation}: it is not known whether this was executed; ${this.because.message}${closed}`
  }

  /**
   * Queries the service for the outcome of the write. The result is `undetermined`, without evidence, if a new order is not found, however late
   * (docs/failures.md#look-up), if no operation reports the outcome (internal withdrawals), or if the failure was created by another process.
   */
  get lookUp(): Effect.Effect<Endpoint.Finding, ReadFailure> {
    return lookUps.get(this) ?? Effect.succeed({ executed: "undetermined", evidence: [] })
  }
}

/** How a read can fail. */
export type ReadFailure =
  | InvalidRequest
  | Rejected
  | Unauthorized
  | ClockSkew
  | RateLimited
  | Banned
  | Unavailable
  | ConnectionFailed
  | UnexpectedResponse

/** How a write can fail. */
export type WriteFailure =
  | InvalidRequest
  | Blocked
  | Rejected
  | Unauthorized
  | ClockSkew
  | RateLimited
  | Banned
  | Unavailable
  | ConnectionFailed
  | OutcomeUnknown

/**
 * Whether the same write, with the same id, can be sent again without being executed twice, and can then succeed: nothing was executed, or the service
 * executes it once for its id. A write without such an id is not safe to repeat after `OutcomeUnknown`. Takes the failures of the write alone: that of a
 * `lookUp` proves nothing about it, so repeat before the look-up.
 */
export const isSafeToRepeat = (failure: WriteFailure): boolean => {
  switch (failure._tag) {
    case "OutcomeUnknown":
      return failure.isOnce === true
    case "ConnectionFailed":
    case "Unavailable":
    case "RateLimited":
    case "ClockSkew":
    case "Banned":
      return true
    default:
      return false
  }
}

/** Any failure of a call. */
export type Failure = ReadFailure | WriteFailure

/**
 * How an operation of this safety can fail.
 *
 * @category type-level
 */
export type Of<S extends Endpoint.Safety> = [S] extends ["read"] ? ReadFailure : WriteFailure
