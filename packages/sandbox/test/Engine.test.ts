import * as Edge from "@effect-venue/sandbox/Edge"
import * as Seed from "@effect-venue/sandbox/Seed"
import type * as State from "@effect-venue/sandbox/State"
import * as Credentials from "@effect-venue/signing/Credentials"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import * as TestClock from "effect/TestClock"
import * as Advance from "../src/internal/engine/advance.js"
import * as Events from "../src/internal/engine/events.js"
import { invariants } from "../src/internal/engine/invariants.js"
import * as Raw from "./utils/raw.js"

const start = 1_780_000_000_000
const amount = (text: string) => BigDecimal.unsafeFromString(text)

// What an answer holds is looked at as it is.
type Row = Record<string, string>

/** An exchange whose state is at hand, so that a test can make things happen to it. */
const exchange = (limits: "documented" | "off" = "off") =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { keys, state } = Seed.make({ seed: 5, now: start })
    const ref = yield* Ref.make<State.State>({ ...state, prices: "still" })
    const edge = Edge.make({ state: ref, limits })
    const send = (method: "GET" | "POST", path: string, parameters: Readonly<Record<string, unknown>>) =>
      Effect.gen(function* () {
        const credentials = Credentials.make({
          baseUrl: "http://sandbox.invalid",
          apiKey: keys.main,
          apiSecret: state.keys.get(keys.main)!.apiSecret,
          uid: Seed.uids.main
        })
        const timestamp = yield* Clock.currentTimeMillis
        const full = path.startsWith("/") ? path : `/cloud/trade/v3/${path}`
        const answer = Raw.read(
          yield* edge.handle(Raw.request({ method, path: full, parameters, credentials, timestamp }))
        )
        expect(invariants(yield* Ref.get(ref))).toEqual([])
        return answer
      })
    const post = (path: string, parameters: Readonly<Record<string, unknown>>) => send("POST", path, parameters)
    const rows = (path: string, parameters: Readonly<Record<string, unknown>>) =>
      Effect.map(send("GET", path, parameters), (answer): ReadonlyArray<Row> => answer.json.result.list)
    return {
      ref,
      post,
      rows,
      get: (path: string, parameters: Readonly<Record<string, unknown>>) => send("GET", path, parameters),
      code: (path: string, parameters: Readonly<Record<string, unknown>>) =>
        Effect.map(post(path, parameters), (answer) => answer.code),
      place: (parameters: Readonly<Record<string, unknown>>) =>
        Effect.map(post("order/create", parameters), (answer) => {
          expect(answer.text).toContain('"retCode":0')
          return String(answer.json.result.orderId)
        }),
      order: (category: string, symbol: string, orderId: string) =>
        Effect.map(rows("order/realtime", { category, symbol, orderId }), (list) => list[0]),
      position: (symbol: string, category = "linear") =>
        Effect.map(rows("position/list", { category, symbol }), (list) => list[0]),
      happen: (event: (state: State.State, now: number) => Events.Happened) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const after = event(Advance.advance(yield* Ref.get(ref), now), now)
          if (Either.isRight(after)) {
            yield* Ref.set(ref, after.right)
            expect(invariants(after.right)).toEqual([])
          }
          return Either.isRight(after) ? "done" : after.left.reason
        })
    }
  })

const ltc = { category: "linear", symbol: "LTCUSDT" } as const
const at = (price: string) => (state: State.State, now: number) =>
  Events.setPrice(state, { ...ltc, price: amount(price) }, now)

