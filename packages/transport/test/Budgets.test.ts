import * as Budgets from "@effect-venue/transport/Budgets"
import * as BudgetStore from "@effect-venue/transport/BudgetStore"
import type * as Lane from "@effect-venue/transport/Lane"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, FastCheck, Fiber, TestClock } from "effect"

const second = Duration.seconds(1)

const charge = (key: string, limit: number, cost = 1): BudgetStore.Charge => ({ key, limit, window: second, cost })

/** The most arrivals in any window that begins with one. */
const busiest = (arrivals: ReadonlyArray<number>, window: number): number =>
  Math.max(0, ...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + window).length))

const withBudgets = <A, E>(use: (budgets: Budgets.Budgets.Shape) => Effect.Effect<A, E>) =>
  Effect.flatMap(Budgets.Budgets, use).pipe(Effect.provide(Budgets.layerMemory))

const read: Lane.Name = "read"

/** Runs calls that arrive somewhere between sending and answer, and tells when each arrived. */
const arrivals = (
  calls: ReadonlyArray<{
    readonly after: number
    readonly there: number
    readonly back: number
    readonly lane?: Lane.Name
  }>,
  limit: number
) =>
  withBudgets((budgets) =>
    Effect.gen(function* () {
      const arrived: Array<number> = []
      const one = ({ after, back, lane = read, there }: (typeof calls)[number]) =>
        Effect.gen(function* () {
          yield* Effect.sleep(after)
          const call = Effect.sleep(there).pipe(
            Effect.zipRight(Effect.map(Clock.currentTimeMillis, (now) => arrived.push(now))),
            Effect.zipRight(Effect.sleep(back))
          )
          yield* budgets.charged(call, { charges: [charge("k", limit)], lane })
        })
      const fiber = yield* Effect.fork(Effect.all(calls.map(one), { concurrency: "unbounded", discard: true }))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
      return arrived
    })
  )

