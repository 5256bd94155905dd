import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as BanGate from "../bans/BanGate.js"
import type * as Failure from "../model/Failure.js"
import { isRefusedWith, type InterpretedResponse } from "../response/answer.js"
import * as banAnswer from "../response/banAnswer.js"
import type { Attempt } from "../attempt/callState.js"
import * as localGate from "../bans/localGate.js"
import * as localLimiter from "../limits/localLimiter.js"
import type { LimitHeaders } from "../response/limitAnswer.js"
import { within } from "../model/callContext.js"
import * as sendings from "../attempt/sending.js"
import type * as RateLimiter from "../limits/RateLimiter.js"
import type * as RateLimitStore from "../stores/RateLimitStore.js"
import { andThen, ensuring, interruptibleWhereItWaits, type Restore } from "../model/ended.js"

/** The dependencies of admission. */
export interface AdmissionDependencies {
  readonly host: string
  readonly limiter: RateLimiter.RateLimiter.Shape
  readonly gate: BanGate.BanGate.Shape
  readonly arrivesWithin: Duration.Duration
}

/** The end of a sending that a ban prevents. */
export const stopByBan = (attempt: Attempt, sending: sendings.Sending, until: number) => {
  sending.phase = { _tag: "Held", until }
  return banAnswer.makeBanned(attempt, until)
}

const failUnlimited =
  (attempt: Attempt) =>
  ({ message }: RateLimitStore.StoreUnreachable) =>
    Effect.fail(sendings.connectionFailed(attempt, "RateLimitStore", false, message))

/** Why a sending has no response. */
export type SendError = HttpClientError.HttpClientError | Failure.Banned | Failure.Blocked | Failure.ConnectionFailed

/** Whether a response is the service's ban of the address. */
export const isBan = (reading: InterpretedResponse): boolean => isRefusedWith(reading, "Banned")

type Next = (restore: Restore) => Effect.Effect<InterpretedResponse, SendError>

/** The rate limits and the gate of a transport. The direct versions exist if the services are in memory. */
export interface Admission extends Pick<AdmissionDependencies, "gate" | "host" | "limiter"> {
  readonly directGate: localGate.LocalGate | undefined
  readonly directLimiter: localLimiter.LocalLimiter | undefined
  /** How long after sending a request can still arrive at the service, in milliseconds. */
  readonly journey: number
}

/** The end of the ban, in milliseconds of the wall clock; 0 without a ban. */
export const readBanEnd = ({ directGate, gate, host }: Admission): Effect.Effect<number> =>
  directGate?.isOpen(host) === true ? Exit.succeed(0) : gate.closedUntil(host)

const throughGate = (
  { directGate, gate, host }: Admission,
  attempt: Attempt,
  sending: sendings.Sending,
  restore: Restore,
  next: Next
): Effect.Effect<InterpretedResponse, SendError> => {
  if (directGate?.isOpen(host) === true) {
    return andThen(next(restore), (reading) =>
      isBan(reading) ? Effect.as(directGate.ban(host), reading) : Exit.succeed(reading)
    )
  }
  // A call waits for the end of a ban without occupying its rate limits. A lease in a shared store is shorter than a ban, so the slots that this call then
  // uses could be given to others.
  const stop = (until: number) => Effect.suspend(() => stopByBan(attempt, sending, until))
  return restore(gate.pass(interruptibleWhereItWaits(next), { host, isBanned: isBan, closed: stop }))
}

/** Waits for the rate limits, then passes the gate. Settles the rate limits by the final phase of the sending. */
export const admit = (
  admission: Admission,
  attempt: Attempt,
  sending: sendings.Sending,
  restore: Restore,
  next: Next
): Effect.Effect<InterpretedResponse, SendError> => {
  const { directLimiter, gate, host, journey, limiter } = admission
  const { charges, now, priority, turn } = attempt
  const queuedAt = now()
  const enterGate: Next = (restore) => {
    attempt.waited += now() - queuedAt
    return throughGate(admission, attempt, sending, restore, next)
  }
  const outcome = () => sendings.chargeOutcome(sending.phase)
  const arrives = () => sendings.arrivesWithin(sending.phase, now(), journey)
  const reservation = directLimiter?.take(charges.all, priority, queuedAt)
  if (directLimiter !== undefined && reservation !== undefined) {
    return ensuring(
      () => enterGate(restore),
      () => {
        directLimiter.settle(reservation, outcome(), now() + arrives())
        return Exit.void
      }
    )
  }
  const charged = limiter.charged(interruptibleWhereItWaits(enterGate), {
    charges: charges.all,
    priority,
    turn,
    chargeOutcome: outcome,
    arrivesWithin: () => Duration.millis(arrives()),
    unless: Effect.flatMap(gate.whenClosed(host), (until) => stopByBan(attempt, sending, until))
  })
  return restore(within(attempt.call.around, Effect.catchTag(charged, "StoreUnreachable", failUnlimited(attempt))))
}

/** When a response was received, in milliseconds of the monotonic clock, how long it took, and whether it refused the request for its rate. */
interface Received {
  readonly receivedAt: number
  readonly roundTrip: number
  readonly refused: boolean
}

/** Applies the limit of the UID that a response reports. */
export const observe = (
  { directLimiter, limiter }: Admission,
  attempt: Attempt,
  { limit, remaining, resetAt }: LimitHeaders,
  { receivedAt, refused, roundTrip }: Received
): Effect.Effect<void> => {
  const { ofUid } = attempt.charges
  if (Option.isNone(ofUid)) return Exit.void
  const resetAfter = resetAt === undefined ? 0 : resetAt - receivedAt
  const observation: RateLimitStore.Observation = {
    roundTrip: Duration.millis(roundTrip),
    refused,
    limit,
    remaining,
    resetAfter: resetAfter > 0 ? Duration.millis(resetAfter) : undefined
  }
  if (directLimiter === undefined) return limiter.observe(ofUid.value, observation)
  directLimiter.observe(ofUid.value, observation, attempt.now())
  return Exit.void
}

/** Runs a turn once no ban is known. */
export const whenOpen = <A, E>(
  admission: Admission,
  attempt: Attempt,
  turn: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(admission.gate.closedUntil(admission.host), (until) =>
    until === 0
      ? turn
      : Effect.zipRight(Effect.sleep(Math.max(until - attempt.wall(), 1)), whenOpen(admission, attempt, turn))
  )

/** Prepares the parts that all sendings share. */
export const make = ({ arrivesWithin, gate, host, limiter }: AdmissionDependencies): Admission => ({
  ...{ gate, host, limiter },
  directGate: localGate.ofService.get(gate),
  directLimiter: localLimiter.ofService.get(limiter),
  journey: Duration.toMillis(arrivesWithin)
})
