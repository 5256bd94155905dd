/** The operations on orders whose payload is in docs/reference/listed-operations.md. */
import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import type * as Endpoint from "../src/Endpoint.js"
import * as Orders from "../src/Orders.js"
import { answer, at, dec, fixture, mismatches, none, refuses, sent, sentAny, some, refusals } from "./helpers.js"

addEqualityTesters()

const limit = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "9" } as const
const market = { symbol: "BTCUSDT", side: "Sell", orderType: "Market", qty: "1" } as const

/** Places an order alone and as one of a batch, which have the same rules. */
const ways = [
  {
    name: "alone",
    takes: (category: string, order: object) => {
      expect(sentAny(Orders.create, { category, ...order })).toStrictEqual({ category, ...order })
    },
    refused: (category: string, order: object, ...reasons: ReadonlyArray<string>) => {
      refuses(Orders.create, { category, ...order }, ...reasons)
    }
  },
  {
    name: "in a batch",
    takes: (category: string, order: object) => {
      const batch = { category, request: [market, order] }
      expect(sentAny(Orders.createBatch, batch)).toStrictEqual(batch)
    },
    refused: (category: string, order: object, ...reasons: ReadonlyArray<string>) => {
      refuses(
        Orders.createBatch,
        { category, request: [market, order] },
        ...reasons.map((reason) => `request.1.${reason}`)
      )
    }
  }
]

const contracts = ["linear", "inverse"] as const
const categories = ["spot", ...contracts] as const

