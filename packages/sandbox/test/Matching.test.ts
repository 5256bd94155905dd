import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Traders from "./utils/traders.js"

const start = 1_780_000_000_000
const ltc = { category: "linear", symbol: "LTCUSDT" } as const
const sol = { category: "spot", symbol: "SOLUSDT" } as const
const funds = { USDT: "100000", SOL: "1000", BTC: "5" }

const limit = (side: string, price: string, qty: string, more: Traders.Parameters = {}) => ({
  ...ltc,
  side,
  orderType: "Limit",
  price,
  qty,
  ...more
})

/** Callers of their own, and a market at 100 that moves only with setPrice. */
const market = (count: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const world = yield* Traders.world()
    yield* world.control.setPrice({ ...ltc, price: "100" })
    yield* world.control.setPrice({ ...sol, price: "100" })
    const traders = yield* Effect.replicateEffect(world.trader({ funds }), count)
    const of = (index: number) => traders[index] ?? expect.fail("no such trader")
    return { ...world, a: of(0), b: of(1), c: traders[2] ?? of(0), d: traders[3] ?? of(0) }
  })

const told = (fills: ReadonlyArray<Traders.Row>) =>
  fills.map((fill) => `${fill.side} ${fill.execQty}@${fill.execPrice} ${fill.isMaker ? "maker" : "taker"}`)

describe("orders of different callers", () => {
  it.effect("[exchange/meet] trade with each other at the price of the resting order, in the same instant", () =>
    Effect.gen(function* () {
      const { a, b, holds } = yield* market(2)
      const resting = yield* a.place(limit("Sell", "100.00", "3"))
      const taking = yield* b.place({ ...ltc, side: "Buy", orderType: "Market", qty: "2" })
      expect(told(yield* a.fills("linear"))).toEqual(["Sell 2@100 maker"])
      expect(told(yield* b.fills("linear"))).toEqual(["Buy 2@100 taker"])
      expect(yield* a.order("linear", "LTCUSDT", resting)).toMatchObject({
        OrderStatus: "PartiallyFilled",
        LeavesQty: "1"
      })
      expect(yield* b.order("linear", "LTCUSDT", taking)).toMatchObject({ OrderStatus: "Filled" })
      const [sold] = yield* a.fills("linear")
      const [bought] = yield* b.fills("linear")
      expect(sold?.seq).toBe(bought?.seq)
      expect(sold?.execTime).toBe(bought?.execTime)
      yield* holds
    })
  )

  it.effect("[exchange/still] do not change the market price when they trade", () =>
    Effect.gen(function* () {
      const { a, b, control } = yield* market(2)
      yield* a.place(limit("Sell", "100.00", "1"))
      yield* b.place(limit("Buy", "100.00", "1"))
      yield* TestClock.adjust("1 minute")
      yield* a.place(limit("Sell", "100.50", "1"))
      const listing = (yield* control.snapshot).listings.find(
        (one) => one.category === "linear" && one.instrument.symbol === "LTCUSDT"
      )
      expect([listing?.lastPrice, listing?.markPrice, listing?.indexPrice].map((price) => price?.value)).toEqual(
        [100n, 100n, 100n].map((price) => price * 10n ** BigInt(listing?.lastPrice.scale ?? 0))
      )
    })
  )

  it.effect(
    "[exchange/queue] lose their place in the queue with a new price or a larger quantity, and keep it with a smaller one",
    () =>
      Effect.gen(function* () {
        const { a, b, c, d } = yield* market(4)
        const first = yield* a.place(limit("Sell", "100.00", "2"))
        const second = yield* b.place(limit("Sell", "100.00", "2"))
        yield* c.place(limit("Sell", "100.00", "2"))
        expect(yield* a.code("order/amend", { ...ltc, orderId: first, qty: "3" })).toBe(0)
        expect(yield* b.code("order/amend", { ...ltc, orderId: second, qty: "1" })).toBe(0)
        yield* d.place(limit("Buy", "100.00", "4"))
        expect(told(yield* b.fills("linear"))).toEqual(["Sell 1@100 maker"])
        expect(told(yield* c.fills("linear"))).toEqual(["Sell 2@100 maker"])
        expect(told(yield* a.fills("linear"))).toEqual(["Sell 1@100 maker"])
      })
  )

  it.effect("trade when one is amended to the price of the other", () =>
    Effect.gen(function* () {
      const { a, b, holds } = yield* market(2)
      yield* a.place(limit("Sell", "100.00", "2"))
      const id = yield* b.place(limit("Buy", "99.00", "1"))
      expect(yield* b.code("order/amend", { ...ltc, orderId: id, price: "100.00" })).toBe(0)
      expect(told(yield* a.fills("linear"))).toEqual(["Sell 1@100 maker"])
      expect(told(yield* b.fills("linear"))).toEqual(["Buy 1@100 taker"])
      yield* holds
    })
  )

  it.effect(
    "keep their conditions: post-only is cancelled, fill-or-kill and reduce-only use the available quantity",
    () =>
      Effect.gen(function* () {
        const { a, b, c, holds } = yield* market(3)
        yield* a.place(limit("Sell", "100.00", "2"))
        const posted = yield* b.place(limit("Buy", "100.00", "1", { timeInForce: "PostOnly" }))
        expect(yield* b.order("linear", "LTCUSDT", posted)).toMatchObject({
          OrderStatus: "Cancelled",
          RejectReason: "EC_PostOnlyWillTakeLiquidity"
        })
        const killed = yield* b.place(limit("Buy", "100.00", "3", { timeInForce: "FOK" }))
        expect(yield* b.order("linear", "LTCUSDT", killed)).toMatchObject({ RejectReason: "EC_NoEnoughQtyToFill" })
        const whole = yield* b.place(limit("Buy", "100.00", "2", { timeInForce: "FOK" }))
        expect(yield* b.order("linear", "LTCUSDT", whole)).toMatchObject({ OrderStatus: "Filled", CumExecQty: "2" })
        // What b holds is 2: its reducing order gives no more, whatever is asked for.
        yield* b.place(limit("Sell", "100.00", "2", { reduceOnly: true }))
        yield* c.place({ ...ltc, side: "Buy", orderType: "Limit", price: "100.00", qty: "5" })
        expect(told(yield* c.fills("linear"))).toEqual(["Buy 2@100 taker"])
        expect(yield* b.position("linear", "LTCUSDT")).toMatchObject({ side: "" })
        yield* holds
      })
  )

  it.effect("[exchange/self] of one account trade too, unless self-match prevention is set", () =>
    Effect.gen(function* () {
      const { a, holds } = yield* market(2)
      yield* a.place(limit("Sell", "100.00", "1"))
      yield* a.place(limit("Buy", "100.00", "1"))
      expect(told(yield* a.fills("linear"))).toEqual(["Sell 1@100 maker", "Buy 1@100 taker"])
      const outcome = (smpType: string) =>
        Effect.gen(function* () {
          const maker = yield* a.place(limit("Sell", "100.00", "1"))
          const taker = yield* a.place(limit("Buy", "100.00", "1", { smpType }))
          const states = [yield* a.order("linear", "LTCUSDT", maker), yield* a.order("linear", "LTCUSDT", taker)]
          yield* a.post("order/cancel-all", ltc)
          return states.map((order) => `${order.OrderStatus} ${order.CancelType}`)
        })
      expect(yield* outcome("CancelMaker")).toEqual(["Cancelled CancelBySmp", "New UNKNOWN"])
      expect(yield* outcome("CancelTaker")).toEqual(["New UNKNOWN", "Cancelled CancelBySmp"])
      expect(yield* outcome("CancelBoth")).toEqual(["Cancelled CancelBySmp", "Cancelled CancelBySmp"])
      yield* holds
    })
  )
})

