/**
 * What callers are promised about the end of a call, beside the rules of `Judge`: in time, without doubt where there is none, and not given
 * up too early. Pure.
 */
import type * as Journal from "./Journal.js"
import * as Judge from "./Judge.js"

/**
 * `Late`: reported after the call's time limit or interruption. `Slow`: nothing went wrong, and the call took longer than the service's
 * limits make it. `Vague`: reported as unknown, though every sending was answered or never left. `GaveUp`: reported as failed while the
 * retry policy had attempts and time left. `Skewed`: refused for its timestamp, which the answers allow to correct. `Barred`: reported as
 * banned while no ban was known, or by a call that is to wait for its end.
 */
export const rules = ["Late", "Slow", "Vague", "GaveUp", "Skewed", "Barred"] as const

export type Rule = (typeof rules)[number]

export interface Violation {
  readonly rule: Judge.Rule | Rule
  readonly call: string
  readonly detail: string
}

export interface Promises extends Judge.Expectations {
  /** The instant by which a call has to be reported whatever happens. */
  readonly deadlineOf: (call: string) => number | undefined
  /** The instant by which a call has to be reported when nothing goes wrong; `undefined` when something may. */
  readonly doneBy: (call: string) => number | undefined
  /** Requests arrive within the receive window when their timestamp is right, and answers say the time well enough. */
  readonly isClockLearnable: boolean
  /** No wall clock jumps: retries count their time by it. */
  readonly isSteady: boolean
  /** Whole answers say what was executed. */
  readonly isClear: boolean
  /** Calls to a banned address wait for the end of the ban. */
  readonly isWaiting: boolean
}

/** What the retry policy grants a call: attempts, and milliseconds from its first failure. */
const attempts = 5
const retriedFor = 30_000

/** Failures after which the policy tries again. */
const transient = new Set(["ConnectionFailed", "RateLimited", "Unavailable"])

const ofTag = <T extends Journal.Fact["_tag"]>(facts: ReadonlyArray<Journal.Fact>, tag: T) =>
  facts.filter((fact): fact is Extract<Journal.Fact, { readonly _tag: T }> => fact._tag === tag)

/** A call as its sendings show it, at the instant of a report. */
interface Course {
  readonly sent: ReadonlyArray<Journal.Sent>
  readonly ended: ReadonlyArray<Journal.Ended>
  readonly arrived: ReadonlyArray<Journal.Arrived>
}

const late = ({ at, call }: Journal.Reported, { deadlineOf, doneBy }: Promises): ReadonlyArray<Violation> => {
  const deadline = deadlineOf(call) ?? Number.POSITIVE_INFINITY
  const bound = doneBy(call) ?? Number.POSITIVE_INFINITY
  return [
    ...(at > deadline ? [{ rule: "Late" as const, call, detail: `reported at ${at}, due at ${deadline}` }] : []),
    ...(at > bound ? [{ rule: "Slow" as const, call, detail: `reported at ${at}, possible by ${bound}` }] : [])
  ]
}

/** Whether each sending was answered in full before an instant, or is known never to have left. */
const isProven = ({ ended, sent }: Course, at: number): boolean =>
  sent.every(({ sending }) =>
    ended.some(
      (end) =>
        end.sending === sending && (end.at < at || end.at === at) && (end.answer === "unsent" || end.answer === "whole")
    )
  )

const vague = (report: Journal.Reported, course: Course, { isClear }: Promises): ReadonlyArray<Violation> =>
  isClear && report.outcome === "unknown" && isProven(course, report.at)
    ? [
        {
          rule: "Vague",
          call: report.call,
          detail: `${report.wish} is reported as unknown, and every sending proves its outcome`
        }
      ]
    : []

/** An interrupted write is not reported when none of its sendings left this side. */
const needlesslyAbandoned = ({ at, call }: Journal.Abandoned, { ended, sent }: Course): ReadonlyArray<Violation> =>
  sent.every(({ sending }) => ended.some((end) => end.sending === sending && end.at < at && end.answer === "unsent"))
    ? [{ rule: "Vague", call, detail: "reported as interrupted, and nothing has left" }]
    : []

/** The refusal of a timestamp: it is signed again once, and not repeated after that. */
const untimely = 10002

/** Whether the last sending was answered with a refusal that the policy does not repeat, whatever the others say. */
const isRefusedAtLast = ({ arrived, ended }: Course): boolean => {
  const last = ended.at(-1)
  return last?.answer === "whole" && arrived.some(({ code, sending }) => sending === last.sending && code === untimely)
}

const gaveUp = (
  { at, call, outcome, tag, wish }: Journal.Reported,
  course: Course,
  bans: ReadonlyArray<Journal.Ended>,
  { deadlineOf, isRepeatable, isSteady }: Promises
): ReadonlyArray<Violation> => {
  // The parts of a batch are refused one by one, and are not sent again. A ban ends the attempts of a call, and what was in doubt stays so.
  if (!isSteady || deadlineOf(call) !== undefined || wish !== call || bans.some((ban) => ban.at <= at)) return []
  const { ended, sent } = course
  const isTransient =
    (outcome === "refused" && transient.has(tag)) ||
    (outcome === "unknown" && isRepeatable(wish) && !isRefusedAtLast(course))
  const first = ended[0]?.at
  return isTransient && first !== undefined && sent.length < attempts && at - first < retriedFor
    ? [{ rule: "GaveUp", call, detail: `${tag} after ${sent.length} sendings and ${at - first} ms` }]
    : []
}

const skewed = ({ call, tag }: Journal.Reported, { isClockLearnable }: Promises): ReadonlyArray<Violation> =>
  isClockLearnable && tag === "ClockSkew" ? [{ rule: "Skewed", call, detail: "refused for its timestamp" }] : []

const barred = (
  { at, call, tag }: Journal.Reported,
  { ended }: Course,
  bans: ReadonlyArray<Journal.Ended>,
  { banLength, isWaiting }: Promises
): ReadonlyArray<Violation> => {
  if (tag !== "Banned") return []
  const isKnown = bans.some((ban) => ban.at <= at && at <= ban.at + banLength)
  const isOwn = ended.some(({ isBan }) => isBan)
  return isKnown && (isOwn || !isWaiting) ? [] : [{ rule: "Barred", call, detail: `reported as banned at ${at}` }]
}

/** What is wrong with a run: the rules of `Judge` and those of this module. */
export const violations = (journal: Journal.Journal, promises: Promises): ReadonlyArray<Violation> => {
  const { facts } = journal
  const [sent, ended, arrived] = [ofTag(facts, "Sent"), ofTag(facts, "Ended"), ofTag(facts, "Arrived")]
  const courseOf = (call: string): Course => ({
    sent: sent.filter((fact) => fact.call === call),
    ended: ended.filter((fact) => fact.call === call),
    arrived: arrived.filter((fact) => fact.call === call)
  })
  const bans = ended.filter(({ isBan }) => isBan)
  return [
    ...Judge.violations(journal, promises),
    ...ofTag(facts, "Reported").flatMap((report) => {
      const course = courseOf(report.call)
      return [
        ...late(report, promises),
        ...vague(report, course, promises),
        ...gaveUp(report, course, bans, promises),
        ...skewed(report, promises),
        ...barred(report, course, bans, promises)
      ]
    }),
    ...ofTag(facts, "Abandoned").flatMap((fact) => needlesslyAbandoned(fact, courseOf(fact.call)))
  ]
}
