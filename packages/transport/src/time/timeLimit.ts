import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type { Restore } from "../model/ended.js"

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
    Effect.flatMap(Effect.runtime<R>(), (runtime) => {
      const fiber = Runtime.runFork(runtime, Effect.interruptible(effect))
      onFork(fiber)
      // An effect that waits for nothing has ended in this step, and needs no timer.
      return fiber.unsafePoll() ?? awaitFiber(fiber, duration, onTimeout, restore)
    })
  )

const awaitFiber = <A, E, E2>(
  fiber: Fiber.RuntimeFiber<A, E>,
  duration: Duration.Duration,
  onTimeout: () => E2,
  restore: Restore
): Effect.Effect<A, E | E2> =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<A, E | E2>()
    fiber.addObserver((exit) => Deferred.unsafeDone(done, exit))
    const expired = Effect.sync(() => Deferred.unsafeDone(done, Effect.fail(onTimeout())))
    const timer = yield* Effect.forkDaemon(
      Effect.interruptible(Effect.zipRight(Effect.sleep(duration), Effect.zipLeft(expired, Fiber.interruptFork(fiber))))
    )
    return yield* restore(Deferred.await(done)).pipe(
      Effect.ensuring(Fiber.interruptFork(timer)),
      Effect.onInterrupt(() => Fiber.interruptFork(fiber))
    )
  })
