import type * as Priority from "@effect-venue/transport/Priority"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber } from "effect"
import * as world from "./utils/world.js"

const charge = (key: string, limit: number, cost = 1): RateLimitStore.Charge => ({
  key,
  scope: "uid",
  limit,
  window: Duration.seconds(1),
  cost
})

const priorities: ReadonlyArray<Priority.Name> = ["urgent", "write", "read", "bulk"]

/** A store at some distance, which notes what it has reserved and what was settled. */
const remote = (store: RateLimitStore.RateLimitStore.Shape, distance: () => number) => {
  const out = new Set<number | string>()
  const far: RateLimitStore.RateLimitStore.Shape = {
    ...store,
    isLocal: false,
    reserve: (...request) =>
      Effect.sleep(distance()).pipe(
        Effect.zipRight(store.reserve(...request)),
        Effect.tap((result) => Effect.sync(() => result._tag === "Taken" && out.add(result.reservation.id))),
        Effect.tap(() => Effect.sleep(distance()))
      ),
    settle: (reservation, ...rest) =>
      Effect.sleep(distance()).pipe(
        Effect.zipRight(store.settle(reservation, ...rest)),
        Effect.zipRight(Effect.sync(() => void out.delete(reservation.id)))
      )
  }
  return { far, out }
}

describe("a waiting call", () => {
  it("is served in every order of the fibers, wherever they yield", () => {
    for (let seed = 0; seed < 1500; seed++) {
      const draw = world.random(seed)
      const upTo = (max: number) => Math.floor(draw() * max)
      let served = 0
      const program = Effect.gen(function* () {
        const limiter = yield* Effect.provide(RateLimiter.RateLimiter, RateLimiter.layerMemory)
        const calls = Array.from({ length: 12 }, () =>
          Effect.delay(
            limiter.charged(
              Effect.sync(() => void served++),
              { charges: [charge("k", 1 + upTo(2))], priority: priorities[upTo(2)] ?? "read" }
            ),
            upTo(3) * 1001
          )
        )
        yield* Effect.all(calls, { concurrency: "unbounded", discard: true })
      })
      const exit = world.run(program, {
        pick: (ready) => upTo(ready),
        shouldYield: () => (draw() < 0.04 ? 0 : false)
      })
      expect([exit, served], `seed ${seed}`).toStrictEqual([Exit.void, 12])
    }
  })

  it("that is interrupted leaves no reservation in a store at some distance", () => {
    for (let seed = 0; seed < 500; seed++) {
      const draw = world.random(seed)
      const upTo = (max: number) => Math.floor(draw() * max)
      const program = Effect.gen(function* () {
        const memory = yield* RateLimitStore.makeMemory
        const { far, out } = remote(memory, () => upTo(40))
        const limiter = yield* Effect.provideService(RateLimiter.make, RateLimitStore.RateLimitStore, far)
        const fibers = yield* Effect.forEach(Array.from({ length: 8 }), () =>
          Effect.fork(
            Effect.delay(
              limiter.charged(Effect.sleep(upTo(50)), { charges: [charge("k", 2)], priority: "read" }),
              upTo(200)
            )
          )
        )
        yield* Effect.forEach(
          fibers,
          (fiber) => Effect.delay(draw() < 0.6 ? Fiber.interrupt(fiber) : Fiber.await(fiber), upTo(2000)),
          { concurrency: "unbounded" }
        )
        yield* Effect.sleep("1 minute")
        return out.size
      })
      expect(world.run(program, { pick: upTo }), `seed ${seed}`).toStrictEqual(Exit.succeed(0))
    }
  })
})
