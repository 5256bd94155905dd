/**
 * Waits until every rate limit of a call has room. A call is charged to all of its limits in one step. Waiting calls are served by priority; after ten calls
 * of a higher priority have overtaken it, the longest waiting call is next.
 *
 * It differs from `effect/RateLimiter`, which hands out tokens at a rate: here windows are exact and rolling, several limits are charged at once or not at
 * all, a reservation is settled by its outcome (not sent, counted, refused), and the service's headers correct the limits.
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as address from "../model/address.js"
import * as dispatcher from "./dispatcher.js"
import type * as CallOptions from "../model/CallOptions.js"
import * as guarded from "../stores/guardedStore.js"
import type * as Limits from "./Limits.js"
import * as RateLimitStore from "../stores/RateLimitStore.js"
import { RollingLimits } from "../stores/rollingLimits.js"
import { inherit as inheriting } from "../model/Inherit.js"

export class RateLimiter extends Context.Tag("@effect-venue/transport/RateLimiter")<RateLimiter, RateLimiter.Shape>() {}

export declare namespace RateLimiter {
  /**
   * A limiter in memory acts when a member with a clock is called, and returns an effect that has ended unless it waits: call its members in the step that needs
   * them. `clock` is the local clock of the call.
   */
  export interface Shape {
    /**
     * Waits until every charge fits, and takes all of them in one step, which stores the reservation in the ticket. Release the ticket however the call ends,
     * as `charged` does. Fails with `StoreUnreachable` if the store is unreachable for `StoreDeadline`.
     */
    readonly acquire: <E2 = never>(
      ticket: Ticket,
      options: AcquireOptions<E2>,
      clock: Clock.Clock
    ) => Effect.Effect<void, E2 | RateLimitStore.StoreUnreachable>
    /** Ends the reservation of a ticket, if it has one. */
    readonly release: (
      ticket: Ticket,
      outcome: RateLimitStore.ChargeOutcome,
      arrivesWithin: Duration.Duration,
      clock: Clock.Clock
    ) => Effect.Effect<void>
    /** Applies a rate limit that a response reported. */
    readonly observe: (
      charge: RateLimitStore.Charge,
      observation: RateLimitStore.Observation,
      clock: Clock.Clock
    ) => Effect.Effect<void>
    /** Applies a rate in calls per second that the service has granted a UID for a type of business. `host` is a base URL or an address. */
    readonly grant: (host: string, uid: string, bizType: string, rate: number) => Effect.Effect<void>
    /** The rate granted to a UID, if any. */
    readonly granted: (host: string, uid: string, bizType: string) => number | undefined
    /** The limit in force: the one that the service reported last, or else that of the charge. */
    readonly limit: (charge: RateLimitStore.Charge) => Effect.Effect<number>
    /** The states of all rate limits used so far. */
    readonly states: Effect.Effect<ReadonlyArray<State>>
  }
}

/**
 * The reservation of a call. It is stored in the step that takes it, so that it can be released even if the call is interrupted at the same moment. Create it
 * with `makeTicket` for each call.
 */
export interface Ticket {
  reservation: RateLimitStore.Reservation | undefined
}

/** Creates the ticket of a call, without a reservation. */
export const makeTicket = (): Ticket => ({ reservation: undefined })

/** The charges of a call, and its priority. */
export interface AcquireOptions<E2 = never> {
  /** The rate limits of the call. Without any, it does not wait. */
  readonly charges: ReadonlyArray<RateLimitStore.Charge>
  readonly priority: CallOptions.PriorityName
  /** Its order among calls of the same priority and the same charges: lower numbers go first. Defaults to 0. */
  readonly turn?: number | undefined
  /** Ends the waiting when it fails, as a ban does. */
  readonly unless?: Effect.Effect<never, E2> | undefined
}

/** How a call is charged. */
export interface ChargedOptions<E2 = never> extends AcquireOptions<E2> {
  /** Called when the call has ended, with any result. Defaults to `counted`. */
  readonly chargeOutcome?: (() => RateLimitStore.ChargeOutcome) | undefined
  /**
   * Called when the call has ended, with any result. Returns for how long the request of a call without a response can still arrive at the service. The call
   * occupies its limits for this time plus one window. Defaults to zero.
   */
  readonly arrivesWithin?: (() => Duration.Duration) | undefined
}

/** The state of a rate limit, and how many calls wait for it. */
export interface State extends RateLimitStore.State {
  readonly key: string
  readonly waiting: number
}

/** How long a call waits for an unreachable store before it fails with `StoreUnreachable`. Defaults to 10 seconds. */
export class StoreDeadline extends Context.Reference<StoreDeadline>()("@effect-venue/transport/StoreDeadline", {
  defaultValue: (): Duration.Duration => Duration.seconds(10)
}) {}

export interface Options {
  /**
   * How much of a rate limit a call of this priority leaves free for higher priorities, so that a cancellation is not delayed by an export, in this process or
   * in another that shares the store. Defaults to 0 for every priority: any call can use all of a limit.
   */
  readonly spare?: ((priority: CallOptions.PriorityName, charge: RateLimitStore.Charge) => number) | undefined
}