describe("triggers", () => {
  it.effect("fire conditional orders, which then hold margin or are cancelled", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      yield* one.happen(at("100"))
      const waiting = { ...ltc, side: "Buy", orderType: "Market", triggerPrice: "110", triggerDirection: 1 }
      const id = yield* one.place({ ...waiting, qty: "5" })
      expect(yield* one.order("linear", "LTCUSDT", id)).toMatchObject({
        OrderStatus: "Untriggered",
        StopOrderType: "Stop"
      })
      yield* one.post("position/set-leverage", { ...ltc, buyLeverage: "1", sellLeverage: "1" })
      const large = yield* one.place({ ...waiting, qty: "18000" })
      const limit = yield* one.place({ ...waiting, orderType: "Limit", price: "105", qty: "2" })
      yield* one.happen(at("109.99"))
      expect(yield* one.order("linear", "LTCUSDT", id)).toMatchObject({ OrderStatus: "Untriggered" })
      yield* one.happen(at("110"))
      expect(yield* one.order("linear", "LTCUSDT", id)).toMatchObject({ OrderStatus: "Filled", CumExecQty: "5" })
      expect(yield* one.order("linear", "LTCUSDT", large)).toMatchObject({
        OrderStatus: "Cancelled",
        CancelType: "CancelByCannotAffordOrderCost"
      })
      expect(yield* one.order("linear", "LTCUSDT", limit)).toMatchObject({ OrderStatus: "New", Price: "105" })
    })
  )

  it.effect("fire the stops of a position, and the other side of a pair goes", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      yield* one.happen(at("100"))
      const partial = { tpslMode: "Partial", takeProfit: "120", stopLoss: "90" }
      yield* one.place({ ...ltc, side: "Buy", orderType: "Market", qty: "5", ...partial })
      yield* one.place({ ...ltc, side: "Buy", orderType: "Market", qty: "5" })
      yield* one.happen(at("89"))
      expect(yield* one.position("LTCUSDT")).toMatchObject({ size: "5", side: "Buy" })
      const closed = yield* one.rows("order/history", { ...ltc, orderFilter: "StopOrder" })
      expect(closed.map((row) => `${row.stopOrderType} ${row.orderStatus} ${row.cancelType}`).sort()).toEqual([
        "PartialStopLoss Filled UNKNOWN",
        "PartialTakeProfit Deactivated CancelByOCOTpCanceledBySlTriggered"
      ])
      const fills = yield* one.rows("execution/list", {
        category: "linear",
        orderId: closed.find((row) => row.orderStatus === "Filled")!.orderId
      })
      expect(fills[0]).toMatchObject({ createType: "CreateByPartialStopLoss", side: "Sell" })
    })
  )

  it.effect("follow the market with a trailing stop from its activation on", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      yield* one.happen(at("100"))
      yield* one.place({ ...ltc, side: "Buy", orderType: "Market", qty: "5" })
      const stop = { ...ltc, positionIdx: 0, trailingStop: "5", activePrice: "110" }
      expect(yield* one.code("position/trading-stop", stop)).toBe(0)
      yield* one.happen(at("94"))
      expect(yield* one.position("LTCUSDT")).toMatchObject({ size: "5", trailingStop: "5" })
      yield* one.happen(at("112"))
      yield* one.happen(at("130"))
      yield* one.happen(at("125.01"))
      expect(yield* one.position("LTCUSDT")).toMatchObject({ size: "5" })
      yield* one.happen(at("125"))
      expect(yield* one.position("LTCUSDT")).toMatchObject({ size: "0", trailingStop: "" })
    })
  )

  it.effect("give a spot order an id of its own, and pair what a spot order brought", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const sol = { category: "spot", symbol: "SOLUSDT" } as const
      const price = (text: string) => (state: State.State, now: number) =>
        Events.setPrice(state, { ...sol, price: amount(text) }, now)
      yield* one.happen(price("100"))
      yield* one.place({ ...sol, side: "Buy", orderType: "Market", qty: "200", takeProfit: "110", stopLoss: "95" })
      const waiting = yield* one.rows("order/realtime", { ...sol, orderFilter: "tpslOrder" })
      expect(waiting.map((row) => row.OrderStatus)).toEqual(["Untriggered", "Untriggered"])
      const profit = waiting.find((row) => row.TriggerPrice === "110")!
      yield* one.happen(price("111"))
      expect(yield* one.order("spot", "SOLUSDT", profit.OrderId!)).toMatchObject({ OrderStatus: "Active" })
      expect(yield* one.rows("order/realtime", { ...sol, orderFilter: "tpslOrder" })).toEqual([])
      const [latest] = yield* one.rows("order/history", sol)
      expect(latest).toMatchObject({ orderStatus: "Filled", side: "Sell" })
      expect(latest!.orderId).not.toBe(profit.OrderId)
    })
  )
})

