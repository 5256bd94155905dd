import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as RateLimitStore from "./RateLimitStore.js"
import * as reachability from "./reachability.js"

/** A store whose operations do not die, and that delays only the calls that need its reply. */
export interface GuardedStore {
  readonly isLocal: boolean
  readonly reserve: RateLimitStore.RateLimitStore.Shape["reserve"]
  /** Like `reserve`, but returns `Unreachable` if a store that is not local has not replied within `millis`. */
  readonly reserveWithin: (
    charges: ReadonlyArray<RateLimitStore.Charge>,
    waiter: RateLimitStore.Waiter,
    millis: number
  ) => Effect.Effect<RateLimitStore.ReserveResult>
  /** Settles, then runs the next effect. In the background if the store is not local. */
  readonly settle: (
    reservation: RateLimitStore.Reservation,
    outcome: RateLimitStore.ChargeOutcome,
    arrivesWithin: Duration.Duration,
    then: Effect.Effect<void>
  ) => Effect.Effect<void>
  /** Observes, then runs the next effect. In the background if the store is not local. */
  readonly observe: (
    charge: RateLimitStore.Charge,
    observation: RateLimitStore.Observation,
    then: Effect.Effect<void>
  ) => Effect.Effect<void>
  readonly state: (charge: RateLimitStore.Charge) => Effect.Effect<RateLimitStore.State>
}

// A call whose write was executed must not end with a defect of the store.
const logFailures = <A>(operation: string, effect: Effect.Effect<A>, otherwise: A): Effect.Effect<A> =>
  Effect.catchAllCause(effect, (cause) =>
    Effect.as(Effect.logWarning(`the store of the rate limits failed: ${operation}`, cause), otherwise)
  )

const unreachable: RateLimitStore.ReserveResult = { _tag: "Unreachable" }

const afterwards = (millis: number): Effect.Effect<void> =>
  Number.isFinite(millis) ? Effect.sleep(Math.max(Math.ceil(millis), 1)) : Effect.never

export const make = (store: RateLimitStore.RateLimitStore.Shape): GuardedStore => {
  const isLocal = store.isLocal === true

  const background = (effect: Effect.Effect<void>): Effect.Effect<void> =>
    isLocal ? effect : Effect.asVoid(Effect.forkDaemon(effect))

  const report = reachability.make("the store of the rate limits")

  const reserve: GuardedStore["reserve"] = (charges, waiter) =>
    Effect.tap(logFailures("reserve", store.reserve(charges, waiter), unreachable), ({ _tag }) =>
      report(_tag !== "Unreachable")
    )

  const settle: RateLimitStore.RateLimitStore.Shape["settle"] = (reservation, outcome, arrivesWithin) =>
    logFailures("settle", store.settle(reservation, outcome, arrivesWithin), undefined)

  const reserveWithin: GuardedStore["reserveWithin"] = (charges, waiter, millis) =>
    Effect.gen(function* () {
      const isAnswered = yield* Deferred.make<void>()
      let answer: RateLimitStore.ReserveResult | undefined
      let isGivenUp = false
      const attempt = Effect.flatMap(reserve(charges, waiter), (result) => {
        // A late reservation is released.
        if (isGivenUp)
          return result._tag === "Taken" ? settle(result.reservation, "unsent", Duration.zero) : Effect.void
        answer = result
        return Deferred.succeed(isAnswered, undefined)
      })
      yield* Effect.forkDaemon(attempt)
      yield* Effect.raceFirst(Deferred.await(isAnswered), afterwards(Math.min(millis, reachability.slowAfter)))
      if (answer === undefined) {
        yield* report(false)
        if (millis > reachability.slowAfter) {
          yield* Effect.raceFirst(Deferred.await(isAnswered), afterwards(millis - reachability.slowAfter))
        }
      }
      // In the same step: the reply is either used or released.
      if (answer === undefined) isGivenUp = true
      return answer ?? unreachable
    })

  return {
    isLocal,
    reserve,
    reserveWithin: isLocal ? reserve : reserveWithin,
    settle: (reservation, outcome, arrivesWithin, then) =>
      background(Effect.zipRight(settle(reservation, outcome, arrivesWithin), then)),
    observe: (charge, observation, then) =>
      background(Effect.zipRight(logFailures("observe", store.observe(charge, observation), undefined), then)),
    state: store.state
  }
}
