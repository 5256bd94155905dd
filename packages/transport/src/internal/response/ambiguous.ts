import type * as Failure from "../../Failure.js"

/** A failure that leaves open whether a write was executed. */
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
