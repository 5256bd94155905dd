/**
 * Faults between a caller and the exchange, injected by rules that select requests. The log records the outcome of every request, so that
 * a test can compare the beliefs of a caller with the actions of the exchange.
 *
 * The same rules, seed and order of requests give the same faults.
 */
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as RequestLog from "./RequestLog.js"

const millis = Schema.Number.pipe(Schema.nonNegative())
const whole = Schema.Int.pipe(Schema.nonNegative())
const fraction = Schema.Number.pipe(Schema.between(0, 1))

const ahead = {
  /** How far the service's clock is ahead, in milliseconds; negative for behind. */
  millis: Schema.Int
}

const execution = {
  /** Whether the exchange executes the request. */
  executed: Schema.Boolean
}

/** A kind of fault. The description is the effect for the caller. */
const kind = <const Kind extends string, Fields extends Schema.Struct.Fields>(
  name: Kind,
  description: string,
  fields: Fields
) => Schema.Struct({ kind: Schema.Literal(name), ...fields }).annotations({ description })

/** One fault. Its kind decides the response, and whether the request is executed. */
export const Fault = Schema.Union(
  kind("dropBefore", "the connection is reset, and the request is not executed", {}),
  kind("dropAfter", "the request is executed, and the connection is reset", {}),
  kind("delay", "the response arrives late", {
    /** How late, in milliseconds. */
    millis: millis,
    /** Whether the request is executed at once, or after the delay, also if the caller has given up by then. */
    executed: Schema.Literal("atOnce", "afterwards")
  }),
  kind("truncated", "the request is executed, and the beginning of the body arrives", {
    /** Whether the connection is then reset; otherwise the response ends there. */
    breaks: Schema.Boolean,
    /** Which part of the body arrives; defaults to half. */
    keep: Schema.optional(fraction)
  }),
  kind("html", "HTTP 200 with an HTML page", execution),
  kind("empty", "HTTP 200 without a body", execution),
  kind("status", "an HTTP status with a text", {
    /** The HTTP status. */
    status: Schema.Int.pipe(Schema.between(400, 599)),
    /** The body; defaults to "upstream error". */
    text: Schema.optional(Schema.String),
    ...execution
  }),
  kind("ban", "HTTP 403 `access too frequent`, without a ban; the request is not executed", {}),
  kind("rateRefusal", "code 10006; the request is not executed", {
    /** Whether the response has the headers of the limit. */
    headers: Schema.Boolean,
    /** In how many milliseconds the headers report the reset; defaults to 1000. */
    resetMillis: Schema.optional(Schema.Int),
    /** The limit in the headers; defaults to the documented one. */
    limit: Schema.optional(whole)
  }),
  kind("skew", "code 10002 from a service whose clock is ahead; the request is not executed", ahead),
  kind("clock", "a service whose clock is ahead in all that it checks and returns", ahead),
  kind("internal", "code 10016", execution),
  kind("wrongEnvelope", "the request is executed, and the response has the envelope of another operation", {}),
  kind("nullResult", "the request is executed, and the result of its success is null", {}),
  kind("repeatedPage", "with a cursor: the rows of the page before, and the cursor of this page", {}),
  kind("repeatedCursor", "with a cursor: the rows of this page, and the cursor of the request", {}),
  kind("missingCursor", "a list without the field of its cursor", {}),
  kind("missingRow", "a list without the row in its middle", {}),
  kind("unknownField", "a result and rows with a field that is not documented", {}),
  kind("unknownEnumValue", "a value that is not documented, in the first row that has an enumeration", {})
)

export type Fault = typeof Fault.Type

const names = new Set(Endpoints.all.map((endpoint) => endpoint.name))

const OperationName = Schema.String.pipe(
  Schema.filter((name) => names.has(name), { message: ({ actual }) => `there is no operation ${String(actual)}` })
)

/** A fault, and which requests it hits. */
export const Rule = Schema.Struct({
  fault: Schema.asSchema(Fault),
  /** Names of operations, such as assets.transfer; defaults to all operations. */
  operations: Schema.optional(Schema.Array(OperationName)),
  /** How many requests pass first; defaults to 0. */
  skip: Schema.optional(whole),
  /** How many requests it hits at most; defaults to any number. */
  count: Schema.optional(whole),
  /** The part of the remaining requests that it hits; defaults to 1. */
  probability: Schema.optional(fraction),
  /** For how long it applies, in milliseconds from when it is set; defaults to for ever. */
  forMillis: Schema.optional(millis)
})

export type Rule = typeof Rule.Type

export interface Options {
  readonly rules?: ReadonlyArray<Rule> | undefined
  /** The seed of all chance. Defaults to 1. */
  readonly seed?: number | undefined
  /** How many requests the log keeps, the latest. Defaults to 10,000. */
  readonly logSize?: number | undefined
}

