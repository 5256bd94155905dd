import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import { constVoid } from "effect/Function"
import * as Priorities from "../model/Priorities.js"
import * as RateLimitStore from "../stores/RateLimitStore.js"
import type { GuardedStore } from "../stores/guardedStore.js"
import * as monotonic from "../time/monotonic.js"
import type { AcquireOptions, Ticket } from "./RateLimiter.js"
import { type ListedWaiter, Waitlist } from "./waitlist.js"

/** A request for rate limits. */
export interface LimitRequest<E> extends AcquireOptions<E> {
  readonly ticket: Ticket
}

export interface Dispatcher {
  /** Waits for a reservation, and stores it in the ticket of the request. */
  readonly acquire: <E>(
    request: LimitRequest<E>,
    deadline: Effect.Effect<Duration.Duration>,
    clock: Clock.Clock
  ) => Effect.Effect<void, E | RateLimitStore.StoreUnreachable>
  /** Checks for room again. Call it whenever there can be more. */
  readonly wake: () => void
  /** The number of calls that wait for a rate limit. */
  readonly waitingFor: (key: string) => number
}

/** A call that waits. */
interface Call extends ListedWaiter {
  /** Identifies the call in the queue of a store that processes share. */
  readonly id: number
  readonly charges: ReadonlyArray<RateLimitStore.Charge>
  readonly joinedAt: number
  /** How long it waits for an unreachable store, in milliseconds. */
  readonly deadline: number
  readonly ticket: Ticket
  /** Ends its waiting. */
  readonly end: (outcome: Effect.Effect<void, RateLimitStore.StoreUnreachable>) => void
}

// This process is not notified of a response to another process's call, nor when the store becomes reachable again.
const lookAgainAfter = 200

// Half of the time for which a shared store keeps a position in its queue.
const keepsItsPlace = 500

let ids = 0

const never = Number.POSITIVE_INFINITY

const callOf = (
  { charges, priority, ticket, turn = 0 }: LimitRequest<unknown>,
  deadline: Duration.Duration,
  joinedAt: number,
  end: Call["end"]
): Call => ({
  id: ++ids,
  rank: Priorities.order.indexOf(priority),
  keys: charges.map(({ key }) => key),
  turn,
  class: `${priority} ${charges.map(({ cost, key }) => `${cost} ${key}`).join(" ")}`,
  charges,
  joinedAt,
  deadline: Duration.toMillis(deadline),
  ticket,
  end
})

/**
 * Waits for a turn, or for the end of the waiting. `Effect.raceFirst` would wait forever for its fibers if it is interrupted in the step between creating and
 * starting them.
 */
