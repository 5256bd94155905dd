import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { describe, expect } from "@effect/vitest"
import { BigDecimal, Clock, Effect, Option, TestClock } from "effect"
import * as Events from "../../src/engine/events.js"
import * as Rules from "./utils.js"

const { orders, usdt } = Rules
const linear = { category: "linear" }
const inverse = { category: "inverse" }
const spot = { category: "spot" }
const btc = { ...linear, symbol: "BTCUSDT" }

const openStatuses = ["New", "PartiallyFilled", "Untriggered"]
const closedStatuses = ["Cancelled", "Rejected", "Filled"]

const statuses = (found: ReadonlyArray<Rules.Row>) => Rules.distinct(found.map((row): string => row.OrderStatus))
const symbols = (found: ReadonlyArray<Rules.Row>) => Rules.distinct(found.map((row): string => row.Symbol))
const find = (found: ReadonlyArray<Rules.Row>, type: string, symbol = "BTCUSDT"): Rules.Row =>
  found.find((row) => row.StopOrderType === type && row.Symbol === symbol)!
const one = (parameters: Rules.Parameters) => Effect.map(orders(parameters), (found): Rules.Row => found[0]!)

describe("1. open orders", () => {
  Rules.rule("[orders.open/sort] newest first", function* () {
    for (const query of [usdt, inverse, spot, { ...usdt, openOnly: 1 }]) {
      const created = (yield* orders(query)).map((row) => Number(row.CreatedTime))
      expect(Rules.distinct(created).length).toBeGreaterThan(3)
      expect(Rules.descending(created)).toBe(true)
    }
  })

  Rules.rule("[orders.open/symbol] one of symbol, baseCoin and settleCoin is required only for linear", function* () {
    expect(yield* Rules.code("orders.open", linear)).toBe(10001)
    for (const by of [{ symbol: "BTCUSDT" }, { baseCoin: "BTC" }, { settleCoin: "USDT" }]) {
      expect(yield* Rules.code("orders.open", { ...linear, ...by })).toBe(0)
    }
    expect(yield* Rules.code("orders.open", inverse)).toBe(0)
    expect(yield* Rules.code("orders.open", spot)).toBe(0)
    expect(symbols(yield* orders(btc))).toEqual(["BTCUSDT"])
  })

  Rules.rule("[orders.open/category] returns only orders of the category", function* () {
    expect(symbols(yield* orders(inverse)).every((symbol) => symbol.endsWith("USD"))).toBe(true)
    const of = (found: ReadonlyArray<Rules.Row>) => found.map((row): string => row.OrderId)
    const contracts = new Set(of(yield* orders(btc)))
    const coins = of(yield* orders({ ...spot, symbol: "BTCUSDT" }))
    expect(coins.length).toBeGreaterThan(0)
    expect(coins.filter((id) => contracts.has(id))).toEqual([])
  })

  Rules.rule("[orders.open/settleCoin] selects linear orders, and is refused on spot", function* () {
    expect(yield* orders({ ...linear, settleCoin: "USDC" })).toEqual([])
    expect((yield* orders(usdt)).length).toBeGreaterThan(50)
    expect(yield* Rules.code("orders.open", { ...spot, settleCoin: "USDC" })).toBe(10001)
  })

  Rules.rule(
    "[orders.open/openOnly, states/2, states/order] 0, the default, returns open orders and 1 closed ones",
    function* () {
      for (const query of [usdt, inverse, spot]) {
        const open = yield* orders(query)
        expect(yield* orders({ ...query, openOnly: 0 })).toEqual(open)
        expect(statuses(open)).toEqual(expect.arrayContaining(["New"]))
        expect(openStatuses).toEqual(expect.arrayContaining([...statuses(open)]))
        const closed = yield* orders({ ...query, openOnly: 1 })
        expect(statuses(closed)).toContain("Filled")
        expect(closedStatuses).toEqual(expect.arrayContaining([...statuses(closed)]))
      }
      expect(statuses(yield* orders(usdt))).toContain("PartiallyFilled")
      expect(statuses(yield* orders({ ...usdt, openOnly: 1 }))).toContain("Cancelled")
    }
  )

  Rules.rule(
    "[orders.open/openOnly.kept, limits/closed-orders] at most the latest 500, per category and account",
    function* () {
      const ids = (found: ReadonlyArray<Rules.Row>) => new Set(found.map((row): string => row.OrderId))
      const kept = ids(yield* orders({ ...usdt, openOnly: 1 }))
      expect(kept.size).toBe(500)
      const shared = (other: ReadonlySet<string>) => Array.from(other).filter((id) => kept.has(id))
      for (const query of [inverse, spot]) {
        const others = ids(yield* orders({ ...query, openOnly: 1 }))
        expect(others.size).toBeGreaterThan(100)
        expect(others.size).toBeLessThanOrEqual(500)
        expect(shared(others)).toEqual([])
      }
      const sub = yield* Rules.all("orders.open", { ...usdt, openOnly: 1, limit: 50 }, { role: "sub" })
      expect(sub.length).toBeGreaterThan(50)
      expect(shared(ids(sub))).toEqual([])
    }
  )

  Rules.rule("[orders.open/openOnly.named] is ignored with orderId or orderLinkId", function* () {
    const closed = (yield* orders({ ...usdt, openOnly: 1 })).find((row) => row.OrderLinkId !== "")!
    const [open] = yield* orders(usdt)
    expect(yield* orders({ ...usdt, openOnly: 0, orderId: closed.OrderId })).toEqual([closed])
    expect(yield* orders({ ...usdt, openOnly: 0, orderLinkId: closed.OrderLinkId })).toEqual([closed])
    expect(yield* orders({ ...usdt, openOnly: 1, orderId: open!.OrderId })).toEqual([open])
  })

  Rules.rule("[orders.open/orderFilter] distinguishes active and tpsl orders of spot", function* () {
    const tpsl = yield* orders({ ...spot, orderFilter: "tpslOrder" })
    expect(tpsl.length).toBeGreaterThan(0)
    expect(tpsl.every((row) => row.TriggerPrice !== "")).toBe(true)
    expect((yield* orders({ ...spot, orderFilter: "Order" })).every((row) => row.TriggerPrice === "")).toBe(true)
  })

  Rules.rule("[orders.open/priority] orderId, orderLinkId, symbol, baseCoin", function* () {
    const found = yield* orders(usdt)
    const named = found.filter((row) => row.OrderLinkId !== "")
    const [first, second] = [named[0]!, named[1]!]
    const ids = { orderId: first.OrderId, orderLinkId: second.OrderLinkId }
    const other = { symbol: second.Symbol === "SOLUSDT" ? "BTCUSDT" : "SOLUSDT", baseCoin: "LTC" }
    expect(yield* orders({ ...linear, ...other, ...ids })).toEqual([first])
    expect(yield* orders({ ...linear, ...other, orderLinkId: second.OrderLinkId })).toEqual([second])
    expect(symbols(yield* orders({ ...linear, symbol: "BTCUSDT", baseCoin: "ETH" }))).toEqual(["BTCUSDT"])
  })

  Rules.rule(
    "[orders.open/openOnly.restart] a restart of the service drops closed orders, but not open ones",
    function* () {
      const { control } = yield* Rules.sandbox
      yield* TestClock.adjust("1500 millis")
      const open = yield* orders(usdt)
      const closed = yield* orders({ ...usdt, openOnly: 1 })
      expect(closed.length).toBeGreaterThan(0)
      const now = yield* Clock.currentTimeMillis
      yield* control.restore(Events.restart(yield* control.snapshot, now))
      expect(yield* orders({ ...usdt, openOnly: 1 })).toEqual([])
      expect(yield* orders({ ...linear, symbol: "BTCUSDT", orderId: closed[0]!.OrderId })).toEqual([])
      expect((yield* orders(usdt)).map((row): string => row.OrderId)).toEqual(open.map((row): string => row.OrderId))
      // The history is another list, and what is closed from now on is kept again.
      const past = { ...linear, orderId: closed[0]!.OrderId }
      expect(yield* Rules.rows("orders.history", past)).toMatchObject([{ orderId: closed[0]!.OrderId }])
      // An active one: a conditional order ends in none of the statuses that are shown.
      const active = open.find((row) => row.OrderStatus === "New")!
      const { orderId } = yield* Rules.result("orders.cancel", {
        ...linear,
        symbol: active.Symbol,
        orderId: active.OrderId
      })
      expect((yield* orders({ ...usdt, openOnly: 1 })).map((row): string => row.OrderId)).toContain(orderId)
    }
  )
})

