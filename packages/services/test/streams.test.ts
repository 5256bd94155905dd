import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as State from "@effect-venue/sandbox/State"
import * as Assets from "@effect-venue/services/Assets"
import * as Broker from "@effect-venue/services/Broker"
import * as Executions from "@effect-venue/services/Executions"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import type * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Chunk, type DateTime, Effect, Layer, Stream } from "effect"
import { daysAgo, onThatDay, settle, today } from "./utils/exchange.js"

// Pages of a list are compared with each other: nothing may fill between them.
const exchange = Venue.layer.pipe(Layer.provideMerge(Sandbox.layer({ seed: 5, prices: "still" })))

type Rows = Stream.Stream<unknown, Failure.HistoryFailure>
type Paged = (limit?: number) => Rows

const linear = { category: "linear" } as const
const past = { startTime: daysAgo(8), endTime: daysAgo(7) }
const beforeUpgrade = { startTime: daysAgo(800), endTime: daysAgo(793) }
const range = { from: daysAgo(8), to: daysAgo(7) }
const older = { from: daysAgo(800), to: daysAgo(793) }

/** Every stream over the pages of a list, with page sizes and its least number of rows where a request has a page size. */
const streams: Readonly<
  Record<
    string,
    readonly [stream: Effect.Effect<Paged, never, Venue.Venue>, sizes?: ReadonlyArray<number>, least?: number]
  >
> = {
  "orders.openStream": [
    Effect.map(Orders.Orders, (_) => (limit) => _.openStream({ ...linear, settleCoin: "USDT", limit })),
    [1, 3, 50],
    4
  ],
  "orders.openStream of closed orders": [
    Effect.map(Orders.Orders, (_) => (limit) => _.openStream({ ...linear, symbol: "BTCUSDT", openOnly: 1, limit })),
    [7, 50],
    50
  ],
  "orders.historyStream": [Effect.map(Orders.Orders, (_) => () => _.historyStream(linear))],
  "orders.historyBetween": [Effect.map(Orders.Orders, (_) => () => _.historyBetween({ ...linear, ...range }))],
  "positions.listStream": [
    Effect.map(Positions.Positions, (_) => (limit) => _.listStream({ ...linear, settleCoin: "USDT", limit })),
    [1, 200],
    2
  ],
  "positions.closedPnlStream": [
    Effect.map(Positions.Positions, (_) => () => _.closedPnlStream({ ...linear, ...past }))
  ],
  "positions.closedPnlHistory": [
    Effect.map(Positions.Positions, (_) => () => _.closedPnlHistory({ ...linear, ...range }))
  ],
  "positions.preUpgradeClosedPnlStream": [
    Effect.map(
      Positions.Positions,
      (_) => (limit) => _.preUpgradeClosedPnlStream({ ...linear, ...beforeUpgrade, limit })
    ),
    [1, 100],
    1
  ],
  "positions.preUpgradeClosedPnlHistory": [
    Effect.map(Positions.Positions, (_) => () => _.preUpgradeClosedPnlHistory({ ...linear, ...older }))
  ],
  "executions.listStream": [
    Effect.map(Executions.Executions, (_) => (limit) => _.listStream({ ...linear, ...past, limit })),
    [7, 100],
    60
  ],
  "executions.history": [Effect.map(Executions.Executions, (_) => () => _.history({ ...linear, ...range }))],
  "executions.preUpgradeStream": [
    Effect.map(Executions.Executions, (_) => (limit) => _.preUpgradeStream({ ...linear, ...beforeUpgrade, limit })),
    [2, 100],
    2
  ],
  "executions.preUpgradeHistory": [
    Effect.map(Executions.Executions, (_) => () => _.preUpgradeHistory({ ...linear, ...older }))
  ],
  "instruments.listStream": [
    Effect.map(Instruments.Instruments, (_) => (limit) => _.listStream({ ...linear, limit })),
    [1, 2, 1000],
    3
  ],
  "assets.depositsStream": [
    Effect.map(Assets.Assets, (_) => (pageSize) => _.depositsStream({ type: 2, pageSize })),
    [1, 3, 50],
    4
  ],
  "assets.transfersStream": [Effect.map(Assets.Assets, (_) => (limit) => _.transfersStream({ limit })), [1, 3, 50], 4],
  "assets.subAccountTransfersStream": [
    Effect.map(Assets.Assets, (_) => (limit) => _.subAccountTransfersStream({ limit })),
    [1, 3],
    2
  ],
  "broker.tradeVolumeStream": [
    Effect.map(Broker.Broker, (_) => (limit) => _.tradeVolumeStream({ limit })),
    [1, 7, 50],
    10
  ]
}

/** How a stream ends when the first `count` answers have no cursor. */
const withoutCursors = (rows: Rows, count: number) =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.set([{ fault: { kind: "missingCursor" }, count }])
    const exit = yield* settle(Effect.either(Stream.runCount(rows)))
    yield* faults.clear
    return exit
  })

