/** The comparison of the library's outcomes with those of the model. */
import type * as Failure from "@effect-venue/transport/Failure"
import type * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Transport from "@effect-venue/transport/Transport"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Course from "./Course.js"
import type * as Journal from "../../world/Journal.js"
import type * as World from "../../world/World.js"
import { endpoints, type Quoted, scrub } from "./operations.js"
import * as Plan from "./Plan.js"

/** The place in an answer that was not as documented. */
const placeOf = (failure: Failure.Failure) =>
  failure._tag !== "UnexpectedResponse"
    ? {}
    : { path: failure.path, ...(failure.path === "body" ? { expected: failure.expected } : {}) }

/** A failure, as far as something is promised about it. `answeredAt` is the wall clock at the last answer. */
const seen = (failure: Failure.Failure, answeredAt: number): Course.CourseOutcome => {
  const because = failure._tag === "OutcomeUnknown" ? failure.because : failure
  return {
    tag: failure._tag,
    ...(failure._tag === "OutcomeUnknown" ? { because: because._tag, identifiers: failure.identifiers } : {}),
    ...("reason" in because && (because === failure || because._tag === "ConnectionFailed")
      ? { reason: because.reason }
      : {}),
    ...placeOf(because),
    ...("proof" in failure ? { proof: failure.proof } : {}),
    ...("noChange" in failure ? { noChange: failure.noChange } : {}),
    ...("sent" in failure ? { sent: failure.sent } : {}),
    ...("executed" in failure ? { executed: failure.executed } : {}),
    ...("retCode" in failure ? { retCode: failure.retCode } : {}),
    ...("resetAt" in failure ? { resetAfter: DateTime.toEpochMillis(failure.resetAt) - answeredAt } : {}),
    ...(failure._tag === "Banned" ? { bannedFor: DateTime.toEpochMillis(failure.until) - answeredAt } : {})
  }
}

