import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Raw from "./utils/raw.js"

const create = "/cloud/trade/v3/order/create"
const cancel = "/cloud/trade/v3/order/cancel"
const realtime = "/cloud/trade/v3/order/realtime"
const history = "/cloud/trade/v3/order/history"
const executions = "/cloud/trade/v3/execution/list"
const positionList = "/cloud/trade/v3/position/list"
const still = Sandbox.layer({ seed: 5, limits: "off", prices: "still" })
const moving = Sandbox.layer({ seed: 5, limits: "off" })

// What an answer holds is looked at as it is.
type Row = Record<string, string>

const rows = (path: string, parameters: Readonly<Record<string, unknown>>, role: "main" | "customer" = "main") =>
  Effect.map(Raw.call(path, parameters, { role }), (answer): ReadonlyArray<Row> => answer.json.result.list)
const post = (path: string, parameters: Readonly<Record<string, unknown>>) => Raw.post(path, parameters)
const code = (path: string, parameters: Readonly<Record<string, unknown>>) =>
  Effect.map(post(path, parameters), (answer) => answer.code)
const place = (parameters: Readonly<Record<string, unknown>>) =>
  Effect.map(post(create, parameters), (answer) => {
    expect(answer.text).toContain('"retCode":0')
    return String(answer.json.result.orderId)
  })
const order = (category: string, symbol: string, orderId: string) =>
  Effect.map(rows(realtime, { category, symbol, orderId }), (list) => list[0])
const fills = (category: string, orderId: string) => rows(executions, { category, orderId })
const position = (symbol: string, category = "linear") =>
  Effect.map(rows(positionList, { category, symbol }), (list) => list[0])
const price = (category: "spot" | "linear" | "inverse", symbol: string) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const { listings } = yield* sandbox.snapshot
    const one = listings.find((listing) => listing.category === category && listing.instrument.symbol === symbol)!
    return Number(one.lastPrice.value) / 10 ** one.lastPrice.scale
  })
const wallet = (coin: string) =>
  Effect.map(
    Raw.call("/cloud/trade/v3/account/wallet-balance", { accountType: "UNIFIED", coin }),
    (answer): Row => answer.json.result.list[0].coin[0]
  )
const sum = (list: ReadonlyArray<Row>, field: string) => list.reduce((total, row) => total + Number(row[field]), 0)

const ltc = { category: "linear", symbol: "LTCUSDT" }

