/**
 * The service's clock, learnt from its answers: each tells the time at which it was made, somewhere between the sending and
 * the coming back. The answer with the shortest round trip tells it best.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

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
    /** The time at the host, whole milliseconds. Ours until an answer came. */
    readonly now: (host: string) => Effect.Effect<number>
    /** Takes a sample in. It counts when its round trip is the shortest so far. */
    readonly learn: (host: string, sample: Sample) => Effect.Effect<void>
    /** Takes a sample in whatever its round trip, because what was learnt before proved wrong. */
    readonly relearn: (host: string, sample: Sample) => Effect.Effect<void>
  }
}

/**
 * What one answer tells: when the request left and the answer came, by our clock, and the time that the answer states, by the
 * service's. Milliseconds.
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
 * The service's clock minus ours, in milliseconds, by one sample.
 *
 * @since 0.1.0
 * @category getters
 */
export const skew = ({ receivedAt, sentAt, serverTime }: Sample): number =>
  Math.round(serverTime - (sentAt + receivedAt) / 2)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<ServerClock.Shape> = Effect.sync(() => {
  const learnt = new Map<string, { readonly offset: number; readonly roundTrip: number }>()
  const take = (host: string, sample: Sample): void => {
    learnt.set(host, { offset: skew(sample), roundTrip: sample.receivedAt - sample.sentAt })
  }
  return {
    now: (host) => Effect.map(Clock.currentTimeMillis, (now) => now + (learnt.get(host)?.offset ?? 0)),
    learn: (host, sample) =>
      Effect.sync(() => {
        const best = learnt.get(host)
        if (best === undefined || sample.receivedAt - sample.sentAt <= best.roundTrip) take(host, sample)
      }),
    relearn: (host, sample) => Effect.sync(() => take(host, sample))
  }
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ServerClock> = Layer.effect(ServerClock, make)
