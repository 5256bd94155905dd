import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, TestClock } from "effect"
import { read as fills, page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

const ten = Effect.replicateEffect(fills, 10, { concurrency: "unbounded", discard: true })

/** Ten calls that end in some way before an answer, and the instant at which the next call leaves. */
const nextAfter = (
  first: scripted.Answer,
  end: (calls: Fiber.RuntimeFiber<unknown, unknown>) => Effect.Effect<unknown>
) => {
  const far = scripted.make((arrived, index) => (index < 10 ? first : scripted.ok(page, arrived.at)))
  return Effect.gen(function* () {
    const calls = yield* Effect.fork(ten)
    yield* TestClock.adjust("100 millis")
    yield* end(calls)
    const next = yield* Effect.fork(fills)
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(next)
    expect(far.arrived).toHaveLength(11)
    return far.arrived[10]?.at
  }).pipe(Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none), Effect.provide(far.layer))
}

describe("the place of a call in its window", () => {
  // The receive window is five seconds: after it the service refuses the request, whenever it arrives.
  it.effect("is kept after an interruption for as long as the request can arrive, plus one window", () =>
    Effect.gen(function* () {
      expect(yield* nextAfter("hang", Fiber.interrupt)).toBe(5000 + 1001)
    })
  )

  it.effect("is kept for the same time after a timeout", () =>
    Effect.gen(function* () {
      expect(yield* nextAfter("hang", Fiber.await)).toBe(5000 + 1001)
    }).pipe(Effect.provideService(CallOptions.AttemptTimeout, Duration.millis(100)))
  )

  it.effect("is free one window after a timeout that is longer than the receive window", () =>
    Effect.gen(function* () {
      expect(yield* nextAfter("hang", () => TestClock.adjust("6900 millis"))).toBe(7000 + 1001)
    }).pipe(Effect.provideService(CallOptions.AttemptTimeout, Duration.seconds(7)))
  )

  const broken = { fail: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" }) }
  for (const [how, answer] of [
    ["its connection broke", broken],
    ["a failure was answered", { status: 502, body: "" }],
    ["a result was answered", scripted.ok(page)]
  ] as const) {
    it.effect(`is free one window after ${how}`, () =>
      Effect.gen(function* () {
        expect(yield* nextAfter(answer, Fiber.await)).toBe(1001)
      })
    )
  }
})