describe("liquidation", () => {
  it.effect("takes a cross position over when its coin's margin is gone, and the wallet owes nothing", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      yield* one.happen(at("100"))
      yield* one.place({ ...ltc, side: "Buy", orderType: "Market", qty: "15000" })
      yield* one.place({ ...ltc, side: "Buy", orderType: "Limit", qty: "1", price: "50" })
      const before = yield* one.position("LTCUSDT")
      expect(Number(before!.liqPrice)).toBeGreaterThan(0)
      expect(Number(before!.liqPrice)).toBeGreaterThan(Number(before!.bustPrice))
      // An estimate: the maintenance margin is that of where the market stands.
      yield* one.happen(at((Number(before!.liqPrice) * 0.99).toFixed(2)))
      const gone = yield* one.position("LTCUSDT")
      expect(gone).toMatchObject({ side: "", positionStatus: "Liq" })
      const [bust] = yield* one.rows("execution/list", { ...ltc, execType: "BustTrade" })
      expect(bust).toMatchObject({ side: "Sell", createType: "CreateByTakeOver_PassThrough", execFee: "0" })
      const [closed] = yield* one.rows("position/closed-pnl", ltc)
      expect(closed).toMatchObject({ execType: "BustTrade", closedSize: "15000" })
      const cancelled = yield* one.rows("order/history", { ...ltc, orderStatus: "Cancelled" })
      expect(cancelled[0]).toMatchObject({ cancelType: "CancelAllBeforeLiq" })
      const wallet = yield* one.get("account/wallet-balance", { accountType: "UNIFIED", coin: "USDT" })
      expect(Number(wallet.json.result.list[0].coin[0].walletBalance)).toBeGreaterThanOrEqual(0)
      yield* TestClock.adjust("2 seconds")
      expect(yield* one.position("LTCUSDT")).toMatchObject({ positionStatus: "Normal" })
    })
  )

  it.effect("costs an isolated position its margin and no more", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const held = yield* one.position("ETHUSDT")
      const beyond = held!.side === "Buy" ? 0.5 : 1.5
      const eth = { category: "linear", symbol: "ETHUSDT" } as const
      yield* one.happen((state, now) =>
        Events.setPrice(state, { ...eth, price: amount((Number(held!.markPrice) * beyond).toFixed(2)) }, now)
      )
      expect(yield* one.position("ETHUSDT")).toMatchObject({ side: "", positionStatus: "Liq" })
      const [closed] = yield* one.rows("position/closed-pnl", eth)
      const lost = Number(closed!.cumEntryValue) - Number(closed!.cumExitValue)
      const margin = Number(held!.positionBalance)
      expect(Math.abs(lost)).toBeLessThanOrEqual(margin)
      expect(Math.abs(lost)).toBeGreaterThan(margin * 0.99)
    })
  )

  it.effect("and deleveraging happen when a test says so", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      yield* one.happen(at("100"))
      yield* one.place({ ...ltc, side: "Sell", orderType: "Market", qty: "10" })
      const uid = Seed.uids.main
      expect(yield* one.happen((state, now) => Events.deleverage(state, { ...ltc, uid, qty: amount("4") }, now))).toBe(
        "done"
      )
      expect(yield* one.position("LTCUSDT")).toMatchObject({ size: "6", positionStatus: "Adl" })
      const [adl] = yield* one.rows("execution/list", { ...ltc, execType: "AdlTrade" })
      expect(adl).toMatchObject({ createType: "CreateByAdl_PassThrough", side: "Buy", execQty: "4" })
      expect(yield* one.happen((state, now) => Events.liquidate(state, { ...ltc, uid }, now))).toBe("done")
      expect(yield* one.position("LTCUSDT")).toMatchObject({ side: "", positionStatus: "Liq" })
      expect(yield* one.happen((state, now) => Events.liquidate(state, { ...ltc, uid }, now))).toBe("NotFound")
    })
  )
})