describe("a budget", () => {
  it.effect("lets the whole limit through at once, and the next call when the window has passed", () =>
    Effect.gen(function* () {
      const arrived = yield* arrivals(Array(11).fill({ after: 0, there: 0, back: 0 }), 10)
      expect(arrived.slice(0, 10)).toEqual(Array(10).fill(0))
      expect(arrived[10]).toBe(1001)
    })
  )

  it.effect("is charged by cost", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const now = budgets.charged(Clock.currentTimeMillis, { charges: [charge("k", 10, 6)], lane: read })
        const fiber = yield* Effect.fork(Effect.all([now, now]))
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(fiber)).toEqual([0, 1001])
      })
    )
  )

  it.effect("is charged what each call costs, also when calls wait together", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const costing = (cost: number) =>
          budgets.charged(Clock.currentTimeMillis, { charges: [charge("k", 10, cost)], lane: read })
        const fiber = yield* Effect.fork(Effect.all([10, 6, 4, 1, 9].map(costing), { concurrency: "unbounded" }))
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(fiber)).toEqual([0, 1001, 1001, 2002, 2002])
      })
    )
  )

  it.effect("costs nothing where there is none", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        expect(yield* budgets.charged(Clock.currentTimeMillis, { charges: [], lane: read })).toBe(0)
        expect(yield* budgets.states).toEqual([])
      })
    )
  )

  it.effect("serves those who wait as soon as the service says that there is more room", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const one = charge("k", 1)
        const options = { charges: [one], lane: read }
        yield* budgets.charged(Effect.void, options)
        const waiting = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 3 }, () => budgets.charged(Clock.currentTimeMillis, options)),
            { concurrency: "unbounded" }
          )
        )
        yield* TestClock.adjust("100 millis")
        yield* budgets.observe(one, { sentAt: 0, receivedAt: 100, limit: 3, refused: false })
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(waiting)).toEqual([100, 100, 1001])
      })
    )
  )

  it.effect("is granted to one UID, on one host, for one type of business", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        expect(budgets.granted("h", "1", "SPOT")).toBeUndefined()
        yield* budgets.grant("h", "1", "SPOT", 50)
        yield* budgets.grant("h", "1", "SPOT", 60)
        expect(budgets.granted("h", "1", "SPOT")).toBe(60)
        expect(budgets.granted("h", "1", "DERIVATIVES")).toBeUndefined()
        expect(budgets.granted("h", "2", "SPOT")).toBeUndefined()
        expect(budgets.granted("i", "1", "SPOT")).toBeUndefined()
      })
    )
  )

  it.effect("tells of each by itself, and of who waits for it", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const both = { charges: [charge("wide", 5), charge("narrow", 1)], lane: read }
        yield* budgets.charged(Effect.void, both)
        const waiting = yield* Effect.fork(budgets.charged(Effect.void, both))
        const other = yield* Effect.fork(
          budgets.charged(Effect.never, { charges: [charge("other", 1)], lane: "urgent" })
        )
        yield* TestClock.adjust("1 millis")
        expect(yield* budgets.states).toEqual([
          { key: "wide", limit: 5, remaining: 4, nextFreeAt: 1, waiting: 1 },
          { key: "narrow", limit: 1, remaining: 0, nextFreeAt: 1001, waiting: 1 },
          { key: "other", limit: 1, remaining: 0, nextFreeAt: Number.POSITIVE_INFINITY, waiting: 0 }
        ])
        yield* Fiber.interruptAll([waiting, other])
      })
    )
  )

  it.effect("lets a call through alone that costs more than the limit", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        expect(yield* budgets.charged(Clock.currentTimeMillis, { charges: [charge("k", 1, 5)], lane: read })).toBe(0)
      })
    )
  )

  it.effect("waits for all the budgets it falls under, and takes none while it waits", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const both = { charges: [charge("wide", 2), charge("narrow", 1)], lane: read }
        const wide = { charges: [charge("wide", 2)], lane: read }
        const now = Clock.currentTimeMillis
        const fiber = yield* Effect.fork(
          Effect.all([budgets.charged(now, both), budgets.charged(now, both), budgets.charged(now, wide)], {
            concurrency: "unbounded"
          })
        )
        yield* TestClock.adjust("5 seconds")
        // The second waits for `narrow`; for its sake nobody behind it takes what it needs of `wide`, but there is enough.
        expect(yield* Fiber.join(fiber)).toEqual([0, 1001, 0])
      })
    )
  )

  it.effect("is free again at once when a call provably was not sent", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const options = { charges: [charge("k", 1)], lane: read }
        yield* budgets.charged(Effect.void, { ...options, settlement: () => "unsent" })
        expect(yield* budgets.charged(Clock.currentTimeMillis, options)).toBe(0)
      })
    )
  )

  it.effect("is given back by a call that is interrupted: waiting at once, under way one window later", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const options = { charges: [charge("k", 1)], lane: read }
        const stuck = yield* Effect.fork(budgets.charged(Effect.never, options))
        yield* TestClock.adjust("100 millis")
        const waiting = yield* Effect.fork(budgets.charged(Effect.never, options))
        const next = yield* Effect.fork(budgets.charged(Clock.currentTimeMillis, options))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(stuck)
        yield* TestClock.adjust("1 minute")
        expect(yield* Fiber.join(next)).toBe(60_100 + 1001)
      })
    )
  )

  it.effect("ends the waiting when told, and leaves nothing behind", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const options = { charges: [charge("k", 1)], lane: read }
        yield* budgets.charged(Effect.void, options)
        const ended = yield* Effect.fork(
          budgets.charged(Effect.void, {
            ...options,
            unless: Effect.zipRight(Effect.sleep(300), Effect.fail("closed"))
          })
        )
        yield* TestClock.adjust("300 millis")
        expect(yield* Fiber.await(ended)).toStrictEqual(Exit.fail("closed"))
        expect(yield* budgets.states).toMatchObject([{ key: "k", waiting: 0 }])
      })
    )
  )

  it.effect("tells its state: limit, what is left, who waits, when there is room again", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const options = { charges: [charge("k", 2)], lane: read }
        yield* budgets.charged(Effect.void, options)
        expect(yield* budgets.states).toEqual([{ key: "k", limit: 2, remaining: 1, nextFreeAt: 0, waiting: 0 }])
        yield* budgets.charged(Effect.void, options)
        const waiting = yield* Effect.fork(
          Effect.all(
            [1, 2, 3].map(() => budgets.charged(Effect.void, options)),
            { concurrency: 3 }
          )
        )
        yield* TestClock.adjust("1 millis")
        expect(yield* budgets.states).toEqual([{ key: "k", limit: 2, remaining: 0, nextFreeAt: 1001, waiting: 3 }])
        yield* Fiber.interrupt(waiting)
      })
    )
  )

  it.effect("is used to the full by a program that asks for more", () =>
    Effect.gen(function* () {
      const arrived = yield* arrivals(Array(600).fill({ after: 0, there: 0, back: 0 }), 10)
      const last = Math.max(...arrived)
      expect(last).toBeLessThanOrEqual(59 * 1001)
      expect(600 / (last / 1000 + 1)).toBeGreaterThanOrEqual(0.99 * 10)
    })
  )

  it.effect.prop(
    "asks its store no more often when the clock tells fractions of a millisecond, as a test's clock does",
    { first: FastCheck.integer({ min: 0, max: 10_000_000 }), then: FastCheck.integer({ min: 0, max: 500_000 }) },
    ({ first, then }) =>
      Effect.gen(function* () {
        const store = yield* BudgetStore.makeMemory
        let asked = 0
        const counting: BudgetStore.BudgetStore.Shape = {
          ...store,
          reserve: (charges, now) =>
            Effect.suspend(() => (++asked > 20 ? Effect.dieMessage("asks forever") : store.reserve(charges, now)))
        }
        const budgets = yield* Effect.provideService(Budgets.make, BudgetStore.BudgetStore, counting)
        const options = { charges: [charge("k", 1)], lane: read }
        yield* TestClock.setTime(first / 997)
        yield* budgets.charged(Effect.void, options)
        yield* TestClock.adjust(then / 997)
        const next = yield* Effect.fork(budgets.charged(Clock.currentTimeMillis, options))
        yield* TestClock.adjust("2 seconds")
        expect((yield* Fiber.join(next)) - first / 997).toBeGreaterThanOrEqual(1000)
      }),
    { fastCheck: { numRuns: 100 } }
  )

  it.effect.prop(
    "never lets more calls arrive in any window than its limit, whatever the latency and the lane",
    {
      calls: FastCheck.array(
        FastCheck.record({
          after: FastCheck.integer({ min: 0, max: 1500 }),
          there: FastCheck.integer({ min: 0, max: 400 }),
          back: FastCheck.integer({ min: 0, max: 400 }),
          lane: FastCheck.constantFrom<Lane.Name>("urgent", "write", "read", "bulk")
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
    { fastCheck: { numRuns: 30 }, timeout: 30_000 }
  )
})

describe("lanes", () => {
  /** Who is served in which order when one budget of one call a second is asked by many. */
  const served = (asked: ReadonlyArray<{ readonly name: string; readonly lane: Lane.Name; readonly after: number }>) =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const order: Array<string> = []
        const one = ({ after, lane, name }: (typeof asked)[number]) =>
          Effect.delay(
            budgets.charged(
              Effect.sync(() => order.push(name)),
              { charges: [charge("k", 1)], lane }
            ),
            after
          )
        const fiber = yield* Effect.fork(Effect.all(asked.map(one), { concurrency: "unbounded", discard: true }))
        yield* TestClock.adjust(Duration.seconds(asked.length + 2))
        yield* Fiber.join(fiber)
        return order
      })
    )

  it.effect("serve cancellations before writes before reads before exports, and each in the order of arrival", () =>
    Effect.gen(function* () {
      const order = yield* served([
        { name: "first", lane: "bulk", after: 0 },
        { name: "bulk", lane: "bulk", after: 1 },
        { name: "read 1", lane: "read", after: 2 },
        { name: "read 2", lane: "read", after: 3 },
        { name: "write", lane: "write", after: 4 },
        { name: "urgent", lane: "urgent", after: 5 }
      ])
      expect(order).toEqual(["first", "urgent", "write", "read 1", "read 2", "bulk"])
    })
  )

  it.effect("starve nobody: whoever waits longest goes after ten that passed", () =>
    Effect.gen(function* () {
      const reads = Array.from({ length: 60 }, (_, at) => ({
        name: `read ${at}`,
        lane: "read" as const,
        after: at * 10
      }))
      const order = yield* served([
        { name: "first", lane: "read", after: 0 },
        { name: "bulk 1", lane: "bulk", after: 1 },
        { name: "bulk 2", lane: "bulk", after: 2 },
        ...reads
      ])
      // "read 0" came before it, and passes nobody.
      expect(order.indexOf("bulk 1")).toBe(12)
      expect(order.indexOf("bulk 2")).toBe(23)
    })
  )

  it.effect("let whoever waits longest go first of all that were passed often enough", () =>
    Effect.gen(function* () {
      const urgent = Array.from({ length: 40 }, (_, at) => ({
        name: `urgent ${at}`,
        lane: "urgent" as const,
        after: 5 + at
      }))
      const order = yield* served([
        { name: "first", lane: "read", after: 0 },
        { name: "bulk", lane: "bulk", after: 1 },
        { name: "write", lane: "write", after: 2 },
        { name: "read", lane: "read", after: 3 },
        ...urgent
      ])
      expect(order.filter((name) => !name.startsWith("urgent"))).toEqual(["first", "bulk", "write", "read"])
      expect(order.indexOf("bulk")).toBe(11)
    })
  )

  it.effect("pass nobody who waits for something else", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const order: Array<string> = []
        const one = (name: string, key: string, lane: Lane.Name) =>
          Effect.fork(
            budgets.charged(
              Effect.sync(() => order.push(name)),
              { charges: [charge(key, 1)], lane }
            )
          )
        yield* one("a 1", "a", "bulk")
        yield* one("b 1", "b", "bulk")
        yield* TestClock.adjust("1 millis")
        for (let index = 2; index < 15; index++) yield* one(`a ${index}`, "a", "urgent")
        yield* one("b 2", "b", "bulk")
        yield* TestClock.adjust("1 millis")
        yield* one("b 3", "b", "urgent")
        yield* TestClock.adjust("1 minute")
        expect(order.filter((name) => name.startsWith("b"))).toEqual(["b 1", "b 3", "b 2"])
        expect(order.filter((name) => name.startsWith("a"))).toHaveLength(14)
      })
    )
  )

  it.effect(
    "let a cancellation behind a thousand export pages be the next that is sent",
    () =>
      Effect.gen(function* () {
        const pages = Array.from({ length: 1000 }, (_, page) => ({
          name: `page ${page}`,
          lane: "bulk" as const,
          after: 0
        }))
        const order = yield* served([...pages, { name: "cancel", lane: "urgent", after: 2500 }])
        // 0 s, 1.001 s and 2.002 s have passed: the next place is the cancellation's.
        expect(order.indexOf("cancel")).toBe(3)
        expect(order).toHaveLength(1001)
      }),
    180_000
  )
})

