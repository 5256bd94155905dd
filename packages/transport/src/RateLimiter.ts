/**
 * Waits until every rate limit of a call has room. A call is charged to all of its limits in one step; waiting calls go by priority, and
 * after ten calls of a higher priority have overtaken it, the longest waiting call goes first.
 *
 * It differs from `effect/RateLimiter`, which hands out tokens at a rate: here windows are exact and rolling, several limits are charged
 * at once or not at all, a reservation is settled by its outcome (not sent, counted, refused), and the service's headers correct the
 * limits.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RateLimitStore from "./RateLimitStore.js"
import * as Priority from "./Priority.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class RateLimiter extends Context.Tag("@effect-venue/transport/RateLimiter")<RateLimiter, RateLimiter.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace RateLimiter {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /**
     * Waits until every charge fits, takes all of them in one step, and runs the call; `chargeOutcome` says whether the service
     * counted it. `unless` ends the waiting, as a ban does.
     */
    readonly charged: <A, E, R, E2 = never>(
      call: Effect.Effect<A, E, R>,
      options: {
        readonly charges: ReadonlyArray<RateLimitStore.Charge>
        readonly priority: Priority.Name
        readonly chargeOutcome?: (() => RateLimitStore.ChargeOutcome) | undefined
        readonly unless?: Effect.Effect<never, E2> | undefined
      }
    ) => Effect.Effect<A, E | E2, R>
    /** What the service said about a rate limit. */
    readonly observe: (charge: RateLimitStore.Charge, observation: RateLimitStore.Observation) => Effect.Effect<void>
    /** The service has granted a UID other calls a second for a type of business. */
    readonly grant: (host: string, uid: string, bizType: string, rate: number) => Effect.Effect<void>
    /** What was granted to a UID, where anything was. */
    readonly granted: (host: string, uid: string, bizType: string) => number | undefined
    /** The limit in force: what the service said last, or else what the charge knows. */
    readonly limit: (charge: RateLimitStore.Charge) => Effect.Effect<number>
    /** How the rate limits stand that were used so far. */
    readonly states: Effect.Effect<ReadonlyArray<State>>
  }
}

/**
 * How a rate limit stands, and how many calls wait for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface State extends RateLimitStore.State {
  readonly key: string
  readonly waiting: number
}

/** A call that waits. */
interface Waiter {
  readonly arrival: number
  reservation: RateLimitStore.Reservation | undefined
  /** When to look again; infinite while somebody ahead has to be served first. */
  retryAt: number
  /** Until when it sleeps, unless it is woken. */
  sleepsUntil: number
  /** Lets the call look at its reservation, or at when to try again. */
  wake: () => void
}

/** Calls that ask for the same and are served in their order. */
interface Waitlist {
  readonly name: string
  readonly rank: number
  readonly charges: ReadonlyArray<RateLimitStore.Charge>
  readonly waiters: Array<Waiter>
}

// After so many calls of a higher priority have passed a waiter on a rate limit, the one who has waited longest goes first.
const maxOvertakes = 10

const noop = (): void => undefined

const never = Number.POSITIVE_INFINITY