describe("orders.create", () => {
  it.effect("fills a market order from the book, and shows it everywhere", () =>
    Effect.gen(function* () {
      const before = yield* wallet("USDT")
      const id = yield* place({ ...ltc, side: "Buy", orderType: "Market", qty: "3", price: "", orderLinkId: "first" })
      const made = yield* order("linear", "LTCUSDT", id)
      expect(made).toMatchObject({ OrderStatus: "Filled", CumExecQty: "3", LeavesQty: "0", OrderLinkId: "first" })
      const trades = yield* fills("linear", id)
      expect(trades).toHaveLength(1)
      expect(trades[0]).toMatchObject({
        execQty: "3",
        feeRate: "0.00055",
        isMaker: false,
        createType: "CreateByUser",
        execType: "Trade",
        closedSize: "0"
      })
      expect(yield* position("LTCUSDT")).toMatchObject({ side: "Buy", size: "3" })
      const after = yield* wallet("USDT")
      expect(Number(before.walletBalance) - Number(after.walletBalance)).toBeCloseTo(Number(trades[0]!.execFee), 8)
      // The fee came out of the bonus first.
      const uses = yield* Raw.call("/private/v1/asset/bonus/usage", { coin: "USDT" })
      expect(uses.json.result.rows[0]).toMatchObject({
        order_id: id,
        type: 2,
        award_type: 1,
        amount: trades[0]!.execFee
      })
    }).pipe(Effect.provide(still))
  )

  it.effect("walks the levels of the book, in executions of one sequence, and cancels what is beyond its guard", () =>
    Effect.gen(function* () {
      const id = yield* place({ ...ltc, side: "Sell", orderType: "Market", qty: "1500" })
      const trades = yield* fills("linear", id)
      expect(trades.length).toBeGreaterThan(2)
      expect(new Set(trades.map((one) => one.seq)).size).toBe(1)
      expect(new Set(trades.map((one) => one.execPrice)).size).toBe(trades.length)
      expect(sum(trades, "execQty")).toBeCloseTo(1500, 6)
      const slipping = { ...ltc, side: "Sell", orderType: "Market", slippageToleranceType: "TickSize" }
      const guarded = yield* place({ ...slipping, qty: "1500", slippageTolerance: "1" })
      const rest = yield* order("linear", "LTCUSDT", guarded)
      expect(rest).toMatchObject({ OrderStatus: "Cancelled", LeavesQty: "0" })
      expect(Number(rest!.CumExecQty)).toBeGreaterThan(0)
      expect(Number(rest!.CumExecQty)).toBeLessThan(1500)
    }).pipe(Effect.provide(still))
  )

  it.effect("keeps a limit order until the market comes to it, and fills it part by part as a maker", () =>
    Effect.gen(function* () {
      const last = yield* price("linear", "LTCUSDT")
      const resting = { ...ltc, side: "Buy", orderType: "Limit" }
      const far = yield* place({ ...resting, qty: "2", price: (last * 0.8).toFixed(2) })
      // At the last price it is under the best ask: the next step of the market trades at it.
      const near = yield* place({ ...resting, qty: "900", price: last.toFixed(2) })
      expect(yield* order("linear", "LTCUSDT", near)).toMatchObject({ OrderStatus: "New", CumExecQty: "0" })
      yield* TestClock.adjust("1 second")
      const partly = yield* order("linear", "LTCUSDT", near)
      expect(partly).toMatchObject({ OrderStatus: "PartiallyFilled" })
      expect(Number(partly!.LeavesQty) + Number(partly!.CumExecQty)).toBe(900)
      yield* TestClock.adjust("10 seconds")
      expect(yield* order("linear", "LTCUSDT", near)).toMatchObject({ OrderStatus: "Filled", CumExecQty: "900" })
      const trades = yield* fills("linear", near)
      expect(trades.every((one) => String(one.isMaker) === "true" && one.feeRate === "0.0002")).toBe(true)
      expect(new Set(trades.map((one) => one.execTime)).size).toBe(trades.length)
      expect(yield* order("linear", "LTCUSDT", far)).toMatchObject({ OrderStatus: "New" })
    }).pipe(Effect.provide(still))
  )

  it.effect("holds orders to their time in force", () =>
    Effect.gen(function* () {
      const last = yield* price("linear", "LTCUSDT")
      const limit = { ...ltc, side: "Buy", orderType: "Limit", price: (last * 1.001).toFixed(2) }
      const outcome = (parameters: Readonly<Record<string, unknown>>) =>
        Effect.flatMap(place(parameters), (id) => order("linear", "LTCUSDT", id))
      expect(yield* outcome({ ...limit, qty: "1", timeInForce: "PostOnly" })).toMatchObject({
        OrderStatus: "Cancelled",
        RejectReason: "EC_PostOnlyWillTakeLiquidity",
        CumExecQty: "0"
      })
      expect(yield* outcome({ ...limit, qty: "20000", timeInForce: "FOK" })).toMatchObject({
        OrderStatus: "Cancelled",
        RejectReason: "EC_NoEnoughQtyToFill",
        CumExecQty: "0"
      })
      const ioc = yield* outcome({ ...limit, qty: "5000", timeInForce: "IOC" })
      expect(ioc).toMatchObject({ OrderStatus: "Cancelled", LeavesQty: "0" })
      expect(Number(ioc!.CumExecQty)).toBeGreaterThan(0)
      expect(yield* outcome({ ...limit, price: (last * 0.9).toFixed(2), qty: "1", timeInForce: "IOC" })).toMatchObject({
        OrderStatus: "Cancelled",
        RejectReason: "EC_NoImmediateQtyToFill"
      })
    }).pipe(Effect.provide(still))
  )

  it.effect("trades spot by either coin, and deducts the fee from the coin received", () =>
    Effect.gen(function* () {
      const spot = { category: "spot", symbol: "SOLUSDT", orderType: "Market" }
      const before = [yield* wallet("SOL"), yield* wallet("USDT")]
      const bought = yield* place({ ...spot, side: "Buy", qty: "100" })
      const [trade] = yield* fills("spot", bought)
      expect(yield* order("spot", "SOLUSDT", bought)).toMatchObject({ OrderStatus: "Filled", MarketUnit: "quoteCoin" })
      expect(Number(trade!.execValue)).toBeLessThanOrEqual(100)
      expect(Number(trade!.execFee)).toBeCloseTo(Number(trade!.execQty) * 0.001, 8)
      const after = [yield* wallet("SOL"), yield* wallet("USDT")]
      expect(Number(after[0]!.walletBalance) - Number(before[0]!.walletBalance)).toBeCloseTo(
        Number(trade!.execQty) - Number(trade!.execFee),
        8
      )
      expect(Number(before[1]!.walletBalance) - Number(after[1]!.walletBalance)).toBeCloseTo(
        Number(trade!.execValue),
        8
      )
      const sold = yield* place({ ...spot, side: "Sell", qty: "0.5" })
      expect(yield* order("spot", "SOLUSDT", sold)).toMatchObject({ CumExecQty: "0.5", MarketUnit: "baseCoin" })
      const byBase = yield* place({ ...spot, side: "Buy", qty: "0.5", marketUnit: "baseCoin" })
      expect(yield* order("spot", "SOLUSDT", byBase)).toMatchObject({ OrderStatus: "Filled", CumExecQty: "0.5" })
    }).pipe(Effect.provide(still))
  )

  it.effect("refuses what breaks a rule, each with its code, and nothing comes of it", () =>
    Effect.gen(function* () {
      const last = yield* price("linear", "LTCUSDT")
      const at = (factor: number) => (last * factor).toFixed(2)
      const limit = { ...ltc, side: "Buy", orderType: "Limit", qty: "1", price: at(0.9) }
      const before = yield* rows(realtime, { ...ltc, limit: 50 })
      expect(yield* code(create, { ...limit, qty: "1.05" })).toBe(10001)
      expect(yield* code(create, { ...limit, qty: "200000.1" })).toBe(10001)
      expect(yield* code(create, { ...limit, price: "1.001" })).toBe(10001)
      expect(yield* code(create, { ...limit, price: "99999999" })).toBe(110003)
      expect(yield* code(create, { ...limit, price: "1", qty: "0.1" })).toBe(110094)
      const leverage = { ...ltc, buyLeverage: "2", sellLeverage: "2" }
      expect(yield* code("/cloud/trade/v3/position/set-leverage", leverage)).toBe(0)
      expect(yield* code(create, { ...limit, qty: "25000" })).toBe(110007)
      expect(yield* code(create, { ...limit, qty: "90000" })).toBe(110090)
      expect(yield* code(create, { ...limit, positionIdx: 1 })).toBe(10001)
      expect(yield* code(create, { ...limit, symbol: "ADAUSDT", price: "0.4", qty: "100" })).toBe(10001)
      expect(yield* code(create, { ...limit, side: "Sell", reduceOnly: true })).toBe(110017)
      const waiting = { ...limit, triggerPrice: at(0.95) }
      expect(yield* code(create, waiting)).toBe(10001)
      expect(yield* code(create, { ...waiting, triggerDirection: 1 })).toBe(110092)
      expect(yield* code(create, { ...waiting, triggerPrice: at(1.05), triggerDirection: 2 })).toBe(110093)
      expect(yield* code(create, { ...limit, takeProfit: at(0.8) })).toBe(10001)
      expect(yield* code(create, { ...limit, symbol: "NOPEUSDT" })).toBe(10001)
      expect(yield* rows(realtime, { ...ltc, limit: 50 })).toEqual(before)
      expect(yield* code(create, { ...limit, orderLinkId: "mine" })).toBe(0)
      expect(yield* code(create, { ...limit, orderLinkId: "mine" })).toBe(110072)
      const spot = { category: "spot", symbol: "SOLUSDT", side: "Buy", orderType: "Limit", qty: "0.1" }
      const sol = yield* price("spot", "SOLUSDT")
      const solAt = (factor: number) => (sol * factor).toFixed(2)
      expect(yield* code(create, { ...spot, price: solAt(0.99), orderLinkId: "mine" })).toBe(0)
      expect(yield* code(create, { ...spot, price: solAt(0.99), orderLinkId: "mine" })).toBe(170141)
      expect(yield* code(create, { ...spot, price: solAt(1.5) })).toBe(170132)
      expect(yield* code(create, { ...spot, side: "Sell", price: solAt(0.5) })).toBe(170133)
      expect(yield* code(create, { ...spot, price: "10.001" })).toBe(170134)
      expect(yield* code(create, { ...spot, price: solAt(0.99), qty: "0.0001" })).toBe(170137)
      expect(yield* code(create, { ...spot, price: solAt(0.99), qty: "0.001" })).toBe(170140)
      expect(yield* code(create, { ...spot, price: solAt(0.99), qty: "9000" })).toBe(170131)
      expect(yield* code(create, { ...spot, price: solAt(0.99), symbol: "NOPEUSDT" })).toBe(170121)
    }).pipe(Effect.provide(still))
  )

  it.effect("limits the open orders of a kind, but not those that only reduce", () =>
    Effect.gen(function* () {
      const last = yield* price("linear", "LTCUSDT")
      const waiting = {
        ...ltc,
        side: "Buy",
        orderType: "Market",
        qty: "1",
        triggerPrice: (last * 1.2).toFixed(2),
        triggerDirection: 1
      }
      for (let index = 0; index < 10; index++) expect(yield* code(create, waiting)).toBe(0)
      expect(yield* code(create, waiting)).toBe(110009)
      expect(yield* code(create, { ...waiting, reduceOnly: true })).toBe(0)
      const resting = { ...ltc, side: "Buy", orderType: "Limit", qty: "0.1", price: (last * 0.9).toFixed(2) }
      const { category, ...item } = resting
      for (let batch = 0; batch < 25; batch++) {
        yield* post("/cloud/trade/v3/order/create-batch", { category, request: Array.from({ length: 20 }, () => item) })
      }
      expect(yield* code(create, resting)).toBe(110020)
      expect(yield* code(create, { ...resting, symbol: "BCHUSDT", price: "100" })).toBe(0)
    }).pipe(Effect.provide(still))
  )
})

