/**
 * What can go wrong between a caller and the exchange, made to happen on purpose. Rules say which requests are hit, and by
 * what; a log records the outcome of every request, so that what a caller believes can be compared with what was done.
 *
 * The same rules, seed and order of requests give the same faults.
 *
 * @since 0.1.0
 */
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const millis = Schema.Number.pipe(Schema.nonNegative())
const whole = Schema.Int.pipe(Schema.nonNegative())
const fraction = Schema.Number.pipe(Schema.between(0, 1))
const shift = Schema.Int

/**
 * One fault.
 *
 * | kind | what the caller meets | executed? |
 * |---|---|---|
 * | `dropBefore` | the connection is reset | no |
 * | `dropAfter` | the connection is reset | yes |
 * | `delay` | the answer, `millis` late | yes: `atOnce`, or `afterwards`, also when the caller has long given up |
 * | `truncated` | the beginning of the body, `keep` of it (default half); `breaks`: then the connection is reset | yes |
 * | `html` | HTTP 200 with a page | as `executed` says |
 * | `empty` | HTTP 200 with no body | as `executed` says |
 * | `status` | this HTTP status with a text | as `executed` says |
 * | `ban` | HTTP 403 `access too frequent`, and no ban behind it | no |
 * | `rateRefusal` | code 10006; `headers`: with those of the limit, reset in `resetMillis` (default 1 s), `limit` lowered | no |
 * | `skew` | code 10002 from a server whose clock is `millis` ahead | no |
 * | `clock` | the server's clock is `millis` ahead, in all that it checks and says | yes, where the timestamp still fits |
 * | `internal` | code 10016 | as `executed` says |
 * | `wrongEnvelope` | the answer in another operation's envelope | yes |
 * | `nullResult` | success, and null as its result | yes |
 * | `repeatedPage` | with a cursor: the rows of the page before, and the cursor of this one | yes |
 * | `repeatedCursor` | with a cursor: this page's rows, and the cursor that was sent | yes |
 * | `missingCursor` | a list without the field that says where it goes on | yes |
 * | `missingRow` | a list that lacks the row in its middle | yes |
 * | `unknownField` | a result and rows with an unknown field | yes |
 * | `unknownEnumValue` | an unknown value of an enumeration, in the first row that has one | yes |
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fault = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("dropBefore") }),
  Schema.Struct({ kind: Schema.Literal("dropAfter") }),
  Schema.Struct({ kind: Schema.Literal("delay"), millis, executed: Schema.Literal("atOnce", "afterwards") }),
  Schema.Struct({ kind: Schema.Literal("truncated"), breaks: Schema.Boolean, keep: Schema.optional(fraction) }),
  Schema.Struct({ kind: Schema.Literal("html"), executed: Schema.Boolean }),
  Schema.Struct({ kind: Schema.Literal("empty"), executed: Schema.Boolean }),
  Schema.Struct({
    kind: Schema.Literal("status"),
    status: Schema.Int.pipe(Schema.between(400, 599)),
    text: Schema.optional(Schema.String),
    executed: Schema.Boolean
  }),
  Schema.Struct({ kind: Schema.Literal("ban") }),
  Schema.Struct({
    kind: Schema.Literal("rateRefusal"),
    headers: Schema.Boolean,
    resetMillis: Schema.optional(shift),
    limit: Schema.optional(whole)
  }),
  Schema.Struct({ kind: Schema.Literal("skew"), millis: shift }),
  Schema.Struct({ kind: Schema.Literal("clock"), millis: shift }),
  Schema.Struct({ kind: Schema.Literal("internal"), executed: Schema.Boolean }),
  Schema.Struct({ kind: Schema.Literal("wrongEnvelope") }),
  Schema.Struct({ kind: Schema.Literal("nullResult") }),
  Schema.Struct({ kind: Schema.Literal("repeatedPage") }),
  Schema.Struct({ kind: Schema.Literal("repeatedCursor") }),
  Schema.Struct({ kind: Schema.Literal("missingCursor") }),
  Schema.Struct({ kind: Schema.Literal("missingRow") }),
  Schema.Struct({ kind: Schema.Literal("unknownField") }),
  Schema.Struct({ kind: Schema.Literal("unknownEnumValue") })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Fault = typeof Fault.Type

const names = new Set(Endpoints.all.map((endpoint) => endpoint.name))

const OperationName = Schema.String.pipe(
  Schema.filter((name) => names.has(name), { message: ({ actual }) => `there is no operation ${String(actual)}` })
)

/**
 * Which requests a fault hits. `operations`: names as endpoints have them, such as `assets.transfer`; default all operations.
 * `skip`: how many requests pass first. `count`: how many are hit at most, default any number. `probability`: the part of the
 * remaining ones that is hit, default 1. `forMillis`: how long after it was set the rule applies, default for ever.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Rule = Schema.Struct({
  fault: Fault,
  operations: Schema.optional(Schema.Array(OperationName)),
  skip: Schema.optional(whole),
  count: Schema.optional(whole),
  probability: Schema.optional(fraction),
  forMillis: Schema.optional(millis)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Rule = typeof Rule.Type

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly rules?: ReadonlyArray<Rule> | undefined
  /** The seed of all chance. Defaults to 1. */
  readonly seed?: number | undefined
  /** How many requests the log keeps, the latest. Defaults to 10,000. */
  readonly logSize?: number | undefined
}