// A call that waits for an answer of somebody else's is told by nobody when it has come: the store may be shared by processes.
const lookAgainAfter = 200

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<RateLimiter.Shape, never, RateLimitStore.RateLimitStore> = Effect.gen(function* () {
  const store = yield* RateLimitStore.RateLimitStore
  const mutex = yield* Effect.makeSemaphore(1)
  const waitlists = new Map<string, Waitlist>()
  const charges = new Map<string, RateLimitStore.Charge>()
  const overtakes = new Map<string, number>()
  const grants = new Map<string, number>()
  let arrivals = 0

  const waitlistOf = (asked: ReadonlyArray<RateLimitStore.Charge>, priority: Priority.Name): Waitlist => {
    const name = `${priority} ${asked.map(({ cost, key }) => `${cost} ${key}`).join(" ")}`
    const known = waitlists.get(name)
    if (known !== undefined) return known
    const waitlist: Waitlist = { name, rank: Priority.order.indexOf(priority), charges: asked, waiters: [] }
    waitlists.set(name, waitlist)
    return waitlist
  }

  const arrivalOf = (waitlist: Waitlist): number => waitlist.waiters[0]?.arrival ?? Number.POSITIVE_INFINITY

  const isOverdue = (waitlist: Waitlist): boolean =>
    waitlist.charges.some(({ key }) => (overtakes.get(key) ?? 0) >= maxOvertakes)

  const isSooner = (waitlist: Waitlist, than: Waitlist): boolean =>
    waitlist.rank < than.rank || (waitlist.rank === than.rank && arrivalOf(waitlist) < arrivalOf(than))

  /** The line to be served next, of those whose rate limits are not full: an overdue one first, then by priority, then by arrival. */
  const nextOf = (full: ReadonlySet<string>): Waitlist | undefined => {
    let overdue: Waitlist | undefined
    let first: Waitlist | undefined
    for (const waitlist of waitlists.values()) {
      if (
        overtakes.size > 0 &&
        isOverdue(waitlist) &&
        (overdue === undefined || arrivalOf(waitlist) < arrivalOf(overdue))
      ) {
        overdue = waitlist
      }
      if (!isBlocked(waitlist, full) && (first === undefined || isSooner(waitlist, first))) first = waitlist
    }
    return overdue !== undefined && !isBlocked(overdue, full) ? overdue : first
  }

  const isBlocked = (waitlist: Waitlist, full: ReadonlySet<string>): boolean =>
    waitlist.waiters.length === 0 || (full.size > 0 && waitlist.charges.some(({ key }) => full.has(key)))

  const someWaitlist = (holds: (waitlist: Waitlist) => boolean): boolean => {
    for (const waitlist of waitlists.values()) if (holds(waitlist)) return true
    return false
  }

  /** Remembers on each rate limit whether a call of a higher priority has just passed one that came earlier. */
  const countOvertakes = (served: Waitlist, arrival: number): void => {
    for (const { key } of served.charges) {
      const passes = someWaitlist(
        (waitlist) =>
          waitlist.rank > served.rank &&
          arrivalOf(waitlist) < arrival &&
          waitlist.charges.some((charge) => charge.key === key)
      )
      if (passes) overtakes.set(key, (overtakes.get(key) ?? 0) + 1)
      else overtakes.delete(key)
    }
  }

  /** Serves the head of a line while there is room. Gives the keys that are full. */
  const serve = (waitlist: Waitlist, now: number): Effect.Effect<ReadonlyArray<string>> =>
    Effect.gen(function* () {
      for (;;) {
        const head = waitlist.waiters[0]
        if (head === undefined) return []
        const result = yield* store.reserve(waitlist.charges, now)
        if (result._tag === "Full") {
          head.retryAt = Number.isFinite(result.retryAt) ? result.retryAt : now + lookAgainAfter
          // Only for an earlier instant: two that woke each other for the same one would never sleep.
          if (head.retryAt < head.sleepsUntil) head.wake()
          return result.keys
        }
        waitlist.waiters.shift()
        countOvertakes(waitlist, head.arrival)
        head.reservation = result.reservation
        head.wake()
        // One at a time where somebody of another line may be due next.
        if (waitlists.size > 1) return []
      }
    })

  /** Gives out all the room there is, in order. */
  const dispatch: Effect.Effect<void> = Effect.suspend(() => (waitlists.size === 0 ? Effect.void : giveOut))

  const giveOut: Effect.Effect<void> = mutex.withPermits(1)(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const full = new Set<string>()
      for (const { waiters } of waitlists.values()) if (waiters[0] !== undefined) waiters[0].retryAt = never
      for (;;) {
        // What someone ahead waits for is not given to someone behind.
        const next = nextOf(full)
        if (next === undefined) return
        for (const key of yield* serve(next, now)) full.add(key)
        if (next.waiters.length === 0) waitlists.delete(next.name)
      }
    })
  )

  const join = (waitlist: Waitlist): Waiter => {
    const waiter: Waiter = {
      arrival: ++arrivals,
      reservation: undefined,
      retryAt: never,
      sleepsUntil: never,
      wake: noop
    }
    waitlists.set(waitlist.name, waitlist)
    waitlist.waiters.push(waiter)
    return waiter
  }

  const leave = (waitlist: Waitlist, waiter: Waiter): Effect.Effect<void> =>
    Effect.suspend(() => {
      const index = waitlist.waiters.indexOf(waiter)
      if (index >= 0) waitlist.waiters.splice(index, 1)
      if (waitlist.waiters.length === 0) waitlists.delete(waitlist.name)
      return waiter.reservation === undefined ? dispatch : giveBack(waiter.reservation)
    })

  const giveBack = (reservation: RateLimitStore.Reservation): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.zipRight(store.settle(reservation, now, "unsent"), dispatch)
    )

  /** Until somebody wakes it, or it is time to look again. */
  const pause = (waiter: Waiter, now: number): Effect.Effect<void> => {
    const woken = Effect.async<void>((resume) => {
      waiter.wake = () => resume(Effect.void)
      if (waiter.reservation !== undefined) waiter.wake()
      return Effect.sync(() => {
        waiter.wake = noop
      })
    })
    waiter.sleepsUntil = waiter.retryAt
    // Whole milliseconds: where the clock tells fractions, what is left of one may be too small to move it, and would be
    // slept for forever.
    return Number.isFinite(waiter.retryAt)
      ? Effect.raceFirst(Effect.sleep(Math.max(Math.ceil(waiter.retryAt - now), 0)), woken)
      : woken
  }

  const waitForTurn = (waiter: Waiter): Effect.Effect<RateLimitStore.Reservation> =>
    Effect.gen(function* () {
      for (;;) {
        yield* dispatch
        if (waiter.reservation !== undefined) return waiter.reservation
        const now = yield* Clock.currentTimeMillis
        yield* pause(waiter, now)
      }
    })

  /** Takes its place in a line, and waits there until it is served. */
  const queue = <E2>(
    waitlist: Waitlist,
    unless: Effect.Effect<never, E2> | undefined,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.Effect<RateLimitStore.Reservation, E2> =>
    Effect.suspend(() => {
      const waiter = join(waitlist)
      return Effect.flatMap(dispatch, () => {
        if (waiter.reservation !== undefined) return Effect.succeed(waiter.reservation)
        const turn = waitForTurn(waiter)
        return Effect.onError(restore(unless === undefined ? turn : Effect.raceFirst(turn, unless)), () =>
          leave(waitlist, waiter)
        )
      })
    })

  /** Where nobody waits there is nobody to go before: who finds room takes it, and who does not is the first to wait. */
  const enter = <E2>(
    asked: ReadonlyArray<RateLimitStore.Charge>,
    priority: Priority.Name,
    unless: Effect.Effect<never, E2> | undefined,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.Effect<RateLimitStore.Reservation, E2> =>
    Effect.suspend(() => {
      const queued = Effect.suspend(() => queue(waitlistOf(asked, priority), unless, restore))
      if (waitlists.size > 0) return queued
      return Effect.clockWith((clock) =>
        Effect.flatMap(store.reserve(asked, clock.unsafeCurrentTimeMillis()), (result) => {
          if (result._tag === "Full") return queued
          for (const { key } of asked) overtakes.delete(key)
          return Effect.succeed(result.reservation)
        })
      )
    })

  return {
    charged: (call, { charges: asked, priority, chargeOutcome, unless }) => {
      if (asked.length === 0) return call
      for (const charge of asked) charges.set(charge.key, charge)
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(enter(asked, priority, unless, restore), (reservation) =>
          Effect.ensuring(
            restore(call),
            Effect.clockWith((clock) =>
              Effect.zipRight(
                store.settle(reservation, clock.unsafeCurrentTimeMillis(), chargeOutcome?.() ?? "counted"),
                dispatch
              )
            )
          )
        )
      )
    },
    observe: (charge, observation) => Effect.zipRight(store.observe(charge, observation), dispatch),
    grant: (host, uid, bizType, rate) => Effect.sync(() => void grants.set(`${host} ${uid} ${bizType}`, rate)),
    granted: (host, uid, bizType) => grants.get(`${host} ${uid} ${bizType}`),
    limit: (charge) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(store.state(charge, now), ({ limit }) => limit)),
    states: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.forEach([...charges.values()], (charge) =>
        Effect.map(store.state(charge, now), (state) => ({
          ...state,
          key: charge.key,
          waiting: [...waitlists.values()]
            .filter((waitlist) => waitlist.charges.some(({ key }) => key === charge.key))
            .reduce((sum, waitlist) => sum + waitlist.waiters.length, 0)
        }))
      )
    )
  }
})

/**
 * The queue over a store of the application's own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<RateLimiter, never, RateLimitStore.RateLimitStore> = Layer.effect(RateLimiter, make)

/**
 * The queue and its rate limits in the memory of this process, shared by everything that the layer is given to.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimiter> = layer.pipe(Layer.provide(RateLimitStore.layerMemory))
