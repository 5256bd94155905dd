/**
 * Stores the rate limits. A single operation decides: it takes every charge of a call in one step, or takes none and returns how long to wait before the next
 * try.
 *
 * The windows are exact: a call counts from its reservation until one window after its response. The service counts it at some instant in between, so for any
 * latency it never sees more than the limit in any window.
 *
 * A store measures time by an internal monotonic clock. Only durations cross its interface, so processes and machines whose clocks differ can share a store.
 * `StoreLaws` checks a store.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RollingLimits } from "./rollingLimits.js"
import * as monotonic from "../time/monotonic.js"
import * as reachability from "./reachability.js"

export class RateLimitStore extends Context.Tag("@effect-venue/transport/RateLimitStore")<
  RateLimitStore,
  RateLimitStore.Shape
>() {}

export declare namespace RateLimitStore {
  export interface Shape {
    /**
     * Takes all charges, or none of them. Never fails and never dies: an unreachable store returns `Unreachable`, and takes nothing. A store that several
     * processes share keeps a position in the queue for a `waiter` that finds no room.
     */
    readonly reserve: (charges: ReadonlyArray<Charge>, waiter?: Waiter) => Effect.Effect<ReserveResult>
    /**
     * Ends a reservation. Its capacity is free one window after the last instant at which the service can have counted the call: now, or `arrivesWithin` from
     * now if the call had no response and its request can still be in flight. A second settlement of a reservation changes nothing.
     */
    readonly settle: (
      reservation: Reservation,
      outcome: ChargeOutcome,
      arrivesWithin: Duration.Duration
    ) => Effect.Effect<void>
    /** Applies a rate limit that a response has just reported. */
    readonly observe: (charge: Charge, observation: Observation) => Effect.Effect<void>
    /** The present state of a rate limit. */
    readonly state: (charge: Charge) => Effect.Effect<State>
    /**
     * Whether every operation ends in the step that begins it, as in a store in memory. Otherwise an operation runs in a separate fiber, so that a caller can
     * be interrupted while it waits for the store. Defaults to `false`.
     */
    readonly isLocal?: boolean | undefined
  }
}

/** The charge of a call to one rate limit. */
export interface Charge {
  /** Names the rate limit. It contains no API key, only a keyed digest. */
  readonly key: string
  /** Whether the limit is counted by the egress address of this process (`ip`) or by the account (`uid`). */
  readonly scope: "ip" | "uid"
  /** Calls in a window, until a response reports the limit of the key. */
  readonly limit: number
  readonly window: Duration.Duration
  /** The capacity that the call takes. */
  readonly cost: number
  /**
   * The capacity that this call leaves free for calls of higher priorities, in this process and in others that share the store. A call still goes when the
   * whole limit is free. Defaults to 0.
   */
  readonly spare?: number | undefined
}

/** A reservation, to be settled later. */
export interface Reservation {
  /** Unique within the store. */
  readonly id: number | string
  readonly charges: ReadonlyArray<Charge>
}

/**
 * `counted`: the service can have counted the call. `unsent`: the service provably never received it, so its capacity is free at once. `refused`: the service
 * refused it for its limit; its capacity is free one window later, like that of a counted call.
 */
export type ChargeOutcome = "counted" | "unsent" | "refused"

/**
 * `Full`: the rate limits in `keys` had no room, and will have after `retryAfter` unless other calls take it; infinite if that depends on a call without a
 * response yet. `Unreachable`: the store did not reply, and has taken nothing.
 */
export type ReserveResult =
  | { readonly _tag: "Taken"; readonly reservation: Reservation }
  | { readonly _tag: "Full"; readonly keys: ReadonlyArray<string>; readonly retryAfter: Duration.Duration }
  | { readonly _tag: "Unreachable" }

