import * as Either from "effect/Either"
import type * as Failure from "../Failure.js"
import type { Verdict } from "./answer.js"

/** A failure that does not say whether a write was executed. */
export type Ambiguous = Failure.OutcomeUnknown["because"]

/** What is known of one departure of a request: whether the service executed it. */
export type Knowledge =
  | { readonly _tag: "InFlight" }
  | { readonly _tag: "NotExecuted" }
  | { readonly _tag: "Executed" }
  | { readonly _tag: "Unknown"; readonly because: Ambiguous }

/** One departure of a request. An attempt has several where a wrapped client sends again. */
export interface Departure {
  knowledge: Knowledge
}

export const inFlight: Knowledge = { _tag: "InFlight" }

export const notExecuted: Knowledge = { _tag: "NotExecuted" }

const executed: Knowledge = { _tag: "Executed" }

/** Whether after this failure nobody knows the outcome of a write. */
export const isAmbiguous = (failure: Failure.ReadFailure): failure is Ambiguous => {
  switch (failure._tag) {
    case "ConnectionFailed":
      return failure.sent
    case "Unavailable":
      return failure.executed === "unknown"
    case "UnexpectedResponse":
      return true
    default:
      return false
  }
}

/** What an answer says of its own departure. */
export const ofVerdict: (verdict: Verdict) => Knowledge = Either.match({
  onLeft: (refusal) =>
    refusal._tag === "Failed" && isAmbiguous(refusal.failure)
      ? { _tag: "Unknown", because: refusal.failure }
      : notExecuted,
  onRight: () => executed
})

/** Whether a write may have been executed. A later answer does not unsay an earlier departure. */
export const mayBeExecuted = (departures: ReadonlyArray<Departure>): boolean =>
  departures.some(({ knowledge }) => knowledge._tag !== "NotExecuted")

/** Why the outcome of a write is unknown: the first failure that says so, otherwise `unanswered`. */
export const doubt = (departures: ReadonlyArray<Departure>, unanswered: () => Ambiguous): Ambiguous | undefined => {
  for (const { knowledge } of departures) if (knowledge._tag === "Unknown") return knowledge.because
  return mayBeExecuted(departures) ? unanswered() : undefined
}
