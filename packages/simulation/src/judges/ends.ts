import type * as Journal from "../world/Journal.js"
import type { Judge } from "../world/Judge.js"

/** Every call ends, unless its process has died. */
export const stuck: Judge = {
  rule: "Stuck",
  find: ({ end, of }) => {
    if (end === "Done") return []
    const ended = new Set([...of("Reported"), ...of("Lost")].map(({ call }) => call))
    const open = of("Requested").filter(({ call }) => !ended.has(call))
    return open.length === 0 ? [{ call: "", detail: end }] : open.map(({ call }) => ({ call, detail: end }))
  }
}

/** No call keeps the processor busy while time stands still. */
export const spinning: Judge = {
  rule: "Spinning",
  find: ({ end }) => (end === "Spinning" ? [{ call: "", detail: "time stands still" }] : [])
}

/** No call and no export dies. */
export const defect: Judge = {
  rule: "Defect",
  find: ({ of }) => [
    ...of("Reported").flatMap(({ call, outcome, tag }) => (outcome === "died" ? [{ call, detail: tag }] : [])),
    ...of("Finished").flatMap(({ call, detail, end }) => (end === "died" ? [{ call, detail }] : []))
  ]
}

/** A call is reported by its time limit, and at its interruption. */
export const late: Judge = {
  rule: "Late",
  find: ({ of, requestOf }) =>
    of("Reported").flatMap(({ at, call }) => {
      const { deadline = Number.POSITIVE_INFINITY } = requestOf(call) ?? {}
      // Timers have whole milliseconds.
      return at >= deadline + 1 ? [{ call, detail: `reported at ${at}, due at ${deadline}` }] : []
    })
}

/** If nothing goes wrong, a call takes no longer than the service's limits make it. */
export const slow: Judge = {
  rule: "Slow",
  find: ({ of, requestOf }) =>
    of("Reported").flatMap(({ at, call }) => {
      const { doneBy = Number.POSITIVE_INFINITY } = requestOf(call) ?? {}
      return at > doneBy ? [{ call, detail: `reported at ${at}, possible by ${doneBy}` }] : []
    })
}

/** A write that was executed, and whose caller was interrupted, is reported to `OnInterruptedWrite`. */
export const silent: Judge = {
  rule: "Silent",
  find: ({ of, requestOf }) => {
    const executed = new Set(of("Arrived").flatMap((fact) => fact.executed))
    const abandoned = new Set(of("Abandoned").map(({ call }) => call))
    return of("Reported")
      .filter(
        ({ call, outcome, wish }) =>
          outcome === "interrupted" && requestOf(call)?.safety !== "read" && executed.has(wish) && !abandoned.has(call)
      )
      .map(({ call, wish }) => ({ call, detail: `${wish} was executed, its caller interrupted, and nothing reported` }))
  }
}

/** Nothing is reported to `OnInterruptedWrite` of a call that its caller did not interrupt. */
export const alarmed: Judge = {
  rule: "Alarmed",
  find: ({ of }) => {
    const abandoned = new Set(of("Abandoned").map(({ call }) => call))
    return of("Reported")
      .filter(({ call, outcome }) => outcome !== "interrupted" && abandoned.has(call))
      .map(({ call, outcome }) => ({ call, detail: `ended as ${outcome}, and is reported as interrupted` }))
  }
}

/** The grant of the retry policy: attempts, and milliseconds from the first failure of a call. */
const attempts = 5
const retriedFor = 30_000

/** Failures after which the policy tries again. */
const transient = new Set(["ConnectionFailed", "RateLimited", "Unavailable"])

/** The refusal of a timestamp: it is signed again once, and not repeated after that. */
const untimely = 10002

/** Whether the last sending was answered with a refusal that the policy does not repeat. */
const isRefusedAtLast = ({ of }: Journal.Journal, last: Journal.Of<"Ended"> | undefined): boolean =>
  last?.answer === "whole" &&
  of("Arrived").some(({ call, code, sending }) => call === last.call && sending === last.sending && code === untimely)

const isGivenUp = (journal: Journal.Journal, { at, call, outcome, tag, wish }: Journal.Of<"Reported">): boolean => {
  const request = journal.requestOf(call)
  // The parts of a batch are refused one by one, and are not sent again. A ban ends the attempts of a call.
  const isBanned = journal.of("Ended").some((end) => end.isBan && end.at <= at)
  if (request === undefined || request.deadline !== undefined || wish !== call || isBanned) return false
  const ended = journal.of("Ended").filter((end) => end.call === call)
  const sent = journal.of("Sent").filter((sending) => sending.call === call)
  const isTransient =
    (outcome === "refused" && transient.has(tag)) ||
    (outcome === "unknown" && request.safety === "idempotent" && !isRefusedAtLast(journal, ended.at(-1)))
  const first = ended[0]?.at
  return isTransient && first !== undefined && sent.length < attempts && at - first < retriedFor
}

/** A call is not given up before the retry policy's attempts or its half minute are over. */
export const gaveUp: Judge = {
  rule: "GaveUp",
  find: (journal) =>
    journal.conditions.isSteady === true
      ? journal
          .of("Reported")
          .filter((report) => isGivenUp(journal, report))
          .map(({ call, tag }) => ({ call, detail: `${tag} before its attempts were over` }))
      : []
}

/** No call is refused for its timestamp if answers state the service's time well enough. */
export const skewed: Judge = {
  rule: "Skewed",
  find: ({ conditions, of }) =>
    conditions.isClockLearnable === true
      ? of("Reported")
          .filter(({ tag }) => tag === "ClockSkew")
          .map(({ call }) => ({ call, detail: "is refused for its timestamp" }))
      : []
}

/** The failures of calls that were not sent because their store of limits or their journal failed. */
const causes = new Set(["ConnectionFailed RateLimitStore", "ConnectionFailed WriteJournal", "StoreUnreachable"])

/** No call fails because of its store of limits or its journal while both work. */
export const unserved: Judge = {
  rule: "Unserved",
  find: ({ conditions, of }) =>
    conditions.isServed === true
      ? of("Reported")
          .filter(({ tag }) => causes.has(tag))
          .map(({ call, tag }) => ({ call, detail: `fails with ${tag}, although the store and the journal work` }))
      : []
}

/** No log line, no file and no failure contains a secret. */
export const secret: Judge = {
  rule: "Secret",
  find: ({ of }) => of("Leaked").map(({ text }) => ({ call: "", detail: text }))
}
