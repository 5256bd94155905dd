import * as SandboxControl from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { snapshot } from "../src/portfolio.js"

const market = { category: "linear", symbol: "XRPUSDT" } as const

describe("the portfolio", () => {
  it.effect("has what was paid in, bought and ordered", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl.SandboxControl
      const account = yield* control.openAccount({ funds: { USDT: "1000" } })
      yield* control.setPrice({ ...market, price: "0.5" })
      yield* Effect.gen(function* () {
        const orders = yield* Orders.Orders
        yield* orders.create({ ...market, side: "Buy", orderType: "Market", qty: "200", orderLinkId: "bought" })
        yield* orders.create({
          ...market,
          side: "Sell",
          orderType: "Limit",
          qty: "150",
          price: "0.6",
          orderLinkId: "offered"
        })
        const portfolio = yield* snapshot
        expect(portfolio.coins.map(({ coin }) => coin)).toEqual(["USDT"])
        expect(
          portfolio.positions.map(({ side, size, symbol }) => [symbol, Option.getOrNull(side), BigDecimal.format(size)])
        ).toEqual([[market.symbol, "Buy", "200"]])
        expect(
          portfolio.orders.map(({ price, qty }) => [BigDecimal.format(qty), Option.map(price, BigDecimal.format)])
        ).toEqual([["150", Option.some("0.6")]])
        expect(Option.exists(portfolio.equity, BigDecimal.greaterThan(BigDecimal.unsafeFromString("990")))).toBe(true)
      }).pipe(Effect.provide(yield* Venue.account(account)))
    }).pipe(
      Effect.scoped,
      Effect.provide(Venue.layerShared),
      Effect.provide(Sandbox.layer({ seed: 7, prices: "still" }))
    )
  )
})
