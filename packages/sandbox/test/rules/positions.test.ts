import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Resting from "@effect-venue/testing/Resting"
import * as Rules from "./utils.js"

const linear = { category: "linear" }
const btc = { category: "linear", symbol: "BTCUSDT" }
const eth = { category: "linear", symbol: "ETHUSDT" }

const position = (parameters: Rules.Parameters) =>
  Effect.map(Rules.rows("positions.list", parameters), (found): Rules.Row => found[0]!)
const stops = Effect.map(Rules.orders({ ...btc, orderFilter: "StopOrder" }), (found) =>
  found.filter((row) => row.StopOrderType !== "Stop")
)
const ofKind = (found: ReadonlyArray<Rules.Row>, kind: string) => found.filter((row) => row.StopOrderType === kind)
const market = { ...btc, orderType: "Market" }
const stopsAround = { takeProfit: "40000", stopLoss: "15000" }

describe("5. positions", () => {
  Rules.rule("[positions.list/symbol] returns the position of a symbol, even if it is empty", function* () {
    expect(yield* Rules.rows("positions.list", btc)).toMatchObject([{ symbol: "BTCUSDT", side: "Buy" }])
    expect(yield* Rules.rows("positions.list", { ...linear, symbol: "LTCUSDT" })).toMatchObject([
      { symbol: "LTCUSDT", side: "", size: "0" }
    ])
    expect(yield* Rules.code("positions.list", { ...linear, symbol: "NOSUCHTHING" })).toBe(10001)
  })

  Rules.rule("[positions.list/required] symbol or settleCoin for linear and inverse", function* () {
    for (const category of ["linear", "inverse"]) {
      expect(yield* Rules.code("positions.list", { category })).toBe(10001)
      expect(yield* Rules.code("positions.list", { category, baseCoin: "BTC" })).toBe(10001)
      expect(yield* Rules.code("positions.list", { category, settleCoin: "BTC" })).toBe(0)
    }
    expect(yield* Rules.code("positions.list", btc)).toBe(0)
  })

  Rules.rule("[positions.list/priority] symbol before settleCoin", function* () {
    const found = yield* Rules.rows("positions.list", { ...linear, symbol: "LTCUSDT", settleCoin: "USDT" })
    expect(found.map((row) => row.symbol)).toEqual(["LTCUSDT"])
  })

  Rules.rule("[positions.list/settleCoin] returns the positions with a size", function* () {
    const held = yield* Rules.rows("positions.list", Rules.usdt)
    expect(held.length).toBeGreaterThan(2)
    expect(held.every((row) => Number(row.size) > 0 && row.symbol.endsWith("USDT"))).toBe(true)
    expect(held.map((row) => row.symbol)).not.toContain("ADAUSDT")
    expect(yield* Rules.rows("positions.list", { ...linear, settleCoin: "USDC" })).toEqual([])
  })

  Rules.rule(
    "[positions.list/category, states/position] returns the positions of the category, and none for spot",
    function* () {
      const coins = yield* Rules.rows("positions.list", { category: "inverse", settleCoin: "BTC" })
      expect(coins.map((row) => row.symbol)).toEqual(["BTCUSD"])
      expect(yield* Rules.rows("positions.list", { category: "spot" })).toEqual([])
      const held = yield* Rules.rows("positions.list", Rules.usdt)
      expect(Rules.distinct(held.map((row) => row.positionStatus))).toEqual(["Normal"])
    }
  )
})