/**
 * How the signature of a request was checked.
 *
 * | value | meaning |
 * |---|---|
 * | `valid` | it is the signature of the key |
 * | `wrong` | it is not the signature of the key for these bytes |
 * | `missing` | the headers lack the key, the timestamp or the signature |
 * | `incomplete` | the parameters lack one of them, although the operation is signed in its parameters |
 * | `contradictory` | headers and parameters differ |
 * | `unknownKey` | the key does not exist |
 * | `outsideWindow` | the timestamp is malformed, or outside of the receive window |
 * | `notNeeded` | the operation is public |
 * | `notChecked` | the request was refused before, or a fault kept it from the exchange |
 */
export const SignatureCheck = Schema.Literal(
  "valid",
  "wrong",
  "missing",
  "incomplete",
  "contradictory",
  "unknownKey",
  "outsideWindow",
  "notNeeded",
  "notChecked"
)

export type SignatureCheck = typeof SignatureCheck.Type

/** A request to an operation, as in the log of requests. */
export interface Entry extends Omit<RequestLog.Entry, "operation"> {
  /** Its operation, such as orders.create. */
  readonly operation: string
}

/** Sets faults while a sandbox runs. */
export interface Control {
  /**
   * Replaces all rules; counting and chance begin anew. Of the rules that apply to a request the first one hits it, but for `clock`,
   * which combines with any other. Dies of a rule that breaks its schema.
   */
  readonly set: (rules: ReadonlyArray<Rule>) => Effect.Effect<void>
  /** Adds rules behind the present ones, whose counts continue. Dies if a rule breaks its schema. */
  readonly add: (rules: ReadonlyArray<Rule>) => Effect.Effect<void>
  /** Takes all rules away. The log stays. */
  readonly clear: Effect.Effect<void>
  /** The rules that are set, also those that have hit as often as they can. */
  readonly rules: Effect.Effect<ReadonlyArray<Rule>>
  /** Requests to operations, in the order of their arrival. */
  readonly log: Effect.Effect<ReadonlyArray<Entry>>
}

/** The connection was reset without a response. */
export class ConnectionReset extends Schema.TaggedError<ConnectionReset>("@effect-venue/sandbox/ConnectionReset")(
  "ConnectionReset",
  {}
) {
  /** As the operating system names it. */
  readonly code = "ECONNRESET"
  override get message(): string {
    return "read ECONNRESET"
  }
}

/** Rules under which a request is hit with this probability by one of some faults, each as likely as the others. */
export const oneOf = (
  faults: ReadonlyArray<Fault>,
  more: Omit<Rule, "fault" | "count" | "skip"> = {}
): ReadonlyArray<Rule> => {
  const share = (more.probability ?? 1) / faults.length
  // A rule is only asked when none before it has hit.
  return faults.map((fault, index) => ({ ...more, fault, probability: Math.min(1, share / (1 - index * share)) }))
}

/** The faults of the sandbox in the context. `Sandbox.layer` and `Server.layer` provide it. */
export class Faults extends Context.Tag("@effect-venue/sandbox/Faults")<Faults, Control>() {}

/** Which operations a fault hits: the name of one, such as `orders.amend`, several, or `all`. */
export type Operations = string | ReadonlyArray<string>

/** How often a fault hits. */
export interface Hits {
  /** How many requests it hits. Defaults to all of them. */
  readonly times?: number | undefined
  /** How many requests pass before. Defaults to 0. */
  readonly skip?: number | undefined
  /** Which part of the requests it hits, from 0 to 1. Defaults to 1. */
  readonly probability?: number | undefined
  /** For how long, from now. Defaults to no bound. */
  readonly during?: Duration.DurationInput | undefined
}

const ruleOf = (fault: Fault, operations: Operations, hits: Hits): Rule => ({
  fault,
  ...(operations === "all" ? {} : { operations: typeof operations === "string" ? [operations] : operations }),
  ...(hits.times === undefined ? {} : { count: hits.times }),
  ...(hits.skip === undefined ? {} : { skip: hits.skip }),
  ...(hits.probability === undefined ? {} : { probability: hits.probability }),
  ...(hits.during === undefined ? {} : { forMillis: Duration.toMillis(hits.during) })
})

/**
 * Adds a fault to those that are set; of several that apply to a request the first one hits it. An operation that does not exist is a
 * defect.
 *
 * ```ts
 * Faults.inject({ kind: "dropAfter" }, "orders.amend", { times: 1 })
 * ```
 *
 * @category faults
 */
export const inject = (fault: Fault, operations: Operations, hits: Hits = {}): Effect.Effect<void, never, Faults> =>
  Effect.flatMap(Faults, (faults) => faults.add([ruleOf(fault, operations, hits)]))

/**
 * Removes all faults. The log stays.
 *
 * @category faults
 */
export const clear: Effect.Effect<void, never, Faults> = Effect.flatMap(Faults, (faults) => faults.clear)

/**
 * Requests to operations in the order of their arrival, with their outcomes.
 *
 * @category faults
 */
export const log: Effect.Effect<ReadonlyArray<Entry>, never, Faults> = Effect.flatMap(Faults, (faults) => faults.log)
