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
  /** The failure of a call that was refused and yet can have been executed. */
  readonly unknown: (call: Call, because: Ambiguous) => Failure.OutcomeUnknown
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

  const inDoubt = (
    call: Call,
    because: Ambiguous,
    circumstances: unknownOutcome.Circumstances
  ): Failure.OutcomeUnknown =>
    unknownOutcome.make(call.endpoint, call.parameters, because, [...call.attempts], read, circumstances)

  const ended: Outcomes["ended"] = (call, failure) => {
    const because = doubt(call, failure)
    if (because === undefined) return failure
    const isLater = "retryAt" in failure && !("retryAt" in because)
    return inDoubt(call, because, isLater ? { retryAt: failure.retryAt } : {})
  }

  const cutShort: Outcomes["cutShort"] = (call, detail) =>
    ended(call, sendings.connectionFailed(head(call), "Timeout", sendings.mayBeExecuted(call.sendings), detail))

  const interrupted: Outcomes["interrupted"] = (call) => {
    // The parts of a batch are accepted or refused separately; its caller judges them.
    if (call.endpoint.extended !== true && call.sendings.some(sendings.isExecuted)) {
      const detail = "after the service had accepted it"
      return inDoubt(call, sendings.connectionFailed(head(call), "Interrupted", true, detail), { isAccepted: true })
    }
    const failure = cutShort(call, "interrupted")
    return failure._tag === "OutcomeUnknown" ? failure : undefined
  }

  const unknown: Outcomes["unknown"] = (call, because) => inDoubt(call, doubt(call, because) ?? because, {})

  return { head, doubt, ended, unknown, read, cutShort, interrupted }
}
