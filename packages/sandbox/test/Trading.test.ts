/** Orders, triggers and positions of one caller, at prices that the test sets. */
import * as Breadth from "@effect-venue/testing/Breadth"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import * as Raw from "./utils/raw.js"
import * as Traders from "./utils/traders.js"

const start = 1_780_000_000_000
const ltc = { category: "linear", symbol: "LTCUSDT" } as const
const sol = { category: "spot", symbol: "SOLUSDT" } as const
const buy = { ...ltc, side: "Buy", orderType: "Market" } as const
const sell = { ...buy, side: "Sell" } as const
const limit = { ...ltc, side: "Buy", orderType: "Limit" } as const

/** Both at 100: the best ask is 100.01. */
const market = (options: Sandbox.Options = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const world = yield* Traders.world(options)
    const setPrice = (price: string, of: typeof ltc | typeof sol = ltc) => world.control.setPrice({ ...of, price })
    yield* setPrice("100")
    yield* setPrice("100", sol)
    const trader = yield* world.trader({ funds: { USDT: "1000000", SOL: "10" } })
    const order = (id: string) => trader.order("linear", "LTCUSDT", id)
    const position = trader.position("linear", "LTCUSDT")
    const past = (more: Traders.Parameters) => trader.rows("order/history", { ...ltc, ...more })
    const awards = Effect.map(
      trader.get("/private/v1/asset/bonus/usage", { coin: "USDT" }),
      ({ json }): ReadonlyArray<Traders.Row> => json.result.rows
    )
    return { ...world, open: world.trader, setPrice, trader, order, position, past, awards, uid: trader.uid }
  })

const sum = (list: ReadonlyArray<Traders.Row>, field: string) =>
  list.reduce((total, row) => total + Number(row[field]), 0)

