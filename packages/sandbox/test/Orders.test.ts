import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Raw from "./utils/raw.js"

const realtime = "/cloud/trade/v3/order/realtime"
const amend = "/cloud/trade/v3/order/amend"
const cancelAll = "/cloud/trade/v3/order/cancel-all"
const world = Sandbox.layer({ seed: 5, limits: "off" })

interface Row {
  readonly OrderId: string
  readonly OrderLinkId: string
  readonly Symbol: string
  readonly OrderStatus: string
  readonly CreatedTime: string
  readonly UpdatedTime: string
  readonly StopOrderType: string
  readonly Price: string
  readonly Qty: string
  readonly LeavesQty: string
  readonly CumExecQty: string
  readonly TakeProfit: string
}

const open = (parameters: Readonly<Record<string, unknown>>) =>
  Effect.map(Raw.pages(realtime, { limit: 50, ...parameters }, Raw.v3List), ({ rows }): ReadonlyArray<Row> => rows)

const usdt = { category: "linear", settleCoin: "USDT" }

describe("orders.open", () => {
  it.effect("gives what is on the book, newest first, in capitalised fields, in pages", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { openOrders } = (yield* sandbox.snapshot).accounts.get(sandbox.uids.main)!
      const linear = openOrders.filter((order) => order.category === "linear")
      const { count, rows } = yield* Raw.pages(realtime, usdt, Raw.v3List)
      expect(rows).toHaveLength(linear.length)
      expect(count).toBe(Math.ceil(linear.length / 20))
      expect(new Set(rows.map((row) => row.OrderStatus))).toEqual(new Set(["New", "PartiallyFilled", "Untriggered"]))
      expect(
        rows.every((row, index) => index === 0 || Number(row.CreatedTime) <= Number(rows[index - 1].CreatedTime))
      ).toBe(true)
      const named = yield* Raw.call(realtime, {
        ...usdt,
        orderLinkId: rows.find((row) => row.OrderLinkId !== "").OrderLinkId
      })
      expect(named.json.result.list).toHaveLength(1)
    }).pipe(Effect.provide(world))
  )

  it.effect("takes orderId before symbol before base coin, and filters by kind", () =>
    Effect.gen(function* () {
      const [one] = yield* open({ category: "linear", symbol: "XRPUSDT" })
      expect(yield* open({ category: "linear", symbol: "BTCUSDT", orderId: one!.OrderId })).toEqual([one])
      const btc = yield* open({ category: "linear", symbol: "BTCUSDT", baseCoin: "ETH" })
      expect(new Set(btc.map((row) => row.Symbol))).toEqual(new Set(["BTCUSDT"]))
      const eth = yield* open({ category: "linear", baseCoin: "ETH", settleCoin: "USDT" })
      expect(new Set(eth.map((row) => row.Symbol))).toEqual(new Set(["ETHUSDT"]))
      const stops = yield* open({ ...usdt, orderFilter: "StopOrder" })
      expect(stops.length).toBeGreaterThan(2)
      expect(stops.every((row) => row.OrderStatus === "Untriggered")).toBe(true)
      const spot = yield* open({ category: "spot", orderFilter: "tpslOrder" })
      expect(spot).toHaveLength(2)
      expect((yield* Raw.call(realtime, { category: "linear" })).code).toBe(10001)
    }).pipe(Effect.provide(world))
  )

  it.effect("with openOnly=1 gives the latest 500 closed ones, and by id ignores it", () =>
    Effect.gen(function* () {
      const closed = yield* open({ ...usdt, openOnly: 1 })
      expect(closed).toHaveLength(500)
      expect(closed.every((row) => ["Filled", "Cancelled", "Rejected"].includes(row.OrderStatus))).toBe(true)
      expect(yield* open({ ...usdt, openOnly: 0, orderId: closed[7]!.OrderId })).toEqual([closed[7]])
      const sandbox = yield* Sandbox.Sandbox
      const all = (yield* sandbox.snapshot).accounts
        .get(sandbox.uids.main)!
        .closedOrders.filter((order) => order.category === "linear" && order.orderStatus !== "Deactivated")
      const oldestShown = Math.min(...closed.map((row) => Number(row.UpdatedTime)))
      expect(all.filter((order) => order.updatedTime.epochMillis > oldestShown).length).toBeLessThan(500)
    }).pipe(Effect.provide(world))
  )
})

