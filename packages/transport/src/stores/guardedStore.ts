import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as RateLimitStore from "./RateLimitStore.js"
import * as monotonic from "../time/monotonic.js"
import * as reachability from "./reachability.js"
import type { RollingLimits } from "./rollingLimits.js"

/** How a call has ended that had a reservation. */
export interface Settlement {
  readonly reservation: RateLimitStore.Reservation
  readonly outcome: RateLimitStore.ChargeOutcome
  readonly arrivesWithin: Duration.Duration
}

/** A store whose operations do not die, and that delays only the calls that need its reply. `clock` is the local clock of the call. */
export interface GuardedStore {
  readonly isLocal: boolean
  /** Takes the charges in this step, if the limits are in the memory of this process and have room. */
  readonly take: (
    charges: ReadonlyArray<RateLimitStore.Charge>,
    clock: Clock.Clock
  ) => RateLimitStore.Reservation | undefined
  /** Reserves, but returns `Unreachable` if a store that is not local has not replied within `millis`. */
  readonly reserveWithin: (
    charges: ReadonlyArray<RateLimitStore.Charge>,
    waiter: RateLimitStore.Waiter,
    millis: number
  ) => Effect.Effect<RateLimitStore.ReserveResult>
  /** Settles, then calls `then`. In the background if the store is not local. */
  readonly settle: (settlement: Settlement, clock: Clock.Clock, then: () => void) => Effect.Effect<void>
  /** Observes, then calls `then`. In the background if the store is not local. */
  readonly observe: (
    charge: RateLimitStore.Charge,
    observation: RateLimitStore.Observation,
    clock: Clock.Clock,
    then: () => void
  ) => Effect.Effect<void>
  readonly state: (charge: RateLimitStore.Charge) => Effect.Effect<RateLimitStore.State>
}

/** Guards limits in the memory of this process, whose operations end in the step that begins them. */
export const makeLocal = (limits: RollingLimits): GuardedStore => ({
  isLocal: true,
  take: (charges, clock) => {
    const result = limits.reserve(charges, monotonic.unsafeMillis(clock))
    return result._tag === "Taken" ? result.reservation : undefined
  },
  reserveWithin: (charges) => Effect.map(monotonic.millis, (now) => limits.reserve(charges, now)),
  settle: ({ arrivesWithin, outcome, reservation }, clock, then) => {
    limits.settle(reservation, outcome, monotonic.unsafeMillis(clock) + Duration.toMillis(arrivesWithin))
    then()
    return Exit.void
  },
  observe: (charge, observation, clock, then) => {
    limits.observe(charge, observation, monotonic.unsafeMillis(clock))
    then()
    return Exit.void
  },
  state: (charge) => Effect.map(monotonic.millis, (now) => limits.state(charge, now))
})

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

  const reserve: RateLimitStore.RateLimitStore.Shape["reserve"] = (charges, waiter) =>
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
    take: () => undefined,
    reserveWithin: isLocal ? reserve : reserveWithin,
    settle: ({ arrivesWithin, outcome, reservation }, _, then) =>
      background(Effect.map(settle(reservation, outcome, arrivesWithin), then)),
    observe: (charge, observation, _, then) =>
      background(Effect.map(logFailures("observe", store.observe(charge, observation), undefined), then)),
    state: store.state
  }
}
