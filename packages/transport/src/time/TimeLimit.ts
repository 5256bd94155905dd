/**
 * Limits of time that hold wherever the caller stands.
 *
 * @sibling
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"

/**
 * Runs an effect in a separate fiber, and waits for it at most this long, even if neither the effect nor the caller can be interrupted. When the time is over
 * or the caller is interrupted, the fiber is interrupted and abandoned: nobody waits for one that cannot be interrupted. An infinite duration has no timer.
 *
 * `onTimeout` runs before the fiber is interrupted, and can forbid what the fiber would still do.
 */
export const within = <A, E, E2, R>(
  effect: Effect.Effect<A, E, R>,
  duration: Duration.Duration,
  onTimeout: () => E2,
  onFork: (fiber: Fiber.RuntimeFiber<A, E>) => void = () => undefined
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.runtime<R>(), (runtime) => {
      // The caller reports its failure.
      const quiet = Runtime.setFiberRef(runtime, FiberRef.unhandledErrorLogLevel, Option.none())
      const fiber = Runtime.runFork(quiet, Effect.interruptible(effect))
      onFork(fiber)
      // An effect that waits for nothing has ended in this step, and needs no timer.
      return fiber.unsafePoll() ?? awaitFiber(fiber, duration, onTimeout, restore)
    })
  )

// In this many steps of the scheduler a fiber that can be interrupted has ended, so that what it occupied is free when its caller continues.
const stepsToEnd = 5

const awaitFiber = <A, E, E2>(
  fiber: Fiber.RuntimeFiber<A, E>,
  duration: Duration.Duration,
  onTimeout: () => E2,
  restore: <B, E3>(effect: Effect.Effect<B, E3>) => Effect.Effect<B, E3>
): Effect.Effect<A, E | E2> =>
  Effect.withFiberRuntime((caller) => {
    const done = Deferred.unsafeMake<A, E | E2>(caller.id())
    const observe = (exit: Effect.Effect<A, E>) => Deferred.unsafeDone(done, exit)
    fiber.addObserver(observe)
    const abandon = Fiber.interruptAsFork(fiber, caller.id())
    const expire = Effect.gen(function* () {
      yield* Effect.sleep(duration)
      fiber.removeObserver(observe)
      const error = onTimeout()
      yield* abandon
      for (let step = 0; step < stepsToEnd && fiber.unsafePoll() === null; step++) yield* Effect.yieldNow()
      Deferred.unsafeDone(done, Effect.fail(error))
    })
    const waiting = Effect.onInterrupt(restore(Deferred.await(done)), () => abandon)
    return Duration.isFinite(duration)
      ? Effect.flatMap(Effect.forkDaemon(Effect.interruptible(expire)), (timer) =>
          Effect.ensuring(waiting, Fiber.interruptAsFork(timer, caller.id()))
        )
      : waiting
  })
