import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Priority from "../../Priority.js"
import * as RateLimitStore from "../../RateLimitStore.js"
import type { GuardedStore } from "./guardedStore.js"
import * as monotonic from "../time/monotonic.js"
import { type Waiter, Waitlist } from "./waitlist.js"

/** What a call asks for. */
export interface Request<E> {
  readonly charges: ReadonlyArray<RateLimitStore.Charge>
  readonly priority: Priority.Name
  readonly turn?: number | undefined
  /** Ends the waiting when it fails. */
  readonly unless?: Effect.Effect<never, E> | undefined
}

export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export interface Dispatcher {
  /**
   * Waits for a reservation. To be run uninterruptibly: only the waiting is restored, so that a reservation is either handed to the call
   * or given back.
   */
  readonly acquire: <E>(
    request: Request<E>,
    deadline: Effect.Effect<Duration.Duration>,
    restore: Restore
  ) => Effect.Effect<RateLimitStore.Reservation, E | RateLimitStore.StoreUnreachable>
  /** Looks again whether there is room: to be run whenever there may be more. */
  readonly wake: Effect.Effect<void>
  /** The same, at once. */
  readonly unsafeWake: () => void
  readonly isAnyWaiting: () => boolean
  /** The number of calls that wait for a rate limit. */
  readonly waitingFor: (key: string) => number
}

/** A call that waits. */
interface Call extends Waiter {
  /** Names it in the queue of a store that processes share. */
  readonly id: number
  readonly charges: ReadonlyArray<RateLimitStore.Charge>
  readonly joinedAt: number
  /** How long it waits for a store that cannot be reached, in milliseconds. */
  readonly deadline: number
  /** Ends its waiting. */
  readonly end: (outcome: Effect.Effect<RateLimitStore.Reservation, RateLimitStore.StoreUnreachable>) => void
  /** What was handed over. A call that is interrupted in the same moment gives it back. */
  reservation: RateLimitStore.Reservation | undefined
}

// This process is not notified of a response to another process's call, nor when the store can be reached again.
const lookAgainAfter = 200

// Half of the time for which a shared store keeps a place in its queue.
const keepsItsPlace = 500

let ids = 0

const never = Number.POSITIVE_INFINITY

const callOf = (
  { charges, priority, turn = 0 }: Request<unknown>,
  deadline: Duration.Duration,
  joinedAt: number,
  end: Call["end"]
): Call => ({
  id: ++ids,
  rank: Priority.order.indexOf(priority),
  keys: charges.map(({ key }) => key),
  turn,
  class: `${priority} ${charges.map(({ cost, key }) => `${cost} ${key}`).join(" ")}`,
  charges,
  joinedAt,
  deadline: Duration.toMillis(deadline),
  end,
  reservation: undefined
})

/**
 * Waits for a turn, or for what ends the waiting. Not `Effect.raceFirst`: interrupted in the one step between making its fibers and
 * starting them, it waits for them forever.
 */
const awaited = <A, E>(
  turn: Deferred.Deferred<A, E>,
  unless: Effect.Effect<never, E> | undefined
): Effect.Effect<A, E> =>
  unless === undefined
    ? Deferred.await(turn)
    : Effect.acquireUseRelease(
        Effect.fork(Effect.catchAllCause(Effect.interruptible(unless), (cause) => Deferred.failCause(turn, cause))),
        () => Deferred.await(turn),
        Fiber.interruptFork
      )

/** Who waits, and since when the store cannot be reached. */
class Waiting {
  readonly list = new Waitlist<Call>()
  #unreachableSince: number | undefined

  /** What a call is charged now. One that was overtaken often enough leaves no places for those that overtook it. */
  chargesOf(call: Call): ReadonlyArray<RateLimitStore.Charge> {
    const leavesPlaces = call.charges.some(({ spare }) => spare !== undefined && spare > 0)
    return leavesPlaces && this.list.isOverdue(call)
      ? call.charges.map((charge) => ({ ...charge, spare: 0 }))
      : call.charges
  }

  /** How a call is queued among those of other processes: one that was overtaken often enough before all others. */
  waiterOf(call: Call): RateLimitStore.Waiter {
    return { id: call.id, rank: this.list.isOverdue(call) ? 0 : call.rank }
  }

  /** Gives whether the call was still waiting. */
  handOver(call: Call, reservation: RateLimitStore.Reservation): boolean {
    if (!this.list.serve(call)) return false
    call.reservation = reservation
    call.end(Effect.succeed(reservation))
    return true
  }

  reached(): void {
    this.#unreachableSince = undefined
  }

