import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Seed from "@effect-venue/sandbox/Seed"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Traders from "./utils/traders.js"

const btc = { category: "inverse", symbol: "BTCUSD" } as const
const sol = { category: "linear", symbol: "SOLUSDT" } as const

const bare = (text: string) => BigDecimal.format(BigDecimal.normalize(BigDecimal.unsafeFromString(text)))

const market = Effect.gen(function* () {
  yield* TestClock.setTime(1_780_000_000_000)
  const world = yield* Traders.world()
  const trader = yield* world.trader({ funds: { BTC: "5", USDT: "100000" } })
  const trade = (symbol: typeof btc | typeof sol, side: string, price: string, qty: string) =>
    Effect.gen(function* () {
      yield* world.control.setPrice({ ...symbol, price })
      const id = yield* trader.place({ ...symbol, side, orderType: "Limit", price, qty })
      yield* Effect.orDie(world.control.fill({ orderId: id }))
      return id
    })
  return { ...world, trader, trade }
})

describe("mean prices", () => {
  it.effect("[exchange/average] of inverse contracts are those of the executions, whatever the coins round to", () =>
    Effect.gen(function* () {
      const { trade, trader } = yield* market
      const id = yield* trade(btc, "Buy", "39999.5", "10000")
      const order = yield* trader.order("inverse", "BTCUSD", id)
      expect([order.AvgPrice, order.CumExecValue].map(bare)).toEqual(["39999.5", "0.25000313"])
      expect(bare((yield* trader.position("inverse", "BTCUSD")).avgPrice)).toBe("39999.5")
      yield* trade(btc, "Sell", "40000.5", "3333")
      yield* trade(btc, "Sell", "40100.5", "3333")
      expect(bare((yield* trader.position("inverse", "BTCUSD")).avgPrice)).toBe("39999.5")
      yield* trade(btc, "Sell", "40200.5", "3334")
      const closed = yield* trader.rows("position/closed-pnl", btc)
      expect(closed.map((row) => [row.avgEntryPrice, row.avgExitPrice].map(bare))).toEqual([
        ["39999.5", "40200.5"],
        ["39999.5", "40100.5"],
        ["39999.5", "40000.5"]
      ])
    })
  )

  it.effect(
    "[exchange/average] of one entry are the same in every part that closes it, when they have no end too",
    () =>
      Effect.gen(function* () {
        const { trade, trader } = yield* market
        yield* trade(btc, "Buy", "39999.5", "100")
        yield* trade(btc, "Buy", "40123.5", "200")
        yield* trade(sol, "Sell", "100.001", "0.1")
        yield* trade(sol, "Sell", "100.102", "0.2")
        // 300 / (100 / 39999.5 + 200 / 40123.5), and 30.0205 / 0.3.
        const expected = { inverse: "40082.08133156", linear: "100.06833333" }
        expect((yield* trader.position("inverse", "BTCUSD")).avgPrice).toBe(expected.inverse)
        expect((yield* trader.position("linear", "SOLUSDT")).avgPrice).toBe(expected.linear)
        for (const qty of ["10", "90", "150"]) yield* trade(btc, "Sell", "40200.5", qty)
        for (const qty of ["0.1", "0.1"]) yield* trade(sol, "Buy", "100", qty)
        const entries = (symbol: typeof btc | typeof sol) =>
          Effect.map(
            trader.rows("position/closed-pnl", symbol),
            (rows) => new Set(rows.map((row) => row.avgEntryPrice))
          )
        expect(yield* entries(btc)).toEqual(new Set([expected.inverse]))
        expect(yield* entries(sol)).toEqual(new Set([expected.linear]))
        expect((yield* trader.position("inverse", "BTCUSD")).avgPrice).toBe(expected.inverse)
        expect((yield* trader.position("linear", "SOLUSDT")).avgPrice).toBe(expected.linear)
      })
  )

  it.effect("of the seed's inverse orders lie between the prices of their executions", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_780_000_000_000)
      const account = (yield* (yield* Sandbox.make({ seed: 5 })).snapshot).accounts.get(Seed.uids.main)
      const fills = new Map(
        (account?.executions.inverse ?? []).map((fill, _, all) => [
          fill.orderId,
          all.filter(({ orderId }) => orderId === fill.orderId)
        ])
      )
      const orders = (account?.closedOrders ?? []).filter((order) => fills.has(order.orderId))
      expect(orders.length).toBeGreaterThan(50)
      for (const { avgPrice, orderId } of orders) {
        const prices = (fills.get(orderId) ?? []).map((fill) => Number(BigDecimal.format(fill.execPrice)))
        const mean = avgPrice._tag === "Some" ? Number(BigDecimal.format(avgPrice.value)) : Number.NaN
        expect(mean).toBeGreaterThanOrEqual(Math.min(...prices))
        expect(mean).toBeLessThanOrEqual(Math.max(...prices))
      }
    })
  )
})