const over = (
  store: guarded.GuardedStore,
  { spare }: Options,
  deadline: Effect.Effect<Duration.Duration>
): RateLimiter.Shape => {
  const { acquire, wake, waitingFor } = dispatcher.make(store)
  const known = new Map<string, RateLimitStore.Charge>()
  const grants = new Map<string, number>()
  const chargesFor = (requested: ReadonlyArray<RateLimitStore.Charge>, priority: CallOptions.PriorityName) => {
    for (const charge of requested) known.set(charge.key, charge)
    return spare === undefined ? requested : requested.map((charge) => ({ ...charge, spare: spare(priority, charge) }))
  }

  const grantOf = (host: string, uid: string, bizType: string): string => `${address.of(host)} ${uid} ${bizType}`

  return {
    acquire: (ticket, { charges, priority, turn, unless }, clock) =>
      charges.length === 0
        ? Exit.void
        : // Not a spread followed by fields, which is ten times as slow.
          acquire({ ticket, charges: chargesFor(charges, priority), priority, turn, unless }, deadline, clock),
    release: (ticket, outcome, arrivesWithin, clock) => {
      const { reservation } = ticket
      ticket.reservation = undefined
      return reservation === undefined ? Exit.void : store.settle({ reservation, outcome, arrivesWithin }, clock, wake)
    },
    observe: (charge, observation, clock) => store.observe(charge, observation, clock, wake),
    grant: (host, uid, bizType, rate) => Effect.sync(() => void grants.set(grantOf(host, uid, bizType), rate)),
    granted: (host, uid, bizType) => grants.get(grantOf(host, uid, bizType)),
    limit: (charge) => Effect.map(store.state(charge), ({ limit }) => limit),
    states: Effect.suspend(() =>
      Effect.forEach([...known.values()], (charge) =>
        Effect.map(store.state(charge), (state) => ({
          ...state,
          key: charge.key,
          waiting: waitingFor(charge.key)
        }))
      )
    )
  }
}

/** The limiter over a store. By default calls of any priority can use all of a limit. */
export const make = (options: Options = {}): Effect.Effect<RateLimiter.Shape, never, RateLimitStore.RateLimitStore> =>
  Effect.zipWith(RateLimitStore.RateLimitStore, inheriting(StoreDeadline), (store, inherit) =>
    over(guarded.make(store), options, inherit(StoreDeadline))
  )

/** The limiter over a custom store. Calls of any priority can use all of a limit. */
export const layer: Layer.Layer<RateLimiter, never, RateLimitStore.RateLimitStore> = Layer.effect(RateLimiter, make())

/** The limiter with its rate limits in the memory of this process, shared by all users of the layer. */
export const layerMemory: Layer.Layer<RateLimiter> = Layer.effect(
  RateLimiter,
  Effect.map(inheriting(StoreDeadline), (inherit) =>
    over(guarded.makeLocal(new RollingLimits()), {}, inherit(StoreDeadline))
  )
)

/**
 * Waits until every charge fits, takes all of them in one step, and runs the call. Fails with `StoreUnreachable`, without running the call, if the store is
 * unreachable for `StoreDeadline`.
 *
 * @category combinators
 */
export const charged = <A, E, R, E2 = never>(
  limiter: RateLimiter.Shape,
  call: Effect.Effect<A, E, R>,
  options: ChargedOptions<E2>
): Effect.Effect<A, E | E2 | RateLimitStore.StoreUnreachable, R> =>
  Effect.clockWith((clock) => {
    const { arrivesWithin, chargeOutcome } = options
    const ticket = makeTicket()
    return Effect.ensuring(
      Effect.zipRight(
        Effect.suspend(() => limiter.acquire(ticket, options, clock)),
        call
      ),
      Effect.suspend(() =>
        limiter.release(ticket, chargeOutcome?.() ?? "counted", arrivesWithin?.() ?? Duration.zero, clock)
      )
    )
  })

/**
 * Waits until every charge fits, takes all of them in one step, and releases them when the scope closes. Use it for limits of concurrent use, such as open
 * connections. A shared store frees the slots of dead processes after a lease, which must exceed the time for which the scope is open.
 *
 * @category combinators
 */
export const acquireScoped = <E2 = never>(
  limiter: RateLimiter.Shape,
  options: AcquireOptions<E2>
): Effect.Effect<void, E2 | RateLimitStore.StoreUnreachable, Scope.Scope> =>
  Effect.clockWith((clock) => {
    const ticket = makeTicket()
    return Effect.acquireReleaseInterruptible(
      Effect.suspend(() => limiter.acquire(ticket, options, clock)),
      () => limiter.release(ticket, "counted", Duration.zero, clock)
    )
  })

/** The charges of a connection to the market-data stream, and its priority. */
export interface ConnectionOptions<E2 = never> {
  /** From `Limits.streamConnection`. */
  readonly charges: Limits.StreamConnection
  /** Defaults to `read`. */
  readonly priority?: CallOptions.PriorityName | undefined
  /** Ends the waiting when it fails, for example because of a ban. */
  readonly unless?: Effect.Effect<never, E2> | undefined
}

/**
 * Opens a connection to the market-data stream within its limits: waits for the limit of open connections and for that of connections in 5 minutes, then runs
 * `connect`. The slot among the open connections is released when the scope closes, after the finalizers of `connect`, or at once when `connect` fails. A
 * failed attempt counts for its 5 minutes too.
 *
 * The two limits are released at different times, so they are two reservations. The slot among the open connections is reserved first: while it waits for the
 * second limit, which needs only time, no other connection depends on it.
 *
 * @category combinators
 */
export const connection = <A, E, R, E2 = never>(
  connect: Effect.Effect<A, E, R>,
  { charges, priority = "read", unless }: ConnectionOptions<E2>
): Effect.Effect<A, E | E2 | RateLimitStore.StoreUnreachable, RateLimiter | Exclude<R, Scope.Scope> | Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      // A separate scope that closes when the attempt fails, since the outer scope can stay open for long.
      const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
      const place = acquireScoped(limiter, { charges: [charges.open], priority, unless })
      const opened = charged(limiter, connect, { charges: [charges.opening], priority, unless })
      return yield* Effect.zipRight(place, opened).pipe(
        Scope.extend(scope),
        restore,
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    })
  )