describe("settings", () => {
  it.effect("change leverage within the tier, and say when nothing changes", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const set = (buy: string, sell = buy, symbol = "LTCUSDT") =>
        one.code("position/set-leverage", { category: "linear", symbol, buyLeverage: buy, sellLeverage: sell })
      expect(yield* set("10")).toBe(110043)
      expect(yield* set("20")).toBe(0)
      expect(yield* one.position("LTCUSDT")).toMatchObject({ leverage: "20" })
      expect(yield* set("51")).toBe(110013)
      expect(yield* set("0.5")).toBe(10001)
      expect(yield* set("5", "6")).toBe(10001)
      expect(yield* set("5", "5", "ADAUSDT")).toBe(0)
      expect(yield* set("5", "5", "NOPEUSDT")).toBe(10001)
    })
  )

  it.effect("change the mode of stops unless stops are in the way", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const set = (symbol: string, tpSlMode: string, category = "linear") =>
        one.post("position/set-tpsl-mode", { category, symbol, tpSlMode })
      expect((yield* set("LTCUSDT", "Partial")).json.result).toEqual({ tpSlMode: "Partial" })
      expect(yield* one.position("LTCUSDT")).toMatchObject({ tpslMode: "Partial" })
      expect((yield* set("BTCUSDT", "Partial")).code).toBe(110054)
      expect((yield* set("BTCUSD", "Partial", "inverse")).code).toBe(110056)
      expect((yield* set("BTCUSDT", "Full")).code).toBe(0)
    })
  )

  it.effect("lift a mark to reduce only, once the position is within the new limit", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      yield* one.happen(at("100"))
      const market = { ...ltc, orderType: "Market" }
      yield* one.place({ ...market, side: "Buy", qty: "10" })
      expect(yield* one.code("position/confirm-pending-mmr", ltc)).toBe(110082)
      yield* one.happen((state, now) =>
        Events.markReduceOnly(state, { ...ltc, uid: Seed.uids.main, riskLimit: amount("500") }, now)
      )
      expect(yield* one.position("LTCUSDT")).toMatchObject({ isReduceOnly: true })
      expect(yield* one.code("order/create", { ...market, side: "Buy", qty: "1" })).toBe(110023)
      expect(yield* one.code("position/confirm-pending-mmr", ltc)).toBe(110085)
      yield* one.place({ ...market, side: "Sell", qty: "6" })
      expect(yield* one.code("position/confirm-pending-mmr", ltc)).toBe(0)
      expect(yield* one.position("LTCUSDT")).toMatchObject({ isReduceOnly: false })
      expect(yield* one.code("order/create", { ...market, side: "Buy", qty: "1" })).toBe(0)
    })
  )

  it.effect("answer the rates that executions are charged with", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const rates = (category: string) => one.get("account/fee-rate", { category, symbol: "BTCUSDT" })
      expect((yield* rates("linear")).json.result.list).toEqual([
        { symbol: "BTCUSDT", takerFeeRate: "0.00055", makerFeeRate: "0.0002" }
      ])
      expect((yield* rates("spot")).json.result).toMatchObject({ category: "spot", list: [{ takerFeeRate: "0.001" }] })
      expect((yield* rates("inverse")).code).toBe(10001)
      expect((yield* one.rows("account/fee-rate", { category: "inverse" })).length).toBe(3)
    })
  )
})

describe("batches", () => {
  const limit = { symbol: "LTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "20" }

  it.effect("take and refuse each order by itself, slot by slot", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const made = yield* one.post("order/create-batch", {
        category: "linear",
        request: [limit, { ...limit, qty: "1.05" }, { ...limit, orderLinkId: "third" }]
      })
      expect(made.json.retExtInfo.list.map((slot: { code: number }) => slot.code)).toEqual([0, 10001, 0])
      const slots = made.json.result.list
      expect(slots[1]).toMatchObject({ orderId: "", symbol: "LTCUSDT" })
      expect(slots[2]).toMatchObject({ orderLinkId: "third", createAt: String(start) })
      const amended = yield* one.post("order/amend-batch", {
        category: "linear",
        request: [
          { symbol: "LTCUSDT", orderId: slots[0].orderId, price: "21" },
          { symbol: "LTCUSDT", orderId: "unknown", price: "21" }
        ]
      })
      expect(amended.json.retExtInfo.list.map((slot: { code: number }) => slot.code)).toEqual([0, 110001])
      expect(yield* one.order("linear", "LTCUSDT", slots[0].orderId)).toMatchObject({ Price: "21" })
      const gone = yield* one.post("order/cancel-batch", {
        category: "linear",
        request: [
          { symbol: "LTCUSDT", orderId: slots[0].orderId },
          { symbol: "LTCUSDT", orderLinkId: "third" },
          { symbol: "LTCUSDT", orderLinkId: "third" }
        ]
      })
      expect(gone.json.retExtInfo.list.map((slot: { code: number }) => slot.code)).toEqual([0, 0, 110010])
      expect(yield* one.code("order/create-batch", { category: "linear", request: [] })).toBe(10001)
    })
  )

  it.effect("run as far as the budget goes, and are refused whole when it is spent", () =>
    Effect.gen(function* () {
      const one = yield* exchange("documented")
      const batch = (size: number) =>
        one.post("order/create-batch", { category: "linear", request: Array.from({ length: size }, () => limit) })
      const first = yield* batch(15)
      expect(first.json.retExtInfo.list.map((slot: { code: number }) => slot.code)).toEqual([
        ...Array.from({ length: 10 }, () => 0),
        ...Array.from({ length: 5 }, () => 10006)
      ])
      expect(first.headers["X-Bapi-Limit-Status"]).toBe("0")
      expect((yield* batch(1)).code).toBe(10006)
      yield* TestClock.adjust("1 second")
      expect((yield* batch(2)).json.retExtInfo.list).toHaveLength(2)
    })
  )
})

