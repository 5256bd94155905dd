import * as BanGate from "@effect-venue/transport/BanGate"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as world from "./utils/world.js"

const options = { host: "h", isBanned: (isBanned: boolean) => isBanned, closed: () => Effect.never }

const waiting = { ...options, whenBanned: "wait" } as const

/** A gate at the end of a ban. */
const halfOpen = Effect.gen(function* () {
  const gate = yield* BanGate.make
  yield* BanGate.pass(gate, Effect.succeed(true), options)
  yield* Effect.sleep(DocumentedLimits.banLength)
  return gate
})

/**
 * Eight calls go to a gate at the end of a ban, each after so much work of its own that its fiber yields where the offset says,
 * as one does that has been running for a while. Gives how many were let through before the first came back.
 */
const beside = (offset: number): number => {
  let begun = 0
  let most = 0
  const program = Effect.gen(function* () {
    const gate = yield* halfOpen
    const isBack = yield* Deferred.make<void>()
    const call = Effect.gen(function* () {
      begun += 1
      yield* Deferred.await(isBack)
      return false
    })
    yield* Effect.fork(
      Effect.delay(
        Effect.suspend(() => {
          most = begun
          return Deferred.succeed(isBack, undefined)
        }),
        "1 second"
      )
    )
    yield* Effect.replicateEffect(BanGate.pass(gate, call, options), 8, { concurrency: "unbounded", discard: true })
  })
  const yielded = new Set<unknown>()
  const exit = world.run(program, {
    shouldYield: (fiber) => {
      if (fiber.currentOpCount + offset <= 2048 || yielded.has(fiber)) return false
      yielded.add(fiber)
      return 0
    }
  })
  expect(exit).toStrictEqual(Exit.void)
  return most
}

describe("a half-open gate", () => {
  it("lets exactly one call pass, wherever the scheduler switches fibers", () => {
    // The calls do fewer than 100 operations, and a fiber yields after 2048.
    const offsets = Array.from({ length: 256 }, (_, index) => 1792 + index)
    const wrong = offsets.filter((offset) => beside(offset) !== 1)
    expect(wrong).toEqual([])
  })

  it("lets one call pass at a time until one is not banned, and loses no call", () => {
    for (let seed = 0; seed < 300; seed++) {
      const draw = world.random(seed)
      const upTo = (max: number) => Math.floor(draw() * max)
      let isOpen = false
      let under = 0
      let most = 0
      const program = Effect.gen(function* () {
        const gate = yield* halfOpen
        const call = Effect.suspend(() => {
          under += 1
          if (!isOpen) most = Math.max(most, under)
          const outcome = upTo(4)
          return Effect.delay(
            Effect.suspend(() => {
              if (outcome === 0) return Effect.fail("broken")
              if (outcome === 1 || isOpen) isOpen = true
              return outcome === 2 ? Effect.interrupt : Effect.succeed(outcome === 3 && !isOpen)
            }),
            1 + upTo(20)
          )
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              under -= 1
            })
          )
        )
        const fibers = yield* Effect.replicateEffect(
          Effect.suspend(() => Effect.fork(Effect.delay(BanGate.pass(gate, call, waiting), upTo(30)))),
          12
        )
        yield* Effect.forEach(
          fibers,
          (fiber) => Effect.delay(upTo(3) === 0 ? Fiber.interrupt(fiber) : Fiber.await(fiber), upTo(60)),
          { concurrency: "unbounded" }
        )
        // The place of the probe is free.
        return yield* Effect.zipRight(Effect.sleep("1 hour"), BanGate.pass(gate, Effect.succeed(false), waiting))
      })
      const exit = world.run(program, { pick: upTo, shouldYield: () => (draw() < 0.03 ? 0 : false) })
      expect([exit, Math.min(most, 1)], `seed ${seed}`).toStrictEqual([Exit.succeed(false), most])
    }
  })
})
