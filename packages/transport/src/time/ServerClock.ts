/**
 * The service's clock, estimated from its responses: each contains the time at which it was created, between the sending of the request and the arrival of the
 * response. The shortest round trip is the most precise.
 *
 * The service accepts a timestamp that is up to the receive window behind its clock, but only one second ahead (docs/reference/signing.md#header-method). If a
 * response leaves room for doubt, its time is therefore taken to be early rather than late.
 *
 * The estimate is an offset to a monotonic clock, so setting the wall clock does not move it.
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { HostClocks } from "./hostClocks.js"

export class ServerClock extends Context.Tag("@effect-venue/transport/ServerClock")<ServerClock, ServerClock.Shape>() {}

export declare namespace ServerClock {
  /** A clock in memory acts when a member is called, and returns an effect that has ended: call its members in the step that needs them. */
  export interface Shape {
    /**
     * The time at the host, in whole milliseconds. Before the first response this is the wall clock. `host` is a base URL or an address, `clock` the local
     * clock of the call.
     */
    readonly now: (host: string, clock: Clock.Clock) => Effect.Effect<number>
    /** The time at the host, or `none` before a response of the host has contained its time. */
    readonly stated: (host: string, clock: Clock.Clock) => Effect.Effect<Option.Option<number>>
    /** Uses a sample if it is the best so far, or disproves the present offset. */
    readonly learn: (host: string, sample: Sample) => Effect.Effect<void>
    /** Uses a sample with any round trip, because the service refused the present estimate. */
    readonly reset: (host: string, sample: Sample) => Effect.Effect<void>
    /**
     * Whether a response belongs to an earlier request: it was created before its request was sent, by more than the error of the clock. If a later
     * response is later by the time that has passed since, the service's clock was set back; that response is not earlier, and resets the clock.
     */
    readonly precedes: (host: string, sample: Sample) => Effect.Effect<boolean>
  }
}

/**
 * The times of a response: the instants of sending and receipt, in milliseconds of the monotonic clock (`Clock.unsafeCurrentTimeNanos`), and the time in the
 * response, in milliseconds of the service's clock.
 */
export interface Sample {
  readonly sentAt: number
  readonly receivedAt: number
  readonly serverTime: number
}

export const make: Effect.Effect<ServerClock.Shape> = Effect.sync(() => {
  const clocks = new HostClocks()
  return {
    now: (host, clock) => Exit.succeed(clocks.now(host, clock)),
    stated: (host, clock) => Exit.succeed(clocks.isKnown(host) ? Option.some(clocks.now(host, clock)) : Option.none()),
    learn: (host, sample) => {
      clocks.learn(host, sample)
      return Exit.void
    },
    reset: (host, sample) => {
      clocks.reset(host, sample)
      return Exit.void
    },
    precedes: (host, sample) => Exit.succeed(clocks.precedes(host, sample))
  }
})

export const layer: Layer.Layer<ServerClock> = Layer.effect(ServerClock, make)