/**
 * The outcome of one request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  /** When it arrived, by the clock; milliseconds. */
  readonly at: number
  readonly operation: string
  /** The account whose key the request names, before the signature is checked. */
  readonly uid: Option.Option<string>
  /** What was asked for, without key and signature. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The fault that was applied, if any. */
  readonly fault: Option.Option<Fault>
  /** The exchange executed the request, whatever the caller received. False while it has not yet. */
  readonly executed: boolean
}

/**
 * Sets faults while a sandbox runs.
 *
 * @since 0.1.0
 * @category models
 */
export interface Control {
  /**
   * Replaces all rules; counting and chance begin anew. Of the rules that apply to a request the first one hits it, but for `clock`,
   * which combines with any other. Dies of a rule that breaks its schema.
   */
  readonly set: (rules: ReadonlyArray<Rule>) => Effect.Effect<void>
  /** Puts rules behind those there are, whose counting goes on. Dies of a rule that breaks its schema. */
  readonly add: (rules: ReadonlyArray<Rule>) => Effect.Effect<void>
  /** Takes all rules away. The log stays. */
  readonly clear: Effect.Effect<void>
  /** Requests to operations, in the order of their arrival. */
  readonly log: Effect.Effect<ReadonlyArray<Entry>>
}

/**
 * The connection is gone, and no answer comes.
 *
 * @since 0.1.0
 * @category failures
 */
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

/**
 * Rules under which a request is hit with this probability by one of some faults, each as likely as the others.
 *
 * @since 0.1.0
 * @category constructors
 */
export const oneOf = (
  faults: ReadonlyArray<Fault>,
  more: Omit<Rule, "fault" | "count" | "skip"> = {}
): ReadonlyArray<Rule> => {
  const share = (more.probability ?? 1) / faults.length
  // A rule is only asked when none before it has hit.
  return faults.map((fault, index) => ({ ...more, fault, probability: Math.min(1, share / (1 - index * share)) }))
}

/**
 * The faults of the sandbox in the context. `Sandbox.layer` and `Server.layer` provide it.
 *
 * @since 0.1.0
 * @category tags
 */
export class Faults extends Context.Tag("@effect-venue/sandbox/Faults")<Faults, Control>() {}

/**
 * Which operations a fault hits: the name of one, such as `orders.amend`, several, or `all`.
 *
 * @since 0.1.0
 * @category models
 */
export type Operations = string | ReadonlyArray<string>

/**
 * How often a fault hits.
 *
 * @since 0.1.0
 * @category models
 */
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
 * @since 0.1.0
 * @category faults
 */
export const inject = (fault: Fault, operations: Operations, hits: Hits = {}): Effect.Effect<void, never, Faults> =>
  Effect.flatMap(Faults, (faults) => faults.add([ruleOf(fault, operations, hits)]))

/**
 * Removes all faults. The log stays.
 *
 * @since 0.1.0
 * @category faults
 */
export const clear: Effect.Effect<void, never, Faults> = Effect.flatMap(Faults, (faults) => faults.clear)

/**
 * Requests to operations, in the order of their arrival, and what was done of each.
 *
 * @since 0.1.0
 * @category faults
 */
export const log: Effect.Effect<ReadonlyArray<Entry>, never, Faults> = Effect.flatMap(Faults, (faults) => faults.log)
