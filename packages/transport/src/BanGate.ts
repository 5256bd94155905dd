/**
 * One gate per host for everything that goes there: after a ban nothing is sent until it is over.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/**
 * @since 0.1.0
 * @category tags
 */
export class BanGate extends Context.Tag("@effect-venue/transport/BanGate")<BanGate, BanGate.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace BanGate {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Until when the host is closed to us; `none` when it is open. */
    readonly closedUntil: (host: string) => Effect.Effect<Option.Option<DateTime.Utc>>
    /** Closes the host for the length of a ban, counted from now. */
    readonly close: (host: string) => Effect.Effect<DateTime.Utc>
  }
}

/**
 * The shortest ban: 10 minutes. (interface.md, Errors 2)
 *
 * @since 0.1.0
 * @category constants
 */
export const banLength: Duration.Duration = Duration.minutes(10)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<BanGate.Shape> = Effect.sync(() => {
  const closed = new Map<string, number>()
  return {
    closedUntil: (host) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Option.filter(Option.fromNullable(closed.get(host)), (until) => now < until).pipe(Option.flatMap(DateTime.make))
      ),
    close: (host) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const until = now + Duration.toMillis(banLength)
        closed.set(host, until)
        return DateTime.unsafeMake(until)
      })
  }
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<BanGate> = Layer.effect(BanGate, make)