describe("an order", () => {
  it.effect("at the market is filled from the book and appears in every record; awards pay its fee first", () =>
    Effect.gen(function* () {
      const { awards, control, holds, order, position, trader, uid } = yield* market()
      yield* control.grant({ uid, award: "bonus", coin: "USDT", amount: "5" })
      const before = yield* trader.balance("USDT")
      const id = yield* trader.place({ ...buy, qty: "3", orderLinkId: "first" })
      const filled = { OrderStatus: "Filled", CumExecQty: "3", LeavesQty: "0", OrderLinkId: "first" }
      expect(yield* order(id)).toMatchObject(filled)
      const trades = yield* trader.fills("linear")
      expect(trades).toMatchObject([
        {
          ...{ execQty: "3", feeRate: "0.00055", isMaker: false },
          ...{ createType: "CreateByUser", execType: "Trade", closedSize: "0" }
        }
      ])
      expect(yield* position).toMatchObject({ side: "Buy", size: "3" })
      const fee = trades[0]?.execFee
      expect(Number(before) - Number(yield* trader.balance("USDT"))).toBeCloseTo(Number(fee), 8)
      expect((yield* awards)[0]).toMatchObject({ order_id: id, type: 2, award_type: 1, amount: fee })
      yield* control.grant({ uid, award: "coupon", coin: "USDT", amount: "0.01" })
      yield* trader.place({ ...buy, qty: "2" })
      expect(
        (yield* awards)
          .slice(0, 2)
          .map((use) => use.award_type as number)
          .sort()
      ).toEqual([1, 2])
      yield* holds
    })
  )

  it.effect("fills at several levels of the book with one sequence, and is cancelled beyond its price limit", () =>
    Effect.gen(function* () {
      const { order, trader } = yield* market()
      yield* trader.place({ ...sell, qty: "1500" })
      const trades = yield* trader.fills("linear")
      expect(trades.length).toBeGreaterThan(2)
      expect(new Set(trades.map((one) => one.seq)).size).toBe(1)
      expect(new Set(trades.map((one) => one.execPrice)).size).toBe(trades.length)
      expect(sum(trades, "execQty")).toBeCloseTo(1500, 6)
      const guard = { slippageToleranceType: "TickSize", slippageTolerance: "1" }
      const guarded = yield* order(yield* trader.place({ ...sell, ...guard, qty: "1500" }))
      expect(guarded).toMatchObject({ OrderStatus: "Cancelled", LeavesQty: "0" })
      expect(Number(guarded.CumExecQty)).toBeGreaterThan(0)
      expect(Number(guarded.CumExecQty)).toBeLessThan(1500)
    })
  )

  it.effect("that is closed in any way has a documented closed state and is listed with openOnly=1", () =>
    Effect.gen(function* () {
      const { control, setPrice, trader } = yield* market()
      const cancel = (of: typeof ltc | typeof sol, orderId: string) =>
        Effect.map(trader.code("order/cancel", { ...of, orderId }), (code) => expect(code).toBe(0))
      for (const of of [ltc, sol]) {
        const order = { ...of, side: "Buy", orderType: "Limit", qty: "4", price: "90" }
        const wholly = yield* trader.place({ ...order, price: "101" })
        const partly = yield* trader.place(order)
        yield* control.fill({ orderId: partly, qty: "1" })
        const unfilled = yield* trader.place(order)
        const postOnly = yield* trader.place({ ...order, price: "101", timeInForce: "PostOnly" })
        const trigger = of === sol ? { orderFilter: "tpslOrder" } : { triggerDirection: 1 }
        const [waiting, triggered] = yield* Effect.all([
          trader.place({ ...order, ...trigger, triggerPrice: "120" }),
          trader.place({ ...order, ...trigger, triggerPrice: "105" })
        ])
        for (const orderId of [partly, unfilled, waiting]) yield* cancel(of, orderId)
        yield* setPrice("106", of)
        for (const { OrderId } of yield* trader.all("order/realtime", of)) yield* cancel(of, OrderId as string)
        const closed = yield* trader.all("order/realtime", { ...of, openOnly: 1 })
        const states = new Map(closed.map((row) => [row.OrderId as string, `${row.OrderStatus} ${row.CumExecQty}`]))
        expect([wholly, partly, unfilled, postOnly, waiting, triggered].map((id) => states.get(id))).toEqual([
          "Filled 4",
          "Cancelled 1",
          ...Array.from({ length: 4 }, () => "Cancelled 0")
        ])
        const history = yield* trader.all("order/history", of)
        expect(history.map((row) => row.orderId as string).sort()).toEqual([...states.keys()].sort())
      }
    })
  )

  it.effect("with a limit price waits until the market reaches the price, and is filled in parts as a maker", () =>
    Effect.gen(function* () {
      const { order, trader } = yield* market()
      const far = yield* trader.place({ ...limit, qty: "2", price: "80" })
      // At the last price it is under the best ask: the next step of the market trades at it.
      const near = yield* trader.place({ ...limit, qty: "900", price: "100" })
      expect(yield* order(near)).toMatchObject({ OrderStatus: "New", CumExecQty: "0" })
      yield* TestClock.adjust("1 second")
      const partly = yield* order(near)
      expect(partly).toMatchObject({ OrderStatus: "PartiallyFilled" })
      expect(Number(partly.LeavesQty) + Number(partly.CumExecQty)).toBe(900)
      yield* TestClock.adjust("10 seconds")
      expect(yield* order(near)).toMatchObject({ OrderStatus: "Filled", CumExecQty: "900" })
      const trades = yield* trader.fills("linear")
      expect(trades.every((one) => one.isMaker === true && one.feeRate === "0.0002")).toBe(true)
      expect(new Set(trades.map((one) => one.execTime)).size).toBe(trades.length)
      expect(yield* order(far)).toMatchObject({ OrderStatus: "New" })
    })
  )

  for (const [timeInForce, more, expected] of [
    ["PostOnly", { qty: "1" }, { RejectReason: "EC_PostOnlyWillTakeLiquidity", CumExecQty: "0" }],
    ["FOK", { qty: "9000" }, { RejectReason: "EC_NoEnoughQtyToFill", CumExecQty: "0" }],
    ["IOC", { qty: "5000" }, { LeavesQty: "0", CumExecQty: expect.stringMatching(/^[1-9]/) }],
    ["IOC", { qty: "1", price: "90" }, { RejectReason: "EC_NoImmediateQtyToFill" }]
  ] as const) {
    it.effect(`of ${timeInForce} with ${JSON.stringify(more)} is cancelled`, () =>
      Effect.gen(function* () {
        const { order, trader } = yield* market()
        const id = yield* trader.place({ ...limit, price: "100.10", timeInForce, ...more })
        expect(yield* order(id)).toMatchObject({ OrderStatus: "Cancelled", ...expected })
      })
    )
  }

  it.effect("of spot trades by either coin, and its fee is charged in the received coin", () =>
    Effect.gen(function* () {
      const { trader } = yield* market()
      const spot = { ...sol, orderType: "Market" }
      const show = (id: string) => trader.order("spot", "SOLUSDT", id)
      const [coins, money] = [yield* trader.balance("SOL"), yield* trader.balance("USDT")]
      const bought = yield* trader.place({ ...spot, side: "Buy", qty: "100" })
      const [trade] = yield* trader.fills("spot")
      expect(yield* show(bought)).toMatchObject({ OrderStatus: "Filled", MarketUnit: "quoteCoin" })
      expect(Number(trade?.execValue)).toBeLessThanOrEqual(100)
      expect(Number(trade?.execFee)).toBeCloseTo(Number(trade?.execQty) * 0.001, 8)
      const received = Number(trade?.execQty) - Number(trade?.execFee)
      expect(Number(yield* trader.balance("SOL")) - Number(coins)).toBeCloseTo(received, 8)
      expect(Number(money) - Number(yield* trader.balance("USDT"))).toBeCloseTo(Number(trade?.execValue), 8)
      const sold = yield* trader.place({ ...spot, side: "Sell", qty: "0.5" })
      expect(yield* show(sold)).toMatchObject({ CumExecQty: "0.5", MarketUnit: "baseCoin" })
      const byBase = yield* trader.place({ ...spot, side: "Buy", qty: "0.5", marketUnit: "baseCoin" })
      expect(yield* show(byBase)).toMatchObject({ OrderStatus: "Filled", CumExecQty: "0.5" })
    })
  )

  it.effect("is refused if too many orders are open (unless it is reduce-only), or if its orderLinkId is used", () =>
    Effect.gen(function* () {
      const { control, trader } = yield* market()
      const code = (parameters: Traders.Parameters) => trader.code("order/create", parameters)
      const waiting = { ...buy, qty: "1", triggerPrice: "120", triggerDirection: 1 }
      for (let index = 0; index < 10; index++) expect(yield* code(waiting)).toBe(0)
      expect(yield* code(waiting)).toBe(110009)
      expect(yield* code({ ...waiting, reduceOnly: true })).toBe(0)
      const { category, ...item } = { ...limit, qty: "0.1", price: "90" }
      for (let batch = 0; batch < 25; batch++) {
        yield* trader.post("order/create-batch", { category, request: Array.from({ length: 20 }, () => item) })
      }
      expect(yield* code({ category, ...item })).toBe(110020)
      yield* control.setPrice({ ...ltc, symbol: "BCHUSDT", price: "100" })
      expect(yield* code({ category, ...item, symbol: "BCHUSDT" })).toBe(0)
      const named = { ...sol, side: "Buy", orderType: "Limit", qty: "0.1", price: "99", orderLinkId: "mine" }
      expect([yield* code(named), yield* code(named)]).toEqual([0, 170141])
      const contract = { ...limit, symbol: "BCHUSDT", qty: "0.1", price: "90", orderLinkId: "mine" }
      expect([yield* code(contract), yield* code(contract)]).toEqual([0, 110072])
    })
  )

  it.effect("can be cancelled once, while it is open", () =>
    Effect.gen(function* () {
      const { order, trader } = yield* market()
      const id = yield* trader.place({ ...limit, qty: "1", price: "90", orderLinkId: "gone" })
      const { json } = yield* trader.post("order/cancel", { ...ltc, orderLinkId: "gone", orderId: null })
      expect(json.result).toEqual({ orderId: id, orderLinkId: "gone" })
      expect(yield* order(id)).toMatchObject({ OrderStatus: "Cancelled", CancelType: "CancelByUser" })
      expect(yield* trader.code("order/cancel", { ...ltc, orderId: id })).toBe(110010)
      const filled = yield* trader.place({ ...buy, qty: "1" })
      expect(yield* trader.code("order/cancel", { ...ltc, orderId: filled })).toBe(110008)
    })
  )
})

