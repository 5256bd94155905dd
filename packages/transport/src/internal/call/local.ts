import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as BanGate from "../../BanGate.js"
import type * as Connections from "../../Connections.js"
import type * as RateLimiter from "../../RateLimiter.js"
import type * as RateLimitStore from "../../RateLimitStore.js"
import type * as ServerClock from "../../ServerClock.js"

/**
 * The services of this package that keep their state in memory, without the effects around them. They are found by the service itself: an
 * application's service, and a copy of ours with another member, has none, and is used through its effects.
 */

export interface LocalClock {
  readonly now: (host: string, time: Clock.Clock) => number
  readonly learn: (host: string, sample: ServerClock.Sample) => void
  readonly reset: (host: string, sample: ServerClock.Sample) => void
  readonly precedes: (host: string, sample: ServerClock.Sample) => boolean
}

export interface LocalStore {
  readonly reserve: (charges: ReadonlyArray<RateLimitStore.Charge>, now: number) => RateLimitStore.ReserveResult
  /** `countedBy`, monotonic milliseconds: when the service has counted the call at the latest. */
  readonly settle: (
    reservation: RateLimitStore.Reservation,
    outcome: RateLimitStore.ChargeOutcome,
    countedBy: number
  ) => void
  readonly observe: (charge: RateLimitStore.Charge, observation: RateLimitStore.Observation, now: number) => void
}

export interface LocalLimiter extends Pick<LocalStore, "settle" | "observe"> {
  /** Takes the charges of a call that need not wait, and overtakes nobody. */
  readonly take: (asked: RateLimiter.AcquireOptions, now: number) => RateLimitStore.Reservation | undefined
}

export interface LocalGate {
  /** Whether no ban is known or remembered. */
  readonly isOpen: (host: string) => boolean
  readonly ban: (host: string) => Effect.Effect<void>
}

/** A request that has begun, or waits for a connection. */
export interface Begun {
  readonly response: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
  /** Aborts it unless it has ended. */
  readonly giveUp: () => void
}

export interface LocalConnections {
  readonly begin: (request: HttpClientRequest.HttpClientRequest, references: Context.Context<never>) => Begun
}

export const clocks = new WeakMap<ServerClock.ServerClock.Shape, LocalClock>()
export const stores = new WeakMap<RateLimitStore.RateLimitStore.Shape, LocalStore>()
export const limiters = new WeakMap<RateLimiter.RateLimiter.Shape, LocalLimiter>()
export const gates = new WeakMap<BanGate.BanGate.Shape, LocalGate>()
export const connections = new WeakMap<Connections.Connections.Shape, LocalConnections>()