describe("positions that trade", () => {
  it.effect("are reduced, closed and turned, with a record of every profit", () =>
    Effect.gen(function* () {
      const market = { ...ltc, orderType: "Market" }
      yield* place({ ...market, side: "Buy", qty: "4" })
      const reduced = yield* place({ ...market, side: "Sell", qty: "1" })
      expect(yield* position("LTCUSDT")).toMatchObject({ side: "Buy", size: "3" })
      const [closing] = yield* fills("linear", reduced)
      expect(closing!.closedSize).toBe("1")
      const closed = yield* rows("/cloud/trade/v3/position/closed-pnl", { category: "linear", symbol: "LTCUSDT" })
      expect(closed[0]).toMatchObject({ orderId: reduced, closedSize: "1", fillCount: "1", execType: "Trade" })
      const gain = Number(closed[0]!.cumExitValue) - Number(closed[0]!.cumEntryValue)
      expect(Number(closed[0]!.closedPnl)).toBeLessThan(gain)
      // More than there is: a reducing order is cut to it.
      const cut = yield* place({ ...market, side: "Sell", qty: "9", reduceOnly: true })
      expect(yield* order("linear", "LTCUSDT", cut)).toMatchObject({ Qty: "3", OrderStatus: "Filled" })
      expect(yield* position("LTCUSDT")).toMatchObject({ side: "", size: "0", cumRealisedPnl: expect.any(String) })
      yield* place({ ...market, side: "Buy", qty: "2" })
      yield* place({ ...market, side: "Sell", qty: "5" })
      expect(yield* position("LTCUSDT")).toMatchObject({ side: "Sell", size: "3" })
    }).pipe(Effect.provide(still))
  )

  it.effect("have two sides in hedge mode", () =>
    Effect.gen(function* () {
      const ada = { category: "linear", symbol: "ADAUSDT", orderType: "Market" }
      yield* place({ ...ada, side: "Buy", qty: "200", positionIdx: 1 })
      yield* place({ ...ada, side: "Sell", qty: "100", positionIdx: 2 })
      expect(yield* rows(positionList, { category: "linear", symbol: "ADAUSDT" })).toMatchObject([
        { positionIdx: 1, side: "Buy", size: "200" },
        { positionIdx: 2, side: "Sell", size: "100" }
      ])
      const close = yield* place({ ...ada, side: "Sell", qty: "500", positionIdx: 1 })
      expect(yield* order("linear", "ADAUSDT", close)).toMatchObject({ CumExecQty: "200", ReduceOnly: true })
      expect(yield* code(create, { ...ada, side: "Sell", qty: "50", positionIdx: 1 })).toBe(110017)
    }).pipe(Effect.provide(still))
  )

  it.effect("get the stops that an order brought, which follow the size and go with the position", () =>
    Effect.gen(function* () {
      const last = yield* price("linear", "LTCUSDT")
      const market = { ...ltc, orderType: "Market" }
      const stops = { takeProfit: (last * 1.1).toFixed(2), stopLoss: (last * 0.9).toFixed(2) }
      yield* place({ ...market, side: "Buy", qty: "4", ...stops })
      const waiting = rows(realtime, { ...ltc, orderFilter: "StopOrder" })
      expect((yield* waiting).map((one) => `${one.StopOrderType} ${one.Qty}`).sort()).toEqual([
        "StopLoss 4",
        "TakeProfit 4"
      ])
      expect(yield* position("LTCUSDT")).toMatchObject({ takeProfit: String(Number(stops.takeProfit)) })
      yield* place({ ...market, side: "Buy", qty: "2" })
      expect((yield* waiting).map((one) => one.Qty)).toEqual(["6", "6"])
      yield* place({ ...market, side: "Sell", qty: "6" })
      expect(yield* waiting).toEqual([])
      const closed = yield* rows(history, { ...ltc, orderFilter: "StopOrder" })
      expect(closed.map((one) => `${one.orderStatus} ${one.cancelType}`)).toEqual([
        "Deactivated CancelByTpSlTsClear",
        "Deactivated CancelByTpSlTsClear"
      ])
    }).pipe(Effect.provide(still))
  )

  it.effect("lose both stops of a pair with one, and one alone when the pair is broken", () =>
    Effect.gen(function* () {
      const last = yield* price("linear", "LTCUSDT")
      const at = (factor: number) => (last * factor).toFixed(2)
      const stops = { takeProfit: at(1.1), stopLoss: at(0.9) }
      const waiting = Effect.map(rows(realtime, { ...ltc, orderFilter: "StopOrder" }), (list) =>
        list.map((one) => ({ id: one.OrderId, type: one.StopOrderType }))
      )
      yield* place({ ...ltc, orderType: "Market", side: "Buy", qty: "4", ...stops })
      const [paired] = yield* waiting
      yield* post(cancel, { ...ltc, orderId: paired!.id })
      expect(yield* waiting).toEqual([])
      expect(yield* position("LTCUSDT")).toMatchObject({ takeProfit: "", stopLoss: "" })
      const stop = { ...ltc, positionIdx: 0, tpslMode: "Full" }
      yield* post("/cloud/trade/v3/position/trading-stop", { ...stop, ...stops })
      yield* post("/cloud/trade/v3/position/trading-stop", { ...stop, takeProfit: at(1.2) })
      const profit = (yield* waiting).find((one) => one.type === "TakeProfit")
      yield* post(cancel, { ...ltc, orderId: profit!.id })
      expect((yield* waiting).map((one) => one.type)).toEqual(["StopLoss"])
    }).pipe(Effect.provide(still))
  )
})

