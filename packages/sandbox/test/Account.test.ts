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
          yield* trader.place({ ...ltc, side: "Sell", orderType: "Limit", qty: "1", price: "300" })
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