describe("13. amending an order", () => {
  Rules.rule("[states/1] accepts unfilled and partially filled orders, and no closed ones", function* () {
    const open = yield* orders({ ...usdt, orderFilter: "Order" })
    const change = (order: Rules.Row, qty: string) =>
      Rules.code("orders.amend", { ...linear, symbol: order.Symbol, orderId: order.OrderId, qty })
    const fresh = open.find((row) => row.OrderStatus === "New" && row.Symbol === "BTCUSDT")!
    const partly = open.find((row) => row.OrderStatus === "PartiallyFilled")!
    expect(yield* change(fresh, "0.012")).toBe(0)
    const more = (yield* Rules.rows("instruments.list", { ...linear, symbol: partly.Symbol }))[0]!.lotSizeFilter
    expect(yield* change(partly, (Number(partly.Qty) + Number(more.qtyStep)).toFixed(3))).toBe(0)
    const closed = yield* orders({ ...usdt, openOnly: 1 })
    for (const [status, code] of [
      ["Filled", 110008],
      ["Cancelled", 110010]
    ] as const) {
      const order = closed.find((row) => row.OrderStatus === status)!
      expect(yield* change(order, order.Qty)).toBe(code)
    }
    // Not below what is filled of it.
    expect(yield* change(partly, partly.CumExecQty)).toBe(110064)
  })

  Rules.rule("[orders.amend/category, orders.amend/symbol] orders of every category, with their symbol", function* () {
    for (const [category, symbol, qty] of [
      ["linear", "ETHUSDT", "0.30"],
      ["inverse", "BTCUSD", "120"],
      ["spot", "ETHUSDT", "0.06000"]
    ]) {
      const order = (yield* orders({ category, symbol })).find((row) => row.OrderStatus === "New")!
      const names = { category, symbol, orderId: order.OrderId }
      yield* Rules.result("orders.amend", { ...names, qty })
      expect(Number((yield* one(names)).Qty)).toBe(Number(qty))
      expect(yield* Rules.code("orders.amend", { ...names, symbol: "BTCUSDT", qty: "1" })).not.toBe(0)
    }
  })

  Rules.rule("[orders.amend/id] orderId or orderLinkId names the order", function* () {
    const order = (yield* orders({ ...usdt, orderFilter: "Order" })).find(
      (row) => row.OrderLinkId !== "" && row.OrderStatus === "New" && row.Symbol === "XRPUSDT"
    )!
    const names = { ...linear, symbol: order.Symbol }
    expect(yield* Rules.code("orders.amend", { ...names, qty: "41" })).toBe(10001)
    yield* Rules.result("orders.amend", { ...names, orderId: order.OrderId, qty: "41" })
    expect((yield* one({ ...names, orderId: order.OrderId })).Qty).toBe("41")
    yield* Rules.result("orders.amend", { ...names, orderLinkId: order.OrderLinkId, qty: "42" })
    expect((yield* one({ ...names, orderId: order.OrderId })).Qty).toBe("42")
  })

  Rules.rule("[orders.amend/result] returns only the two ids", function* () {
    const order = (yield* orders(btc)).find((row) => row.OrderStatus === "New")!
    const answer = yield* Rules.result("orders.amend", { ...btc, orderId: order.OrderId, qty: "0.012" })
    expect(answer).toEqual({ orderId: order.OrderId, orderLinkId: order.OrderLinkId })
  })

  Rules.rule("[orders.amend/qty, orders.amend/price] change, and are kept if left out", function* () {
    const order = (yield* orders(btc)).find((row) => row.OrderStatus === "New" && row.Side === "Buy")!
    const names = { ...btc, orderId: order.OrderId }
    yield* TestClock.adjust("1 minute")
    yield* Rules.result("orders.amend", { ...names, qty: "0.012" })
    expect(yield* one(names)).toMatchObject({
      ...{ Qty: "0.012", LeavesQty: "0.012", Price: order.Price },
      ...{ CreatedTime: order.CreatedTime, UpdatedTime: "60000" }
    })
    const price = (Number(order.Price) - 100).toFixed(1)
    yield* Rules.result("orders.amend", { ...names, price })
    expect(yield* one(names)).toMatchObject({ Qty: "0.012", Price: price })
    for (const change of [{ qty: "0.012" }, { qty: "0.0115" }, { price: "1.05" }, { price: "dear" }, {}]) {
      expect(yield* Rules.code("orders.amend", { ...names, ...change })).toBe(10001)
    }
    expect(yield* Rules.code("orders.amend", { ...names, qty: "490" })).toBe(110007)
  })

  Rules.rule("[orders.amend/orderIv] is kept", function* () {
    const order = (yield* orders(btc)).find((row) => row.OrderStatus === "New")!
    const names = { ...btc, orderId: order.OrderId }
    expect(order.OrderIv).toBe("")
    yield* Rules.result("orders.amend", { ...names, orderIv: "0.5" })
    expect((yield* one(names)).OrderIv).toBe("0.5")
    expect(yield* Rules.code("orders.amend", { ...names, orderIv: "high" })).toBe(10001)
  })

  Rules.rule("[orders.amend/triggerPrice] above the market for a rise, below it for a fall", function* () {
    const stops = yield* orders({ ...usdt, orderFilter: "StopOrder" })
    const trigger = (order: Rules.Row, factor: number) => {
      const price = (Number(order.LastPriceOnCreated) * factor).toFixed(1)
      const names = { ...linear, symbol: order.Symbol, orderId: order.OrderId }
      return Effect.map(Rules.code("orders.amend", { ...names, triggerPrice: price }), (code) => [price, code])
    }
    const rising = find(stops, "Stop", "BTCUSDT")
    expect((yield* trigger(rising, 0.98))[1]).toBe(110092)
    const [above, taken] = yield* trigger(rising, 1.03)
    expect(taken).toBe(0)
    expect(Number((yield* one({ ...btc, orderId: rising.OrderId })).TriggerPrice)).toBe(Number(above))
    const falling = find(stops, "Stop", "ETHUSDT")
    expect((yield* trigger(falling, 1.02))[1]).toBe(110093)
    expect((yield* trigger(falling, 0.9))[1]).toBe(0)
    // An active order has no trigger.
    const active = (yield* orders(btc)).find((row) => row.OrderStatus === "New")!
    expect((yield* trigger(active, 1.03))[1]).toBe(10001)
  })

  Rules.rule("[orders.amend/triggerPrice.spot] changes the trigger price of a tpsl order", function* () {
    const [order] = yield* orders({ ...spot, symbol: "BTCUSDT", orderFilter: "tpslOrder" })
    const names = { ...spot, symbol: "BTCUSDT", orderId: order!.OrderId }
    const price = (Number(order!.TriggerPrice) + 100).toFixed(2)
    yield* Rules.result("orders.amend", { ...names, triggerPrice: price })
    expect((yield* one(names)).TriggerPrice).toBe(price)
    const [active] = yield* orders({ ...spot, symbol: "BTCUSDT", orderFilter: "Order" })
    expect(yield* Rules.code("orders.amend", { ...names, orderId: active!.OrderId, triggerPrice: price })).not.toBe(0)
  })

  Rules.rule("[orders.amend/tpslMode] changes for contracts, and is refused on spot", function* () {
    const [order] = yield* orders({ ...linear, symbol: "SOLUSDT" })
    const names = { ...linear, symbol: "SOLUSDT", orderId: order!.OrderId }
    expect(order!.TpslMode).toBe("Full")
    yield* Rules.result("orders.amend", { ...names, tpslMode: "Partial" })
    expect((yield* one(names)).TpslMode).toBe("Partial")
    const coins = (yield* orders({ ...spot, symbol: "ETHUSDT" })).find((row) => row.OrderStatus === "New")!
    const spotNames = { ...spot, symbol: "ETHUSDT", orderId: coins.OrderId }
    const amendment = { ...spotNames, tpslMode: "Partial", qty: "0.06000" }
    expect(yield* Rules.code("orders.amend", amendment)).toBe(10001)
    expect(yield* one(spotNames)).toEqual(coins)
  })

  for (const [title, field, by, shown, byShown, [first, second]] of [
    [
      "[orders.amend/takeProfit, orders.amend/tpTriggerBy] is set with its trigger, kept, changed, and removed with 0",
      "takeProfit",
      "tpTriggerBy",
      "TakeProfit",
      "TpTriggerBy",
      // The order sells.
      ["0.1", "0.2"]
    ],
    [
      "[orders.amend/stopLoss, orders.amend/slTriggerBy] is set with its trigger, kept, changed, and removed with 0",
      "stopLoss",
      "slTriggerBy",
      "StopLoss",
      "SlTriggerBy",
      ["0.9", "0.8"]
    ]
  ] as const) {
    Rules.rule(title, function* () {
      const order = (yield* orders({ ...linear, symbol: "XRPUSDT" })).find((row) => row.OrderStatus === "New")!
      const names = { ...linear, symbol: "XRPUSDT", orderId: order.OrderId }
      expect(order[shown]).toBe("")
      // A price that the order has no trigger for yet.
      expect(yield* Rules.code("orders.amend", { ...names, [field]: first })).toBe(10001)
      yield* Rules.result("orders.amend", { ...names, [field]: first, [by]: "MarkPrice" })
      expect(yield* one(names)).toMatchObject({ [shown]: first, [byShown]: "MarkPrice" })
      yield* Rules.result("orders.amend", { ...names, qty: "43" })
      expect((yield* one(names))[shown]).toBe(first)
      // Now there is one.
      yield* Rules.result("orders.amend", { ...names, [field]: second })
      expect((yield* one(names))[shown]).toBe(second)
      expect(yield* Rules.code("orders.amend", { ...names, [field]: "-1" })).toBe(10001)
      yield* Rules.result("orders.amend", { ...names, [field]: "0" })
      expect((yield* one(names))[shown]).toBe("")
    })
  }

  Rules.rule("[orders.amend/triggerBy] changes for contracts, and is refused on spot", function* () {
    const stop = find(yield* orders({ ...usdt, orderFilter: "StopOrder" }), "Stop")
    const names = { ...btc, orderId: stop.OrderId }
    expect(stop.TriggerBy).toBe("LastPrice")
    yield* Rules.result("orders.amend", { ...names, triggerBy: "MarkPrice" })
    expect((yield* one(names)).TriggerBy).toBe("MarkPrice")
    const [tpsl] = yield* orders({ ...spot, symbol: "BTCUSDT", orderFilter: "tpslOrder" })
    const spotNames = { ...spot, symbol: "BTCUSDT", orderId: tpsl!.OrderId }
    const triggerPrice = (Number(tpsl!.TriggerPrice) + 100).toFixed(2)
    const amendment = { ...spotNames, triggerPrice, triggerBy: "MarkPrice" }
    expect(yield* Rules.code("orders.amend", amendment)).toBe(10001)
    expect(yield* one(spotNames)).toEqual(tpsl)
  })

  const limitStop = Rules.altered((state, main) => {
    const account: Exchange.Account = {
      ...main,
      openOrders: main.openOrders.map((order) =>
        order.symbol === "SOLUSDT"
          ? {
              ...order,
              tpslMode: Option.some("Partial"),
              tpLimitPrice: Option.some(BigDecimal.make(899n, 0)),
              slLimitPrice: Option.some(BigDecimal.make(10n, 0))
            }
          : order
      )
    }
    return { ...state, accounts: new Map(state.accounts).set(account.uid, account) }
  })

  Rules.rule(
    "[orders.amend/limitPrice] is accepted only for an order with a partial limit stop",
    function* () {
      const [order] = yield* orders({ ...linear, symbol: "SOLUSDT" })
      const names = { ...linear, symbol: "SOLUSDT", orderId: order!.OrderId }
      yield* Rules.result("orders.amend", { ...names, tpLimitPrice: "890", slLimitPrice: "11" })
      expect(yield* one(names)).toMatchObject({ TpLimitPrice: "890", SlLimitPrice: "11" })
      const other = (yield* orders({ ...linear, symbol: "XRPUSDT" })).find((row) => row.OrderStatus === "New")!
      const otherNames = { ...linear, symbol: "XRPUSDT", orderId: other.OrderId }
      for (const field of ["tpLimitPrice", "slLimitPrice"]) {
        expect(yield* Rules.code("orders.amend", { ...otherNames, [field]: "0.9" })).toBe(10001)
        const partial = { ...otherNames, [field]: "0.9", tpslMode: "Partial" }
        expect(yield* Rules.code("orders.amend", partial)).toBe(10001)
      }
    },
    limitStop
  )

  Rules.rule(
    "[orders.amend/tpslMode.limit] Full refuses a limit price, Partial accepts it",
    function* () {
      const [order] = yield* orders({ ...linear, symbol: "SOLUSDT" })
      const names = { ...linear, symbol: "SOLUSDT", orderId: order!.OrderId }
      for (const field of ["tpLimitPrice", "slLimitPrice"]) {
        expect(yield* Rules.code("orders.amend", { ...names, tpslMode: "Full", [field]: "890" })).toBe(10001)
      }
      yield* Rules.result("orders.amend", { ...names, tpslMode: "Partial", tpLimitPrice: "890" })
    },
    limitStop
  )
})

