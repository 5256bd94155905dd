import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Microseconds that only increase, like those of `unsafeMillis`. */
const unsafeMicros = (clock: Clock.Clock): number => Number((clock.unsafeCurrentTimeNanos() + 500n) / 1000n)

/**
 * Milliseconds that only increase, to the microsecond: setting the wall clock does not move them. They are comparable only within one process.
 *
 * Rounded to microseconds, because the nanoseconds of a date exceed the precision of a double, so equal instants would differ.
 */
export const unsafeMillis = (clock: Clock.Clock): number => unsafeMicros(clock) / 1000

export const millis: Effect.Effect<number> = Effect.clockWith((clock) => Effect.succeed(unsafeMillis(clock)))

export const micros: Effect.Effect<number> = Effect.clockWith((clock) => Effect.succeed(unsafeMicros(clock)))