describe("orders.amend", () => {
  it.effect("changes price and quantity, and keeps everything else", () =>
    Effect.gen(function* () {
      const before = (yield* open({ category: "linear", symbol: "BTCUSDT", orderFilter: "Order" })).find(
        (row) => row.OrderStatus === "New"
      )!
      yield* TestClock.adjust("1 minute")
      const names = { category: "linear", symbol: "BTCUSDT", orderId: before.OrderId }
      const answer = yield* Raw.post(amend, { ...names, qty: "0.011" })
      expect(answer.json).toMatchObject({
        retCode: 0,
        result: { orderId: before.OrderId, orderLinkId: before.OrderLinkId }
      })
      const [after] = yield* open(names)
      expect(after).toMatchObject({
        Qty: "0.011",
        LeavesQty: "0.011",
        Price: before.Price,
        CreatedTime: before.CreatedTime,
        UpdatedTime: "60000"
      })
      expect((yield* Raw.post(amend, { ...names, qty: "0.011" })).code).toBe(10001)
      expect((yield* Raw.post(amend, { ...names, qty: "0.0115" })).code).toBe(10001)
      expect((yield* Raw.post(amend, { ...names, price: "1.05" })).code).toBe(10001)
      expect((yield* Raw.post(amend, { ...names, qty: "490" })).code).toBe(110007)
    }).pipe(Effect.provide(world))
  )

  it.effect("sets and cancels take profit, and asks for its trigger where there is none", () =>
    Effect.gen(function* () {
      const [order] = yield* open({ category: "linear", symbol: "XRPUSDT" })
      const names = { category: "linear", symbol: "XRPUSDT", orderId: order!.OrderId }
      expect((yield* Raw.post(amend, { ...names, takeProfit: "9" })).code).toBe(10001)
      expect((yield* Raw.post(amend, { ...names, takeProfit: "9", tpTriggerBy: "LastPrice" })).code).toBe(0)
      expect((yield* open(names))[0]!.TakeProfit).toBe("9")
      expect((yield* Raw.post(amend, { ...names, takeProfit: "0" })).code).toBe(0)
      expect((yield* open(names))[0]!.TakeProfit).toBe("")
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps a partly filled order over what is filled, and a trigger on its side of the market", () =>
    Effect.gen(function* () {
      const partly = (yield* open(usdt)).find((row) => row.OrderStatus === "PartiallyFilled")!
      const names = { category: "linear", symbol: partly.Symbol, orderId: partly.OrderId }
      expect((yield* Raw.post(amend, { ...names, qty: partly.CumExecQty })).code).toBe(110064)
      const stop = (yield* open({ ...usdt, orderFilter: "StopOrder" })).find(
        (row) => row.StopOrderType === "Stop" && row.Symbol === "BTCUSDT"
      )!
      const conditional = { category: "linear", symbol: "BTCUSDT", orderId: stop.OrderId }
      expect((yield* Raw.post(amend, { ...conditional, triggerPrice: "100" })).code).toBe(110092)
      expect((yield* Raw.post(amend, { ...conditional, triggerPrice: "400000" })).code).toBe(0)
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses orders that are unknown, filled or cancelled, each with its code", () =>
    Effect.gen(function* () {
      const refused = (category: string, symbol: string, orderId: string) =>
        Effect.map(Raw.post(amend, { category, symbol, orderId, qty: "1" }), (answer) => answer.code)
      const closed = yield* open({ ...usdt, openOnly: 1 })
      const of = (status: string) => closed.find((row) => row.OrderStatus === status)!
      expect(yield* refused("linear", "BTCUSDT", "unknown")).toBe(110001)
      expect(yield* refused("linear", of("Filled").Symbol, of("Filled").OrderId)).toBe(110008)
      expect(yield* refused("linear", of("Cancelled").Symbol, of("Cancelled").OrderId)).toBe(110010)
      expect(yield* refused("spot", "BTCUSDT", "unknown")).toBe(170213)
      expect((yield* Raw.post(amend, { category: "linear", symbol: "BTCUSDT" })).code).toBe(10001)
    }).pipe(Effect.provide(world))
  )
})

describe("orders.cancelAll", () => {
  it.effect("takes the first of symbol, base coin and settle coin, and closes what it cancels", () =>
    Effect.gen(function* () {
      const before = yield* open({ category: "linear", symbol: "BTCUSDT" })
      const answer = yield* Raw.post(cancelAll, {
        category: "linear",
        symbol: "BTCUSDT",
        baseCoin: "ETH",
        settleCoin: "USDT"
      })
      const gone: ReadonlyArray<{ orderId: string; success: string }> = answer.json.result.list
      expect(new Set(gone.map((one) => one.orderId))).toEqual(new Set(before.map((one) => one.OrderId)))
      expect(gone.every((one) => one.success === "1")).toBe(true)
      expect(yield* open({ category: "linear", symbol: "BTCUSDT" })).toEqual([])
      expect((yield* open({ category: "linear", symbol: "ETHUSDT" })).length).toBeGreaterThan(0)
      const [closed] = yield* open({ category: "linear", symbol: "BTCUSDT", orderId: before[0]!.OrderId })
      expect(closed!.LeavesQty).toBe("0")
      expect(
        (yield* Raw.post(amend, { category: "linear", symbol: "BTCUSDT", orderId: before.at(-1)!.OrderId, qty: "1" }))
          .code
      ).toBe(110010)
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves stops of positions with stopOrderType Stop, and cancels them otherwise", () =>
    Effect.gen(function* () {
      const kinds = Effect.map(open({ ...usdt, orderFilter: "StopOrder" }), (rows) =>
        rows.map((row) => row.StopOrderType).sort()
      )
      expect(yield* kinds).toContain("Stop")
      expect(yield* kinds).toContain("TakeProfit")
      yield* Raw.post(cancelAll, { ...usdt, orderFilter: "StopOrder", stopOrderType: "Stop" })
      expect(yield* kinds).not.toContain("Stop")
      expect(yield* kinds).toContain("TakeProfit")
      expect((yield* open(usdt)).length).toBeGreaterThan(50)
      yield* Raw.post(cancelAll, { ...usdt, orderFilter: "StopOrder" })
      expect(yield* kinds).toEqual([])
      const position = yield* Raw.call("/cloud/trade/v3/position/list", { category: "linear", symbol: "BTCUSDT" })
      expect(position.json.result.list[0]).toMatchObject({ takeProfit: "", stopLoss: "" })
    }).pipe(Effect.provide(world))
  )

  it.effect("needs no parameters for spot, where it defaults to orders of kind Order", () =>
    Effect.gen(function* () {
      expect((yield* Raw.post(cancelAll, { category: "linear" })).code).toBe(10001)
      yield* Raw.post(cancelAll, { category: "spot" })
      expect((yield* open({ category: "spot" })).map((row) => row.StopOrderType)).toEqual(["tpslOrder", "tpslOrder"])
      const inverse = yield* Raw.post(cancelAll, { category: "inverse", baseCoin: "BTC" })
      expect(inverse.json.result.list.length).toBeGreaterThan(0)
      expect(inverse.json.result.list.every((one: { success: string }) => one.success === "1")).toBe(true)
    }).pipe(Effect.provide(world))
  )
})
