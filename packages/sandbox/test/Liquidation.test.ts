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

/** The other side of a hedge, in percent of the first. */
const hedges = [30, 60] as const

describe("liquidation", () => {
  for (const { category, coin, funds, price, qty, symbol, tick } of cases) {
    for (const side of ["Buy", "Sell"] as const) {
      for (const percent of hedges) {
        it.effect(
          `[exchange/liquidation.hedge] of a ${side} of ${symbol} with ${percent} % of it on the other side takes both at the shared liqPrice, not a tick earlier, at the bustPrice of the larger`,
          () =>
            Effect.gen(function* () {
              yield* TestClock.setTime(1_780_000_000_000)
              const world = yield* Traders.world()
              yield* world.control.setPrice({ category, symbol, price })
              const trader = yield* world.trader({ funds: { [coin]: funds }, positionMode: "hedge" })
              yield* trader.code("position/set-leverage", { category, symbol, buyLeverage: "20", sellLeverage: "20" })
              const [larger, smaller] = side === "Buy" ? ([1, 2] as const) : ([2, 1] as const)
              const order = { category, symbol, orderType: "Market" }
              yield* trader.place({ ...order, side, qty, positionIdx: larger })
              const part = BigDecimal.unsafeDivide(
                BigDecimal.multiply(decimal(qty), decimal(String(percent))),
                decimal("100")
              )
              const step = decimal(qty.includes(".") ? "0.1" : "1")
              const whole = BigDecimal.multiply(BigDecimal.scale(BigDecimal.unsafeDivide(part, step), 0), step)
              const opposite = side === "Buy" ? "Sell" : "Buy"
              yield* trader.place({ ...order, side: opposite, qty: bare(whole), positionIdx: smaller })
              const { bustPrice, liqPrice } = yield* trader.position(category, symbol, larger)
              expect(yield* trader.position(category, symbol, smaller)).toMatchObject({ liqPrice, bustPrice: "" })
              const away = BigDecimal.multiply(decimal(tick), BigDecimal.fromBigInt(side === "Buy" ? 1n : -1n))
              yield* world.control.setPrice({ category, symbol, price: bare(BigDecimal.sum(decimal(liqPrice), away)) })
              expect(yield* trader.position(category, symbol, larger)).toMatchObject({ side, liqPrice, bustPrice })
              yield* world.control.setPrice({ category, symbol, price: liqPrice })
              for (const positionIdx of [larger, smaller]) {
                const closed = yield* trader.position(category, symbol, positionIdx)
                expect(closed).toMatchObject({ side: "", positionStatus: "Liq" })
              }
              const busts = yield* trader.rows("execution/list", { category, symbol, execType: "BustTrade" })
              expect(busts.map((bust) => bust.execPrice)).toEqual([bustPrice, bustPrice])
              yield* world.holds
            })
        )
      }
    }
  }

  it.effect("[exchange/liquidation.hedge] has no price for a hedge that no price can liquidate", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_780_000_000_000)
      const world = yield* Traders.world()
      const btc = { category: "linear", symbol: "BTCUSDT" } as const
      yield* world.control.setPrice({ ...btc, price: "40000" })
      const trader = yield* world.trader({ funds: { USDT: "10000" }, positionMode: "hedge" })
      yield* trader.place({ ...btc, side: "Buy", orderType: "Market", qty: "1", positionIdx: 1 })
      yield* trader.place({ ...btc, side: "Sell", orderType: "Market", qty: "0.9", positionIdx: 2 })
      for (const price of ["40000", "25000", "0.1", "400000"]) {
        yield* world.control.setPrice({ ...btc, price })
        for (const [positionIdx, side] of [
          [1, "Buy"],
          [2, "Sell"]
        ] as const) {
          const position = yield* trader.position("linear", "BTCUSDT", positionIdx)
          expect(position).toMatchObject({ side, liqPrice: "", bustPrice: "" })
        }
      }
      yield* world.holds
    })
  )

  it.effect("[exchange/liquidation.hedge] of one side by a command takes both", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_780_000_000_000)
      const world = yield* Traders.world()
      const trader = yield* world.trader({ funds: { USDT: "1000" }, positionMode: "hedge" })
      const ltc = { category: "linear", symbol: "LTCUSDT" } as const
      yield* world.control.setPrice({ ...ltc, price: "100" })
      yield* trader.place({ ...ltc, side: "Buy", orderType: "Market", qty: "50", positionIdx: 1 })
      yield* trader.place({ ...ltc, side: "Sell", orderType: "Market", qty: "20", positionIdx: 2 })
      yield* world.control.liquidate({ uid: trader.uid, ...ltc, positionIdx: 2 })
      expect(yield* trader.rows("position/list", { category: "linear", settleCoin: "USDT" })).toEqual([])
      expect(Number(yield* trader.balance("USDT"))).toBeCloseTo(0, 0)
      yield* world.holds
    })
  )

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
