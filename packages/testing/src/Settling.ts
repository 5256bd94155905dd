/** Runs effects to their end under the test clock. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type * as Duration from "effect/Duration"

/** Lets files, sockets and databases proceed, which no test clock moves. */
export const turn: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => {
    resume(Effect.void)
  })
})

/** Runs an effect to its end, however long it waits: moves the test clock by `step` until it has ended. */
export const settle = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  step: Duration.DurationInput = "1 second",
  pause: Effect.Effect<void> = turn
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    while (Option.isNone(yield* Fiber.poll(fiber))) yield* Effect.zipRight(TestClock.adjust(step), pause)
    return yield* Fiber.join(fiber)
  })
