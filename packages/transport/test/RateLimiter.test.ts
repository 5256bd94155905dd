import * as Breadth from "@effect-venue/testing/Breadth"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import type * as CallOptions from "@effect-venue/transport/CallOptions"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, FastCheck, Fiber, Layer, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"

const second = Duration.seconds(1)

const charge = (key: string, limit: number, cost = 1): RateLimitStore.Charge => ({
  key,
  scope: "uid",
  limit,
  window: second,
  cost
})

/** The most arrivals in any window that begins with one. */
const busiest = (arrivals: ReadonlyArray<number>, window: number): number =>
  Math.max(0, ...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + window).length))

const withRateLimiter = <A, E>(use: (limiter: RateLimiter.RateLimiter.Shape) => Effect.Effect<A, E>) =>
  Effect.flatMap(RateLimiter.RateLimiter, use).pipe(Effect.provide(RateLimiter.layerMemory))

/** Defines a test of a limiter over a store in memory. */
const limiting = (
  title: string,
  body: (limiter: RateLimiter.RateLimiter.Shape) => Generator<YieldWrap<Effect.Effect<unknown, unknown>>, void, never>
) => {
  it.effect(title, () => withRateLimiter((limiter) => Effect.gen(() => body(limiter))))
}

const read: CallOptions.PriorityName = "read"

/** Runs calls that arrive at some time between sending and response, and returns when each arrived. */
const arrivals = (
  calls: ReadonlyArray<{
    readonly after: number
    readonly there: number
    readonly back: number
    readonly priority?: CallOptions.PriorityName
  }>,
  limit: number
) =>
  withRateLimiter((limiter) =>
    Effect.gen(function* () {
      const arrived: Array<number> = []
      const one = ({ after, back, priority = read, there }: (typeof calls)[number]) =>
        Effect.gen(function* () {
          yield* Effect.sleep(after)
          const call = Effect.sleep(there).pipe(
            Effect.zipRight(Effect.map(Clock.currentTimeMillis, (now) => arrived.push(now))),
            Effect.zipRight(Effect.sleep(back))
          )
          yield* RateLimiter.charged(limiter, call, { charges: [charge("k", limit)], priority })
        })
      const fiber = yield* Effect.fork(Effect.all(calls.map(one), { concurrency: "unbounded", discard: true }))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
      return arrived
    })
  )