for (const { name, refused, takes } of ways) {
  describe(`a request to place an order, ${name},`, () => {
    it("has a side, a type and a quantity over zero", () => {
      for (const category of categories) {
        takes(category, limit)
        takes(category, market)
        refused(category, { ...limit, symbol: "" }, "symbol: must not be empty")
        refused(category, { ...limit, side: "None" }, "side: must be Buy or Sell")
        refused(category, { ...limit, orderType: "Stop" }, "orderType: must be Market or Limit")
        for (const qty of ["0", "-1", ""]) {
          refused(category, { ...limit, qty }, "qty: must be a decimal greater than 0")
        }
      }
      refused("linear", { symbol: "A", side: "Buy", orderType: "Market" }, "qty: is missing")
    })

    it("has a price with Limit, and only then", () => {
      for (const category of categories) {
        refused(category, { ...limit, price: undefined }, "price: required when orderType=Limit")
        refused(category, { ...market, price: "9" }, "price: only with orderType=Limit")
        refused(category, { ...limit, price: "0" }, "price: must be a decimal greater than 0")
      }
    })

    it("has an orderLinkId of 1 to 36 letters, digits, - and _", () => {
      for (const category of categories) {
        takes(category, { ...limit, orderLinkId: "aB-_0".repeat(7) + "x" })
        for (const orderLinkId of ["", "a".repeat(37), "a b", "ä", "a.b"]) {
          refused(category, { ...limit, orderLinkId }, "orderLinkId: must be 1 to 36 letters, digits, - or _")
        }
      }
    })

    it("has a time in force and a kind of self-match prevention, known or not", () => {
      takes("linear", { ...limit, timeInForce: "PostOnly", smpType: "CancelMaker" })
      takes("spot", { ...limit, timeInForce: "Forever", smpType: "CancelAll" })
      refused("spot", { ...limit, timeInForce: "" }, "timeInForce: must not be empty")
      refused("spot", { ...limit, smpType: "" }, "smpType: must not be empty")
    })

    it("has a marketUnit for spot market orders that do not wait", () => {
      const rule = "marketUnit: only with orderType=Market and orderFilter=Order"
      takes("spot", { ...market, marketUnit: "quoteCoin" })
      takes("spot", { ...market, marketUnit: "baseCoin", orderFilter: "Order" })
      refused("spot", { ...limit, marketUnit: "quoteCoin" }, rule)
      refused("spot", { ...market, marketUnit: "quoteCoin", orderFilter: "tpslOrder", triggerPrice: "5" }, rule)
      refused("spot", { ...market, marketUnit: "coin" }, "marketUnit: must be baseCoin or quoteCoin")
      for (const category of contracts) {
        refused(category, { ...market, marketUnit: "quoteCoin" }, "marketUnit: is unexpected")
      }
    })

    it("tolerates slippage of market orders that do not wait, in ticks or percent", () => {
      const rule = "slippageToleranceType: only with orderType=Market, without takeProfit, stopLoss or triggerPrice"
      const ticks = { slippageToleranceType: "TickSize", slippageTolerance: "10000" }
      const percent = { slippageToleranceType: "Percent", slippageTolerance: "0.01" }
      for (const category of categories) {
        takes(category, { ...market, ...ticks })
        takes(category, { ...market, ...ticks, slippageTolerance: "1" })
        takes(category, { ...market, ...percent })
        takes(category, { ...market, ...percent, slippageTolerance: "10" })
        refused(category, { ...limit, ...ticks }, rule)
        refused(category, { ...market, ...ticks, takeProfit: "5" }, rule)
        refused(category, { ...market, ...ticks, stopLoss: "5" }, rule)
        for (const slippageTolerance of ["0.5", "1.5", "10001"]) {
          refused(
            category,
            { ...market, ...ticks, slippageTolerance },
            "slippageTolerance: must be a whole number from 1 to 10000 with slippageToleranceType=TickSize"
          )
        }
        for (const slippageTolerance of ["0.009", "10.01", "1.234"]) {
          refused(
            category,
            { ...market, ...percent, slippageTolerance },
            "slippageTolerance: must be from 0.01 to 10 with at most 2 decimals with slippageToleranceType=Percent"
          )
        }
        refused(
          category,
          { ...market, slippageTolerance: "1" },
          "slippageToleranceType: required when slippageTolerance is given"
        )
        refused(
          category,
          { ...market, slippageToleranceType: "Percent" },
          "slippageTolerance: required when slippageToleranceType is given"
        )
      }
      refused("linear", { ...market, ...ticks, triggerPrice: "5" }, rule)
      refused("spot", { ...market, ...ticks, triggerPrice: "5", orderFilter: "StopOrder" }, rule)
    })

    it("on spot waits for a trigger when it says so, and says so when it has one", () => {
      for (const orderFilter of ["tpslOrder", "StopOrder"] as const) {
        takes("spot", { ...limit, orderFilter, triggerPrice: "5" })
        refused("spot", { ...limit, orderFilter }, "triggerPrice: required when orderFilter is tpslOrder or StopOrder")
      }
      const rule = "triggerPrice: only with orderFilter=tpslOrder or StopOrder"
      refused("spot", { ...limit, triggerPrice: "5" }, rule)
      refused("spot", { ...limit, triggerPrice: "5", orderFilter: "Order" }, rule)
      refused("spot", { ...limit, orderFilter: "OcoOrder" }, "orderFilter: must be Order, tpslOrder or StopOrder")
      refused("linear", { ...limit, orderFilter: "Order" }, "orderFilter: is unexpected")
    })

    it("on contracts has a direction and a price type with its trigger price only", () => {
      for (const category of contracts) {
        takes(category, { ...limit, triggerPrice: "5", triggerDirection: 1, triggerBy: "MarkPrice" })
        takes(category, { ...market, triggerPrice: "5", triggerDirection: 2 })
        refused(category, { ...limit, triggerPrice: "5", triggerDirection: 3 }, "triggerDirection: must be 1 or 2")
        refused(category, { ...limit, triggerDirection: 1 }, "triggerDirection: only with triggerPrice")
        refused(category, { ...limit, triggerBy: "MarkPrice" }, "triggerBy: only with triggerPrice")
      }
      refused(
        "spot",
        { ...limit, orderFilter: "StopOrder", triggerPrice: "5", triggerDirection: 1 },
        "triggerDirection: is unexpected"
      )
    })

    it("on contracts has a position index, and reduces or closes", () => {
      for (const category of contracts) {
        takes(category, { ...market, positionIdx: 2, reduceOnly: true, closeOnTrigger: true })
        takes(category, { ...market, reduceOnly: false, takeProfit: "5", stopLoss: "3" })
        const rule = "reduceOnly: must not be true with takeProfit or stopLoss"
        refused(category, { ...market, reduceOnly: true, takeProfit: "5" }, rule)
        refused(category, { ...market, reduceOnly: true, stopLoss: "5" }, rule)
        refused(category, { ...market, positionIdx: 3 }, "positionIdx: must be 0, 1 or 2")
      }
      for (const field of ["positionIdx", "reduceOnly", "closeOnTrigger", "tpslMode", "tpTriggerBy", "slTriggerBy"]) {
        refused("spot", { ...market, [field]: "Full" }, `${field}: is unexpected`)
      }
    })

    it("has stops over zero, at limit prices in the partial mode", () => {
      const stops = [
        ["takeProfit", "tpOrderType", "tpLimitPrice", "tpTriggerBy"],
        ["stopLoss", "slOrderType", "slLimitPrice", "slTriggerBy"]
      ] as const
      for (const [price, type, limitPrice, trigger] of stops) {
        for (const category of categories) {
          takes(category, { ...limit, [price]: "5" })
          takes(category, { ...limit, [price]: "5", [type]: "Market" })
          refused(category, { ...limit, [price]: "0" }, `${price}: must be a decimal greater than 0`)
          refused(category, { ...limit, [type]: "Stop" }, `${type}: must be Market or Limit`)
        }
        takes("spot", { ...limit, [price]: "5", [type]: "Limit", [limitPrice]: "4" })
        refused(
          "spot",
          { ...limit, [price]: "5", [type]: "Limit" },
          `${limitPrice}: required when ${price} is given with ${type}=Limit`
        )
        refused("spot", { ...limit, [price]: "5", [limitPrice]: "4" }, `${limitPrice}: only with ${type}=Limit`)
        for (const category of contracts) {
          const partial = { ...limit, tpslMode: "Partial", [price]: "5" }
          takes(category, { ...partial, [type]: "Limit", [limitPrice]: "4", [trigger]: "IndexPrice" })
          const rule = `${limitPrice}: only with tpslMode=Partial and ${type}=Limit`
          refused(category, { ...partial, [limitPrice]: "4" }, rule)
          refused(category, { ...limit, [type]: "Limit", [limitPrice]: "4" }, rule)
          refused(
            category,
            { ...limit, tpslMode: "Full", [type]: "Limit" },
            `${type}: must be Market with tpslMode=Full`
          )
          refused(category, { ...limit, tpslMode: "Half" }, "tpslMode: must be Full or Partial")
        }
      }
    })
  })
}

