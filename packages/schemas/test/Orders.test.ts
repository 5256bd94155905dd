import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { BigDecimal, Schema } from "effect"
import * as Orders from "../src/Orders.js"
import { amount, answer, at, dec, mismatches, none, refuses, sent, sentAny, some } from "./helpers.js"

addEqualityTesters()

describe("an open-orders answer", () => {
  const { category, list, nextPageCursor } = answer(Orders.open, "orders.open")

  it("has a category, orders and a cursor that is left as it is", () => {
    expect(category).toStrictEqual(some("linear"))
    expect(list.length).toBe(2)
    expect(nextPageCursor).toStrictEqual(some("page_token%3D39380%26"))
  })

  it("has contract orders in lower camel case with typed values", () => {
    expect(list[0]).toStrictEqual({
      orderId: "c6f055d9-7f21-4079-913d-e6523a9cfffa",
      orderLinkId: some("my-order-1"),
      symbol: "BTCUSDT",
      price: amount("27000.5"),
      qty: dec("0.01"),
      side: "Buy",
      isLeverage: none,
      positionIdx: 0,
      orderStatus: "PartiallyFilled",
      cancelType: some("UNKNOWN"),
      rejectReason: some("EC_NoError"),
      avgPrice: amount("27000.1"),
      leavesQty: amount("0.004"),
      leavesValue: amount("108.002"),
      cumExecQty: dec("0.006"),
      cumExecValue: dec("162.0006"),
      cumExecFee: dec("0.03240012"),
      timeInForce: "GTC",
      orderType: "Limit",
      stopOrderType: none,
      orderIv: none,
      marketUnit: none,
      triggerPrice: none,
      takeProfit: amount("28000"),
      stopLoss: amount("26000"),
      tpslMode: some("Partial"),
      tpLimitPrice: amount("27990.5"),
      slLimitPrice: none,
      tpTriggerBy: some("LastPrice"),
      slTriggerBy: some("MarkPrice"),
      triggerDirection: some(0),
      triggerBy: none,
      lastPriceOnCreated: amount("27010"),
      reduceOnly: false,
      closeOnTrigger: false,
      placeType: none,
      createdTime: at(1700000000001),
      updatedTime: at(1700000000789)
    })
  })

  it("has spot orders with a unit of quantity, a flag for leverage and no average price", () => {
    expect(list[1]).toMatchObject({
      orderLinkId: none,
      price: amount("0"),
      qty: dec("100"),
      side: "Sell",
      isLeverage: some(true),
      avgPrice: none,
      marketUnit: some("quoteCoin"),
      stopOrderType: some("tpslOrder"),
      triggerPrice: amount("1800.5"),
      triggerDirection: some(2),
      tpslMode: none,
      reduceOnly: true,
      closeOnTrigger: true
    })
  })
})

describe("an order in lower camel case", () => {
  const capitalised = Schema.encodeSync(Orders.OpenOrder)
  const lower = Schema.encodeSync(Orders.Order)
  const order = answer(Orders.open, "orders.open").list[0]

  it("is the same domain record as the capitalised one", () => {
    if (order === undefined) throw new Error("the fixture has an order")
    expect(Schema.decodeSync(Orders.Order)(lower(order))).toStrictEqual(order)
    expect(Schema.decodeSync(Orders.OpenOrder)(capitalised(order))).toStrictEqual(order)
    expect(Object.keys(lower(order)).every((name) => /^[a-z]/.test(name))).toBe(true)
    expect(Object.keys(capitalised(order)).every((name) => /^[A-Z]/.test(name))).toBe(true)
  })

  it("is refused with its field's name when a field is missing or is no decimal", () => {
    if (order === undefined) throw new Error("the fixture has an order")
    const { qty: _, ...withoutQty } = lower(order)
    expect(mismatches(Orders.Order, withoutQty)).toStrictEqual(["qty: is missing"])
    expect(mismatches(Orders.Order, { ...lower(order), qty: "many" })).toStrictEqual([
      'qty: must be decimal text such as "0.001"'
    ])
    expect(mismatches(Orders.Order, { ...lower(order), orderId: "" })).toHaveLength(1)
  })
})