describe("a rate limit", () => {
  limiting("is reported as in the store, including lowered limits", function* (limiter) {
    const limit = charge("k", 10)
    expect(yield* limiter.limit(limit)).toBe(10)
    yield* Effect.clockWith((clock) =>
      limiter.observe(limit, { roundTrip: Duration.zero, limit: 4, refused: false }, clock)
    )
    expect(yield* limiter.limit(limit)).toBe(4)
  })

  limiting("is charged with the cost of each call when calls wait together", function* (limiter) {
    const costing = (cost: number) =>
      RateLimiter.charged(limiter, Clock.currentTimeMillis, { charges: [charge("k", 10, cost)], priority: read })
    const fiber = yield* Effect.fork(Effect.all([10, 6, 4, 1, 9].map(costing), { concurrency: "unbounded" }))
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(fiber)).toEqual([0, 1001, 1001, 2002, 2002])
  })

  limiting("does not delay operations without a limit", function* (limiter) {
    expect(yield* RateLimiter.charged(limiter, Clock.currentTimeMillis, { charges: [], priority: read })).toBe(0)
    expect(yield* limiter.states).toEqual([])
  })

  limiting("serves waiting calls as soon as the service reports more free places", function* (limiter) {
    const one = charge("k", 1)
    const options = { charges: [one], priority: read }
    yield* RateLimiter.charged(limiter, Effect.void, options)
    const waiting = yield* Effect.fork(
      Effect.all(
        Array.from({ length: 3 }, () => RateLimiter.charged(limiter, Clock.currentTimeMillis, options)),
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust("100 millis")
    yield* Effect.clockWith((clock) =>
      limiter.observe(one, { roundTrip: Duration.millis(100), limit: 3, refused: false }, clock)
    )
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(waiting)).toEqual([100, 100, 1001])
  })

  limiting("can be granted to a UID on a host for a type of business", function* (limiter) {
    expect(limiter.granted("h", "1", "SPOT")).toBeUndefined()
    yield* limiter.grant("h", "1", "SPOT", 50)
    yield* limiter.grant("h", "1", "SPOT", 60)
    expect(limiter.granted("h", "1", "SPOT")).toBe(60)
    expect(limiter.granted("h", "1", "DERIVATIVES")).toBeUndefined()
    expect(limiter.granted("h", "2", "SPOT")).toBeUndefined()
    expect(limiter.granted("i", "1", "SPOT")).toBeUndefined()
  })

  limiting("reports the limits separately, with their waiting calls", function* (limiter) {
    const both = { charges: [charge("wide", 5), charge("narrow", 1)], priority: read }
    yield* RateLimiter.charged(limiter, Effect.void, both)
    const waiting = yield* Effect.fork(RateLimiter.charged(limiter, Effect.void, both))
    const other = yield* Effect.fork(
      RateLimiter.charged(limiter, Effect.never, { charges: [charge("other", 1)], priority: "urgent" })
    )
    yield* TestClock.adjust("1 millis")
    expect(yield* limiter.states).toEqual([
      { key: "wide", limit: 5, remaining: 4, retryAfter: Duration.zero, waiting: 1 },
      { key: "narrow", limit: 1, remaining: 0, retryAfter: Duration.millis(1000), waiting: 1 },
      { key: "other", limit: 1, remaining: 0, retryAfter: Duration.infinity, waiting: 0 }
    ])
    yield* Fiber.interruptAll([waiting, other])
  })

  limiting("is not taken by a call that waits for another limit", function* (limiter) {
    const both = { charges: [charge("wide", 2), charge("narrow", 1)], priority: read }
    const wide = { charges: [charge("wide", 2)], priority: read }
    const now = Clock.currentTimeMillis
    const fiber = yield* Effect.fork(
      Effect.all(
        [
          RateLimiter.charged(limiter, now, both),
          RateLimiter.charged(limiter, now, both),
          RateLimiter.charged(limiter, now, wide)
        ],
        {
          concurrency: "unbounded"
        }
      )
    )
    yield* TestClock.adjust("5 seconds")
    // The second waits for `narrow`; no waiter behind it may take what it needs of `wide`, but there is enough.
    expect(yield* Fiber.join(fiber)).toEqual([0, 1001, 0])
  })

  limiting(
    "is returned by an interrupted call: at once while it waits, one window later in flight",
    function* (limiter) {
      const options = { charges: [charge("k", 1)], priority: read }
      const stuck = yield* Effect.fork(RateLimiter.charged(limiter, Effect.never, options))
      yield* TestClock.adjust("100 millis")
      const waiting = yield* Effect.fork(RateLimiter.charged(limiter, Effect.never, options))
      const next = yield* Effect.fork(RateLimiter.charged(limiter, Clock.currentTimeMillis, options))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(stuck)
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(next)).toBe(60_100 + 1001)
    }
  )

  limiting("ends the wait when unless fails, and leaves no reservation", function* (limiter) {
    const options = { charges: [charge("k", 1)], priority: read }
    yield* RateLimiter.charged(limiter, Effect.void, options)
    const ended = yield* Effect.fork(
      RateLimiter.charged(limiter, Effect.void, {
        ...options,
        unless: Effect.zipRight(Effect.sleep(300), Effect.fail("closed"))
      })
    )
    yield* TestClock.adjust("300 millis")
    expect(yield* Fiber.await(ended)).toStrictEqual(Exit.fail("closed"))
    expect(yield* limiter.states).toMatchObject([{ key: "k", waiting: 0 }])
  })

  it.effect("is used in full by a program with more calls", () =>
    Effect.gen(function* () {
      const arrived = yield* arrivals(Array(600).fill({ after: 0, there: 0, back: 0 }), 10)
      const last = Math.max(...arrived)
      expect(last).toBeLessThanOrEqual(59 * 1001)
      expect(600 / (last / 1000 + 1)).toBeGreaterThanOrEqual(0.99 * 10)
    })
  )

  it.effect.prop(
    "queries its store no more often when the clock returns fractions of a millisecond, as a test's clock does",
    { first: FastCheck.integer({ min: 0, max: 10_000_000 }), then: FastCheck.integer({ min: 0, max: 500_000 }) },
    ({ first, then }) =>
      Effect.gen(function* () {
        const store = yield* RateLimitStore.makeMemory()
        let asked = 0
        const counting: RateLimitStore.RateLimitStore.Shape = {
          ...store,
          reserve: (charges) =>
            Effect.suspend(() => {
              asked += 1
              return store.reserve(charges)
            })
        }
        const limiter = yield* Effect.provideService(RateLimiter.make(), RateLimitStore.RateLimitStore, counting)
        const options = { charges: [charge("k", 1)], priority: read }
        yield* TestClock.setTime(first / 997)
        yield* RateLimiter.charged(limiter, Effect.void, options)
        yield* TestClock.adjust(then / 997)
        const next = yield* Effect.fork(RateLimiter.charged(limiter, Clock.currentTimeMillis, options))
        yield* TestClock.adjust("2 seconds")
        expect((yield* Fiber.join(next)) - first / 997).toBeGreaterThanOrEqual(1000)
        expect(asked).toBeLessThanOrEqual(20)
      }),
    { fastCheck: { numRuns: Breadth.repeats(30, 8) } }
  )

  it.effect.prop(
    "never lets more calls arrive in any window than its limit, whatever the latency and the priority",
    {
      calls: FastCheck.array(
        FastCheck.record({
          after: FastCheck.integer({ min: 0, max: 1500 }),
          there: FastCheck.integer({ min: 0, max: 400 }),
          back: FastCheck.integer({ min: 0, max: 400 }),
          priority: FastCheck.constantFrom<CallOptions.PriorityName>("urgent", "write", "read", "bulk")
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
    { fastCheck: { numRuns: Breadth.repeats(30, 8) } }
  )
})

describe("priorities", () => {
  /** Who is served in which order when one rate limit of one call a second is asked by many. */
  const served = (
    asked: ReadonlyArray<{
      readonly name: string
      readonly priority: CallOptions.PriorityName
      readonly turn?: number
      readonly after: number
    }>
  ) =>
    withRateLimiter((limiter) =>
      Effect.gen(function* () {
        const order: Array<string> = []
        const one = ({ after, priority, name, turn }: (typeof asked)[number]) =>
          Effect.delay(
            RateLimiter.charged(
              limiter,
              Effect.sync(() => order.push(name)),
              { charges: [charge("k", 1)], priority, turn }
            ),
            after
          )
        const fiber = yield* Effect.fork(Effect.all(asked.map(one), { concurrency: "unbounded", discard: true }))
        yield* TestClock.adjust(Duration.seconds(asked.length + 2))
        yield* Fiber.join(fiber)
        return order
      })
    )

  it.effect("are cancellations, writes, reads, exports, and equal ones are served in order of arrival", () =>
    Effect.gen(function* () {
      const order = yield* served([
        { name: "first", priority: "bulk", after: 0 },
        { name: "bulk", priority: "bulk", after: 1 },
        { name: "read 1", priority: "read", after: 2 },
        { name: "read 2", priority: "read", after: 3 },
        { name: "write", priority: "write", after: 4 },
        { name: "urgent", priority: "urgent", after: 5 }
      ])
      expect(order).toEqual(["first", "urgent", "write", "read 1", "read 2", "bulk"])
    })
  )

  it.effect("serve lower turns first within a priority", () =>
    Effect.gen(function* () {
      const order = yield* served([
        { name: "first", priority: "bulk", after: 0 },
        { name: "window 2", priority: "bulk", turn: 2, after: 1 },
        { name: "window 1", priority: "bulk", turn: 1, after: 2 },
        { name: "window 0", priority: "bulk", after: 3 },
        { name: "window 1 again", priority: "bulk", turn: 1, after: 4 },
        { name: "read", priority: "read", turn: 3, after: 5 }
      ])
      expect(order).toEqual(["first", "read", "window 0", "window 1", "window 1 again", "window 2"])
    })
  )
})

describe("spare places", () => {
  const spare: RateLimiter.Options["spare"] = (priority) => (priority === "bulk" ? 2 : 0)
  const options = (priority: CallOptions.PriorityName) => ({ charges: [charge("k", 4)], priority })

  it.effect("of a limit are left free by exports for calls of other priorities, also in other processes", () =>
    Effect.gen(function* () {
      const store = yield* RateLimitStore.makeMemory()
      const process = Effect.provideService(RateLimiter.make({ spare }), RateLimitStore.RateLimitStore, store)
      const [exporter, trader] = [yield* process, yield* process]
      const pages = yield* Effect.fork(
        Effect.replicateEffect(RateLimiter.charged(exporter, Clock.currentTimeMillis, options("bulk")), 5, {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("100 millis")
      const cancel = yield* Effect.fork(RateLimiter.charged(trader, Clock.currentTimeMillis, options("urgent")))
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(cancel)).toBe(100)
      expect(yield* Fiber.join(pages)).toEqual([0, 0, 1001, 1101, 2002])
    })
  )

  it.effect("starve no export: after being overtaken ten times it takes a spare place", () =>
    Effect.gen(function* () {
      const limiter = yield* Effect.provide(
        Effect.provide(RateLimiter.RateLimiter, Layer.effect(RateLimiter.RateLimiter, RateLimiter.make({ spare }))),
        RateLimitStore.layerMemory
      )
      const urgent = (index: number) =>
        Effect.delay(Effect.forever(RateLimiter.charged(limiter, Effect.void, options("urgent"))), index * 250)
      const others = yield* Effect.forkAll([0, 1, 2, 3].map(urgent))
      yield* TestClock.adjust("900 millis")
      const page = yield* Effect.fork(RateLimiter.charged(limiter, Clock.currentTimeMillis, options("bulk")))
      yield* TestClock.adjust("10 seconds")
      // By then ten that arrived after it have overtaken it, the last two in this window: of its four places two are left, both spare.
      expect(yield* Fiber.join(page)).toBe(4 * 1001)
      yield* Fiber.interrupt(others)
    })
  )
})