describe("a request to cancel an order", () => {
  it("needs a symbol and one of the two ids", () => {
    for (const category of categories) {
      refuses(Orders.cancel, { category, symbol: "A" }, "orderId: one of orderId, orderLinkId is required")
      refuses(Orders.cancel, { category, orderId: "1" }, "symbol: is missing")
      expect(sentAny(Orders.cancel, { category, symbol: "A", orderId: "1", orderLinkId: "l" })).toStrictEqual({
        category,
        symbol: "A",
        orderId: "1",
        orderLinkId: "l"
      })
    }
  })

  it("takes an orderFilter for spot only", () => {
    const spot = { category: "spot", symbol: "A", orderId: "1" } as const
    expect(sent(Orders.cancel, { ...spot, orderFilter: "tpslOrder" })).toStrictEqual({
      ...spot,
      orderFilter: "tpslOrder"
    })
    refuses(Orders.cancel, { ...spot, orderFilter: "StopOrder" }, "orderFilter: must be Order or tpslOrder")
    refuses(Orders.cancel, { ...spot, category: "linear", orderFilter: "Order" }, "orderFilter: is unexpected")
  })
})

describe("a request for the order history", () => {
  const day = 86_400_000

  it("has both times or none, at most 7 days apart", () => {
    expect(sent(Orders.history, { category: "spot" })).toStrictEqual({ category: "spot" })
    expect(sent(Orders.history, { category: "linear", startTime: 0, endTime: 7 * day })).toStrictEqual({
      category: "linear",
      startTime: "0",
      endTime: String(7 * day)
    })
    refuses(Orders.history, { category: "linear", startTime: 0 }, "endTime: required when startTime is given")
    refuses(Orders.history, { category: "linear", endTime: 0 }, "startTime: required when endTime is given")
    refuses(
      Orders.history,
      { category: "linear", startTime: 0, endTime: 7 * day + 1 },
      "endTime: must be at most 7d after startTime"
    )
    refuses(Orders.history, { category: "linear", startTime: 1, endTime: 0 }, "endTime: must not be before startTime")
  })

  it("takes a limit from 1 to 50 and the filters of its table", () => {
    for (const size of [0, 51, 1.5]) {
      refuses(Orders.history, { category: "spot", limit: size }, "limit: must be a whole number from 1 to 50")
    }
    const request = {
      category: "inverse",
      symbol: "A",
      orderId: "1",
      orderLinkId: "l",
      orderFilter: "StopOrder"
    } as const
    expect(sent(Orders.history, { ...request, orderStatus: "Filled", limit: 50, cursor: "c" })).toStrictEqual({
      ...request,
      orderStatus: "Filled",
      limit: "50",
      cursor: "c"
    })
    refuses(Orders.history, { category: "spot", orderFilter: "tpslOrder" }, "orderFilter: must be Order or StopOrder")
    for (const orderStatus of ["", "Open", 1]) {
      expect(refusals(Orders.history, { category: "spot", orderStatus })).toEqual([
        expect.stringMatching(/^orderStatus: must be one of Created, New, /)
      ])
    }
  })

  it("is answered with orders in lower camel case, fillers read as nothing where they say nothing", () => {
    const { list, nextPageCursor } = answer(Orders.history, "orders.history")
    expect(nextPageCursor).toStrictEqual(some("page_token%3D39380%26"))
    expect(list).toHaveLength(1)
    expect(list[0]).toMatchObject({
      orderId: "14bad3a1-6454-43d8-bcf2-5345896cf74d",
      orderLinkId: some("YLxaWKMiHU"),
      orderStatus: "Cancelled",
      qty: dec("0.10"),
      isLeverage: none,
      createdTime: at(1672225446000)
    })
  })
})