describe("orders.cancel", () => {
  it.effect("cancels what is open, once", () =>
    Effect.gen(function* () {
      const last = yield* price("linear", "LTCUSDT")
      const limit = { ...ltc, side: "Buy", orderType: "Limit", qty: "1", price: (last * 0.9).toFixed(2) }
      const id = yield* place({ ...limit, orderLinkId: "gone" })
      const answer = yield* post(cancel, { ...ltc, orderLinkId: "gone", orderId: null })
      expect(answer.json.result).toEqual({ orderId: id, orderLinkId: "gone" })
      expect(yield* order("linear", "LTCUSDT", id)).toMatchObject({
        OrderStatus: "Cancelled",
        CancelType: "CancelByUser"
      })
      expect(yield* code(cancel, { ...ltc, orderId: id })).toBe(110010)
      expect(yield* code(cancel, { ...ltc, orderId: "unknown" })).toBe(110001)
      expect(yield* code(cancel, ltc)).toBe(10001)
      const filled = yield* place({ ...ltc, side: "Buy", orderType: "Market", qty: "1" })
      expect(yield* code(cancel, { ...ltc, orderId: filled })).toBe(110008)
      expect(yield* code(cancel, { category: "spot", symbol: "BTCUSDT", orderId: "unknown" })).toBe(170213)
    }).pipe(Effect.provide(still))
  )
})