describe("18. cancelling all orders", () => {
  const cancelled = (parameters: Rules.Parameters) =>
    Effect.map(Rules.result("orders.cancelAll", parameters), (found): ReadonlyArray<Rules.Row> => found.list)
  const count = (parameters: Rules.Parameters) => Effect.map(orders(parameters), (found) => found.length)

  Rules.rule("[orders.cancelAll/required] one of symbol, baseCoin and settleCoin for linear and inverse", function* () {
    for (const all of [usdt, inverse]) {
      const before = yield* count(all)
      expect(before).toBeGreaterThan(0)
      expect(yield* Rules.code("orders.cancelAll", { category: all.category })).toBe(10001)
      expect(yield* count(all)).toBe(before)
    }
    expect(yield* cancelled({ ...linear, symbol: "BTCUSDT" })).not.toEqual([])
    expect(yield* cancelled({ ...linear, baseCoin: "ETH" })).not.toEqual([])
    expect(yield* cancelled(usdt)).not.toEqual([])
    expect(yield* cancelled({ ...inverse, settleCoin: "BTC" })).not.toEqual([])
  })

  Rules.rule("[orders.cancelAll/priority] symbol, baseCoin, settleCoin", function* () {
    const [all, bitcoin, ether] = [
      yield* count(usdt),
      yield* count(btc),
      yield* count({ ...linear, symbol: "ETHUSDT" })
    ]
    expect(yield* cancelled({ ...btc, baseCoin: "ETH", settleCoin: "USDT" })).toHaveLength(bitcoin)
    expect(yield* count(usdt)).toBe(all - bitcoin)
    expect(yield* cancelled({ ...linear, baseCoin: "ETH", settleCoin: "USDT" })).toHaveLength(ether)
    expect(yield* count(usdt)).toBe(all - bitcoin - ether)
  })

  Rules.rule("[orders.cancelAll/baseCoin] cancels all orders of the category with the coin", function* () {
    const inverseBefore = yield* count({ ...inverse, baseCoin: "BTC" })
    expect(inverseBefore).toBeGreaterThan(0)
    expect(yield* cancelled({ ...linear, baseCoin: "BTC" })).not.toEqual([])
    expect(yield* count({ ...linear, baseCoin: "BTC" })).toBe(0)
    expect(yield* count({ ...inverse, baseCoin: "BTC" })).toBe(inverseBefore)
  })

  Rules.rule(
    "[orders.cancelAll/settleCoin, orders.cancelAll/settleCoin.spot] selects contracts, and is refused on spot",
    function* () {
      expect(yield* cancelled({ ...linear, settleCoin: "USDC" })).toEqual([])
      expect(yield* count(usdt)).toBeGreaterThan(50)
      const all = yield* count(spot)
      expect(yield* Rules.code("orders.cancelAll", { ...spot, settleCoin: "USDC" })).toBe(10001)
      expect(yield* count(spot)).toBe(all)
    }
  )

  Rules.rule("[orders.cancelAll/orderFilter.spot] Order by default, or tpslOrder", function* () {
    const tpsl = yield* count({ ...spot, orderFilter: "tpslOrder" })
    const plain = yield* count({ ...spot, orderFilter: "Order" })
    expect(yield* cancelled(spot)).toHaveLength(plain)
    expect(yield* count(spot)).toBe(tpsl)
    expect(yield* cancelled({ ...spot, orderFilter: "tpslOrder" })).toHaveLength(tpsl)
    expect(yield* count(spot)).toBe(0)
  })

  Rules.rule("[orders.cancelAll/orderFilter] Order, StopOrder, or without it every kind", function* () {
    const stops = yield* count({ ...usdt, orderFilter: "StopOrder" })
    const active = yield* count({ ...usdt, orderFilter: "Order" })
    expect(yield* cancelled({ ...usdt, orderFilter: "Order" })).toHaveLength(active)
    expect(yield* count(usdt)).toBe(stops)
    expect(yield* cancelled({ ...usdt, orderFilter: "StopOrder" })).toHaveLength(stops)
    expect(yield* count(usdt)).toBe(0)
  })

  Rules.rule(
    "[orders.cancelAll/orderFilter] active, conditional, take profit and trailing stop orders are cancelled together",
    function* () {
      const stop = { ...btc, positionIdx: 0, tpslMode: "Full", trailingStop: "150" }
      yield* Rules.result("positions.setTradingStop", stop)
      const kinds = Rules.distinct((yield* orders(btc)).map((row): string => row.StopOrderType))
      expect(kinds).toEqual(expect.arrayContaining(["UNKNOWN", "Stop", "TakeProfit", "StopLoss", "TrailingStop"]))
      const before = yield* orders(btc)
      yield* cancelled(btc)
      expect(yield* count(btc)).toBe(0)
      const [position] = yield* Rules.rows("positions.list", btc)
      expect(position).toMatchObject({ takeProfit: "", stopLoss: "", trailingStop: "" })
      expect(yield* one({ ...btc, orderId: before.find((row) => row.OrderStatus === "New")!.OrderId })).toMatchObject({
        OrderStatus: "Cancelled",
        LeavesQty: "0"
      })
    }
  )

  Rules.rule("[orders.cancelAll/stopOrderType] Stop keeps take profits, stop losses and trailing stops", function* () {
    const stop = { ...btc, positionIdx: 0, tpslMode: "Full", trailingStop: "150" }
    yield* Rules.result("positions.setTradingStop", stop)
    expect(yield* Rules.code("orders.cancelAll", { ...usdt, stopOrderType: "Stop" })).toBe(10001)
    expect(yield* Rules.code("orders.cancelAll", { ...usdt, orderFilter: "Order", stopOrderType: "Stop" })).toBe(10001)
    const active = yield* count({ ...usdt, orderFilter: "Order" })
    yield* cancelled({ ...usdt, orderFilter: "StopOrder", stopOrderType: "Stop" })
    const left = yield* orders({ ...usdt, orderFilter: "StopOrder" })
    const kinds = left.map((row): string => row.StopOrderType)
    expect(kinds.toSorted()).toEqual(["StopLoss", "TakeProfit", "TrailingStop"])
    expect(yield* count({ ...usdt, orderFilter: "Order" })).toBe(active)
  })

  Rules.rule("[orders.cancelAll/spot] the category is enough", function* () {
    const contracts = yield* count(usdt)
    expect(yield* cancelled(spot)).not.toEqual([])
    expect(yield* count({ ...spot, orderFilter: "Order" })).toBe(0)
    expect(yield* count(usdt)).toBe(contracts)
  })

  const many = Rules.altered((state, main) => {
    const copies = (category: Exchange.Category) => {
      const [order] = main.openOrders.filter((one) => one.category === category && one.filter === "Order")
      return Array.from({ length: 520 }, (_, index): Exchange.Order => ({
        ...order!,
        // A copy's id only has to differ.
        orderId: `${order!.orderId}-${index}` as Exchange.Order["orderId"],
        orderLinkId: Option.none()
      }))
    }
    const account = { ...main, openOrders: [...copies("linear"), ...copies("inverse"), ...copies("spot")] }
    return { ...state, accounts: new Map(state.accounts).set(account.uid, account) }
  })

  Rules.rule(
    "[orders.cancelAll/cap, limits/cancel-all.futures] cancels at most 500 contract orders, picked among all",
    function* () {
      for (const query of [usdt, { ...inverse, baseCoin: "BTC" }]) {
        const before = (yield* orders(query)).map((row): string => row.OrderId)
        expect(before).toHaveLength(520)
        expect(yield* cancelled(query)).toHaveLength(500)
        const left = (yield* orders(query)).map((row): string => row.OrderId)
        expect(left).toHaveLength(20)
        // The remaining ones are neither the oldest nor the newest.
        expect(left).not.toEqual(before.slice(0, 20))
        expect(left).not.toEqual(before.slice(-20))
        expect(yield* cancelled(query)).toHaveLength(20)
      }
    },
    many
  )

  Rules.rule(
    "[limits/cancel-all.spot] cancels all spot orders",
    function* () {
      expect(yield* cancelled(spot)).toHaveLength(520)
      expect(yield* count(spot)).toBe(0)
    },
    many
  )

  Rules.rule("[orders.cancelAll/result, errors/5] reports each cancelled order", function* () {
    const before = yield* orders(btc)
    const list = yield* cancelled(btc)
    expect(new Set(list.map((row) => row.orderId))).toEqual(new Set(before.map((row) => row.OrderId)))
    Rules.expectKinds(list, Rules.every("string", "orderId orderLinkId success"))
    expect(list.every((row) => row.success === "1")).toBe(true)
  })
})
