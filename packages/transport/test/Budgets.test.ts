import * as Budgets from "@effect-venue/transport/Budgets"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, FastCheck, Fiber, TestClock } from "effect"

const second = Duration.seconds(1)

/** The most arrivals in any window that begins with one. */
const busiest = (arrivals: ReadonlyArray<number>, window: number): number =>
  Math.max(0, ...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + window).length))

/** Runs calls that arrive somewhere between sending and answer, and tells when each arrived. */
const arrivals = (
  calls: ReadonlyArray<{ readonly after: number; readonly there: number; readonly back: number }>,
  limit: number
) =>
  Effect.gen(function* () {
    const budgets = yield* Budgets.makeMemory
    const arrived: Array<number> = []
    const one = ({ after, back, there }: (typeof calls)[number]) =>
      Effect.gen(function* () {
        yield* Effect.sleep(after)
        yield* Effect.sleep(there).pipe(
          Effect.zipRight(Effect.map(Clock.currentTimeMillis, (now) => arrived.push(now))),
          Effect.zipRight(Effect.sleep(back)),
          budgets.charged([{ key: "k", limit, window: second, cost: 1 }])
        )
      })
    const fiber = yield* Effect.fork(Effect.all(calls.map(one), { concurrency: "unbounded", discard: true }))
    yield* TestClock.adjust("10 minutes")
    yield* Fiber.join(fiber)
    return arrived
  })

describe("a budget", () => {
  it.effect.prop(
    "never lets more calls arrive in any window than its limit, whatever the latency",
    {
      calls: FastCheck.array(
        FastCheck.record({
          after: FastCheck.integer({ min: 0, max: 1500 }),
          there: FastCheck.integer({ min: 0, max: 400 }),
          back: FastCheck.integer({ min: 0, max: 400 })
        }),
        { minLength: 1, maxLength: 40 }
      ),
      limit: FastCheck.integer({ min: 1, max: 12 })
    },
    ({ calls, limit }) =>
      Effect.gen(function* () {
        const arrived = yield* arrivals(calls, limit)
        expect(arrived).toHaveLength(calls.length)
        expect(busiest(arrived, 1000)).toBeLessThanOrEqual(limit)
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect("lets the whole limit through at once, and the next call when the window has passed", () =>
    Effect.gen(function* () {
      const arrived = yield* arrivals(Array(11).fill({ after: 0, there: 0, back: 0 }), 10)
      expect(arrived.slice(0, 10)).toEqual(Array(10).fill(0))
      expect(arrived[10]).toBe(1001)
    })
  )

  it.effect("is charged by cost", () =>
    Effect.gen(function* () {
      const budgets = yield* Budgets.makeMemory
      const now = budgets.charged([{ key: "k", limit: 10, window: second, cost: 6 }])(Clock.currentTimeMillis)
      const fiber = yield* Effect.fork(Effect.all([now, now]))
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(fiber)).toEqual([0, 1001])
    })
  )

  it.effect("lets a call through alone that costs more than the limit", () =>
    Effect.gen(function* () {
      const budgets = yield* Budgets.makeMemory
      const now = budgets.charged([{ key: "k", limit: 1, window: second, cost: 5 }])(Clock.currentTimeMillis)
      expect(yield* now).toBe(0)
    })
  )

  it.effect("waits for all the budgets it falls under, and takes none while it waits", () =>
    Effect.gen(function* () {
      const budgets = yield* Budgets.makeMemory
      const narrow = { key: "narrow", limit: 1, window: second, cost: 1 }
      const wide = { key: "wide", limit: 2, window: second, cost: 1 }
      const now = Clock.currentTimeMillis
      const fiber = yield* Effect.fork(
        Effect.all(
          [budgets.charged([wide, narrow])(now), budgets.charged([wide, narrow])(now), budgets.charged([wide])(now)],
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(fiber)).toEqual([0, 1001, 0])
    })
  )

  it.effect("stays closed until the instant that the service names", () =>
    Effect.gen(function* () {
      const budgets = yield* Budgets.makeMemory
      yield* budgets.exhausted("k", 700)
      const fiber = yield* Effect.fork(
        budgets.charged([{ key: "k", limit: 10, window: second, cost: 1 }])(Clock.currentTimeMillis)
      )
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(fiber)).toBe(700)
    })
  )

  it.effect("is given back by a call that is interrupted, one window later", () =>
    Effect.gen(function* () {
      const budgets = yield* Budgets.makeMemory
      const charge = [{ key: "k", limit: 1, window: second, cost: 1 }]
      const stuck = yield* Effect.fork(budgets.charged(charge)(Effect.never))
      yield* TestClock.adjust("100 millis")
      const waiting = yield* Effect.fork(budgets.charged(charge)(Effect.never))
      const next = yield* Effect.fork(budgets.charged(charge)(Clock.currentTimeMillis))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(stuck)
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(next)).toBeGreaterThanOrEqual(60_100 + 1001)
    })
  )
})
