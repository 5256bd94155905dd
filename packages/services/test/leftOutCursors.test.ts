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
import { Effect, Layer, Stream } from "effect"
import { daysAgo, onThatDay, settle } from "./utils/exchange.js"

const exchange = Venue.layer.pipe(Layer.provideMerge(Sandbox.layer({ seed: 5, prices: "still" })))

type Rows = Stream.Stream<unknown, Failure.HistoryFailure>

const linear = { category: "linear" } as const
const past = { startTime: daysAgo(8), endTime: daysAgo(7) }
const beforeUpgrade = { startTime: daysAgo(800), endTime: daysAgo(793) }
const range = { from: daysAgo(8), to: daysAgo(7) }
const older = { from: daysAgo(800), to: daysAgo(793) }

/** Every stream over the pages of a list. */
const streams: Readonly<Record<string, Effect.Effect<Rows, never, Venue.Venue>>> = {
  "orders.openStream": Effect.map(Orders.Orders, (_) => _.openStream({ ...linear, settleCoin: "USDT" })),
  "orders.historyStream": Effect.map(Orders.Orders, (_) => _.historyStream(linear)),
  "orders.historyBetween": Effect.map(Orders.Orders, (_) => _.historyBetween({ ...linear, ...range })),
  "positions.listStream": Effect.map(Positions.Positions, (_) => _.listStream({ ...linear, settleCoin: "USDT" })),
  "positions.closedPnlStream": Effect.map(Positions.Positions, (_) => _.closedPnlStream({ ...linear, ...past })),
  "positions.closedPnlHistory": Effect.map(Positions.Positions, (_) => _.closedPnlHistory({ ...linear, ...range })),
  "positions.preUpgradeClosedPnlStream": Effect.map(Positions.Positions, (_) =>
    _.preUpgradeClosedPnlStream({ ...linear, ...beforeUpgrade })
  ),
  "positions.preUpgradeClosedPnlHistory": Effect.map(Positions.Positions, (_) =>
    _.preUpgradeClosedPnlHistory({ ...linear, ...older })
  ),
  "executions.listStream": Effect.map(Executions.Executions, (_) => _.listStream({ ...linear, ...past })),
  "executions.history": Effect.map(Executions.Executions, (_) => _.history({ ...linear, ...range })),
  "executions.preUpgradeStream": Effect.map(Executions.Executions, (_) =>
    _.preUpgradeStream({ ...linear, ...beforeUpgrade })
  ),
  "executions.preUpgradeHistory": Effect.map(Executions.Executions, (_) =>
    _.preUpgradeHistory({ ...linear, ...older })
  ),
  "instruments.listStream": Effect.map(Instruments.Instruments, (_) => _.listStream(linear)),
  "assets.depositsStream": Effect.map(Assets.Assets, (_) => _.depositsStream({})),
  "assets.transfersStream": Effect.map(Assets.Assets, (_) => _.transfersStream({})),
  "assets.subAccountTransfersStream": Effect.map(Assets.Assets, (_) => _.subAccountTransfersStream({})),
  "broker.tradeVolumeStream": Effect.map(Broker.Broker, (_) => _.tradeVolumeStream({}))
}

/** How a stream ends when the first `count` answers have no cursor. */
const outcome = (stream: Effect.Effect<Rows, never, Venue.Venue>, count: number) =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    const rows = yield* stream
    const expected = yield* settle(Stream.runCount(rows))
    yield* faults.set([{ fault: { kind: "missingCursor" }, count }])
    return { expected, exit: yield* settle(Effect.either(Stream.runCount(rows))) }
  })

describe("an answer without a cursor", () => {
  for (const [name, stream] of Object.entries(streams)) {
    it.effect(`is no last page: ${name} asks again, and fails when it has none three times in a row`, () =>
      onThatDay(
        exchange,
        Effect.gen(function* () {
          const { exit, expected } = yield* outcome(stream, 2)
          expect(exit).toMatchObject({ right: expected })
          yield* (yield* Sandbox.Sandbox).faults.clear
          const failed = yield* outcome(stream, 1000)
          expect(failed.exit).toMatchObject({ left: { _tag: "UnexpectedResponse", path: "result.cursor" } })
        })
      )
    )
  }

  it.effect("is the whole list of spot instruments", () =>
    onThatDay(
      exchange,
      Effect.gen(function* () {
        const spot = Effect.map(Instruments.Instruments, (_) => _.listStream({ category: "spot" }))
        const { exit, expected } = yield* outcome(spot, 1000)
        expect(expected).toBeGreaterThan(0)
        expect(exit).toMatchObject({ right: expected })
      })
    )
  )
})