describe("a stream of pages", () => {
  for (const [name, [stream, sizes = [], least = 0]] of Object.entries(streams)) {
    it.effect(
      `${name} returns the same rows in pages of any size, and does not treat an answer without a cursor as the last`,
      () =>
        onThatDay(
          exchange,
          Effect.gen(function* () {
            const rows = yield* stream
            const all = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(rows())))
            expect(all.length).toBeGreaterThanOrEqual(least)
            for (const size of sizes) {
              expect(Chunk.toReadonlyArray(yield* settle(Stream.runCollect(rows(size))))).toEqual(all)
            }
            expect(yield* withoutCursors(rows(), 2)).toMatchObject({ right: all.length })
            expect(yield* withoutCursors(rows(), 1000)).toMatchObject({
              left: { _tag: "UnexpectedResponse", path: "result.cursor" }
            })
          })
        )
    )
  }

  it.effect("of spot instruments is complete without a cursor", () =>
    onThatDay(
      exchange,
      Effect.gen(function* () {
        const rows = (yield* Instruments.Instruments).listStream({ category: "spot" })
        const expected = yield* settle(Stream.runCount(rows))
        expect(expected).toBeGreaterThan(0)
        expect(yield* withoutCursors(rows, 1000)).toMatchObject({ right: expected })
      })
    )
  )
})

interface Entry {
  readonly id: string
  readonly at: DateTime.Utc
}

const from = daysAgo(45)
const to = daysAgo(2)

/** An open order that was cancelled without a fill is listed for a week. */
const isKept = ({ createdTime, cumExecQty }: State.Order) =>
  createdTime.epochMillis >= daysAgo(7).epochMillis || BigDecimal.isPositive(cumExecQty)

/** Each history, and what the books of the exchange have of it. */
const histories: Readonly<
  Record<
    string,
    readonly [
      rows: Effect.Effect<Stream.Stream<Entry, Failure.HistoryFailure>, never, Venue.Venue>,
      held: (account: State.Account) => ReadonlyArray<Entry>
    ]
  >
> = {
  "executions.history": [
    Effect.map(Executions.Executions, (_) =>
      Stream.map(_.history({ ...linear, from, to }), ({ execId, execTime }) => ({ id: execId, at: execTime }))
    ),
    ({ executions }) => executions.linear.map(({ execId, execTime }) => ({ id: execId, at: execTime }))
  ],
  "orders.historyBetween": [
    Effect.map(Orders.Orders, (_) =>
      Stream.map(_.historyBetween({ category: "spot", from, to }), ({ createdTime, orderId }) => ({
        id: orderId,
        at: createdTime
      }))
    ),
    ({ closedOrders }) =>
      closedOrders
        .filter((order) => order.category === "spot" && isKept(order))
        .map(({ createdTime, orderId }) => ({ id: orderId, at: createdTime }))
  ],
  "positions.closedPnlHistory": [
    Effect.map(Positions.Positions, (_) =>
      Stream.map(_.closedPnlHistory({ category: "inverse", from, to }), ({ createdTime, orderId }) => ({
        id: orderId,
        at: createdTime
      }))
    ),
    ({ closedPnl }) => closedPnl.inverse.map(({ createdTime, orderId }) => ({ id: orderId, at: createdTime }))
  ]
}

const described = (entries: ReadonlyArray<Entry>) => entries.map(({ at, id }) => `${id} ${at.epochMillis}`).toSorted()

describe("a history over any range", () => {
  for (const [name, [history, held]] of Object.entries(histories)) {
    it.effect(`${name} returns every record of the exchange once, oldest first`, () =>
      onThatDay(
        exchange,
        Effect.gen(function* () {
          const rows = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(yield* history)))
          const { snapshot, uids } = yield* Sandbox.Sandbox
          const account = yield* Effect.orDie(Effect.fromNullable((yield* snapshot).accounts.get(uids.main)))
          const expected = held(account).filter(
            ({ at }) => at.epochMillis >= from.epochMillis && at.epochMillis < to.epochMillis
          )
          expect(expected.length).toBeGreaterThan(20)
          expect(described(rows)).toEqual(described(expected))
          const times = rows.map(({ at }) => at.epochMillis)
          expect(times).toEqual(times.toSorted((one, other) => one - other))
        })
      )
    )
  }

  it.effect("reads executions and closed profit and loss from before the upgrade", () =>
    onThatDay(
      exchange,
      Effect.gen(function* () {
        const { holds } = yield* Sandbox.Sandbox
        const query = { ...linear, from: daysAgo(900), to: daysAgo(700) }
        const { preUpgradeClosedPnl, preUpgradeExecutions } = yield* holds(query)
        const { preUpgradeHistory } = yield* Executions.Executions
        const { preUpgradeClosedPnlHistory } = yield* Positions.Positions
        expect(yield* settle(Stream.runCount(preUpgradeHistory(query)))).toBe(preUpgradeExecutions.count)
        expect(yield* settle(Stream.runCount(preUpgradeClosedPnlHistory(query)))).toBe(preUpgradeClosedPnl.count)
        expect(preUpgradeClosedPnl.count).toBeGreaterThan(0)
      })
    )
  )

  it.effect("returns only the requested symbol", () =>
    onThatDay(
      exchange,
      Effect.gen(function* () {
        const { history } = yield* Executions.Executions
        const query = { category: "spot", from: daysAgo(20), to: today } as const
        const all = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(history(query))))
        const one = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(history({ ...query, symbol: "ETHUSDT" }))))
        expect(one).toEqual(all.filter(({ symbol }) => symbol === "ETHUSDT"))
        expect(one.length).toBeGreaterThan(0)
      })
    )
  )
})
