import * as Breadth from "@effect-venue/testing/Breadth"
import type * as CallOptions from "@effect-venue/transport/CallOptions"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import * as world from "./utils/world.js"

const charge = (limit: number): RateLimitStore.Charge => ({
  key: "k",
  scope: "uid",
  limit,
  window: Duration.seconds(1),
  cost: 1
})

const priorities: ReadonlyArray<CallOptions.PriorityName> = ["urgent", "bulk"]

/** A store at some distance, which notes what it has reserved and what was settled. */
const remote = (store: RateLimitStore.RateLimitStore.Shape, isLocal: boolean, distance: () => number) => {
  const out = new Set<number | string>()
  const journey = Effect.suspend(() => (isLocal ? Effect.void : Effect.sleep(distance())))
  const far: RateLimitStore.RateLimitStore.Shape = {
    ...store,
    isLocal,
    reserve: (charges) =>
      journey.pipe(
        Effect.zipRight(store.reserve(charges)),
        Effect.tap((result) => Effect.sync(() => result._tag === "Taken" && out.add(result.reservation.id))),
        Effect.tap(() => journey)
      ),
    settle: (reservation, outcome, arrivesWithin) =>
      journey.pipe(
        Effect.zipRight(store.settle(reservation, outcome, arrivesWithin)),
        Effect.zipRight(Effect.sync(() => void out.delete(reservation.id)))
      )
  }
  return { far, out }
}

// The limiter that lost calls between finding their waitlist and joining it did so at the 953rd of 1,000 seeds; the one that leaked the
// reservations of interrupted calls at the 124th of 400.
const [firstSeed, firstInterrupted, afterInterrupted] = Breadth.isLong ? [0, 0, 400] : [850, 80, 200]

describe("waiting calls", () => {
  it("are all served, for any order of fibers and any yield points", () => {
    for (let seed = firstSeed; seed < 1000; seed++) {
      const draw = world.random(seed)
      const upTo = (max: number) => Math.floor(draw() * max)
      let served = 0
      const program = Effect.gen(function* () {
        const limiter = yield* Effect.provide(RateLimiter.RateLimiter, RateLimiter.layerMemory)
        const calls = Array.from({ length: 12 }, () =>
          Effect.delay(
            limiter.charged(
              Effect.sync(() => {
                served += 1
              }),
              { charges: [charge(1 + upTo(1))], priority: priorities[upTo(1)] ?? "read" }
            ),
            upTo(2) * 1001
          )
        )
        yield* Effect.all(calls, { concurrency: "unbounded", discard: true })
      })
      const exit = world.run(program, {
        pick: upTo,
        shouldYield: () => (draw() < 0.04 ? 0 : false)
      })
      expect([exit, served], `seed ${seed}`).toStrictEqual([Exit.void, 12])
    }
  })

  it("that are interrupted or time out leave no reservation and exceed no limit, with a local or remote store", () => {
    for (let seed = firstInterrupted; seed < afterInterrupted; seed++) {
      const draw = world.random(seed)
      const upTo = (max: number) => Math.floor(draw() * max)
      const limit = 1 + upTo(3)
      const isLocal = upTo(2) === 0
      const sent: Array<{ readonly from: number; to: number }> = []
      const call = Effect.flatMap(Effect.clock, (clock) =>
        Effect.suspend(() => {
          const sending = { from: clock.unsafeCurrentTimeMillis(), to: Number.POSITIVE_INFINITY }
          sent.push(sending)
          return Effect.ensuring(
            Effect.sleep(upTo(50)),
            Effect.map(Clock.currentTimeMillis, (now) => {
              sending.to = now
            })
          )
        })
      )
      const program = Effect.gen(function* () {
        const { far, out } = remote(yield* RateLimitStore.makeMemory(), isLocal, () => upTo(40))
        const limiter = yield* Effect.provideService(RateLimiter.make(), RateLimitStore.RateLimitStore, far)
        const fibers = yield* Effect.replicateEffect(
          Effect.suspend(() => {
            const unless = upTo(3) === 0 ? Effect.delay(Effect.fail("closed"), upTo(3000)) : undefined
            const options = { charges: [charge(limit)], priority: priorities[upTo(2)] ?? "read", unless }
            return Effect.fork(Effect.ignore(Effect.delay(limiter.charged(call, options), upTo(2) * upTo(200))))
          }),
          10
        )
        yield* Effect.forEach(
          fibers,
          (fiber) => Effect.delay(upTo(5) < 2 ? Fiber.interrupt(fiber) : Fiber.await(fiber), upTo(4) * upTo(2000)),
          { concurrency: "unbounded" }
        )
        yield* Effect.sleep("1 minute")
        yield* limiter.charged(Effect.void, { charges: [charge(limit)], priority: "read" })
        yield* Effect.sleep("1 minute")
        return out.size
      })
      const exit = world.run(program, { pick: upTo, shouldYield: () => (draw() < 0.03 ? 0 : false) })
      expect(exit, `seed ${seed}`).toStrictEqual(Exit.succeed(0))
      for (const { to: begin } of sent) {
        const most = sent.filter(({ from, to }) => from < begin + 1000 && to >= begin).length
        expect(most, `seed ${seed}`).toBeLessThanOrEqual(limit)
      }
    }
  })
})