describe("a batch", () => {
  const item = { symbol: "A", orderId: "1" }

  it("has 1 to 20 orders", () => {
    const rule = "request: must be 1 to 20 orders"
    for (const category of categories) {
      for (const [endpoint, order] of [
        [Orders.createBatch, market],
        [Orders.amendBatch, item],
        [Orders.cancelBatch, item]
      ] as const) {
        const batch = (count: number) => ({ category, request: Array.from({ length: count }, () => order) })
        expect(sentAny(endpoint, batch(20))).toStrictEqual(batch(20))
        refuses(endpoint, batch(0), rule)
        refuses(endpoint, batch(21), rule)
        expect([0, 1, 20].map((count) => endpoint.cost?.(batch(count)))).toStrictEqual([1, 1, 20])
      }
    }
  })

  it("has no orderLinkId twice", () => {
    const named = (...links: ReadonlyArray<string>) => ({
      category: "linear",
      request: links.map((orderLinkId) => ({ ...market, orderLinkId }))
    })
    expect(sentAny(Orders.createBatch, named("a", "b"))).toStrictEqual(named("a", "b"))
    refuses(Orders.createBatch, named("a", "b", "a"), "request: must not have an orderLinkId twice")
  })

  it("of changes and cancellations has one of the two ids for each, and the rules of a single one", () => {
    const rule = "request.1.orderId: one of orderId, orderLinkId is required"
    for (const category of categories) {
      refuses(Orders.amendBatch, { category, request: [item, { symbol: "A" }] }, rule)
      refuses(Orders.cancelBatch, { category, request: [item, { symbol: "A" }] }, rule)
      refuses(
        Orders.amendBatch,
        { category, request: [{ ...item, qty: "0" }] },
        "request.0.qty: must be a decimal greater than 0"
      )
    }
    refuses(
      Orders.amendBatch,
      { category: "linear", request: [{ ...item, tpslMode: "Full", tpLimitPrice: "1" }] },
      "request.0.tpLimitPrice: only with tpslMode=Partial"
    )
    refuses(
      Orders.amendBatch,
      { category: "spot", request: [{ ...item, tpslMode: "Full" }] },
      "request.0.tpslMode: is unexpected"
    )
    refuses(
      Orders.cancelBatch,
      { category: "spot", request: [{ ...item, orderFilter: "Order" }] },
      "request.0.orderFilter: is unexpected"
    )
  })

  const recorded = fixture("successes/orders.createBatch.json") as {
    readonly result: { readonly list: ReadonlyArray<unknown> }
    readonly retExtInfo: { readonly list: ReadonlyArray<unknown> }
  }
  const wire = { result: recorded.result, extInfo: recorded.retExtInfo }

  it("is answered with an outcome for each order, out of two lists side by side", () => {
    expect(Schema.decodeUnknownSync(Orders.CreateBatchResult)(wire)).toStrictEqual([
      {
        code: 0,
        msg: "OK",
        category: some("linear"),
        symbol: some("BTCUSDT"),
        orderId: some("o-1"),
        orderLinkId: some("l-1"),
        createAt: some(at(1700000000001))
      },
      {
        code: 110007,
        msg: "available balance is not enough",
        category: some("linear"),
        symbol: some("BTCUSDT"),
        orderId: none,
        orderLinkId: none,
        createAt: none
      }
    ])
  })

  it("is taken apart again for a server that made the outcomes itself", () => {
    const slots = Schema.decodeUnknownSync(Orders.CreateBatchResult)(wire).map((slot) => ({ ...slot }))
    expect(Schema.encodeSync(Orders.CreateBatchResult)(slots)).toStrictEqual(wire)
  })

  it("is refused where the lists differ in length, and where a slot does not fit", () => {
    const info = (count: number) => ({ list: Array.from({ length: count }, () => ({ code: 0, msg: "OK" })) })
    expect(mismatches(Orders.CreateBatchResult, { ...wire, extInfo: info(1) })).toStrictEqual([
      "extInfo.list: must have as many entries as result.list: 2, not 1"
    ])
    expect(mismatches(Orders.BatchResult, { ...wire, extInfo: {} })).toStrictEqual(["extInfo.list: is missing"])
    expect(
      mismatches(Orders.BatchResult, { ...wire, extInfo: { list: [{ msg: "" }, { code: 0, msg: "" }] } })
    ).toStrictEqual(["extInfo.list.0.code: is missing"])
  })
})