  /** Ends the waiting of those whose deadline is over. */
  unreached(askedAt: number, now: number): void {
    this.#unreachableSince ??= askedAt
    for (const call of [...this.list.all()]) {
      if (this.#leftOf(call, now) > 0) continue
      this.list.leave(call)
      const waited = Duration.millis(now - Math.max(this.#unreachableSince, call.joinedAt))
      call.end(Effect.fail(new RateLimitStore.StoreUnreachable({ waited })))
    }
  }

  /** The time until the first deadline, if the store cannot be reached until then. */
  untilDeadline(now: number): number {
    let least = never
    for (const call of this.list.all()) least = Math.min(least, this.#leftOf(call, now))
    return least
  }

  #leftOf(call: Call, now: number): number {
    return call.deadline - (now - Math.max(this.#unreachableSince ?? now, call.joinedAt))
  }
}

/** Hands out all the room there is, in order. Gives how long until there may be more. */
const makePass = (store: GuardedStore, waiting: Waiting) =>
  Effect.fnUntraced(function* () {
    const full = new Set<string>()
    let wait = never
    for (;;) {
      // What a call ahead waits for is not given to one behind it.
      const call = waiting.list.next(full)
      if (call === undefined) return wait
      const askedAt = yield* monotonic.millis
      const timeLimit = store.isLocal ? never : waiting.untilDeadline(askedAt)
      const result = yield* store.reserveWithin(waiting.chargesOf(call), waiting.waiterOf(call), timeLimit)
      if (result._tag === "Unreachable") {
        const now = yield* monotonic.millis
        waiting.unreached(askedAt, now)
        return Math.min(lookAgainAfter, waiting.untilDeadline(now))
      }
      waiting.reached()
      if (result._tag === "Taken") {
        const isHandedOver = waiting.handOver(call, result.reservation)
        if (!isHandedOver) yield* store.settle(result.reservation, "unsent", Duration.zero, Effect.void)
        continue
      }
      for (const key of result.keys) full.add(key)
      // A store that names none of the call's rate limits is not asked for ever.
      if (!call.keys.some((key) => full.has(key))) for (const key of call.keys) full.add(key)
      const retryAfter = Duration.isFinite(result.retryAfter) ? Duration.toMillis(result.retryAfter) : lookAgainAfter
      wait = Math.min(wait, store.isLocal ? never : keepsItsPlace, retryAfter)
    }
  })

/**
 * Serves the calls that wait for rate limits. One fiber, the owner, does so for as long as any call waits; it is begun by the first that
 * has to wait, and ends with the last.
 */
export const make = (store: GuardedStore): Dispatcher => {
  const waiting = new Waiting()
  const pass = makePass(store, waiting)
  let isOwned = false
  let changes = 0
  let sleeping: Deferred.Deferred<void> | undefined

  const unsafeWake = () => {
    changes += 1
    if (sleeping !== undefined) Deferred.unsafeDone(sleeping, Effect.void)
  }
  const wake = Effect.sync(unsafeWake)

  const own = Effect.fnUntraced(function* () {
    for (;;) {
      const before = changes
      const wait = yield* pass()
      // One step with what follows: a call that joins after it begins an owner of its own.
      if (waiting.list.size === 0) {
        isOwned = false
        return
      }
      // There may be more room than the pass has found.
      if (changes !== before) continue
      const woken = Deferred.unsafeMake<void>(FiberId.none)
      sleeping = woken
      // Whole milliseconds: a fraction may be too small to move the clock, and would be slept for ever.
      const slept = Number.isFinite(wait) ? Effect.sleep(Math.max(Math.ceil(wait), 1)) : Effect.never
      yield* Effect.raceFirst(slept, Deferred.await(woken))
      sleeping = undefined
    }
  })

  const join = (call: Call): Effect.Effect<void> =>
    Effect.suspend(() => {
      waiting.list.join(call)
      if (isOwned) return wake
      isOwned = true
      return Effect.asVoid(Effect.forkDaemon(Effect.interruptible(own())))
    })

  const leave = (call: Call): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (call.reservation !== undefined) return store.settle(call.reservation, "unsent", Duration.zero, wake)
      waiting.list.leave(call)
      return wake
    })

  const queue = <E>(request: Request<E>, deadline: Duration.Duration, restore: Restore) =>
    Effect.withFiberRuntime<RateLimitStore.Reservation, E | RateLimitStore.StoreUnreachable>((fiber) =>
      Effect.flatMap(monotonic.millis, (now) => {
        const turn = Deferred.unsafeMake<RateLimitStore.Reservation, E | RateLimitStore.StoreUnreachable>(fiber.id())
        const call = callOf(request, deadline, now, (outcome) => {
          Deferred.unsafeDone(turn, outcome)
        })
        return Effect.zipRight(
          join(call),
          Effect.onError(restore(awaited(turn, request.unless)), () => leave(call))
        )
      })
    )

  return {
    acquire: (request, deadline, restore) => {
      const queued = Effect.flatMap(deadline, (limit) => queue(request, limit, restore))
      // With an empty list there is no call to overtake. A store that is not local is left to the owner: its caller can be interrupted.
      return Effect.suspend(() =>
        !store.isLocal || waiting.list.size > 0
          ? queued
          : Effect.flatMap(store.reserve(request.charges), (result) =>
              result._tag === "Taken" ? Effect.succeed(result.reservation) : queued
            )
      )
    },
    wake,
    unsafeWake,
    isAnyWaiting: () => waiting.list.size > 0,
    waitingFor: (key) => waiting.list.waitingFor(key)
  }
}