describe("a position", () => {
  it.effect("is reduced, closed and reversed, with a record of every profit", () =>
    Effect.gen(function* () {
      const { order, position, trader } = yield* market()
      yield* trader.place({ ...buy, qty: "4" })
      const reduced = yield* trader.place({ ...sell, qty: "1" })
      expect(yield* position).toMatchObject({ side: "Buy", size: "3" })
      const [closed] = yield* trader.rows("position/closed-pnl", ltc)
      expect(closed).toMatchObject({ orderId: reduced, closedSize: "1", fillCount: "1", execType: "Trade" })
      // More than there is: a reducing order is cut to it.
      const cut = yield* trader.place({ ...sell, qty: "9", reduceOnly: true })
      expect(yield* order(cut)).toMatchObject({ Qty: "3", OrderStatus: "Filled" })
      expect(yield* position).toMatchObject({ side: "", size: "0" })
      yield* trader.place({ ...buy, qty: "2" })
      yield* trader.place({ ...sell, qty: "5" })
      expect(yield* position).toMatchObject({ side: "Sell", size: "3" })
    })
  )

  it.effect("in hedge mode is closed by orders on its side, but never reversed", () =>
    Effect.gen(function* () {
      const { control, order, trader, uid } = yield* market()
      yield* control.setModes({ uid, positionMode: "hedge" })
      yield* trader.place({ ...buy, qty: "2", positionIdx: 1 })
      const close = yield* trader.place({ ...sell, qty: "5", positionIdx: 1 })
      expect(yield* order(close)).toMatchObject({ CumExecQty: "2", ReduceOnly: true })
      expect(yield* trader.code("order/create", { ...sell, qty: "1", positionIdx: 1 })).toBe(110017)
    })
  )

  it.effect("receives the stops of its order, and records the reason of their cancellation", () =>
    Effect.gen(function* () {
      const { past, position, trader } = yield* market()
      yield* trader.place({ ...buy, qty: "4", takeProfit: "110", stopLoss: "90" })
      const waiting = yield* trader.rows("order/realtime", { ...ltc, orderFilter: "StopOrder" })
      expect(waiting.map((one) => `${one.StopOrderType} ${one.Qty}`).sort()).toEqual(["StopLoss 4", "TakeProfit 4"])
      expect(yield* position).toMatchObject({ takeProfit: "110", stopLoss: "90" })
      yield* trader.place({ ...sell, qty: "4" })
      const closed = yield* past({ orderFilter: "StopOrder" })
      expect(closed.map((one) => `${one.orderStatus} ${one.cancelType}`)).toEqual([
        "Cancelled CancelByTpSlTsClear",
        "Cancelled CancelByTpSlTsClear"
      ])
    })
  )

  it.effect("with isolated margin loses at most its margin, at any closing price", () =>
    Effect.gen(function* () {
      const { control, holds, open } = yield* market()
      const trader = yield* open({ funds: { USDT: "1000" }, tradeMode: "isolated" })
      yield* trader.place({ ...buy, qty: "10" })
      const { positionBalance } = yield* trader.position("linear", "LTCUSDT")
      const before = yield* trader.balance("USDT")
      const orderId = yield* trader.place({ ...sell, orderType: "Limit", price: "110", qty: "10", reduceOnly: true })
      yield* control.fill({ orderId, price: "50" })
      expect(Number(before) - Number(yield* trader.balance("USDT"))).toBeCloseTo(Number(positionBalance), 8)
      yield* holds
    })
  )

  it.effect("that is liquidated has its orders cancelled, a record, and no debt in the wallet", () =>
    Effect.gen(function* () {
      const { holds, open, setPrice } = yield* market()
      const trader = yield* open({ funds: { USDT: "100000" } })
      const position = trader.position("linear", "LTCUSDT")
      yield* trader.place({ ...buy, qty: "9000" })
      yield* trader.place({ ...limit, qty: "1", price: "90" })
      yield* setPrice("85")
      expect(yield* position).toMatchObject({ side: "", positionStatus: "Liq" })
      const [bust] = yield* trader.rows("execution/list", { ...ltc, execType: "BustTrade" })
      expect(bust).toMatchObject({ side: "Sell", createType: "CreateByTakeOver_PassThrough", execFee: "0" })
      const [closed] = yield* trader.rows("position/closed-pnl", ltc)
      expect(closed).toMatchObject({ execType: "BustTrade", closedSize: "9000" })
      expect((yield* trader.rows("order/history", { ...ltc, orderStatus: "Cancelled" }))[0]).toMatchObject({
        cancelType: "CancelAllBeforeLiq"
      })
      expect(Number(yield* trader.balance("USDT"))).toBeGreaterThanOrEqual(0)
      yield* TestClock.adjust("2 seconds")
      expect(yield* position).toMatchObject({ positionStatus: "Normal" })
      yield* holds
    })
  )
})