const awaitTurn = <A, E>(
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

/** The waiting calls, and since when the store is unreachable. */
class Waiting {
  readonly list = new Waitlist<Call>()
  #unreachableSince: number | undefined

  /** The present charges of a call. A call that was overtaken often enough leaves no room for those that overtook it. */
  chargesOf(call: Call): ReadonlyArray<RateLimitStore.Charge> {
    const leavesPlaces = call.charges.some(({ spare }) => spare !== undefined && spare > 0)
    return leavesPlaces && this.list.isOverdue(call)
      ? call.charges.map((charge) => ({ ...charge, spare: 0 }))
      : call.charges
  }

  /** The queue position of a call among those of other processes. A call that was overtaken often enough is first. */
  waiterOf(call: Call): RateLimitStore.Waiter {
    return { id: call.id, rank: this.list.isOverdue(call) ? 0 : call.rank }
  }

  /** Returns whether the call was still waiting. */
  handOver(call: Call, reservation: RateLimitStore.Reservation): boolean {
    if (!this.list.serve(call)) return false
    call.ticket.reservation = reservation
    call.end(Effect.void)
    return true
  }

  reached(): void {
    this.#unreachableSince = undefined
  }

  /** Ends the waiting of the calls whose deadline is over. */
  unreached(askedAt: number, now: number): void {
    this.#unreachableSince ??= askedAt
    for (const call of [...this.list.all()]) {
      if (this.#leftOf(call, now) > 0) continue
      this.list.leave(call)
      const waited = Duration.millis(now - Math.max(this.#unreachableSince, call.joinedAt))
      call.end(Effect.fail(new RateLimitStore.StoreUnreachable({ waited })))
    }
  }

  /** The time until the first deadline, if the store stays unreachable. */
  untilDeadline(now: number): number {
    let least = never
    for (const call of this.list.all()) least = Math.min(least, this.#leftOf(call, now))
    return least
  }

  #leftOf(call: Call, now: number): number {
    return call.deadline - (now - Math.max(this.#unreachableSince ?? now, call.joinedAt))
  }
}

/** Serves waiting calls in order until a limit is full. Returns the time until the next attempt. */
const makePass = (store: GuardedStore, waiting: Waiting) =>
  Effect.fnUntraced(function* () {
    const full = new Set<string>()
    let wait = never
    for (;;) {
      // The room that a call waits for is not given to a later call.
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
        if (!isHandedOver) {
          const { reservation } = result
          const settlement = { reservation, outcome: "unsent", arrivesWithin: Duration.zero } as const
          yield* store.settle(settlement, yield* Clock.clockWith(Effect.succeed), constVoid)
        }
        continue
      }
      for (const key of result.keys) full.add(key)
      // Prevents an endless loop with a store that names none of the call's rate limits.
      if (!call.keys.some((key) => full.has(key))) for (const key of call.keys) full.add(key)
      const retryAfter = Duration.isFinite(result.retryAfter) ? Duration.toMillis(result.retryAfter) : lookAgainAfter
      wait = Math.min(wait, store.isLocal ? never : keepsItsPlace, retryAfter)
    }
  })

/**
 * The fiber that serves waiting calls. It runs while any call waits: the first waiting call starts it, and it ends with the last.
 *
 * Not a `FiberHandle`: that forgets a fiber some steps after its last one, so a call that joins in between would start none. A limiter also needs no scope.
 */
class Owner {
  readonly #waiting: Waiting
  readonly #pass: () => Effect.Effect<number>
  #isRunning = false
  #changes = 0
  #sleeping: Deferred.Deferred<void> | undefined

  constructor(waiting: Waiting, pass: () => Effect.Effect<number>) {
    this.#waiting = waiting
    this.#pass = pass
  }

  wake(): void {
    this.#changes += 1
    if (this.#sleeping !== undefined) Deferred.unsafeDone(this.#sleeping, Effect.void)
  }

  /** Starts it, or wakes it. */
  start(): Effect.Effect<void> {
    if (this.#isRunning) return Effect.sync(() => this.wake())
    this.#isRunning = true
    return Effect.asVoid(Effect.forkDaemon(Effect.interruptible(this.#run())))
  }

  #run = Effect.fnUntraced(function* (this: Owner) {
    for (;;) {
      const before = this.#changes
      const wait = yield* this.#pass()
      // In the same step as its end: a call that joins later starts it again.
      if (this.#waiting.list.size === 0) {
        this.#isRunning = false
        return
      }
      // More room can be free than the pass has found.
      if (this.#changes !== before) continue
      const woken = Deferred.unsafeMake<void>(FiberId.none)
      this.#sleeping = woken
      // Whole milliseconds, because a fraction can be too small to move the clock, which would repeat the sleep forever.
      const slept = Number.isFinite(wait) ? Effect.sleep(Math.max(Math.ceil(wait), 1)) : Effect.never
      yield* Effect.raceFirst(slept, Deferred.await(woken))
      this.#sleeping = undefined
    }
  })
}

/** Serves the calls that wait for rate limits. */
export const make = (store: GuardedStore): Dispatcher => {
  const waiting = new Waiting()
  const owner = new Owner(waiting, makePass(store, waiting))

  const join = (call: Call): Effect.Effect<void> =>
    Effect.suspend(() => {
      waiting.list.join(call)
      return owner.start()
    })

  const leave = (call: Call): Effect.Effect<void> =>
    Effect.sync(() => {
      waiting.list.leave(call)
      owner.wake()
    })

  const queue = <E>(request: LimitRequest<E>, deadline: Duration.Duration) =>
    Effect.withFiberRuntime<void, E | RateLimitStore.StoreUnreachable>((fiber) =>
      Effect.flatMap(monotonic.millis, (now) => {
        const turn = Deferred.unsafeMake<void, E | RateLimitStore.StoreUnreachable>(fiber.id())
        const call = callOf(request, deadline, now, (outcome) => {
          Deferred.unsafeDone(turn, outcome)
        })
        return Effect.uninterruptibleMask((restore) =>
          Effect.zipRight(
            join(call),
            Effect.onError(restore(awaitTurn(turn, request.unless)), () => leave(call))
          )
        )
      })
    )

  return {
    acquire: (request, deadline, clock) => {
      // With an empty list no call is overtaken.
      const reservation = waiting.list.size === 0 ? store.take(request.charges, clock) : undefined
      if (reservation === undefined) return Effect.flatMap(deadline, (limit) => queue(request, limit))
      request.ticket.reservation = reservation
      return Exit.void
    },
    wake: () => owner.wake(),
    waitingFor: (key) => waiting.list.waitingFor(key)
  }
}
