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
    /** Uses a sample if it is the best so far, or disproves the offset learnt before. */
    readonly learn: (host: string, sample: Sample) => Effect.Effect<void>
    /** Uses a sample whatever its round trip, because the service refused the time learnt before. */
    readonly relearn: (host: string, sample: Sample) => Effect.Effect<void>
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
  readonly roundTrip: number
  readonly at: number
}

// Half of the second that a timestamp may be ahead: a sample is never trusted to be later than its earliest reading by more.
const mostAhead = 500

// Clocks drift apart: the best sample of an hour ago is not better than a fair one of now.
const keptFor = Duration.toMillis("10 minutes")

/** The offset to use: the middle where the round trip was short, near the earliest reading where it was long. */
const offsetOf = (sample: Sample): number => Math.min(skew(sample), sample.serverTime - sample.receivedAt + mostAhead)

/** Whether an offset lies outside of what a sample can mean, give or take the rounding to milliseconds. */
const isDisproved = (offset: number, { receivedAt, sentAt, serverTime }: Sample): boolean =>
  offset < serverTime - receivedAt - 1 || offset > serverTime - sentAt + 1

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<ServerClock.Shape> = Effect.sync(() => {
  const hosts = new Map<string, Learnt>()
  const take = (host: string, sample: Sample): void => {
    hosts.set(address.of(host), {
      offset: offsetOf(sample),
      roundTrip: sample.receivedAt - sample.sentAt,
      at: sample.receivedAt
    })
  }
  return {
    // A test's clock stands between two milliseconds after a wait with jitter; the service takes whole ones only.
    now: (host) =>
      Effect.clockWith((clock) => {
        const learnt = hosts.get(address.of(host))
        return Effect.succeed(
          Math.floor(
            learnt === undefined ? clock.unsafeCurrentTimeMillis() : monotonic.unsafeMillis(clock) + learnt.offset
          )
        )
      }),
    learn: (host, sample) =>
      Effect.sync(() => {
        const best = hosts.get(address.of(host))
        if (
          best === undefined ||
          sample.receivedAt - sample.sentAt <= best.roundTrip ||
          sample.receivedAt - best.at > keptFor ||
          isDisproved(best.offset, sample)
        ) {
          take(host, sample)
        }
      }),
    relearn: (host, sample) => Effect.sync(() => take(host, sample))
  }
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ServerClock> = Layer.effect(ServerClock, make)