describe("the market maker", () => {
  it.effect("[exchange/market-maker] fills the whole order if the market passed its price", () =>
    Effect.gen(function* () {
      const { a, b, control, holds } = yield* market(2)
      const high = yield* a.place(limit("Buy", "99.00", "800"))
      const low = yield* b.place(limit("Buy", "95.00", "700"))
      yield* control.setPrice({ ...ltc, price: "95" })
      expect(yield* a.order("linear", "LTCUSDT", high)).toMatchObject({
        OrderStatus: "Filled",
        AvgPrice: "99"
      })
      // It stands at 95: so much comes there in a step.
      const there = yield* b.order("linear", "LTCUSDT", low)
      expect(there.OrderStatus).toBe("PartiallyFilled")
      yield* control.setPrice({ ...ltc, price: "94.99" })
      expect(yield* b.order("linear", "LTCUSDT", low)).toMatchObject({ OrderStatus: "Filled" })
      yield* holds
    })
  )

  it.effect("fills the orders at its price by time, within its quantity per step", () =>
    Effect.gen(function* () {
      const { a, b, control } = yield* market(2)
      const first = yield* a.place(limit("Buy", "95.00", "700"))
      const second = yield* b.place(limit("Buy", "95.00", "700"))
      yield* control.setPrice({ ...ltc, price: "95" })
      expect((yield* a.order("linear", "LTCUSDT", first)).OrderStatus).toBe("PartiallyFilled")
      expect((yield* b.order("linear", "LTCUSDT", second)).OrderStatus).toBe("New")
    })
  )

  it.effect(
    "[exchange/market-maker] does not serve a later order at a price at which an earlier one still waits for it",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* market(2)
        // More than the whole book has up to 100.05: the remainder waits over the market.
        const large = yield* a.place(limit("Buy", "100.05", "900"))
        expect((yield* a.order("linear", "LTCUSDT", large)).OrderStatus).toBe("PartiallyFilled")
        const late = yield* b.place(limit("Buy", "100.05", "1"))
        expect((yield* b.order("linear", "LTCUSDT", late)).OrderStatus).toBe("New")
        // A better price goes first.
        yield* b.place(limit("Buy", "100.10", "1"))
        expect(told(yield* b.fills("linear"))).toEqual(["Buy 1@100.01 taker"])
        yield* TestClock.adjust("1 second")
        expect((yield* a.order("linear", "LTCUSDT", large)).OrderStatus).toBe("Filled")
        expect((yield* b.order("linear", "LTCUSDT", late)).OrderStatus).toBe("Filled")
      })
  )
})
