import { Clock, Duration, Effect, Fiber, Layer, Option } from "effect"

/**
 * Runs a program in virtual time: whenever all fibers sleep, the clock leaps to the next instant at which one wakes.
 * `TestClock` looks after every leap, in real time, whether all fibers sleep; over an hour of many fibers that takes hours.
 */
export const run = <A, E>(from: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    let now = from
    let order = 0
    const sleepers: Array<{ readonly at: number; readonly order: number; readonly wake: () => void }> = []
    const clock: Clock.Clock = {
      ...Clock.make(),
      unsafeCurrentTimeMillis: () => now,
      unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
      sleep: (duration) =>
        Effect.async<void>((resume) => {
          const sleeper = {
            at: now + Math.max(Duration.toMillis(duration), 0),
            order: order++,
            wake: () => resume(Effect.void)
          }
          const index = sleepers.findIndex(({ at }) => at > sleeper.at)
          sleepers.splice(index === -1 ? sleepers.length : index, 0, sleeper)
          return Effect.sync(() => {
            const known = sleepers.indexOf(sleeper)
            if (known >= 0) sleepers.splice(known, 1)
          })
        })
    }
    const idle = Effect.promise(() => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve))))
    const fiber = yield* Effect.fork(Effect.withClock(effect, clock))
    while (Option.isNone(yield* Fiber.poll(fiber))) {
      yield* idle
      const next = sleepers[0]
      if (next === undefined) continue
      now = Math.max(now, next.at)
      while (sleepers[0] !== undefined && sleepers[0].at <= now) sleepers.shift()?.wake()
    }
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(Layer.empty))
