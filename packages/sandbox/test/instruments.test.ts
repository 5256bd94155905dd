import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import * as Resting from "@effect-venue/testing/Resting"
import * as Traders from "./utils/traders.js"

const hour = 3_600_000
const ltc = { category: "linear", symbol: "LTCUSDT" } as const

const market = Effect.gen(function* () {
  yield* TestClock.setTime(1_779_926_400_000)
  const world = yield* Traders.world()
  const trader = yield* world.trader({ funds: { USDT: "10000" } })
  const rows = (parameters: Traders.Parameters) => trader.rows("market/instruments-info", parameters)
  return {
    ...world,
    trader,
    rows,
    symbols: (parameters: Traders.Parameters) => Effect.map(rows(parameters), (all) => all.map((row) => row.symbol))
  }
})

describe("instruments", () => {
  it.effect(
    "[instruments.list/spot.pages] are paged for spot too, with an empty list for a status that no pair has",
    () =>
      Effect.gen(function* () {
        const { rows, symbols, trader } = yield* market
        const all = yield* symbols({ category: "spot" })
        expect(yield* rows({ category: "spot", limit: 3 })).toHaveLength(3)
        const paged = yield* trader.all("market/instruments-info", { category: "spot", limit: 3 })
        expect(paged.map((row) => row.symbol)).toEqual(all)
        expect(yield* rows({ category: "spot", status: "PreLaunch" })).toEqual([])
      })
  )

  it.effect(
    "[instruments.list/delivery] can be dated futures without funding, and go offline, which ends their trading",
    () =>
      Effect.gen(function* () {
        const { control, rows, trader } = yield* market
        const order = { ...ltc, side: "Buy", orderType: "Market", qty: "1" }
        yield* trader.place(order)
        yield* control.setInstrument({ ...ltc, deliveryTime: "2026-12-25T08:00:00Z", deliveryFeeRate: "0.0005" })
        expect(yield* rows(ltc)).toMatchObject([
          { contractType: "LinearFutures", deliveryTime: "1798185600000", deliveryFeeRate: "0.0005" }
        ])
        yield* TestClock.adjust(`${24 * hour} millis`)
        expect(yield* trader.rows("execution/list", { ...ltc, execType: "Funding" })).toEqual([])
        yield* control.setInstrument({ ...ltc, status: "Closed", offlineTime: "2026-12-26T00:00:00Z" })
        expect(yield* rows({ category: "linear", symbol: "LTCUSDT", status: "Trading" })).toEqual([])
        expect(yield* rows({ category: "linear", symbol: "LTCUSDT", status: "Closed" })).toEqual([])
        expect((yield* rows(ltc))[0]?.offlineTime).not.toBe("")
        expect(yield* trader.code("order/create", order)).toBe(110074)
        const refused = yield* Effect.flip(
          control.setInstrument({ category: "spot", symbol: "SOLUSDT", fundingInterval: 60 })
        )
        expect(refused).toMatchObject({ reason: "NotPossible", field: "fundingInterval" })
      })
  )

  it.effect(
    "[instruments.list/delivered] with a date are delivered: positions are closed at the index price, orders cancelled",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_779_926_400_000)
        const { control, holds, trader: makeTrader } = yield* Traders.world()
        for (const { category, price, qty, symbol, type } of [
          { category: "linear", symbol: "LTCUSDT", price: "100", qty: "50", type: "Delivery" },
          { category: "inverse", symbol: "BTCUSD", price: "40000", qty: "4000", type: "Settle" }
        ] as const) {
          const contract = { category, symbol }
          const deliveryTime = (yield* Clock.currentTimeMillis) + 20 * 24 * hour + 500
          yield* control.setInstrument({ ...contract, deliveryTime, deliveryFeeRate: "0.0005" })
          yield* control.setPrice({ ...contract, price })
          const long = yield* makeTrader({ funds: { USDT: "10000", BTC: "1" } })
          const short = yield* makeTrader({ funds: { USDT: "10000", BTC: "1" }, tradeMode: "isolated" })
          yield* long.place({ ...contract, side: "Buy", orderType: "Market", qty })
          yield* short.place({ ...contract, side: "Sell", orderType: "Market", qty })
          const below = Resting.below(price)
          const resting = yield* long.place({ ...contract, side: "Buy", orderType: "Limit", price: below, qty })
          yield* long.post("position/trading-stop", { ...contract, positionIdx: 0, tpslMode: "Full", stopLoss: below })
          yield* control.setPrice({ ...contract, price: String(Number(price) * 1.01) })
          yield* TestClock.setTime(deliveryTime - 1000)
          const settled = (one: Traders.Trader) =>
            Effect.map(one.fills(category, symbol), (fills) => fills.filter((fill) => fill.execType === type))
          expect(yield* settled(long)).toEqual([])
          yield* TestClock.setTime(deliveryTime + 5 * 24 * hour)
          const at = String(Math.ceil(deliveryTime / 1000) * 1000)
          for (const [one, side] of [
            [long, "Sell"],
            [short, "Buy"]
          ] as const) {
            expect(yield* settled(one)).toMatchObject([
              {
                side,
                execQty: qty,
                execPrice: String(Number(price) * 1.01),
                feeRate: "0.0005",
                execTime: at,
                closedSize: qty
              }
            ])
            expect(yield* one.position(category, symbol)).toMatchObject({ size: "0", stopLoss: "" })
            const closed = yield* one.rows("position/closed-pnl", {
              ...contract,
              startTime: deliveryTime,
              endTime: deliveryTime + hour
            })
            expect(closed).toMatchObject([{ execType: "Settle", closedSize: qty }])
          }
          expect(yield* long.rows("order/realtime", contract)).toEqual([])
          expect(yield* long.order(category, symbol, resting)).toMatchObject({
            OrderStatus: "Cancelled",
            CancelType: "CancelBySettle"
          })
          expect(yield* long.rows("market/instruments-info", contract)).toMatchObject([{ status: "Closed" }])
          expect(yield* long.code("order/create", { ...contract, side: "Buy", orderType: "Market", qty })).toBe(110074)
        }
        yield* holds
      })
  )
})

describe("status", () => {
  it.effect("[instruments.list/status] finds only trading contracts: any other status returns an empty list", () =>
    Effect.gen(function* () {
      const { rows } = yield* market
      for (const category of ["linear", "inverse"]) {
        expect(yield* rows({ category, status: "Trading" })).toEqual(yield* rows({ category }))
        for (const status of ["PreLaunch", "Settling", "Closed", "Delivering", "Auction"]) {
          expect(yield* rows({ category, status }), `${category} ${status}`).toEqual([])
        }
      }
    })
  )
})