describe("6. adding or reducing margin", () => {
  Rules.rule("[positions.addMargin/isolated] is for isolated positions", function* () {
    expect(yield* position(eth)).toMatchObject({ tradeMode: 1 })
    expect(yield* Rules.code("positions.addMargin", { ...eth, margin: "1" })).toBe(0)
    expect(yield* Rules.code("positions.addMargin", { ...btc, margin: "1" })).toBe(110015)
  })

  Rules.rule("[positions.addMargin/margin] adds a positive amount and removes a negative one", function* () {
    const look = Effect.gen(function* () {
      const { list } = yield* Rules.result("account.walletBalance", { accountType: "UNIFIED", coin: "USDT" })
      const [{ availableToWithdraw, walletBalance }] = list[0].coin
      const { positionIM } = yield* position(eth)
      return [positionIM, -availableToWithdraw, walletBalance].map(Number)
    })
    const before = yield* look
    const changed = Effect.map(look, (after) => after.map((value, index) => (value - before[index]!).toFixed(6)))
    yield* Rules.result("positions.addMargin", { ...eth, margin: "10.5" })
    // It is no longer free, and the wallet has it all the same.
    expect(yield* changed).toEqual(["10.500000", "10.500000", "0.000000"])
    yield* Rules.result("positions.addMargin", { ...eth, margin: "-3.25" })
    expect((yield* changed)[0]).toBe("7.250000")
    // The seed added 25 before: so much can be taken away, and no more.
    expect(yield* Rules.code("positions.addMargin", { ...eth, margin: "-32.2501" })).toBe(110078)
    expect(yield* Rules.code("positions.addMargin", { ...eth, margin: "-32.25" })).toBe(0)
  })

  Rules.rule("[positions.addMargin/positionIdx] is required in hedge mode", function* () {
    const ada = { ...linear, symbol: "ADAUSDT", margin: "1" }
    expect(yield* Rules.code("positions.addMargin", ada)).toBe(10001)
    expect(yield* Rules.code("positions.addMargin", { ...ada, positionIdx: 0 })).toBe(10001)
    // It is understood, and there is nothing to add to.
    expect(yield* Rules.code("positions.addMargin", { ...ada, positionIdx: 1 })).toBe(110033)
    expect(yield* Rules.code("positions.addMargin", { ...ada, positionIdx: 2 })).toBe(110033)
  })

  Rules.rule("[positions.addMargin/result, records/position.autoAddMargin] returns the position", function* () {
    const answer = yield* Rules.result("positions.addMargin", { ...eth, margin: "10.5" })
    const expected = {
      ...Rules.every(
        "string",
        "category symbol riskLimitValue size avgPrice liqPrice bustPrice markPrice positionValue leverage",
        "positionStatus positionIM positionMM takeProfit stopLoss trailingStop unrealisedPnl",
        "cumRealisedPnl createdTime updatedTime"
      ),
      ...Rules.every("integer", "positionIdx riskId autoAddMargin")
    }
    expect(Rules.kinds(answer)).toEqual(expected)
    expect([0, 1]).toContain(answer.autoAddMargin)
    const { category, ...changed } = answer
    expect(category).toBe("linear")
    expect(yield* position(eth)).toMatchObject(changed)
  })
})

