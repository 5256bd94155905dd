/** What the fields of a record mean, beside what kind of value they are: seen on trades at prices that the test sets. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Traders from "../utils/traders.js"

const ltc = { category: "linear", symbol: "LTCUSDT" } as const

const market = Effect.gen(function* () {
  yield* TestClock.setTime(1_779_926_400_501)
  const world = yield* Traders.world()
  const trader = yield* world.trader({ funds: { USDT: "100000" } })
  const other = yield* world.trader({ funds: { USDT: "100000" } })
  const setPrice = (price: string) => Effect.orDie(world.control.setPrice({ ...ltc, price }))
  yield* setPrice("100")
  yield* world.control.setPrice({ category: "inverse", symbol: "BTCUSD", price: "40000" })
  yield* world.control.setPrice({ category: "spot", symbol: "SOLUSDT", price: "100" })
  return { sandbox: world.sandbox, open: world.trader, trader, other, setPrice }
})

const limit = (side: "Buy" | "Sell", price: string, qty: string) => ({ ...ltc, side, orderType: "Limit", price, qty })

describe("the fields of", () => {
  it.effect("[records/order.lastPriceOnCreated] an order: the last price when it was placed does not change", () =>
    Effect.gen(function* () {
      const { setPrice, trader } = yield* market
      const id = yield* trader.place(limit("Buy", "90", "1"))
      yield* setPrice("110")
      expect(yield* trader.order("linear", "LTCUSDT", id)).toMatchObject({ LastPriceOnCreated: "100" })
    })
  )

  it.effect("[records/execution.leavesQty] an execution: the open quantity of its order", () =>
    Effect.gen(function* () {
      const { other, trader } = yield* market
      yield* other.place(limit("Sell", "100", "1"))
      yield* trader.place(limit("Buy", "100", "3"))
      yield* other.place(limit("Sell", "100", "2"))
      const fills = yield* trader.fills("linear", "LTCUSDT")
      expect(
        fills.map(({ execQty, leavesQty, markPrice, orderQty }) => [orderQty, execQty, leavesQty, markPrice])
      ).toEqual([
        ["3", "1", "2", "100"],
        ["3", "2", "0", "100"]
      ])
    })
  )

  it.effect(
    "[records/position.margins, records/position.unrealisedPnl] a position: margins and profit use the mark price",
    () =>
      Effect.gen(function* () {
        const { setPrice, trader } = yield* market
        yield* trader.place({ ...ltc, side: "Buy", orderType: "Market", qty: "10" })
        const look = Effect.map(trader.position("linear", "LTCUSDT"), (row) => ({
          ...{ mark: Number(row.markPrice), entry: Number(row.avgPrice), leverage: Number(row.leverage) },
          ...{ im: Number(row.positionIM), mm: Number(row.positionMM), pnl: Number(row.unrealisedPnl) }
        }))
        const before = yield* look
        yield* setPrice("120")
        const after = yield* look
        expect([before.mark, after.mark]).toEqual([100, 120])
        for (const { entry, im, leverage, mark, pnl } of [before, after]) {
          expect(im).toBeCloseTo((10 * mark) / leverage, 8)
          expect(pnl).toBeCloseTo(10 * (mark - entry), 8)
        }
        expect(after.mm / before.mm).toBeCloseTo(1.2, 8)
      })
  )

  it.effect(
    "[records/instrument.filters] an instrument: its bounds are multiples of its steps and around its price",
    () =>
      Effect.gen(function* () {
        const { sandbox, trader } = yield* market
        const { listings } = yield* sandbox.snapshot
        const isOn = (value: string, step: string) => {
          const scale = 10 ** Math.max(0, ...[value, step].map((text) => text.split(".")[1]?.length ?? 0))
          return Math.round(Number(value) * scale) % Math.round(Number(step) * scale) === 0
        }
        for (const { category, instrument, lastPrice } of listings) {
          const { symbol } = instrument
          const [row] = yield* trader.rows("market/instruments-info", { category, symbol })
          const { lotSizeFilter: lot, priceFilter } = row ?? expect.fail(symbol)
          const price = Number(lastPrice.value) / 10 ** lastPrice.scale
          const step = category === "spot" ? lot.basePrecision : lot.qtyStep
          for (const bound of [lot.minOrderQty, lot.maxOrderQty, lot.maxMktOrderQty ?? lot.maxOrderQty]) {
            expect(isOn(bound, step), `${category} ${symbol} ${bound} on ${step}`).toBe(true)
          }
          expect(Number(lot.maxOrderQty), symbol).toBeGreaterThan(1000 * Number(lot.minOrderQty))
          if (category === "spot") {
            expect(Number(lot.minOrderAmt)).toBeLessThan(Number(lot.maxOrderAmt))
            continue
          }
          expect(Number(lot.maxMktOrderQty), symbol).toBeLessThan(Number(lot.maxOrderQty))
          expect(
            isOn(priceFilter.minPrice, priceFilter.tickSize) && isOn(priceFilter.maxPrice, priceFilter.tickSize)
          ).toBe(true)
          expect(Number(priceFilter.minPrice)).toBeLessThan(price)
          expect(Number(priceFilter.maxPrice)).toBeGreaterThan(price)
          expect(priceFilter.tickSize.split(".")[1]?.length ?? 0).toBeLessThanOrEqual(Number(row?.priceScale))
          const { leverageStep, maxLeverage, minLeverage } = row?.leverageFilter ?? {}
          expect(Number(minLeverage)).toBeLessThan(Number(maxLeverage))
          expect(isOn(maxLeverage, leverageStep)).toBe(true)
          // The least that may be ordered is worth less than the market's most, and more than nothing.
          expect(Number(lot.minNotionalValue)).toBeLessThan(
            Number(lot.maxOrderQty) * (category === "linear" ? price : 1)
          )
        }
      })
  )
})

describe("cancel-all", () => {
  const orders = [
    { ...limit("Buy", "90", "1"), by: { settleCoin: "USDT" } },
    { ...limit("Buy", "38000", "100"), category: "inverse", symbol: "BTCUSD", by: { settleCoin: "BTC" } },
    { ...limit("Buy", "90", "1"), category: "spot", symbol: "SOLUSDT", by: {} }
  ] as const

  it.effect("[errors/5] reports the orders of every category, also on a classic account", () =>
    Effect.gen(function* () {
      const { open } = yield* market
      for (const { by, ...order } of orders) {
        const { category } = order
        const wallet = category === "spot" ? "SPOT" : "CONTRACT"
        for (const account of [{}, { unified: false, wallet }] as const) {
          const trader = yield* open({ ...account, funds: { USDT: "1000", BTC: "1" } })
          const orderId = yield* trader.place(order)
          const { json, text } = yield* trader.post("order/cancel-all", { category, ...by })
          expect(json.result.list, text).toMatchObject([{ orderId, success: "1" }])
        }
      }
    })
  )
})
