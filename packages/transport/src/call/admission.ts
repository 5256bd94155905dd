import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SendError, SendingSteps } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import type * as Failure from "../model/Failure.js"
import { isRefusedWith, type InterpretedResponse } from "../response/answer.js"
import * as banAnswer from "../response/banAnswer.js"
import type * as RateLimitStore from "../stores/RateLimitStore.js"

/** Whether a response is the service's ban of the address. */
export const isBan = (reading: InterpretedResponse): boolean => isRefusedWith(reading, "Banned")

/** Ends a sending that a ban prevents. `until`: milliseconds of the wall clock. */
export const stopByBan = (sending: SendingSteps, until: number): Effect.Effect<never, Failure.Banned> =>
  Effect.suspend(() => {
    sending.phase = { _tag: "Held", until }
    return banAnswer.makeBanned(sending.attempt, until)
  })

/** Waits for the rate limits of a sending, then at the gate. What the sending then occupies is released by `release`. */
export const admit = (sending: SendingSteps): Effect.Effect<void, SendError> =>
  Effect.suspend(() => {
    const { attempt, passage, ticket, venue } = sending
    const { gate, host, limiter } = venue
    const { charges, now, priority, turn } = attempt
    const queuedAt = now()
    const closed = Effect.flatMap(gate.whenClosed(host), (until) => stopByBan(sending, until))
    const charged = Effect.catchTag(
      limiter.acquire(ticket, { charges: charges.all, priority, turn, unless: closed }),
      "StoreUnreachable",
      ({ message }: RateLimitStore.StoreUnreachable) =>
        Effect.fail(sendings.connectionFailed(attempt, "RateLimitStore", false, message))
    )
    const entered = Effect.suspend(() => {
      attempt.waited += now() - queuedAt
      return gate.enter(passage, host, "fail")
    })
    // A call waits for the end of a ban without occupying its rate limits. A lease in a shared store is shorter than a ban, so the slots that this call then
    // uses could be given to others.
    return Effect.flatMap(sending.restore(Effect.zipRight(charged, entered)), (until) =>
      until > 0 ? stopByBan(sending, until) : Effect.void
    )
  })

/** Releases what a sending occupies, by its final phase. A ban closes the gate. */
export const release = (
  { attempt, passage, phase, ticket, venue }: SendingSteps,
  reading: InterpretedResponse | undefined
): Effect.Effect<void> => {
  const outcome = reading === undefined ? "unknown" : isBan(reading) ? "banned" : "unbanned"
  const arrivesWithin = Duration.millis(sendings.arrivesWithin(phase, attempt.now(), venue.journey))
  return Effect.zipRight(
    venue.gate.leave(passage, venue.host, outcome),
    venue.limiter.release(ticket, sendings.chargeOutcome(phase), arrivesWithin)
  )
}

/** Waits until no ban is known. */
export const awaitOpen = (sending: SendingSteps): Effect.Effect<void> => {
  const { attempt, venue } = sending
  return Effect.flatMap(venue.gate.closedUntil(venue.host), (until) =>
    until === 0
      ? Effect.void
      : Effect.flatMap(Effect.sleep(Math.max(until - attempt.wall(), 1)), () => awaitOpen(sending))
  )
}