describe("7. trading stop", () => {
  const set = (parameters: Rules.Parameters) =>
    Rules.result("positions.setTradingStop", { ...btc, positionIdx: 0, ...parameters })
  const full = { tpslMode: "Full" }
  const partial = { tpslMode: "Partial" }

  Rules.rule("[positions.setTradingStop/full] Full changes the existing order", function* () {
    const before = ofKind(yield* stops, "TakeProfit")
    expect(before).toHaveLength(1)
    yield* set({ ...full, takeProfit: "40000" })
    const after = ofKind(yield* stops, "TakeProfit")
    expect(after).toHaveLength(1)
    expect(after[0]!.OrderId).toBe(before[0]!.OrderId)
    expect(Number(after[0]!.TriggerPrice)).toBe(40_000)
    expect((yield* position(btc)).takeProfit).toBe("40000")
  })

  Rules.rule("[positions.setTradingStop/partial] Partial only adds orders", function* () {
    const before = yield* stops
    for (const takeProfit of ["40000", "41000"]) yield* set({ ...partial, takeProfit, tpSize: "0.001" })
    const after = yield* stops
    expect(after).toHaveLength(before.length + 2)
    expect(after).toEqual(expect.arrayContaining([...before]))
  })

  Rules.rule("[positions.setTradingStop/tpslMode] defaults to the mode of the contract", function* () {
    const { tpslMode } = yield* position(btc)
    expect(tpslMode).toBe("Full")
    const before = yield* stops
    yield* set({ takeProfit: "40000" })
    // As with Full: changed, not added.
    expect(yield* stops).toHaveLength(before.length)
    expect((yield* position(btc)).takeProfit).toBe("40000")
  })

  Rules.rule(
    "[positions.setTradingStop/tpslMode] a contract in Partial mode adds an order",
    function* () {
      expect((yield* position(btc)).tpslMode).toBe("Partial")
      const before = yield* stops
      yield* set({ takeProfit: "40000" })
      expect(yield* stops).toHaveLength(before.length + 1)
    },
    Rules.altered((state, main) => ({
      ...state,
      accounts: new Map(state.accounts).set(main.uid, {
        ...main,
        positions: main.positions.map((one) => ({ ...one, tpslMode: "Partial" as const }))
      })
    }))
  )

  for (const [title, field, kind, price] of [
    ["[positions.setTradingStop/takeProfit] 0 cancels it", "takeProfit", "TakeProfit", "40000"],
    ["[positions.setTradingStop/stopLoss] 0 cancels it", "stopLoss", "StopLoss", "15000"]
  ] as const) {
    Rules.rule(title, function* () {
      yield* set({ ...full, [field]: price })
      expect(Number((yield* position(btc))[field])).toBe(Number(price))
      const others = (yield* stops).length - 1
      yield* set({ ...full, [field]: "0" })
      expect((yield* position(btc))[field]).toBe("")
      expect(ofKind(yield* stops, kind)).toEqual([])
      expect(yield* stops).toHaveLength(others)
    })
  }

  Rules.rule("[positions.setTradingStop/trailingStop] is set, changed, and cancelled with 0", function* () {
    for (const trailingStop of ["150", "200.5"]) {
      yield* set({ ...full, trailingStop })
      expect((yield* position(btc)).trailingStop).toBe(trailingStop)
      expect(ofKind(yield* stops, "TrailingStop")).toHaveLength(1)
    }
    yield* set({ ...full, trailingStop: "0" })
    expect((yield* position(btc)).trailingStop).toBe("")
    expect(ofKind(yield* stops, "TrailingStop")).toEqual([])
  })

  Rules.rule(
    "[positions.setTradingStop/activePrice, records/order.triggerPrice] activates a trailing stop",
    function* () {
      yield* set({ ...full, trailingStop: "150", activePrice: "30000" })
      const [waiting] = ofKind(yield* stops, "TrailingStop")
      expect(waiting).toMatchObject({ TriggerPrice: "30000", OrderStatus: "Untriggered" })
      const refused = { ...btc, ...full, positionIdx: 0, trailingStop: "150", activePrice: "soon" }
      expect(yield* Rules.code("positions.setTradingStop", refused)).toBe(10001)
    }
  )

  Rules.rule("[positions.setTradingStop/triggerBy] accepts three kinds of price", function* () {
    for (const by of ["MarkPrice", "IndexPrice", "LastPrice"]) {
      yield* set({ ...full, takeProfit: "40000", stopLoss: "15000", tpTriggerBy: by, slTriggerBy: by })
      const found = yield* stops
      expect(ofKind(found, "TakeProfit")[0]!.TriggerBy).toBe(by)
      expect(ofKind(found, "StopLoss")[0]!.TriggerBy).toBe(by)
    }
  })

  Rules.rule("[positions.setTradingStop/size] is the quantity of a partial stop", function* () {
    yield* set({ ...partial, takeProfit: "40000", stopLoss: "15000", tpSize: "0.002", slSize: "0.002" })
    const found = yield* stops
    expect(ofKind(found, "PartialTakeProfit")).toMatchObject([{ Qty: "0.002", TpslMode: "Partial" }])
    expect(ofKind(found, "PartialStopLoss")).toMatchObject([{ Qty: "0.002", TpslMode: "Partial" }])
  })

  for (const field of ["tpSize", "slSize"]) {
    Rules.rule(`[positions.setTradingStop/size.equal] gives both sides the size of ${field} alone`, function* () {
      yield* set({ ...partial, takeProfit: "40000", stopLoss: "15000", [field]: "0.003" })
      const found = yield* stops
      expect(ofKind(found, "PartialTakeProfit")).toMatchObject([{ Qty: "0.003" }])
      expect(ofKind(found, "PartialStopLoss")).toMatchObject([{ Qty: "0.003" }])
    })
  }

  Rules.rule(
    "[positions.setTradingStop/orderType, positions.setTradingStop/limitPrice, records/order.orderType, records/order.tpslMode] Market by default, or Limit with its price",
    function* () {
      yield* set({ ...partial, takeProfit: "40000", tpSize: "0.001" })
      expect(ofKind(yield* stops, "PartialTakeProfit")).toMatchObject([{ OrderType: "Market", TpslMode: "Partial" }])
      const limit = { tpOrderType: "Limit", tpLimitPrice: "40900" }
      yield* set({ ...partial, takeProfit: "41000", tpSize: "0.001", ...limit })
      const made = ofKind(yield* stops, "PartialTakeProfit").find((row) => Number(row.TriggerPrice) === 41_000)!
      expect(made.OrderType).toBe("Limit")
      expect(Number(made.Price)).toBe(40_900)
      const refused = { ...btc, ...partial, positionIdx: 0, takeProfit: "42000", tpOrderType: "Stop" }
      expect(yield* Rules.code("positions.setTradingStop", refused)).toBe(10001)
    }
  )

  Rules.rule("[positions.setTradingStop/positionIdx] distinguishes the sides of hedge mode", function* () {
    const ada = { ...linear, symbol: "ADAUSDT", takeProfit: "9" }
    for (const positionIdx of [1, 2]) {
      expect(yield* Rules.code("positions.setTradingStop", { ...ada, positionIdx })).toBe(110034)
    }
    expect(yield* Rules.code("positions.setTradingStop", { ...ada, positionIdx: 0 })).toBe(10001)
  })

  Rules.rule("[positions.setTradingStop/result] returns nothing", function* () {
    expect(yield* set({ ...full, takeProfit: "40000" })).toEqual({})
  })

  Rules.rule("[states/3] creates conditional orders with the size of the position", function* () {
    const { size } = yield* position(btc)
    yield* set({ ...full, takeProfit: "0", stopLoss: "0" })
    expect(yield* stops).toEqual([])
    yield* set({ ...full, takeProfit: "40000", stopLoss: "15000", trailingStop: "150" })
    const made = yield* stops
    expect(made.map((row): string => row.StopOrderType).toSorted()).toEqual(["StopLoss", "TakeProfit", "TrailingStop"])
    for (const row of made) {
      expect(row).toMatchObject({ OrderStatus: "Untriggered", ReduceOnly: true, Side: "Sell", Qty: size })
    }
  })

  Rules.rule("[states/3.follows] follow the size of the position", function* () {
    yield* set({ ...full, ...stopsAround })
    const quantities = Effect.map(stops, (found) => found.map((row): string => row.Qty))
    const { size } = yield* position(btc)
    expect(yield* quantities).toEqual([size, size])
    yield* Rules.result("orders.create", { ...market, side: "Buy", qty: "0.02" })
    const more = (Number(size) + 0.02).toFixed(3)
    expect((yield* position(btc)).size).toBe(more)
    expect(yield* quantities).toEqual([more, more])
    yield* Rules.result("orders.create", { ...market, side: "Sell", qty: size })
    expect(yield* quantities).toEqual(["0.02", "0.02"])
  })

  Rules.rule("[states/3.cancelled] are cancelled when the position is closed", function* () {
    yield* set({ ...full, ...stopsAround })
    const made = (yield* stops).map((row): string => row.OrderId)
    expect(made).toHaveLength(2)
    const { size } = yield* position(btc)
    yield* Rules.result("orders.create", { ...market, side: "Sell", qty: size, reduceOnly: true })
    expect(yield* position(btc)).toMatchObject({ side: "", takeProfit: "", stopLoss: "" })
    expect(yield* stops).toEqual([])
    for (const orderId of made) {
      expect(yield* Rules.rows("orders.history", { ...linear, orderId })).toMatchObject([
        { orderId, orderStatus: "Cancelled" }
      ])
    }
  })

  Rules.rule("[states/4] are cancelled together, unless one of the pair was changed alone", function* () {
    const kinds = Effect.map(stops, (found) => found.map((row): string => row.StopOrderType).toSorted())
    const cancel = (kind: string) =>
      Effect.flatMap(stops, (found) =>
        Rules.result("orders.cancel", { ...btc, orderId: ofKind(found, kind)[0]!.OrderId })
      )
    yield* set({ ...full, takeProfit: "0", stopLoss: "0" })
    for (const [changed, gone, left] of [
      [undefined, "TakeProfit", []],
      [undefined, "StopLoss", []],
      [{ takeProfit: "41000" }, "TakeProfit", ["StopLoss"]],
      [{ stopLoss: "14000" }, "TakeProfit", ["StopLoss"]],
      [{ stopLoss: "14000" }, "StopLoss", ["TakeProfit"]]
    ] as const) {
      yield* set({ ...full, ...stopsAround })
      if (changed !== undefined) yield* set({ ...full, ...changed })
      expect(yield* kinds).toEqual(["StopLoss", "TakeProfit"])
      yield* cancel(gone)
      expect(yield* kinds).toEqual(left)
      for (const kind of left) yield* cancel(kind)
    }
  })
})