describe("a request for open orders", () => {
  it("needs one of the three categories", () => {
    refuses(Orders.open, {}, "category: is missing")
    refuses(
      Orders.open,
      { category: "option", symbol: "BTCUSDT" },
      'category: Expected "spot" | "linear" | "inverse", actual "option"'
    )
    expect(sent(Orders.open, { category: "spot" })).toStrictEqual({ category: "spot" })
    expect(sent(Orders.open, { category: "inverse" })).toStrictEqual({ category: "inverse" })
  })

  it("for linear needs symbol, baseCoin or settleCoin", () => {
    const rule = "symbol: one of symbol, baseCoin, settleCoin is required"
    refuses(Orders.open, { category: "linear" }, rule)
    refuses(Orders.open, { category: "linear", orderId: "1" }, rule)
    refuses(Orders.open, { category: "linear", symbol: undefined }, rule)
    expect(sent(Orders.open, { category: "linear", symbol: "BTCUSDT" })).toStrictEqual({
      category: "linear",
      symbol: "BTCUSDT"
    })
    expect(sent(Orders.open, { category: "linear", baseCoin: "BTC" })).toStrictEqual({
      category: "linear",
      baseCoin: "BTC"
    })
    expect(sent(Orders.open, { category: "linear", settleCoin: "USDT" })).toStrictEqual({
      category: "linear",
      settleCoin: "USDT"
    })
  })

  it("takes settleCoin for linear only", () => {
    refuses(Orders.open, { category: "spot", settleCoin: "USDT" }, "settleCoin: is unexpected")
    refuses(Orders.open, { category: "inverse", settleCoin: "BTC" }, "settleCoin: is unexpected")
  })

  it("takes baseCoin for contracts only", () => {
    refuses(Orders.open, { category: "spot", baseCoin: "BTC" }, "baseCoin: is unexpected")
    expect(sent(Orders.open, { category: "inverse", baseCoin: "BTC" })).toStrictEqual({
      category: "inverse",
      baseCoin: "BTC"
    })
  })

  it("takes an orderFilter that the category knows", () => {
    refuses(Orders.open, { category: "spot", orderFilter: "StopOrder" }, "orderFilter: must be Order or tpslOrder")
    refuses(
      Orders.open,
      { category: "linear", symbol: "BTCUSDT", orderFilter: "tpslOrder" },
      "orderFilter: must be Order or StopOrder"
    )
    refuses(Orders.open, { category: "inverse", orderFilter: "tpslOrder" }, "orderFilter: must be Order or StopOrder")
    for (const orderFilter of ["Order", "tpslOrder"] as const) {
      expect(sent(Orders.open, { category: "spot", orderFilter })).toStrictEqual({ category: "spot", orderFilter })
    }
    for (const orderFilter of ["Order", "StopOrder"] as const) {
      expect(sent(Orders.open, { category: "inverse", orderFilter })).toStrictEqual({
        category: "inverse",
        orderFilter
      })
    }
  })

  it("takes openOnly 0 and 1", () => {
    refuses(Orders.open, { category: "spot", openOnly: 2 }, "openOnly: must be 0 or 1")
    refuses(Orders.open, { category: "spot", openOnly: -1 }, "openOnly: must be 0 or 1")
    expect(sent(Orders.open, { category: "spot", openOnly: 0 })).toStrictEqual({ category: "spot", openOnly: "0" })
    expect(sent(Orders.open, { category: "spot", openOnly: 1 })).toStrictEqual({ category: "spot", openOnly: "1" })
  })

  it("takes a limit from 1 to 50, whole", () => {
    for (const limit of [0, 51, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      refuses(Orders.open, { category: "spot", limit }, "limit: must be a whole number from 1 to 50")
    }
    expect(sent(Orders.open, { category: "spot", limit: 1 })).toStrictEqual({ category: "spot", limit: "1" })
    expect(sent(Orders.open, { category: "spot", limit: 50 })).toStrictEqual({ category: "spot", limit: "50" })
  })

  it("takes ids and symbols that are not empty, and any cursor", () => {
    for (const field of ["symbol", "orderId", "orderLinkId"] as const) {
      refuses(Orders.open, { category: "spot", [field]: "" }, `${field}: must not be empty`)
      refuses(Orders.open, { category: "spot", [field]: 7 }, `${field}: must not be empty`)
    }
    expect(
      sent(Orders.open, {
        category: "spot",
        symbol: "BTCUSDT",
        orderId: "o1",
        orderLinkId: "l1",
        cursor: "page_token%3D39380%26"
      })
    ).toStrictEqual({
      category: "spot",
      symbol: "BTCUSDT",
      orderId: "o1",
      orderLinkId: "l1",
      cursor: "page_token%3D39380%26"
    })
  })

  it("refuses parameters that are in no table", () => {
    refuses(Orders.open, { category: "spot", colour: "red" }, "colour: is unexpected")
  })

  it("hears of everything at once", () => {
    refuses(
      Orders.open,
      { category: "spot", limit: 51, openOnly: 2, symbol: "" },
      "symbol: must not be empty",
      "openOnly: must be 0 or 1",
      "limit: must be a whole number from 1 to 50"
    )
  })
})

describe("a request to amend an order", () => {
  const contract = { category: "linear", symbol: "BTCUSDT", orderId: "o1" } as const
  const spot = { category: "spot", symbol: "BTCUSDT", orderId: "o1" } as const

  it("needs a category and a symbol", () => {
    refuses(Orders.amend, { symbol: "BTCUSDT", orderId: "o1" }, "category: is missing")
    refuses(Orders.amend, { category: "linear", orderId: "o1" }, "symbol: is missing")
    refuses(Orders.amend, { category: "spot", symbol: "", orderId: "o1" }, "symbol: must not be empty")
  })

  it("needs orderId or orderLinkId", () => {
    for (const category of ["spot", "linear", "inverse"] as const) {
      refuses(Orders.amend, { category, symbol: "BTCUSD" }, "orderId: one of orderId, orderLinkId is required")
      expect(sentAny(Orders.amend, { category, symbol: "BTCUSD", orderId: "o1" })).toStrictEqual({
        category,
        symbol: "BTCUSD",
        orderId: "o1"
      })
      expect(sentAny(Orders.amend, { category, symbol: "BTCUSD", orderLinkId: "l1" })).toStrictEqual({
        category,
        symbol: "BTCUSD",
        orderLinkId: "l1"
      })
    }
  })

  it("takes prices, quantities and volatility over zero", () => {
    for (const field of ["qty", "price", "triggerPrice", "orderIv", "tpLimitPrice", "slLimitPrice"] as const) {
      for (const value of ["0", "-1", "", "1,5", "abc", 5]) {
        refuses(Orders.amend, { ...spot, [field]: value }, `${field}: must be a decimal greater than 0`)
      }
      expect(sent(Orders.amend, { ...spot, [field]: "0.00000001" })).toStrictEqual({ ...spot, [field]: "0.00000001" })
    }
  })

  it("takes a take profit and a stop loss of zero, which cancel them", () => {
    for (const field of ["takeProfit", "stopLoss"] as const) {
      refuses(Orders.amend, { ...contract, [field]: "-0.1" }, `${field}: must be a decimal of at least 0`)
      refuses(Orders.amend, { ...contract, [field]: "" }, `${field}: must be a decimal of at least 0`)
      expect(sent(Orders.amend, { ...contract, [field]: "0" })).toStrictEqual({ ...contract, [field]: "0" })
    }
  })

  it("takes tpslMode and triggerBy for contracts only", () => {
    refuses(Orders.amend, { ...spot, tpslMode: "Full" }, "tpslMode: is unexpected")
    refuses(Orders.amend, { ...spot, triggerBy: "LastPrice" }, "triggerBy: is unexpected")
    refuses(Orders.amend, { ...contract, tpslMode: "Half" }, "tpslMode: must be Full or Partial")
    for (const tpslMode of ["Full", "Partial"] as const) {
      expect(sent(Orders.amend, { ...contract, tpslMode, triggerBy: "MarkPrice" })).toStrictEqual({
        ...contract,
        tpslMode,
        triggerBy: "MarkPrice"
      })
    }
  })

  it("takes limit prices of a take profit or stop loss with tpslMode Partial, not with Full", () => {
    for (const field of ["tpLimitPrice", "slLimitPrice"] as const) {
      refuses(Orders.amend, { ...contract, tpslMode: "Full", [field]: "5" }, `${field}: only with tpslMode=Partial`)
      refuses(
        Orders.amend,
        { ...contract, category: "inverse", tpslMode: "Full", [field]: "5" },
        `${field}: only with tpslMode=Partial`
      )
      expect(sent(Orders.amend, { ...contract, tpslMode: "Partial", [field]: "5" })).toStrictEqual({
        ...contract,
        tpslMode: "Partial",
        [field]: "5"
      })
      // It works where the order has partial limit stops already.
      expect(sent(Orders.amend, { ...contract, [field]: "5" })).toStrictEqual({ ...contract, [field]: "5" })
    }
  })

  it("writes decimals plainly, from text as it is and from BigDecimal with its zeros", () => {
    expect(
      sent(Orders.amend, {
        ...contract,
        qty: "0.0100",
        price: BigDecimal.make(2700050n, 2),
        triggerPrice: BigDecimal.make(1n, -3),
        orderIv: "0.0000001",
        takeProfit: "5"
      })
    ).toStrictEqual({
      ...contract,
      qty: "0.0100",
      price: "27000.50",
      triggerPrice: "1000",
      orderIv: "0.0000001",
      takeProfit: "5"
    })
  })

  it("takes the trigger price types of the document", () => {
    expect(sent(Orders.amend, { ...spot, tpTriggerBy: "LastPrice", slTriggerBy: "IndexPrice" })).toStrictEqual({
      ...spot,
      tpTriggerBy: "LastPrice",
      slTriggerBy: "IndexPrice"
    })
    for (const tpTriggerBy of ["FuturePrice", "UNKNOWN", 1]) {
      refuses(Orders.amend, { ...spot, tpTriggerBy }, "tpTriggerBy: must be LastPrice, IndexPrice or MarkPrice")
    }
  })

  it("takes the types of stops, which are Market where they are for the whole position", () => {
    const linear = { ...spot, category: "linear" } as const
    for (const type of ["tpOrderType", "slOrderType"]) {
      for (const value of ["Market", "Limit"]) {
        const request = { ...linear, tpslMode: "Partial", [type]: value }
        expect(sentAny(Orders.amend, request)).toStrictEqual(request)
      }
      refuses(
        Orders.amend,
        { ...linear, tpslMode: "Full", [type]: "Limit" },
        `${type}: must be Market with tpslMode=Full`
      )
    }
  })

  it("is answered with the order's ids", () => {
    expect(answer(Orders.amend, "orders.amend")).toStrictEqual({
      orderId: "c6f055d9-7f21-4079-913d-e6523a9cfffa",
      orderLinkId: none
    })
  })
})

describe("a request to cancel all orders", () => {
  it("for spot needs nothing but the category", () => {
    refuses(Orders.cancelAll, {}, "category: is missing")
    expect(sent(Orders.cancelAll, { category: "spot" })).toStrictEqual({ category: "spot" })
  })

  it("for contracts needs symbol, baseCoin or settleCoin", () => {
    for (const category of ["linear", "inverse"] as const) {
      refuses(
        Orders.cancelAll,
        { category, orderFilter: "Order" },
        "symbol: one of symbol, baseCoin, settleCoin is required"
      )
      expect(sentAny(Orders.cancelAll, { category, symbol: "BTCUSD" })).toStrictEqual({ category, symbol: "BTCUSD" })
      expect(sentAny(Orders.cancelAll, { category, baseCoin: "BTC" })).toStrictEqual({ category, baseCoin: "BTC" })
      expect(sentAny(Orders.cancelAll, { category, settleCoin: "USDT" })).toStrictEqual({
        category,
        settleCoin: "USDT"
      })
    }
  })

  it("takes no settleCoin for spot", () => {
    refuses(Orders.cancelAll, { category: "spot", settleCoin: "USDT" }, "settleCoin: is unexpected")
  })

  it("takes a baseCoin in upper case", () => {
    for (const category of ["spot", "linear", "inverse"] as const) {
      refuses(Orders.cancelAll, { category, symbol: "BTCUSDT", baseCoin: "btc" }, "baseCoin: must be upper case")
      refuses(Orders.cancelAll, { category, symbol: "BTCUSDT", baseCoin: "Btc" }, "baseCoin: must be upper case")
      expect(sentAny(Orders.cancelAll, { category, baseCoin: "1INCH" })).toStrictEqual({ category, baseCoin: "1INCH" })
    }
  })

  it("takes an orderFilter that the category knows", () => {
    refuses(Orders.cancelAll, { category: "spot", orderFilter: "StopOrder" }, "orderFilter: must be Order or tpslOrder")
    refuses(
      Orders.cancelAll,
      { category: "inverse", symbol: "BTCUSD", orderFilter: "tpslOrder" },
      "orderFilter: must be Order or StopOrder"
    )
    expect(sent(Orders.cancelAll, { category: "spot", orderFilter: "tpslOrder" })).toStrictEqual({
      category: "spot",
      orderFilter: "tpslOrder"
    })
  })

  it("takes stopOrderType Stop for contracts with orderFilter StopOrder", () => {
    const rule = "stopOrderType: only with orderFilter=StopOrder"
    const linear = { category: "linear", symbol: "BTCUSDT" } as const
    refuses(Orders.cancelAll, { category: "spot", stopOrderType: "Stop" }, "stopOrderType: is unexpected")
    refuses(Orders.cancelAll, { ...linear, stopOrderType: "Stop" }, rule)
    refuses(Orders.cancelAll, { ...linear, stopOrderType: "Stop", orderFilter: "Order" }, rule)
    refuses(
      Orders.cancelAll,
      { ...linear, stopOrderType: "TakeProfit", orderFilter: "StopOrder" },
      "stopOrderType: must be Stop"
    )
    expect(sent(Orders.cancelAll, { ...linear, stopOrderType: "Stop", orderFilter: "StopOrder" })).toStrictEqual({
      ...linear,
      stopOrderType: "Stop",
      orderFilter: "StopOrder"
    })
    expect(sent(Orders.cancelAll, { ...linear, orderFilter: "StopOrder" })).toStrictEqual({
      ...linear,
      orderFilter: "StopOrder"
    })
  })

  it("is answered order by order, with a success flag where the service gives one", () => {
    expect(answer(Orders.cancelAll, "orders.cancelAll")).toStrictEqual({
      list: [
        { orderId: "1", orderLinkId: some("a"), success: some(true) },
        { orderId: "2", orderLinkId: none, success: some(false) },
        { orderId: "3", orderLinkId: some("b"), success: none }
      ],
      success: none
    })
  })
})