describe("what the service says of a limit", () => {
  const observed = (observation: Partial<BudgetStore.Observation>): BudgetStore.Observation => ({
    sentAt: 0,
    receivedAt: 0,
    refused: false,
    ...observation
  })
  const k = charge("k", 10)

  const stateAfter = (...observations: ReadonlyArray<Partial<BudgetStore.Observation>>) =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        yield* budgets.charged(Effect.void, { charges: [k], lane: read })
        for (const observation of observations) yield* budgets.observe(k, observed(observation))
        const [state] = yield* budgets.states
        return state
      })
    )

  it.effect("raises and lowers it", () =>
    Effect.gen(function* () {
      expect(yield* stateAfter({ limit: 20 })).toMatchObject({ limit: 20, remaining: 19 })
      expect(yield* stateAfter({ limit: 4 })).toMatchObject({ limit: 4, remaining: 3 })
      expect(yield* stateAfter({ limit: 4 }, { limit: 10 })).toMatchObject({ limit: 10 })
    })
  )

  it.effect("counts what others use of the same UID", () =>
    Effect.gen(function* () {
      expect(yield* stateAfter({ limit: 10, remaining: 3 })).toMatchObject({ remaining: 3 })
      expect(yield* stateAfter({ limit: 10, remaining: 9 })).toMatchObject({ remaining: 9 })
      expect(yield* stateAfter({ limit: 10, remaining: 10 })).toMatchObject({ remaining: 9 })
    })
  )

  it.effect("is not believed when it is absurd or stale", () =>
    Effect.gen(function* () {
      for (const limit of [0, -5, 1.5, Number.NaN, 1e12]) {
        expect(yield* stateAfter({ limit })).toMatchObject({ limit: 10, remaining: 9 })
      }
      expect(yield* stateAfter({ limit: 10, remaining: -3 })).toMatchObject({ remaining: 9 })
      expect(yield* stateAfter({ limit: 10, remaining: 400 })).toMatchObject({ remaining: 9 })
      expect(yield* stateAfter({ limit: 5, sentAt: 10 }, { limit: 20, sentAt: 9 })).toMatchObject({ limit: 5 })
    })
  )

  it.effect("closes the budget until the instant it names, and for a window when that is past or absurd", () =>
    Effect.gen(function* () {
      expect(yield* stateAfter({ refused: true, limit: 10, resetAt: 700 })).toMatchObject({
        remaining: 0,
        nextFreeAt: 700
      })
      for (const resetAt of [undefined, -5, 0, 99_999_999]) {
        expect(yield* stateAfter({ refused: true, limit: 10, resetAt })).toMatchObject({
          remaining: 0,
          nextFreeAt: 1001
        })
      }
    })
  )

  it.effect("is guessed from a refusal that says nothing else, for ten minutes", () =>
    withBudgets((budgets) =>
      Effect.gen(function* () {
        const options = { charges: [k], lane: read }
        for (let call = 0; call < 4; call++) yield* budgets.charged(Effect.void, options)
        // The fifth is refused: the service took four.
        yield* budgets.charged(budgets.observe(k, observed({ refused: true })), {
          ...options,
          settlement: () => "refused"
        })
        yield* TestClock.adjust("2 seconds")
        expect(yield* budgets.states).toMatchObject([{ limit: 4, remaining: 4 }])
        yield* TestClock.adjust("9 minutes")
        expect(yield* budgets.states).toMatchObject([{ limit: 4 }])
        yield* TestClock.adjust("1 minutes")
        expect(yield* budgets.states).toMatchObject([{ limit: 10 }])
      })
    )
  )
})