describe("order history", () => {
  it.effect("has a week of every final status, older orders that were filled, and both times or none", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const week = 7 * 86_400_000
      const orders = (more: Readonly<Record<string, unknown>>) =>
        one.rows("order/history", { category: "linear", limit: 50, ...more })
      const lately = yield* orders({})
      expect(lately).toHaveLength(50)
      expect(lately.every((row, index) => index === 0 || row.createdTime! <= lately[index - 1]!.createdTime!)).toBe(
        true
      )
      expect((yield* orders({ orderStatus: "Cancelled" })).every((row) => row.orderStatus === "Cancelled")).toBe(true)
      expect((yield* orders({ orderStatus: "Rejected" })).length).toBeGreaterThan(0)
      const old = { startTime: start - 3 * week, endTime: start - 2 * week }
      expect((yield* orders(old)).length).toBeGreaterThan(0)
      expect(yield* orders({ ...old, orderStatus: "Rejected" })).toEqual([])
      expect((yield* orders({ ...old, orderStatus: "Cancelled" })).every((row) => Number(row.cumExecQty) > 0)).toBe(
        true
      )
      const [some] = lately
      expect(yield* orders({ orderId: some!.orderId, symbol: "BTCUSDT" })).toEqual([some])
      expect((yield* one.get("order/history", { category: "linear", startTime: start - week })).code).toBe(10001)
    })
  )
})

describe("events", () => {
  it.effect("fill, deposit, grant, ban and restart", () =>
    Effect.gen(function* () {
      const one = yield* exchange()
      const uid = Seed.uids.main
      const id = yield* one.place({ ...ltc, side: "Buy", orderType: "Limit", qty: "3", price: "20" })
      expect(yield* one.happen((state, now) => Events.fill(state, { orderId: id, qty: amount("1") }, now))).toBe("done")
      expect(yield* one.order("linear", "LTCUSDT", id)).toMatchObject({ OrderStatus: "PartiallyFilled" })
      expect(yield* one.happen((state, now) => Events.fill(state, { orderId: id, price: amount("19.5") }, now))).toBe(
        "done"
      )
      expect(yield* one.order("linear", "LTCUSDT", id)).toMatchObject({ OrderStatus: "Filled" })
      expect(yield* one.happen((state, now) => Events.fill(state, { orderId: id }, now))).toBe("NotFound")

      const deposits = Effect.map(
        one.get("/private/v1/asset/deposit/query-record", { coin: "USDT" }),
        (answer): Row => answer.json.result.rows[0]
      )
      const sum = { uid, coin: "USDT", amount: amount("77"), takes: 60_000 }
      expect(yield* one.happen((state, now) => Either.map(Events.deposit(state, sum, now), ([, after]) => after))).toBe(
        "done"
      )
      expect(yield* deposits).toMatchObject({ status: "0", amount: "77" })
      yield* TestClock.adjust("1 minute")
      expect(yield* deposits).toMatchObject({ status: "1" })

      yield* one.happen((state, now) =>
        Events.grant(state, { uid, award: "coupon", coin: "USDT", amount: amount("0.01") }, now)
      )
      const market = { ...ltc, side: "Buy", orderType: "Market", qty: "2" }
      yield* one.place(market)
      const uses = yield* one.get("/private/v1/asset/bonus/usage", { coin: "USDT" })
      expect(
        uses.json.result.rows
          .slice(0, 2)
          .map((use: { award_type: number }) => use.award_type)
          .sort()
      ).toEqual([1, 2])

      yield* one.happen((state) => Events.ban(state, { uid, banned: true }))
      expect(yield* one.code("order/create", market)).toBe(10027)
      yield* one.happen((state) => Events.ban(state, { uid, banned: false }))

      const closed = one.rows("order/realtime", { ...ltc, openOnly: 1 })
      expect((yield* closed).length).toBeGreaterThan(0)
      yield* TestClock.adjust("1 second")
      yield* one.happen((state, now) => Either.right(Events.restart(state, now)))
      expect(yield* closed).toEqual([])
      yield* one.place(market)
      expect(yield* closed).toHaveLength(1)
    })
  )
})