describe("25. risk limit", () => {
  Rules.rule(
    "[positions.setRiskLimit/rejects] orders beyond the current limit are rejected, and accepted under a higher one",
    function* () {
      const { markPrice, riskLimitValue } = yield* position(btc)
      // A tenth over the limit by itself.
      const price = Resting.below(markPrice)
      const qty = ((Number(riskLimitValue) * 1.1) / Number(price)).toFixed(2)
      const order = { ...btc, side: "Buy", orderType: "Limit", price, qty }
      const before = yield* Rules.orders(btc)
      yield* Rules.result("positions.setLeverage", { ...btc, buyLeverage: "50", sellLeverage: "50" })
      expect(yield* Rules.code("orders.create", order)).toBe(110090)
      expect(yield* Rules.orders(btc)).toEqual(before)
      yield* Rules.result("positions.setRiskLimit", { ...btc, riskId: 2 })
      expect(yield* Rules.code("orders.create", order)).toBe(0)
    }
  )

  Rules.rule(
    "[positions.setRiskLimit/effect, positions.setRiskLimit/riskId] sets the risk limit of one position",
    function* () {
      const ether = yield* position(eth)
      expect((yield* position(btc)).riskId).toBe(1)
      yield* Rules.result("positions.setRiskLimit", { ...btc, riskId: 2 })
      expect(yield* position(btc)).toMatchObject({ riskId: 2, riskLimitValue: "4000000" })
      expect((yield* position(eth)).riskId).toBe(ether.riskId)
    }
  )

  Rules.rule("[positions.setRiskLimit/category] of linear and inverse contracts", function* () {
    const coin = { category: "inverse", symbol: "BTCUSD" }
    const riskId = Number((yield* position(coin)).riskId)
    yield* Rules.result("positions.setRiskLimit", { ...coin, riskId: riskId + 1 })
    expect((yield* position(coin)).riskId).toBe(riskId + 1)
    // It is not involved: the symbol says what is meant.
    yield* Rules.result("positions.setRiskLimit", { ...coin, category: "linear", riskId })
    expect((yield* position(coin)).riskId).toBe(riskId)
  })

  Rules.rule(
    "[positions.setRiskLimit/result, versioning/deprecated] returns the new limit, although it is deprecated",
    function* () {
      const answer = yield* Rules.result("positions.setRiskLimit", { ...btc, riskId: 2 })
      expect(answer).toEqual({ category: "linear", riskId: 2, riskLimitValue: "4000000" })
    }
  )
})