describe("triggers", () => {
  it.effect("activate conditional orders, which then reserve margin or are cancelled", () =>
    Effect.gen(function* () {
      const { order, setPrice, trader } = yield* market()
      const waiting = { ...buy, triggerPrice: "110", triggerDirection: 1 }
      const id = yield* trader.place({ ...waiting, qty: "5" })
      expect(yield* order(id)).toMatchObject({ OrderStatus: "Untriggered", StopOrderType: "Stop" })
      yield* trader.post("position/set-leverage", { ...ltc, buyLeverage: "1", sellLeverage: "1" })
      const large = yield* trader.place({ ...waiting, qty: "18000" })
      const resting = yield* trader.place({ ...waiting, orderType: "Limit", price: "105", qty: "2" })
      yield* setPrice("109.99")
      expect(yield* order(id)).toMatchObject({ OrderStatus: "Untriggered" })
      yield* setPrice("110")
      expect(yield* order(id)).toMatchObject({ OrderStatus: "Filled", CumExecQty: "5" })
      const unaffordable = { OrderStatus: "Cancelled", CancelType: "CancelByCannotAffordOrderCost" }
      expect(yield* order(large)).toMatchObject(unaffordable)
      expect(yield* order(resting)).toMatchObject({ OrderStatus: "New", Price: "105" })
    })
  )

  it.effect("activate the stops of a position, and cancel the other order of a pair", () =>
    Effect.gen(function* () {
      const { past, position, setPrice, trader } = yield* market()
      yield* trader.place({ ...buy, qty: "5", tpslMode: "Partial", takeProfit: "120", stopLoss: "90" })
      yield* trader.place({ ...buy, qty: "5" })
      yield* setPrice("89")
      expect(yield* position).toMatchObject({ size: "5", side: "Buy" })
      const closed = yield* past({ orderFilter: "StopOrder" })
      expect(closed.map((row) => `${row.stopOrderType} ${row.orderStatus} ${row.cancelType}`).sort()).toEqual([
        "PartialStopLoss Filled UNKNOWN",
        "PartialTakeProfit Cancelled CancelByOCOTpCanceledBySlTriggered"
      ])
      const { orderId } = closed.find((row) => row.orderStatus === "Filled") ?? {}
      const [fill] = yield* trader.rows("execution/list", { ...ltc, orderId })
      expect(fill).toMatchObject({ createType: "CreateByPartialStopLoss", side: "Sell" })
    })
  )

  it.effect("follow the market with a trailing stop after its activation", () =>
    Effect.gen(function* () {
      const { position, setPrice, trader } = yield* market()
      yield* trader.place({ ...buy, qty: "5" })
      const stop = { ...ltc, positionIdx: 0, trailingStop: "5", activePrice: "110" }
      expect(yield* trader.code("position/trading-stop", stop)).toBe(0)
      yield* setPrice("94")
      expect(yield* position).toMatchObject({ size: "5", trailingStop: "5" })
      for (const price of ["112", "130", "125.01"]) yield* setPrice(price)
      expect(yield* position).toMatchObject({ size: "5" })
      yield* setPrice("125")
      expect(yield* position).toMatchObject({ size: "0", trailingStop: "" })
    })
  )

  it.effect("give a spot order a new id, and pair the stops of a spot order", () =>
    Effect.gen(function* () {
      const { setPrice, trader } = yield* market()
      yield* trader.place({ ...sol, side: "Buy", orderType: "Market", qty: "200", takeProfit: "110", stopLoss: "95" })
      const waiting = trader.rows("order/realtime", { ...sol, orderFilter: "tpslOrder" })
      const [one, other] = yield* waiting
      expect([one?.OrderStatus, other?.OrderStatus]).toEqual(["Untriggered", "Untriggered"])
      const profit = [one, other].find((row) => row?.TriggerPrice === "110")?.OrderId
      yield* setPrice("111", sol)
      expect(yield* trader.order("spot", "SOLUSDT", profit)).toMatchObject({
        OrderStatus: "Cancelled",
        CancelType: "UNKNOWN"
      })
      expect(yield* waiting).toEqual([])
      const [latest] = yield* trader.rows("order/history", sol)
      expect(latest).toMatchObject({ orderStatus: "Filled", side: "Sell" })
      expect(latest?.orderId).not.toBe(profit)
    })
  )
})

