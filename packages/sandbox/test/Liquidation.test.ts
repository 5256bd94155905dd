import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, TestClock } from "effect"
import * as Traders from "./utils/traders.js"

const decimal = BigDecimal.unsafeFromString
const bare = (amount: BigDecimal.BigDecimal) => BigDecimal.format(BigDecimal.normalize(amount))

const cases = [
  { category: "linear", symbol: "LTCUSDT", price: "100", tick: "0.01", qty: "312.3", coin: "USDT", funds: "4321.5" },
  { category: "linear", symbol: "BTCUSDT", price: "40000", tick: "0.1", qty: "0.777", coin: "USDT", funds: "4321.5" },
  { category: "inverse", symbol: "BTCUSD", price: "40000", tick: "0.5", qty: "9999", coin: "BTC", funds: "0.03456789" }
] as const

describe("liquidation", () => {
  for (const { category, coin, funds, price, qty, symbol, tick } of cases) {
    for (const side of ["Buy", "Sell"] as const) {
      for (const tradeMode of ["isolated", "cross"] as const) {
        it.effect(
          `[exchange/liquidation] of a ${tradeMode} ${side} of ${symbol} triggers at liqPrice, not a tick earlier, and executes at bustPrice`,
          () =>
            Effect.gen(function* () {
              yield* TestClock.setTime(1_780_000_000_000)
              const world = yield* Traders.world()
              yield* world.control.setPrice({ category, symbol, price })
              const trader = yield* world.trader({ funds: { [coin]: funds }, tradeMode })
              yield* trader.place({ category, symbol, side, orderType: "Market", qty })
              const { bustPrice, liqPrice } = yield* trader.position(category, symbol)
              const away = BigDecimal.multiply(decimal(tick), BigDecimal.fromBigInt(side === "Buy" ? 1n : -1n))
              yield* world.control.setPrice({ category, symbol, price: bare(BigDecimal.sum(decimal(liqPrice), away)) })
              expect((yield* trader.position(category, symbol)).side).toBe(side)
              yield* world.control.setPrice({ category, symbol, price: liqPrice })
              expect(yield* trader.position(category, symbol)).toMatchObject({ side: "", positionStatus: "Liq" })
              const [bust] = yield* trader.rows("execution/list", { category, symbol, execType: "BustTrade" })
              expect(bust?.execPrice).toBe(bustPrice)
              yield* world.holds
            })
        )
      }
    }
  }
})
