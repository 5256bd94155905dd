import * as Executions from "@effect-venue/schemas/Executions"
import * as Metrics from "@effect-venue/transport/Metrics"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Metric, TestClock } from "effect"
import { read as list, once as withoutRetry, page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

/** Makes `count` calls one after the other, and returns the test clock's time when they are done. */
const times = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.either(withoutRetry(list)), { discard: true })

describe("the place of a call in its rate limit", () => {
  it.effect("is counted in the metric of waits, with the time of the wait", () =>
    Effect.gen(function* () {
      const far = scripted.make((arrived) => scripted.ok(page, arrived.at))
      const before = yield* Metric.value(Metric.tagged(Metrics.rateLimitWait, "operation", Executions.list.name))
      const fiber = yield* Effect.fork(Effect.provide(times(11), far.layer))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      const after = yield* Metric.value(Metric.tagged(Metrics.rateLimitWait, "operation", Executions.list.name))
      expect(after.count - before.count).toBe(11)
      expect((after.sum - before.sum) * 1000).toBeCloseTo(far.arrived[10]?.at ?? Number.NaN, 6)
      expect(after.sum - before.sum).toBeGreaterThan(0)
    })
  )
})

describe("a reset time by the service's clock", () => {
  it.effect("is converted to the local clock, which is an hour off", () =>
    Effect.gen(function* () {
      const hour = 3_600_000
      const far = scripted.make((arrived, index) => {
        const there = arrived.at + hour
        return index === 1
          ? {
              body: JSON.stringify({
                retCode: 10006,
                retMsg: "Too many visits!",
                result: {},
                retExtInfo: {},
                time: there
              }),
              headers: {
                "X-Bapi-Limit": "10",
                "X-Bapi-Limit-Status": "0",
                "X-Bapi-Limit-Reset-Timestamp": String(there + 700)
              }
            }
          : scripted.ok(page, there)
      })
      yield* Effect.gen(function* () {
        yield* list
        const refused = yield* Effect.flip(withoutRetry(list))
        expect(refused).toMatchObject({ _tag: "RateLimited" })
        expect((refused as { readonly resetAt?: { readonly epochMillis: number } }).resetAt?.epochMillis).toBe(700)
        const next = yield* Effect.fork(list)
        yield* TestClock.adjust("699 millis")
        expect(far.arrived).toHaveLength(2)
        yield* TestClock.adjust("400 millis")
        yield* Fiber.join(next)
        expect(far.arrived).toHaveLength(3)
      }).pipe(Effect.provide(far.layer))
    })
  )
})
