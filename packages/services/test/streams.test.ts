import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/services/Assets"
import * as Broker from "@effect-venue/services/Broker"
import * as Executions from "@effect-venue/services/Executions"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import type * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, DateTime, Duration, Effect, Fiber, Layer, Option, Stream, TestClock } from "effect"

const today = DateTime.unsafeMake("2026-06-15T12:34:56.789Z")
const daysAgo = (days: number) => DateTime.subtractDuration(today, Duration.days(days))

// Pages of a list are compared with each other: nothing may fill between them.
const exchange = Venue.layer.pipe(Layer.provideMerge(Sandbox.layer({ seed: 5, prices: "still" })))

/** Runs an effect to its end, however long it waits for its rate limits. */
const settle = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    while (Option.isNone(yield* Fiber.poll(fiber))) yield* TestClock.adjust("1 second")
    return yield* Fiber.join(fiber)
  })

const onThatDay = <A, E>(effect: Effect.Effect<A, E, Venue.Venue | Sandbox.Sandbox>) =>
  Effect.zipRight(TestClock.setTime(today.epochMillis), Effect.provide(effect, exchange))

type Rows<Row> = Stream.Stream<Row, Failure.ReadFailure>

/** A list in pages of one, two or three rows is the list in pages as large as the service allows. */
const sameInAnyPages = <Row>(
  name: string,
  stream: Effect.Effect<(size: number | undefined) => Rows<Row>, never, Venue.Venue>,
  sizes: ReadonlyArray<number>,
  least: number
) =>
  it.effect(`${name} gives the same rows whatever the size of its pages`, () =>
    onThatDay(
      Effect.gen(function* () {
        const rows = yield* stream
        const all = yield* settle(Stream.runCollect(rows(undefined)))
        expect(Chunk.size(all)).toBeGreaterThanOrEqual(least)
        for (const size of sizes) {
          const paged = yield* settle(Stream.runCollect(rows(size)))
          expect(Chunk.toReadonlyArray(paged)).toEqual(Chunk.toReadonlyArray(all))
        }
      })
    )
  )

describe("a stream of pages", () => {
  sameInAnyPages(
    "orders.openStream",
    Effect.map(
      Orders.Orders,
      (orders) => (limit) => orders.openStream({ category: "linear", settleCoin: "USDT", limit })
    ),
    [1, 3, 50],
    4
  )
  sameInAnyPages(
    "orders.openStream of closed orders",
    Effect.map(
      Orders.Orders,
      (orders) => (limit) => orders.openStream({ category: "linear", symbol: "BTCUSDT", openOnly: 1, limit })
    ),
    [7, 50],
    50
  )
  sameInAnyPages(
    "positions.listStream",
    Effect.map(
      Positions.Positions,
      (positions) => (limit) => positions.listStream({ category: "linear", settleCoin: "USDT", limit })
    ),
    [1, 200],
    2
  )
  sameInAnyPages(
    "positions.preUpgradeClosedPnlStream",
    Effect.map(
      Positions.Positions,
      (positions) => (limit) =>
        positions.preUpgradeClosedPnlStream({
          category: "linear",
          startTime: daysAgo(800),
          endTime: daysAgo(793),
          limit
        })
    ),
    [1, 100],
    1
  )
  sameInAnyPages(
    "executions.listStream",
    Effect.map(
      Executions.Executions,
      (executions) => (limit) =>
        executions.listStream({ category: "linear", startTime: daysAgo(8), endTime: daysAgo(7), limit })
    ),
    [7, 100],
    60
  )
  sameInAnyPages(
    "executions.preUpgradeStream",
    Effect.map(
      Executions.Executions,
      (executions) => (limit) =>
        executions.preUpgradeStream({ category: "linear", startTime: daysAgo(800), endTime: daysAgo(793), limit })
    ),
    [2, 100],
    2
  )
  sameInAnyPages(
    "instruments.listStream",
    Effect.map(
      Instruments.Instruments,
      (instruments) => (limit) => instruments.listStream({ category: "linear", limit })
    ),
    [1, 2, 1000],
    3
  )
  sameInAnyPages(
    "assets.depositsStream",
    Effect.map(Assets.Assets, (assets) => (pageSize) => assets.depositsStream({ type: 2, pageSize })),
    [1, 3, 50],
    4
  )
  sameInAnyPages(
    "assets.transfersStream",
    Effect.map(Assets.Assets, (assets) => (limit) => assets.transfersStream({ limit })),
    [1, 3, 50],
    4
  )
  sameInAnyPages(
    "assets.subAccountTransfersStream",
    Effect.map(Assets.Assets, (assets) => (limit) => assets.subAccountTransfersStream({ limit })),
    [1, 3],
    2
  )
  sameInAnyPages(
    "broker.tradeVolumeStream",
    Effect.map(Broker.Broker, (broker) => (limit) => broker.tradeVolumeStream({ limit })),
    [1, 7, 50],
    10
  )
})

describe("a history over any range", () => {
  it.effect("has every execution of two years once, oldest first", () =>
    onThatDay(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const executions = yield* Executions.Executions
        const query = { category: "inverse", from: daysAgo(730), to: today } as const
        const rows = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(executions.history(query))))
        const { count } = (yield* sandbox.holds(query)).executions
        expect(count).toBeGreaterThan(100)
        expect(new Set(rows.map(({ execId }) => execId)).size).toBe(count)
        expect(rows).toHaveLength(count)
        const times = rows.map(({ execTime }) => execTime.epochMillis)
        expect(times).toEqual(times.toSorted((one, other) => one - other))
      })
    )
  )

  it.effect("goes back before the upgrade, for executions and closed profit and loss", () =>
    onThatDay(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const executions = yield* Executions.Executions
        const positions = yield* Positions.Positions
        const query = { category: "linear", from: daysAgo(900), to: daysAgo(700) } as const
        const held = yield* sandbox.holds(query)
        expect(yield* settle(Stream.runCount(executions.preUpgradeHistory(query)))).toBe(
          held.preUpgradeExecutions.count
        )
        expect(yield* settle(Stream.runCount(positions.preUpgradeClosedPnlHistory(query)))).toBe(
          held.preUpgradeClosedPnl.count
        )
        expect(held.preUpgradeClosedPnl.count).toBeGreaterThan(0)
      })
    )
  )

  it.effect("keeps to one symbol when given", () =>
    onThatDay(
      Effect.gen(function* () {
        const executions = yield* Executions.Executions
        const range = { category: "spot", from: daysAgo(20), to: today } as const
        const all = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(executions.history(range))))
        const one = yield* settle(Stream.runCollect(executions.history({ ...range, symbol: "ETHUSDT" })))
        expect(Chunk.toReadonlyArray(one)).toEqual(all.filter(({ symbol }) => symbol === "ETHUSDT"))
        expect(Chunk.size(one)).toBeGreaterThan(0)
      })
    )
  )

  it.effect("refuses a range that is none", () =>
    onThatDay(
      Effect.gen(function* () {
        const executions = yield* Executions.Executions
        const failure = yield* Effect.flip(
          Stream.runDrain(executions.history({ category: "linear", from: today, to: daysAgo(1) }))
        )
        expect(failure).toMatchObject({ _tag: "InvalidRequest", field: "from", rule: "must be before to" })
      })
    )
  )
})