describe("settings", () => {
  it.effect("clear the reduce-only flag once the position is within the new limit", () =>
    Effect.gen(function* () {
      const { control, position, trader, uid } = yield* market()
      yield* trader.place({ ...buy, qty: "10" })
      const [more, confirm] = [
        trader.code("order/create", { ...buy, qty: "1" }),
        trader.code("position/confirm-pending-mmr", ltc)
      ]
      yield* control.markReduceOnly({ ...ltc, uid, riskLimit: "500" })
      expect(yield* position).toMatchObject({ isReduceOnly: true })
      expect([yield* more, yield* confirm]).toEqual([110023, 110085])
      yield* trader.place({ ...sell, qty: "6" })
      expect(yield* confirm).toBe(0)
      expect(yield* position).toMatchObject({ isReduceOnly: false })
      expect(yield* more).toBe(0)
    })
  )

  it.effect("return the fee rates of executions", () =>
    Effect.gen(function* () {
      const { trader } = yield* market()
      const rates = (parameters: Traders.Parameters) => trader.get("account/fee-rate", parameters)
      const rate = { symbol: "BTCUSDT", takerFeeRate: "0.00055", makerFeeRate: "0.0002" }
      expect((yield* rates({ category: "linear", symbol: "BTCUSDT" })).json.result.list).toEqual([rate])
      const spot = yield* rates({ category: "spot", symbol: "BTCUSDT" })
      expect(spot.json.result).toMatchObject({ category: "spot", list: [{ takerFeeRate: "0.001" }] })
      expect((yield* rates({ category: "inverse" })).json.result.list).toHaveLength(3)
    })
  )
})

