import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Runs an effect in a separate fiber, and waits for it at most this long, even if neither the effect nor the caller can be interrupted. The fiber is
 * interrupted when the time is over or the caller is interrupted, without waiting for its end.
 */
export const within = <A, E, E2, R>(
  effect: Effect.Effect<A, E, R>,
  duration: Duration.Duration,
  onTimeout: () => E2,
  onFork: (fiber: Fiber.RuntimeFiber<A, E>) => void = () => undefined
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<A, E | E2>()
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(effect))
      fiber.addObserver((exit) => Deferred.unsafeDone(done, exit))
      onFork(fiber)
      const expired = Effect.sync(() => Deferred.unsafeDone(done, Effect.fail(onTimeout())))
      const timer = yield* Effect.forkDaemon(
        Effect.interruptible(
          Effect.zipRight(Effect.sleep(duration), Effect.zipLeft(expired, Fiber.interruptFork(fiber)))
        )
      )
      return yield* restore(Deferred.await(done)).pipe(
        Effect.ensuring(Fiber.interruptFork(timer)),
        Effect.onInterrupt(() => Fiber.interruptFork(fiber))
      )
    })
  )