/** The state of a rate limit that a response reported. */
export interface Observation {
  /** From sending to response. It orders observations: an observation is stale if its call was sent before that of an earlier observation. */
  readonly roundTrip: Duration.Duration
  /** The limit in force, as reported by the service. Ignored unless a whole number from 1 to 1,000,000. */
  readonly limit?: number | undefined
  /** The remaining calls, as reported by the service. */
  readonly remaining?: number | undefined
  /** The call was refused for the limit. */
  readonly refused: boolean
  /** How long from the response until the service accepts calls again. Ignored unless within the window. */
  readonly resetAfter?: Duration.Duration | undefined
}

/** The state of a rate limit. */
export interface State {
  /** The limit in force: the limit learnt from the service, otherwise the charge's. */
  readonly limit: number
  /** The number of calls that fit now. */
  readonly remaining: number
  /** How long until a call fits; zero if it fits now, infinite if that depends on a call without a response yet. */
  readonly retryAfter: Duration.Duration
}

/**
 * A call that waits for its charges and tries again until it has them. Later calls of the same or a lower priority leave it the room that it waits for, so a
 * batch finds room among single orders of other processes. It loses its position in the queue one second after its last attempt.
 */
export interface Waiter {
  /** Identifies the call within this process. */
  readonly id: number
  /** Lower ranks go first. */
  readonly rank: number
}

/** The store of the rate limits was unreachable for `waited`. Nothing was sent, since a call needs the store. */
export class StoreUnreachable extends Data.TaggedError("StoreUnreachable")<{ readonly waited: Duration.Duration }> {
  override get message(): string {
    return `the store of the rate limits could not be reached for ${reachability.round(this.waited)}`
  }
}

/** Options of a store in memory. */
export interface MemoryOptions {
  /**
   * Begins as if every window were full, so no call passes for one window. Use it for a process that is restarted, since its predecessor may have used up the
   * limits a moment ago. If it is known how much of each limit the predecessor had used when it ended, by the key of the limit, pass that map: only that much
   * is then taken. Defaults to `false`.
   */
  readonly rest?: boolean | ReadonlyMap<string, number> | undefined
}

/** Rate limits in the memory of this process. */
export const makeMemory = ({ rest = false }: MemoryOptions = {}): Effect.Effect<RateLimitStore.Shape> =>
  Effect.map(monotonic.millis, (startedAt) => {
    const memory = new RollingLimits(rest === false ? undefined : { startedAt, left: rest === true ? undefined : rest })
    const at = <A>(use: (now: number) => A): Effect.Effect<A> =>
      Effect.clockWith((clock) => Effect.succeed(use(monotonic.unsafeMillis(clock))))
    return {
      reserve: (charges) => at((now) => memory.reserve(charges, now)),
      settle: (reservation, outcome, arrivesWithin) =>
        at((now) => memory.settle(reservation, outcome, now + Duration.toMillis(arrivesWithin))),
      observe: (charge, observation) => at((now) => memory.observe(charge, observation, now)),
      state: (charge) => at((now) => memory.state(charge, now)),
      isLocal: true
    }
  })

/**
 * The store as the processes of one egress address see it, if processes of several addresses share a store: they share the limits of UIDs, and each address
 * has separate limits per address.
 *
 * @category combinators
 */
export const withEgress = (store: RateLimitStore.Shape, egress: string): RateLimitStore.Shape => {
  const prefix = `${egress} `
  const outward = (charge: Charge): Charge =>
    charge.scope === "ip" ? { ...charge, key: `${prefix}${charge.key}` } : charge
  const inward = (key: string, charges: ReadonlyArray<Charge>): string =>
    charges.find((charge) => outward(charge).key === key)?.key ?? key
  return {
    ...store,
    reserve: (charges, waiter) =>
      Effect.map(store.reserve(charges.map(outward), waiter), (result) =>
        result._tag === "Full" ? { ...result, keys: result.keys.map((key) => inward(key, charges)) } : result
      ),
    observe: (charge, observation) => store.observe(outward(charge), observation),
    state: (charge) => store.state(outward(charge))
  }
}

/** Rate limits in the memory of this process. Every window begins empty. */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, makeMemory())
