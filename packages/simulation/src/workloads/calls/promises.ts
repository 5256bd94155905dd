/** The promises of a plan of calls, for each of them and for the whole run. */
import * as Exchange from "../../models/Exchange.js"
import type * as Journal from "../../world/Journal.js"
import type * as Plan from "./Plan.js"
import * as Requests from "./requests.js"

/** The instant by which the caller has left. */
const deadlineOf = ({ at, interruptedAfter, timeout }: Plan.PlannedCall): number | undefined =>
  interruptedAfter === undefined && timeout === undefined
    ? undefined
    : at + Math.min(interruptedAfter ?? Number.POSITIVE_INFINITY, timeout ?? Number.POSITIVE_INFINITY)

/** Five attempts of ten seconds with their waits, signatures and turns for limits; longer than any call takes without a ban. */
const longest = 300_000

/** How long a request without an answer can be under way, and a window of a rate limit. */
const journey = 11_000

/** How many requests a wrapped client makes of one. */
const repeatsOf: Record<Plan.Wrapper, number> = {
  none: 1,
  answering: 1,
  hedging: 2,
  holding: 1,
  racing: 2,
  retrying: 3
}

/**
 * Requests that no answer can reach in time keep their place in a rate limit for their journey, and calls of one kind wait for each other: five attempts of
 * each call, one after the other.
 */
const longestOf = ({ attemptTimeout, calls, faults, latency, wrapper }: Plan.CallsPlan, kind: Plan.Kind): number => {
  if (faults.probability === 0 && attemptTimeout > 3 * latency) return longest
  const requests = calls.filter((call) => call.kind === kind).length * 5 * repeatsOf[wrapper]
  return Math.max(longest, requests * (attemptTimeout + journey))
}

/** The instant by which a call is reported: soon if nothing goes wrong, otherwise when all attempts are over, and a ban with them. */
const doneByOf = (plan: Plan.CallsPlan, { at, kind }: Plan.PlannedCall): number => {
  const { bannedAt, calls, faults, latency, orderLimit, signing } = plan
  const latest = at + longestOf(plan, kind)
  if (bannedAt !== undefined) return latest + 2 * Exchange.banLength
  const isUndisturbed = faults.probability === 0 && orderLimit === undefined && plan.wrapper === "none"
  const isCalm = isUndisturbed && !plan.isDispatched && plan.attemptTimeout > 3 * latency
  if (!isCalm || calls.some((call) => deadlineOf(call) !== undefined)) return latest
  const rounds = calls.filter((call) => call.kind === kind).length + 2
  return at + rounds * (1_001 + 3 * latency + signing)
}

export const ofCall = (
  plan: Plan.CallsPlan,
  call: Plan.PlannedCall
): Omit<Journal.Of<"Requested">, "_tag" | "at" | "call" | "seq"> => ({
  process: String(call.process),
  safety: Requests.safetyOf(call.kind),
  begins: call.at,
  isWaiting: plan.isWaiting,
  isCreating: call.kind !== "cancel" && call.kind !== "read",
  deadline: deadlineOf(call),
  doneBy: doneByOf(plan, call)
})

/** Whether calls leave in the order of their beginnings: none waits for a connection, a signature, a wrapper or the end of a ban. */
export const isOrdered = ({ bannedAt, isDispatched, signing, wrapper }: Plan.CallsPlan): boolean =>
  !isDispatched && bannedAt === undefined && signing === 0 && wrapper === "none"

/** Calls of one kind wait in one line. */
export const placeOf = ({ kind, process }: Plan.PlannedCall) => ({
  rank: 0,
  line: `${process} ${kind}`,
  spare: 0,
  costs: []
})

export const ofRun = (plan: Plan.CallsPlan): Journal.Conditions => {
  const { faults, jumps, latency, signing, wrapper } = plan
  const mayFail = (fault: Plan.CallsPlan["faults"]["kinds"][number]) =>
    faults.probability > 0 && faults.kinds.includes(fault)
  const isAlone = !plan.isDispatched || plan.sharing !== "none"
  return {
    banLength: Exchange.banLength,
    // A copy, or a request that arrives when its call has ended, uses a place that the library cannot count.
    isLimitOurs:
      isAlone &&
      (plan.orderLimit === undefined || plan.isGranted) &&
      !mayFail("doubled") &&
      !mayFail("lateRequest") &&
      !mayFail("startedLate"),
    isClockLearnable:
      !plan.isDispatched && latency + signing <= 2_000 && !mayFail("lateRequest") && wrapper !== "answering",
    isSteady: jumps.length === 0 && wrapper !== "answering" && !plan.isDispatched,
    // Slots that contradict their positions or say nothing prove nothing, and neither does an answer that a wrapper created.
    isClear: plan.batches === "right" && wrapper !== "answering" && !plan.isDispatched,
    isHedging: wrapper === "hedging",
    isRacing: wrapper === "racing" || wrapper === "hedging",
    isDirect: wrapper !== "hedging" && wrapper !== "answering",
    isLocal: plan.sharing === "none",
    isServed: plan.sharing !== "lossy"
  }
}
