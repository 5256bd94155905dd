import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Traders from "./utils/traders.js"

const ltc = { category: "linear", symbol: "LTCUSDT" } as const

const limitStops = {
  tpslMode: "Partial",
  takeProfit: "110",
  tpOrderType: "Limit",
  tpLimitPrice: "109",
  tpTriggerBy: "LastPrice",
  stopLoss: "80",
  slOrderType: "Limit",
  slLimitPrice: "79",
  slTriggerBy: "LastPrice"
} as const

const market = Effect.gen(function* () {
  yield* TestClock.setTime(1_779_926_400_000)
  const world = yield* Traders.world()
  const trader = yield* world.trader({ funds: { USDT: "100000" } })
  yield* world.control.setPrice({ ...ltc, price: "100" })
  const place = (more: Traders.Parameters) =>
    trader.place({ ...ltc, side: "Buy", orderType: "Limit", price: "90", qty: "1", ...more })
  const amend = (orderId: string, changes: Traders.Parameters) =>
    Effect.map(trader.post("order/amend", { ...ltc, orderId, ...changes }), ({ json }): string => json.retMsg)
  // The stops that the order sets once it is filled.
  const stopsOf = Effect.gen(function* () {
    yield* world.control.setPrice({ ...ltc, price: "89" })
    yield* TestClock.adjust("2 seconds")
    return (yield* trader.rows("order/realtime", ltc)).map((row) => [row.StopOrderType, row.OrderType, row.Price])
  })
  return { ...world, trader, place, amend, stopsOf }
})

describe("the stops of an amendment", () => {
  for (const [name, changes, outcome] of [
    ["a take profit below the price of a buy", { takeProfit: "85" }, "takeProfit must be above the order's price"],
    ["a stop loss above the price of a buy", { stopLoss: "95" }, "stopLoss must be below the order's price"],
    ["a price above the take profit of the order", { price: "96" }, "takeProfit must be above the order's price"],
    ["a price and a take profit above it", { price: "96", takeProfit: "97" }, "OK"],
    ["a take profit of 0", { takeProfit: "0", price: "96" }, "OK"]
  ] as const) {
    it.effect(`[orders.amend/takeProfit, orders.amend/stopLoss] are checked like those of a new order: ${name}`, () =>
      Effect.gen(function* () {
        const { amend, place } = yield* market
        const id = yield* place({ takeProfit: "95", stopLoss: "80" })
        expect(yield* amend(id, { ...changes, tpTriggerBy: "LastPrice", slTriggerBy: "LastPrice" })).toBe(
          outcome === "OK" ? "OK" : `params error: ${outcome}`
        )
      })
    )
  }
})

describe("tpOrderType and slOrderType of an amendment", () => {
  it.effect(
    "[orders.amend/orderType] Market changes a limit stop to a market stop, and does not change the other",
    () =>
      Effect.gen(function* () {
        const { amend, holds, place, stopsOf, trader } = yield* market
        const id = yield* place(limitStops)
        expect(yield* amend(id, { tpOrderType: "Market" })).toBe("OK")
        expect(yield* trader.order("linear", "LTCUSDT", id)).toMatchObject({ TpLimitPrice: "", SlLimitPrice: "79" })
        expect((yield* stopsOf).toSorted()).toEqual([
          ["PartialStopLoss", "Limit", "79"],
          ["PartialTakeProfit", "Market", ""]
        ])
        yield* holds
      })
  )

  it.effect(
    "[orders.amend/orderType, records/order.limitPrices] Limit moves the limit price of a stop that has one",
    () =>
      Effect.gen(function* () {
        const { amend, place, stopsOf } = yield* market
        const id = yield* place(limitStops)
        const changes = { tpOrderType: "Limit", tpLimitPrice: "108", slOrderType: "Limit", slLimitPrice: "78" }
        expect(yield* amend(id, changes)).toBe("OK")
        expect((yield* stopsOf).toSorted()).toEqual([
          ["PartialStopLoss", "Limit", "78"],
          ["PartialTakeProfit", "Limit", "108"]
        ])
      })
  )

  it.effect("[orders.amend/orderType] Limit is refused if there is no Partial limit stop to change", () =>
    Effect.gen(function* () {
      const { amend, place } = yield* market
      const bare = yield* place({ orderLinkId: "bare" })
      const plain = yield* place({ takeProfit: "110", stopLoss: "80", tpslMode: "Partial", orderLinkId: "plain" })
      const limit = yield* place({ ...limitStops, orderLinkId: "limit" })
      for (const [side, price] of [
        ["tp", "109"],
        ["sl", "79"]
      ] as const) {
        const type = `${side}OrderType`
        for (const id of [bare, plain]) {
          expect(yield* amend(id, { [type]: "Limit" })).toMatch(
            `${type}=Limit needs an order with a partial limit stop`
          )
        }
        expect(yield* amend(limit, { [type]: "Market", [`${side}LimitPrice`]: price })).toMatch(
          `${side}LimitPrice only with ${type}=Limit`
        )
        expect(yield* amend(limit, { [type]: "Limit", tpslMode: "Full" })).toMatch(`${type} must be Market`)
        expect(yield* amend(limit, { [type]: "Limit" })).toMatch("remains unchanged")
        expect(yield* amend(plain, { [type]: "Market" })).toMatch("remains unchanged")
      }
    })
  )

  it.effect("[orders.amend/tpslMode.limit] Full removes the limit prices", () =>
    Effect.gen(function* () {
      const { amend, place, stopsOf, trader } = yield* market
      const id = yield* place(limitStops)
      expect(yield* amend(id, { tpslMode: "Full" })).toBe("OK")
      expect(yield* trader.order("linear", "LTCUSDT", id)).toMatchObject({ TpLimitPrice: "", SlLimitPrice: "" })
      expect((yield* stopsOf).toSorted()).toEqual([
        ["StopLoss", "Market", ""],
        ["TakeProfit", "Market", ""]
      ])
    })
  )
})
