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
import { Chunk, Effect, Layer, Stream } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { daysAgo, onThatDay } from "./utils/exchange.js"

// Pages of a list are compared with each other: nothing may fill between them.
const exchange = Venue.layer.pipe(Layer.provideMerge(Sandbox.layer({ seed: 5, prices: "still" })))

type Rows = Stream.Stream<unknown, Failure.ReadFailure>
type Paged = (limit?: number) => Rows

const linear = { category: "linear" } as const
const past = { startTime: daysAgo(8), endTime: daysAgo(7) }
const beforeUpgrade = { startTime: daysAgo(800), endTime: daysAgo(793) }

/** Every stream over the pages of a list, with a small page size and its least number of rows where a request has a page size. */
const streams: Readonly<
  Record<string, readonly [stream: Effect.Effect<Paged, never, Venue.Venue>, size?: number, least?: number]>
> = {
  "orders.openStream": [
    Effect.map(Orders.Orders, (_) => (limit) => _.openStream({ ...linear, settleCoin: "USDT", limit })),
    3,
    4
  ],
  "orders.openStream of closed orders": [
    Effect.map(Orders.Orders, (_) => (limit) => _.openStream({ ...linear, symbol: "BTCUSDT", openOnly: 1, limit })),
    20,
    50
  ],
  "orders.historyStream": [Effect.map(Orders.Orders, (_) => () => _.historyStream(linear))],
  "positions.listStream": [
    Effect.map(Positions.Positions, (_) => (limit) => _.listStream({ ...linear, settleCoin: "USDT", limit })),
    1,
    2
  ],
  "positions.closedPnlStream": [
    Effect.map(Positions.Positions, (_) => () => _.closedPnlStream({ ...linear, ...past }))
  ],
  "positions.preUpgradeClosedPnlStream": [
    Effect.map(
      Positions.Positions,
      (_) => (limit) => _.preUpgradeClosedPnlStream({ ...linear, ...beforeUpgrade, limit })
    ),
    1,
    1
  ],
  "executions.listStream": [
    Effect.map(Executions.Executions, (_) => (limit) => _.listStream({ ...linear, ...past, limit })),
    20,
    60
  ],
  "executions.preUpgradeStream": [
    Effect.map(Executions.Executions, (_) => (limit) => _.preUpgradeStream({ ...linear, ...beforeUpgrade, limit })),
    2,
    2
  ],
  "instruments.listStream": [
    Effect.map(Instruments.Instruments, (_) => (limit) => _.listStream({ ...linear, limit })),
    2,
    3
  ],
  "assets.depositsStream": [
    Effect.map(Assets.Assets, (_) => (pageSize) => _.depositsStream({ type: 2, pageSize })),
    3,
    4
  ],
  "assets.transfersStream": [Effect.map(Assets.Assets, (_) => (limit) => _.transfersStream({ limit })), 3, 4],
  "assets.subAccountTransfersStream": [
    Effect.map(Assets.Assets, (_) => (limit) => _.subAccountTransfersStream({ limit })),
    1,
    2
  ],
  "broker.tradeVolumeStream": [Effect.map(Broker.Broker, (_) => (limit) => _.tradeVolumeStream({ limit })), 7, 10]
}

/** How a stream ends when no response has a cursor. */
const withoutCursors = (rows: Rows) =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.set([{ fault: { kind: "missingCursor" } }])
    const exit = yield* settle(Effect.either(Stream.runCount(rows)))
    yield* faults.clear
    return exit
  })

describe("a stream of pages", () => {
  for (const [name, [stream, size, least = 0]] of Object.entries(streams)) {
    it.effect(
      `${name} returns the same rows in small pages, and does not treat an answer without a cursor as the last`,
      () =>
        onThatDay(
          exchange,
          Effect.gen(function* () {
            const rows = yield* stream
            const all = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(rows())))
            expect(all.length).toBeGreaterThanOrEqual(least)
            if (size !== undefined) {
              expect(Chunk.toReadonlyArray(yield* settle(Stream.runCollect(rows(size))))).toEqual(all)
            }
            expect(yield* withoutCursors(rows())).toMatchObject({
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
        expect(yield* withoutCursors(rows)).toMatchObject({ right: expected })
      })
    )
  )
})
