import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Microseconds that only go forward, as those of `unsafeMillis`. */
const unsafeMicros = (clock: Clock.Clock): number => Number((clock.unsafeCurrentTimeNanos() + 500n) / 1000n)

/**
 * Milliseconds that only go forward, to the microsecond: a wall clock that is set does not move them. They compare with each other
 * within one process, and with nothing else.
 *
 * Rounded to microseconds, because the nanoseconds of a date are more than a double holds: two instants that are equal would not be.
 */
export const unsafeMillis = (clock: Clock.Clock): number => unsafeMicros(clock) / 1000

export const millis: Effect.Effect<number> = Effect.clockWith((clock) => Effect.succeed(unsafeMillis(clock)))

export const micros: Effect.Effect<number> = Effect.clockWith((clock) => Effect.succeed(unsafeMicros(clock)))
