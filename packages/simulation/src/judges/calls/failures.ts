import type * as Journal from "../../world/Journal.js"
import type { Judge } from "../../world/Judge.js"

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