describe("batches", () => {
  const { category, ...item } = { ...limit, qty: "1", price: "90" }
  const codes = ({ json }: Raw.Answered) => json.retExtInfo.list.map((slot: { code: number }) => slot.code)

  it.effect("accept and refuse each order separately, slot by slot", () =>
    Effect.gen(function* () {
      const { order, trader } = yield* market()
      const batch = (path: string, ...request: ReadonlyArray<object>) =>
        trader.post(`order/${path}-batch`, { category, request })
      const made = yield* batch("create", item, { ...item, qty: "1.05" }, { ...item, orderLinkId: "third" })
      expect(codes(made)).toEqual([0, 10001, 0])
      const slots = made.json.result.list
      expect(slots[1]).toMatchObject({ orderId: "", symbol: "LTCUSDT" })
      expect(slots[2]).toMatchObject({ orderLinkId: "third", createAt: String(start) })
      const [first, third] = [
        { symbol: "LTCUSDT", orderId: slots[0].orderId },
        { symbol: "LTCUSDT", orderLinkId: "third" }
      ]
      const amended = yield* batch("amend", { ...first, price: "91" }, { ...first, orderId: "unknown", price: "91" })
      expect(codes(amended)).toEqual([0, 110001])
      expect(yield* order(first.orderId)).toMatchObject({ Price: "91" })
      expect(codes(yield* batch("cancel", first, third, third))).toEqual([0, 0, 110010])
    })
  )
})