/** An outcome as text. The instant of a reset is known as exactly as the clock: it is not compared if that is skewed. */
const textOf = ({ resetAfter, ...outcome }: Course.CourseOutcome, isVague: boolean): string => {
  const fields = isVague || resetAfter === undefined ? outcome : { ...outcome, resetAfter }
  return JSON.stringify(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** The course of a call. */
export interface Last {
  /** What was received of each answer. */
  readonly texts: Array<string>
  /** The key and the signature that the page of an answer can quote. */
  quoted: Quoted
  answeredAt: number
  /** When the last sending ended, in milliseconds of the run. */
  endedAt: number
  sendings: number
  /** How often the connections were renewed. */
  renewals: number
  settled: RateLimitStore.ChargeOutcome | undefined
  /** The state of the limit that the last answer reported. */
  observed: Course.Observed | undefined
  /** `OnInterruptedWrite` was called. */
  isReported: boolean
  /** A request has left, and has no answer. */
  isUnderWay: boolean
}

export const idle = (): Last => ({
  texts: [],
  quoted: { key: "", sign: "" },
  answeredAt: 0,
  endedAt: 0,
  sendings: 0,
  renewals: 0,
  settled: undefined,
  observed: undefined,
  isReported: false,
  isUnderWay: false
})

/** The last sending of the current call. */
export const lastOf = ({ last: { sendings, texts } }: Context, call: Plan.AnsweredCall): Course.CourseOutcome =>
  Course.ofSending(Plan.withAnswer(call, sendings - 1), texts[sendings - 1] ?? "")

/** The course of the current call, and the ban of an earlier one. */
export interface Context {
  readonly world: World.World
  readonly plan: Plan.AnswersPlan
  last: Last
  call: Plan.AnsweredCall | undefined
  readonly ban: { until: number; answeredAt: number }
  /** The limits that answers have stated last, by operation and category; `undefined`: a refusal has shown that it is smaller. */
  readonly learnt: Map<string, number | undefined>
}

export const compare = ({ call, world }: Context, rule: Journal.Comparison, got: string, expected: string) =>
  world.add({ _tag: "Compared", call: call?.id ?? "", rule, got, expected })

/** A call is sent again after the failure and the waiting that `OnRetry` reports. */
export const judgeRetry = (context: Context, { failure, wait }: Failure.Attempt) => {
  const { call, last, world } = context
  if (call === undefined) return
  const expected = `after ${lastOf(context, call).tag} and ${world.sim.now() - last.endedAt} ms`
  compare(context, "Resent", `after ${failure} and ${Duration.toMillis(wait)} ms`, expected)
}

export const judge = (
  context: Context,
  call: Plan.AnsweredCall,
  begunAt: number,
  result: Either.Either<unknown, Failure.Failure>
) => {
  const { ban, last, plan, world } = context
  const course = Course.courseOf(call, last.texts, plan.retries)
  const isUnsigned = !plan.hasKey && call.operation !== "publicRead"
  const isShut = !isUnsigned && begunAt < ban.until
  const isSent = !isUnsigned && !isShut
  const answered = isShut ? { tag: "Banned", bannedFor: ban.until - ban.answeredAt } : course.outcome
  const expected: Course.CourseOutcome = isUnsigned ? Course.unsigned : answered
  const got: Course.CourseOutcome = Either.isRight(result)
    ? { tag: "done" }
    : seen(result.left, isShut ? ban.answeredAt : last.answeredAt)
  const isVague = plan.skew !== 0
  world.cover(`${call.operation} ${isShut ? "held" : expected.tag} ${expected.because ?? ""}`.trimEnd())
  world.sim.trace(`answer    ${call.answer.status} ${JSON.stringify(last.texts).slice(0, 80)}`)
  compare(context, "Verdict", textOf(got, isVague), textOf(expected, isVague))
  const observed = isSent ? course.observed : []
  const describeObserved = (from: Course.Observed | undefined) =>
    from === undefined ? "nothing" : JSON.stringify(isVague ? { ...from, resetAfter: undefined } : from)
  // A call that a known ban stops takes no place of a limit.
  if (plan.isNoted) {
    compare(context, "Charge", last.settled ?? "nothing", isSent ? course.settled : "nothing")
    compare(context, "Observed", describeObserved(last.observed), describeObserved(observed.at(-1)))
  }
  const { learnt } = context
  for (const { limit, refused } of observed) {
    if (limit !== undefined && limit > 0) learnt.set(Plan.limitOf(call), limit)
    else if (refused) learnt.set(Plan.limitOf(call), undefined)
  }
  if (Either.isLeft(result)) judgeText(context, call, result.left)
  const sendings = isSent ? course.sendings : 0
  compare(context, "Resent", `${last.sendings} sendings`, `${sendings} sendings`)
  compare(context, "Renewed", String(last.renewals), String(isSent ? course.renewals : 0))
  if (isSent && course.bannedFor !== undefined) {
    ban.answeredAt = last.answeredAt
    ban.until = last.answeredAt + course.bannedFor
  }
}

/** A failure has the body of an answer without the secrets that it quotes, and no more is removed. */
const judgeText = (context: Context, { answer: { body }, then }: Plan.AnsweredCall, failure: Failure.Failure) => {
  context.world.inspect(`${failure.message} ${JSON.stringify(failure)}`)
  const because = failure._tag === "OutcomeUnknown" ? failure.because : failure
  if (then !== undefined || because._tag !== "UnexpectedResponse" || body._tag !== "Text" || !Plan.isQuoting(body))
    return
  context.world.cover("a page quotes secrets")
  compare(context, "Scrubbed", because.body, scrub(body.text, context.last.quoted))
}

const limitsOf = (operation: Plan.AnswerOperation) =>
  Effect.flatMap(Transport.Transport, ({ account }) =>
    Effect.forEach(Plan.categories, (category) =>
      Effect.map(account.limit(endpoints[operation], category), (limit) => ({
        category,
        name: Plan.limitOf({ operation, category }),
        limit: Option.getOrUndefined(limit)
      }))
    )
  )

/** The limit of an operation in a category is the one that its last answer stated; without a limit, a refusal is a reason to guess. */
export const judgeLimits = (context: Context, operation: Plan.AnswerOperation) =>
  Effect.map(limitsOf(operation), (limits) => {
    const { learnt, plan, world } = context
    for (const { category, limit, name } of limits) {
      const expected = learnt.has(name) ? learnt.get(name) : Course.limitOf({ category, operation }, plan)
      if (learnt.has(name) && expected === undefined) continue
      if (learnt.has(name)) world.cover("a limit is learnt")
      compare(context, "Observed", `${name} ${String(limit)}`, `${name} ${String(expected)}`)
    }
  })

/** A call whose caller interrupts it while its request is under way. */
export const judgeInterrupted = (context: Context, call: Plan.AnsweredCall) => {
  const { last, learnt, plan, world } = context
  world.cover(`${call.operation} interrupted`)
  learnt.set(Plan.limitOf(call), undefined)
  if (!last.isUnderWay) return
  if (plan.isNoted) compare(context, "Charge", last.settled ?? "nothing", "counted")
  compare(context, "Verdict", `reported: ${last.isReported}`, `reported: ${Course.isWrite(call.operation)}`)
}