/** In the long tier two years, in which every position is funded some thousand times. */
const days = process.env.VENUE_TESTS === "long" ? 730 : 60

describe("the market", () => {
  it.effect("moves with the clock, the same however often it is looked at, and triggers what waits for it", () =>
    Effect.gen(function* () {
      const first = yield* price("linear", "BTCUSDT")
      const seen: Array<number> = []
      for (let second = 0; second < 120; second++) {
        yield* TestClock.adjust("1 second")
        seen.push(yield* price("linear", "BTCUSDT"))
      }
      expect(new Set(seen).size).toBeGreaterThan(20)
      expect(Math.max(...seen) / Math.min(...seen)).toBeLessThan(1.02)
      expect(Math.abs(seen[0]! / first - 1)).toBeLessThan(0.002)
      const later = yield* Effect.provide(
        Effect.gen(function* () {
          yield* TestClock.setTime(0)
          const sandbox = yield* Sandbox.make({ seed: 5, limits: "off" })
          yield* TestClock.adjust("2 minutes")
          return (yield* sandbox.snapshot).listings.find((one) => one.instrument.symbol === "BTCUSDT")!.lastPrice
        }),
        moving
      )
      expect(Number(later.value) / 10 ** later.scale).toBe(seen.at(-1))
    }).pipe(Effect.provide(moving))
  )

  it.effect(`stays in the range of its listings for ${days} days`, () =>
    Effect.gen(function* () {
      const first = yield* price("linear", "ETHUSDT")
      yield* TestClock.adjust(Duration.days(days))
      const last = yield* price("linear", "ETHUSDT")
      expect(last).not.toBe(first)
      expect(last / first).toBeGreaterThan(0.2)
      expect(last / first).toBeLessThan(5)
    }).pipe(Effect.provide(moving))
  )
})