describe("order history", () => {
  it.effect("contains a week of closed orders and older filled ones, and requires both times or neither", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const sandbox = yield* Sandbox.make({ seed: 5, prices: "still", limits: "off" })
      const week = 7 * 86_400_000
      const orders = (more: Traders.Parameters) =>
        Raw.call("/cloud/trade/v3/order/history", { category: "linear", limit: 50, ...more }).pipe(
          Effect.provideService(Sandbox.Sandbox, sandbox),
          Effect.map(({ code, json }): ReadonlyArray<Traders.Row> => json.result?.list ?? [{ code }])
        )
      const lately = yield* orders({})
      expect(lately).toHaveLength(50)
      expect(lately.map((row) => row.createdTime)).toEqual(
        lately
          .map((row): string => row.createdTime)
          .toSorted()
          .toReversed()
      )
      for (const orderStatus of ["Cancelled", "Rejected"]) {
        const found = yield* orders({ orderStatus })
        expect(found.length).toBeGreaterThan(0)
        expect(found.every((row) => row.orderStatus === orderStatus)).toBe(true)
      }
      const old = { startTime: start - 3 * week, endTime: start - 2 * week }
      expect((yield* orders(old)).length).toBeGreaterThan(0)
      expect(yield* orders({ ...old, orderStatus: "Rejected" })).toEqual([])
      const cancelled = yield* orders({ ...old, orderStatus: "Cancelled" })
      expect(cancelled.every((row) => Number(row.cumExecQty) > 0)).toBe(true)
      expect(yield* orders({ orderId: lately[0]?.orderId, symbol: "BTCUSDT" })).toEqual([lately[0]])
      expect(yield* orders({ startTime: start - week })).toEqual([{ code: 10001 }])
    })
  )
})

/** In the long tier two years, in which every position is funded some thousand times. */
const days = Breadth.repeats(730, 20)

describe("the market", () => {
  const price = (sandbox: Sandbox.Sandbox.Shape, symbol: string) =>
    Effect.map(sandbox.snapshot, ({ listings }) => {
      const one = listings.find(({ category, instrument }) => category === "linear" && instrument.symbol === symbol)
      return Number(one?.lastPrice.value) / 10 ** Number(one?.lastPrice.scale)
    })
  const moving = Sandbox.make({ seed: 5, limits: "off" })

  it.effect("moves with the clock, independent of the number of requests", () =>
    Effect.gen(function* () {
      const sandbox = yield* moving
      const first = yield* price(sandbox, "BTCUSDT")
      const seen: Array<number> = []
      for (let second = 0; second < 120; second++) {
        yield* TestClock.adjust("1 second")
        seen.push(yield* price(sandbox, "BTCUSDT"))
      }
      expect(new Set(seen).size).toBeGreaterThan(20)
      expect(Math.max(...seen) / Math.min(...seen)).toBeLessThan(1.02)
      expect(Math.abs(Number(seen[0]) / first - 1)).toBeLessThan(0.002)
      yield* TestClock.setTime(0)
      const other = yield* moving
      yield* TestClock.adjust("2 minutes")
      expect(yield* price(other, "BTCUSDT")).toBe(seen.at(-1))
    })
  )

  it.effect(`stays in the range of its listings for ${days} days`, () =>
    Effect.gen(function* () {
      const sandbox = yield* moving
      const first = yield* price(sandbox, "ETHUSDT")
      yield* TestClock.adjust(Duration.days(days))
      const last = yield* price(sandbox, "ETHUSDT")
      expect(last).not.toBe(first)
      expect(last / first).toBeGreaterThan(0.2)
      expect(last / first).toBeLessThan(5)
    })
  )
})