describe("a look-up of an order", () => {
  const page = answer(Orders.history, "orders.history")
  const found = (orders: { readonly open?: object; readonly history?: object }): Endpoint.ReadCall<never> => {
    const of = (change: object | undefined) => ({
      ...page,
      list: change === undefined ? [] : page.list.map((order) => ({ ...order, ...change }))
    })
    // What is asked for decides what is given, which a function of every endpoint cannot say.
    return (endpoint) => Effect.succeed(of(endpoint.name === "orders.open" ? orders.open : orders.history) as never)
  }
  const executed = (
    endpoint: Endpoint.Properties,
    parameters: Readonly<Record<string, unknown>>,
    orders: { readonly open?: object; readonly history?: object }
  ) =>
    endpoint.lookUp === undefined
      ? Effect.succeed("no look-up")
      : Effect.map(endpoint.lookUp(parameters, found(orders)), (finding) => finding.executed)

  const placed = {
    category: "linear",
    symbol: "ETHUSDT",
    side: "Sell",
    orderType: "Limit",
    price: "1187.05",
    qty: "0.1",
    orderLinkId: "YLxaWKMiHU"
  }

  it.effect("says that it was placed when an order of its name is there, open or in the history", () =>
    Effect.gen(function* () {
      expect(yield* executed(Orders.create, placed, { open: {} })).toBe("yes")
      expect(yield* executed(Orders.create, placed, { history: {} })).toBe("yes")
      expect(yield* executed(Orders.create, placed, { history: { orderStatus: "Rejected" } })).toBe("no")
      expect(yield* executed(Orders.create, placed, {})).toBe("undetermined")
      expect(yield* executed(Orders.create, { ...placed, side: "Buy" }, { open: {} })).toBe("undetermined")
      expect(yield* executed(Orders.create, { ...placed, orderLinkId: undefined }, { open: {} })).toBe("undetermined")
      for (const change of [{ orderType: "Market" }, { price: "1187.06" }, { qty: "0.2" }, { triggerPrice: "1" }]) {
        expect(yield* executed(Orders.create, { ...placed, ...change }, { open: {} })).toBe("undetermined")
      }
    })
  )

  it.effect("says that it was cancelled when it is, and that it was not when it was filled", () =>
    Effect.gen(function* () {
      const parameters = { category: "linear", symbol: "ETHUSDT", orderId: "14bad3a1-6454-43d8-bcf2-5345896cf74d" }
      const status = (orderStatus: string) => executed(Orders.cancel, parameters, { open: { orderStatus } })
      for (const orderStatus of ["Cancelled", "Deactivated", "PartiallyFilledCanceled"]) {
        expect(yield* status(orderStatus)).toBe("yes")
      }
      for (const orderStatus of ["Filled", "Rejected"]) expect(yield* status(orderStatus)).toBe("no")
      for (const orderStatus of ["New", "PartiallyFilled", "Triggered"]) {
        expect(yield* status(orderStatus)).toBe("undetermined")
      }
      expect(yield* executed(Orders.cancel, parameters, { history: {} })).toBe("yes")
      expect(yield* executed(Orders.cancel, parameters, {})).toBe("undetermined")
    })
  )

  it.effect("of a batch says so of all or of none", () =>
    Effect.gen(function* () {
      const { category, ...order } = placed
      const cancel = { symbol: "ETHUSDT", orderId: "14bad3a1-6454-43d8-bcf2-5345896cf74d" }
      const batch = (...orders: ReadonlyArray<object>) => ({ category, request: orders })
      expect(yield* executed(Orders.createBatch, batch(order, order), { open: {} })).toBe("yes")
      expect(yield* executed(Orders.createBatch, batch(order), { open: { orderStatus: "Rejected" } })).toBe("no")
      expect(yield* executed(Orders.createBatch, batch(order, { ...order, side: "Buy" }), { open: {} })).toBe(
        "undetermined"
      )
      expect(Option.isSome(Option.fromNullable(Orders.amendBatch.lookUp))).toBe(true)
      expect(yield* executed(Orders.cancelBatch, batch(cancel), { open: {} })).toBe("yes")
    })
  )
})
