/**
 * The service's clock, learnt from its responses: each states the time at which it was made, between the sending of the
 * request and the arrival of the response. The shortest round trip is the most precise.
 *
 * The service accepts a timestamp that is up to the receive window behind its clock, and only one second ahead
 * (docs/reference/signing.md#header-method). So where a response leaves room for doubt, its time is taken to be early rather than late.
 *
 * Once learnt, it is a monotonic clock plus an offset: setting the wall clock does not move it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as local from "./internal/call/local.js"
import * as address from "./internal/address.js"
import * as monotonic from "./internal/monotonic.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class ServerClock extends Context.Tag("@effect-venue/transport/ServerClock")<ServerClock, ServerClock.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace ServerClock {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** The time at the host, in whole milliseconds; the wall clock's before the first response. `host` is a base URL or an address. */
    readonly now: (host: string) => Effect.Effect<number>
    /** The same; none before a response of the host has stated its time. */
    readonly stated: (host: string) => Effect.Effect<Option.Option<number>>
    /** Uses a sample if it is the best so far, or disproves the offset learnt before. */
    readonly learn: (host: string, sample: Sample) => Effect.Effect<void>
    /** Uses a sample whatever its round trip, because the service refused the time learnt before. */
    readonly reset: (host: string, sample: Sample) => Effect.Effect<void>
    /**
     * Whether a response was made before its request was sent, by more than the clock can be wrong: it belongs to an earlier request. When
     * the response to a later request states the time that has passed since such a response, the service's clock was set back: that
     * response is not earlier, and resets the clock.
     */
    readonly precedes: (host: string, sample: Sample) => Effect.Effect<boolean>
  }
}

/**
 * What one answer states: the instants of sending and receipt, in milliseconds of the monotonic clock
 * (`Clock.unsafeCurrentTimeNanos`), and the time that the answer states, in milliseconds of the service's clock.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sample {
  readonly sentAt: number
  readonly receivedAt: number
  readonly serverTime: number
}

/**
 * The service's clock minus ours, in milliseconds, by one sample: most likely in the middle. Ours is the monotonic clock, which begins with
 * the wall clock's time when the process starts, and is not moved when that is set.
 *
 * @since 0.1.0
 * @category getters
 */
export const skew = ({ receivedAt, sentAt, serverTime }: Sample): number =>
  Math.round(serverTime - (sentAt + receivedAt) / 2)

interface Learnt {
  readonly offset: number
  /** The lowest and the highest offset that the sample allows, give or take the rounding to milliseconds. */
  readonly earliest: number
  readonly latest: number
  readonly roundTrip: number
  readonly at: number
}

interface Host {
  readonly learnt: Learnt
  /** By how much the clocks of the machines behind the host were seen to differ. */
  readonly spread: number
  /** The last response that was earlier than its request. */
  readonly earlier: Sample | undefined
}

// Half of the second that a timestamp may be ahead: a sample is never trusted to be later than its earliest reading by more.
const mostAhead = 500

// Clocks drift apart: the best sample of an hour ago is not better than a fair one of now.
const keptFor = Duration.toMillis("10 minutes")

// Clocks that are being adjusted drift by up to 500 ppm.
const drift = 0.0005

// Machines of one service whose clocks differ by more would refuse each other's clients. A larger difference is a clock that was set.
const mostSpread = 1_000

/** The offset to use: the middle where the round trip was short, near the earliest reading where it was long. */
const offsetOf = (sample: Sample): number => Math.min(skew(sample), sample.serverTime - sample.receivedAt + mostAhead)

const learntFrom = (sample: Sample): Learnt => ({
  offset: offsetOf(sample),
  earliest: sample.serverTime - sample.receivedAt - 1,
  latest: sample.serverTime - sample.sentAt + 1,
  roundTrip: sample.receivedAt - sample.sentAt,
  at: sample.receivedAt
})

/** Whether an offset lies outside of what a sample allows. */
const isDisproved = (offset: number, sample: Sample): boolean => {
  const { earliest, latest } = learntFrom(sample)
  return offset < earliest || offset > latest
}

/** By how much two samples contradict each other, if both are of one clock. */
const gap = (one: Learnt, other: Learnt): number =>
  Math.max(one.earliest - other.latest, other.earliest - one.latest, 0)

/** By how much a response was made before its request was sent, at least. */
const earlierBy = ({ learnt, spread }: Host, { sentAt, serverTime }: Sample): number => {
  const error = spread + Math.max(sentAt - learnt.at, 0) * drift
  return sentAt + learnt.earliest - error - (serverTime + 1)
}

/** Whether the time that passed between two responses is the time between their requests. One response that is delivered twice has one time. */
const isSameClock = (one: Sample, other: Sample): boolean => {
  const passed = other.serverTime - one.serverTime
  return passed > 0 && passed >= other.sentAt - one.receivedAt - 1 && passed <= other.receivedAt - one.sentAt + 1
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<ServerClock.Shape> = Effect.sync(() => {
  const hosts = new Map<string, Host>()
  const take = (host: string, sample: Sample): void => {
    const known = hosts.get(address.of(host))
    const learnt = learntFrom(sample)
    const apart = known === undefined ? 0 : gap(known.learnt, learnt)
    const spread = Math.max(known?.spread ?? 0, apart <= mostSpread ? apart : 0)
    hosts.set(address.of(host), { learnt, spread, earlier: undefined })
  }
  const clock: local.LocalClock = {
    // A test's clock stands between two milliseconds after a wait with jitter; the service takes whole ones only.
    now: (host, time) => {
      const learnt = hosts.get(address.of(host))?.learnt
      return Math.floor(
        learnt === undefined ? time.unsafeCurrentTimeMillis() : monotonic.unsafeMillis(time) + learnt.offset
      )
    },
    learn: (host, sample) => {
      const best = hosts.get(address.of(host))?.learnt
      if (
        best === undefined ||
        sample.receivedAt - sample.sentAt <= best.roundTrip ||
        sample.receivedAt - best.at > keptFor ||
        isDisproved(best.offset, sample)
      ) {
        take(host, sample)
      }
    },
    reset: take,
    precedes: (host, sample) => {
      const known = hosts.get(address.of(host))
      if (known === undefined || earlierBy(known, sample) <= 0) return false
      if (known.earlier !== undefined && isSameClock(known.earlier, sample)) {
        take(host, sample)
        return false
      }
      hosts.set(address.of(host), { ...known, earlier: sample })
      return true
    }
  }
  const service: ServerClock.Shape = {
    now: (host) => Effect.clockWith((time) => Effect.succeed(clock.now(host, time))),
    stated: (host) =>
      Effect.clockWith((time) =>
        hosts.has(address.of(host)) ? Effect.succeedSome(clock.now(host, time)) : Effect.succeedNone
      ),
    learn: (host, sample) => Effect.sync(() => clock.learn(host, sample)),
    reset: (host, sample) => Effect.sync(() => clock.reset(host, sample)),
    precedes: (host, sample) => Effect.sync(() => clock.precedes(host, sample))
  }
  local.clocks.set(service, clock)
  return service
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ServerClock> = Layer.effect(ServerClock, make)
