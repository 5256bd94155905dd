import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "../model/Failure.js"
import { type Ambiguous, isAmbiguous } from "../response/unknownOutcome.js"
import type { Head } from "../response/answer.js"
import type { AttemptFailure, Call } from "./callState.js"
import type { Scrub } from "../model/secretsInText.js"
import * as sendings from "./sending.js"
import * as unknownOutcome from "../response/unknownOutcome.js"

/** Determines the failure of a call from its sendings. */
export interface Outcomes {
  readonly head: (call: Call) => Head
  /** Why the outcome of a write is in doubt after a failure, or `undefined`. */
  readonly doubt: (call: Call, failure: AttemptFailure) => Ambiguous | undefined
  /** The failure of the call after its last attempt failed. For a write the outcome is unknown if any sending can have been executed. */
  readonly ended: (call: Call, failure: AttemptFailure) => Failure.Failure
  /** The failure of a call whose write can have been executed by another call with its id. */
  readonly unknown: (call: Call, because: Failure.OutcomeUnknown["because"]) => Failure.OutcomeUnknown
  /** Reads for the look-up of a write. */
  readonly read: Endpoint.ReadCall<Failure.ReadFailure>
  /** The failure of a call that is cut short. */
  readonly cutShort: (call: Call, detail: string) => Failure.Failure
  /** The report of an interrupted write, or `undefined` if none of its sendings can have been executed. */
  readonly interrupted: (call: Call) => Failure.OutcomeUnknown | undefined
}

/** `read` calls an operation that looks up a write. */
export const make = (scrub: Scrub, read: Endpoint.ReadCall<Failure.ReadFailure>): Outcomes => {
  const head = ({ attempts, endpoint, signatures }: Call): Head => ({
    operation: endpoint.name,
    attempts: [...attempts],
    scrub: (text) => scrub(text, signatures)
  })

  const doubt: Outcomes["doubt"] = (call, failure) => {
    if (call.endpoint.safety === "read") return undefined
    const own = failure._tag !== "Blocked" && isAmbiguous(failure) ? failure : undefined
    const dropped = "a wrapped client did not return the answer"
    return (
      sendings.doubt(
        call.sendings,
        head(call),
        () => own ?? sendings.connectionFailed(head(call), "Connection", true, dropped)
      ) ?? own
    )
  }

  // An earlier failure is the cause; the last one can say how long the service accepts no calls.
  const inDoubt = (call: Call, because: Failure.OutcomeUnknown["because"], last: Failure.Failure) =>
    unknownOutcome.make(call, because, read, because === last ? {} : { retryAt: unknownOutcome.closedUntil(last) })

  const ended: Outcomes["ended"] = (call, failure) => {
    const because = doubt(call, failure)
    return because === undefined ? failure : inDoubt(call, because, failure)
  }

  const unknown: Outcomes["unknown"] = (call, failure) => inDoubt(call, doubt(call, failure) ?? failure, failure)

  const cutShort: Outcomes["cutShort"] = (call, detail) =>
    ended(call, sendings.connectionFailed(head(call), "Timeout", sendings.mayBeExecuted(call.sendings), detail))

  const interrupted: Outcomes["interrupted"] = (call) => {
    // The parts of a batch are accepted or refused separately; its caller judges them.
    if (call.endpoint.extended !== true && call.sendings.some(sendings.isExecuted)) {
      const detail = "after the service had accepted it"
      const because = sendings.connectionFailed(head(call), "Interrupted", true, detail)
      return unknownOutcome.make(call, because, read, { isAccepted: true })
    }
    const failure = cutShort(call, "interrupted")
    return failure._tag === "OutcomeUnknown" ? failure : undefined
  }

  return { head, doubt, ended, unknown, read, cutShort, interrupted }
}
