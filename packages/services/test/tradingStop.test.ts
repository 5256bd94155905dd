import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { onThatDay, settle, watched } from "./utils/exchange.js"

const btc = { category: "linear", symbol: "BTCUSDT" } as const
const stop = { ...btc, positionIdx: 0, takeProfit: "40000" } as const

const btcPosition = Effect.gen(function* () {
  const positions = yield* Positions.Positions
  const { list } = yield* settle(positions.list(btc))
  return yield* Effect.orDie(Effect.fromNullable(list[0]))
})

/** Cancels the stops of the position, so that its mode can be changed, and changes it. */
const switchTo = (tpSlMode: "Full" | "Partial") =>
  Effect.gen(function* () {
    const positions = yield* Positions.Positions
    yield* settle(
      positions.setTradingStop({ ...btc, positionIdx: 0, tpslMode: "Full", takeProfit: "0", stopLoss: "0" })
    )
    yield* settle(positions.setTpslMode({ ...btc, tpSlMode }))
    expect((yield* btcPosition).tpslMode).toEqual(Option.some(tpSlMode))
  })

const partialStops = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const { list } = yield* settle(orders.open({ ...btc, orderFilter: "StopOrder" }))
  return list.filter(({ stopOrderType }) => Option.contains(stopOrderType, "PartialTakeProfit"))
})

describe("positions.setTradingStop without tpslMode", () => {
  it.effect("sends sizes and limit prices, which the service accepts in the mode Partial", () =>
    onThatDay(
      watched().venue,
      Effect.gen(function* () {
        const positions = yield* Positions.Positions
        yield* switchTo("Partial")
        yield* settle(positions.setTradingStop({ ...stop, tpSize: "0.001" }))
        yield* settle(
          positions.setTradingStop({ ...stop, tpSize: "0.002", tpOrderType: "Limit", tpLimitPrice: "39000" })
        )
        const quantities = (yield* partialStops).map(({ qty }) => BigDecimal.format(qty)).sort()
        expect(quantities).toEqual(["0.001", "0.002"])
      })
    )
  )

  for (const refused of [{ tpSize: "0.001" }, { tpOrderType: "Limit", tpLimitPrice: "39000" }] as const) {
    it.effect(`is rejected by the service, not locally, in the mode Full: ${Object.keys(refused).join(", ")}`, () => {
      const { seen, venue } = watched()
      return onThatDay(
        venue,
        Effect.gen(function* () {
          const positions = yield* Positions.Positions
          yield* switchTo("Full").pipe(Effect.catchTag("Rejected", () => Effect.void))
          const before = seen.length
          const failure = yield* settle(Effect.flip(positions.setTradingStop({ ...stop, ...refused })))
          expect(failure).toMatchObject({ _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 })
          expect(seen.length).toBe(before + 1)
          expect(yield* partialStops).toEqual([])
        })
      )
    })
  }
})
