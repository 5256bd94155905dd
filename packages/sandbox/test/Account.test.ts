import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Traders from "./utils/traders.js"

const ltc = { category: "linear", symbol: "LTCUSDT" } as const
const ada = { category: "spot", symbol: "ADAUSDT" } as const

const wallet = (trader: Traders.Trader, coin: string) =>
  Effect.map(
    trader.rows("account/wallet-balance", { accountType: "UNIFIED", coin }),
    ([row]): Traders.Row => row?.coin[0]
  )

describe("the wallet", () => {
  for (const price of ["50", "100", "200"]) {
    it.effect(
      `[records/wallet.available] can withdraw in isolated margin the amount that no position or order needs, at ${price}`,
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(1_780_000_000_000)
          const { control, holds, trader: open } = yield* Traders.world()
          yield* control.setPrice({ ...ltc, price: "100" })
          const trader = yield* open({ funds: { USDT: "10000" }, tradeMode: "isolated" })
          yield* trader.place({ ...ltc, side: "Sell", orderType: "Market", qty: "10" })
          yield* trader.place({ ...ltc, side: "Sell", orderType: "Limit", qty: "1", price: "105" })
          // A position that is far from its bankruptcy.
          yield* trader.post("position/add-margin", { ...ltc, margin: "3000" })
          yield* control.setPrice({ ...ltc, price })
          const usdt = yield* wallet(trader, "USDT")
          const number = (name: string) => Number(usdt[name])
          expect(number("availableToWithdraw")).toBeCloseTo(
            number("walletBalance") - number("totalPositionIM") - number("totalOrderIM") - number("bonus"),
            8
          )
          yield* holds
        })
    )
  }

  it.effect("[exchange/bonus] pays realised losses and fees from the bonus before the balance of the account", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_780_000_000_000)
      const { control, holds, trader: open } = yield* Traders.world()
      const inverse = { category: "inverse", symbol: "BTCUSD" } as const
      for (const { bonus, category, coin, symbol } of [
        { ...ltc, coin: "USDT", bonus: "500" },
        { ...inverse, coin: "BTC", bonus: "0.1" }
      ] as const) {
        const start = category === "linear" ? "100" : "40000"
        const lower = category === "linear" ? "90" : "36000"
        const qty = category === "linear" ? "10" : "1000"
        const trader = yield* open({ funds: { [coin]: category === "linear" ? "1000" : "1" } })
        yield* control.grant({ uid: trader.uid, award: "bonus", coin, amount: bonus })
        const own = Effect.map(wallet(trader, coin), (row) => Number(row.walletBalance) - Number(row.bonus))
        const before = yield* own
        yield* control.setPrice({ category, symbol, price: start })
        yield* trader.place({ category, symbol, side: "Buy", orderType: "Market", qty })
        yield* control.setPrice({ category, symbol, price: lower })
        // Closed in two parts, by an order and by a forced close.
        yield* trader.place({ category, symbol, side: "Sell", orderType: "Market", qty: qty.slice(0, -1) })
        yield* control.deleverage({ uid: trader.uid, category, symbol })
        expect(yield* own).toBeCloseTo(before, 8)
        const used = Number(bonus) - Number((yield* wallet(trader, coin)).bonus)
        const closed = yield* trader.all("position/closed-pnl", { category })
        expect(used).toBeCloseTo(-closed.reduce((sum, row) => sum + Number(row.closedPnl), 0), 8)
        if (coin === "USDT") {
          const usage = yield* trader.get("/private/v1/asset/bonus/usage", { coin, limit: 50 })
          const types = (usage.json.result.rows as ReadonlyArray<Traders.Row>).map((row) => row.type)
          expect(types.filter((type) => type === 1)).toHaveLength(2)
          expect(types.filter((type) => type === 2)).toHaveLength(2)
        }
      }
      yield* holds
    })
  )

  it.effect("[exchange/bonus] pays a loss larger than the bonus with what is left of it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_780_000_000_000)
      const { control, holds, trader: open } = yield* Traders.world()
      const trader = yield* open({ funds: { USDT: "1000" } })
      yield* control.grant({ uid: trader.uid, award: "bonus", coin: "USDT", amount: "30" })
      yield* control.setPrice({ ...ltc, price: "100" })
      yield* trader.place({ ...ltc, side: "Sell", orderType: "Market", qty: "10" })
      yield* control.setPrice({ ...ltc, price: "110" })
      yield* trader.place({ ...ltc, side: "Buy", orderType: "Market", qty: "10" })
      const row = yield* wallet(trader, "USDT")
      expect(row.bonus).toBe("0")
      expect(Number(row.walletBalance)).toBeLessThan(930)
      yield* holds
    })
  )

  for (const positionMode of ["oneWay", "hedge"] as const) {
    for (const flips of positionMode === "oneWay" ? [false, true] : [false]) {
      const how = flips ? "by one order that closes another" : "after another was closed"
      it.effect(`[exchange/realised] begins cumRealisedPnl anew with a position opened ${how}, ${positionMode}`, () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(1_780_000_000_000)
          const { control, holds, trader: open } = yield* Traders.world()
          const trader = yield* open({ funds: { USDT: "10000" }, positionMode })
          const positionIdx = positionMode === "hedge" ? 1 : 0
          const order = { ...ltc, orderType: "Market", ...(positionIdx === 0 ? {} : { positionIdx }) }
          const fee = Effect.map(trader.fills("linear"), (fills) => Number(fills.at(-1)?.execFee))
          const cum = Effect.map(trader.position("linear", "LTCUSDT", positionIdx), (row) => Number(row.cumRealisedPnl))
          yield* control.setPrice({ ...ltc, price: "100" })
          yield* trader.place({ ...order, side: "Buy", qty: "10" })
          expect(yield* cum).toBeCloseTo(-(yield* fee), 8)
          yield* control.setPrice({ ...ltc, price: "120" })
          yield* trader.place({ ...order, side: "Sell", qty: "4" })
          expect(yield* cum).toBeGreaterThan(75)
          if (flips) {
            yield* trader.place({ ...order, side: "Sell", qty: "8" })
            // The fee of the part that opens.
            expect(yield* cum).toBeCloseTo(-(yield* fee) / 4, 6)
          } else {
            yield* trader.place({ ...order, side: "Sell", qty: "6" })
            expect(yield* cum).toBeGreaterThan(190)
            yield* trader.place({ ...order, side: "Buy", qty: "2" })
            expect(yield* cum).toBeCloseTo(-(yield* fee), 8)
          }
          const row = yield* wallet(trader, "USDT")
          expect(Number(row.cumRealisedPnl)).toBeCloseTo(Number(row.walletBalance) - 10_000, 8)
          yield* holds
        })
      )
    }
  }

  it.effect("[account.walletBalance/coin] can be queried for every tradable coin", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_780_000_000_000)
      const { control, trader: open } = yield* Traders.world()
      yield* control.setPrice({ ...ada, price: "0.5" })
      const trader = yield* open({ funds: { USDT: "1000" } })
      expect(yield* wallet(trader, "ADA")).toMatchObject({ coin: "ADA", walletBalance: "0" })
      yield* trader.place({ ...ada, side: "Buy", orderType: "Market", qty: "10" })
      expect(Number((yield* wallet(trader, "ADA")).walletBalance)).toBeGreaterThan(0)
      const nix = yield* trader.get("account/wallet-balance", { accountType: "UNIFIED", coin: "NIX" })
      expect(nix.code).toBe(10001)
      const asset = yield* trader.get("/cloud/trade/v3/asset/transfer/query-asset-info", {
        accountType: "FUND",
        coin: "ADA"
      })
      expect(asset.code).toBe(0)
    })
  )
})
