import * as Resting from "@effect-venue/testing/Resting"
import * as Samples from "@effect-venue/testing/Samples"
import * as Specification from "@effect-venue/testing/Specification"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Assets from "@effect-venue/services/Assets"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import type * as Venue from "@effect-venue/services/Venue"
import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, layer } from "@effect/vitest"
import { BigDecimal, Effect, Either, Option, Schema } from "effect"
import { call } from "./utils/call.js"
import { Live, layer as live } from "./utils/live.js"

type Call<A = unknown> = Effect.Effect<A, Failure.Failure, Venue.Venue | Transport.Transport>

const openOrder = Effect.flatMap(Orders.Orders, (orders) =>
  orders.open({ category: "linear", settleCoin: "USDT" })
).pipe(
  Effect.flatMap(({ list }) =>
    Effect.orDie(
      Effect.fromNullable(list.find(({ orderStatus, price }) => orderStatus === "New" && Option.isSome(price)))
    )
  )
)

const openPosition = Effect.flatMap(Positions.Positions, (positions) =>
  positions.list({ category: "linear", settleCoin: "USDT" })
).pipe(
  Effect.flatMap(({ list }) => Effect.orDie(Effect.fromNullable(list.find(({ size }) => BigDecimal.isPositive(size)))))
)

const isolatedPosition = Effect.flatMap(Positions.Positions, (positions) =>
  positions.list({ category: "linear", settleCoin: "USDT" })
).pipe(
  Effect.flatMap(({ list }) =>
    Effect.orDie(Effect.fromNullable(list.find(({ tradeMode }) => Option.contains(tradeMode, 1))))
  )
)

const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "9" } as const
const inOrders = <A>(use: (orders: Orders.Orders.Shape) => Effect.Effect<A, Failure.Failure>): Call =>
  Effect.flatMap(Orders.Orders, use)
const inPositions = <A>(use: (positions: Positions.Positions.Shape) => Effect.Effect<A, Failure.Failure>): Call =>
  Effect.flatMap(Positions.Positions, use)

const restingPrice = Effect.flatMap(Positions.Positions, (positions) =>
  positions.list({ category: "linear", symbol: "BTCUSDT" })
).pipe(
  Effect.map(({ list }) =>
    Option.getOrThrow(Option.flatMap(Option.fromNullable(list[0]), ({ markPrice }) => markPrice))
  ),
  Effect.map((mark) => BigDecimal.unsafeFromString(Resting.below(BigDecimal.format(mark))))
)

/** An order that waits, under this name. */
const placed = (orderLinkId: string) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const request = { ...order, category: "linear", price: yield* restingPrice, qty: "0.01", orderLinkId } as const
    return { request, ...(yield* orders.create(request)) }
  })

/** Has the exchange mark the main account's positions of a symbol. */
const markedReduceOnly = (symbol: string) =>
  Effect.gen(function* () {
    const { sandbox } = yield* Live
    const state = yield* sandbox.control.snapshot
    const account = yield* Effect.orDie(Effect.fromNullable(state.accounts.get(sandbox.uids.main)))
    const positions = account.positions.map((one) => (one.symbol === symbol ? { ...one, isReduceOnly: true } : one))
    yield* sandbox.control.restore({
      ...state,
      accounts: new Map(state.accounts).set(account.uid, { ...account, positions })
    })
  })

const transfer = {
  requestId: "3f0e9d1a-52f7-4c0e-9a53-0e8f43f5a001",
  coin: "USDT",
  amount: "1.5",
  fromAccountType: "UNIFIED",
  toAccountType: "FUND"
} as const

/** How an operation is tried, where more than its example shows that it works. Reads are tried by their examples: the sandbox's rules test their rows. */
const trials: Partial<Record<Samples.Operation, Call>> = {
  "orders.create": Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const { request, orderId, orderLinkId } = yield* placed("conformance-create")
    expect(Option.getOrThrow(orderLinkId)).toBe("conformance-create")
    const { list } = yield* orders.open({ category: "linear", symbol: "BTCUSDT", orderId })
    expect(list).toMatchObject([{ orderStatus: "New", side: "Buy", symbol: "BTCUSDT", orderType: "Limit" }])
    expect(Option.exists(list[0]?.price ?? Option.none(), BigDecimal.equals(request.price))).toBe(true)
  }),
  "orders.amend": Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const order = yield* openOrder
    // A tick away from the market, so that it stays what it is.
    const { list } = yield* Effect.flatMap(Instruments.Instruments, (instruments) =>
      instruments.list({ category: "linear", symbol: order.symbol })
    )
    const { tickSize } = yield* Effect.orDie(Effect.map(Effect.fromNullable(list[0]), (one) => one.priceFilter))
    const away = order.side === "Buy" ? BigDecimal.subtract : BigDecimal.sum
    const price = away(Option.getOrThrow(order.price), tickSize)
    const { orderId } = yield* orders.amend({
      category: "linear",
      symbol: order.symbol,
      orderId: order.orderId,
      price
    })
    expect(orderId).toBe(order.orderId)
    const after = yield* orders.open({ category: "linear", symbol: order.symbol, orderId })
    expect(after.list.map((one) => Option.exists(one.price, BigDecimal.equals(price)))).toEqual([true])
  }),
  "orders.cancel": Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const { orderId } = yield* placed("conformance-cancel")
    const gone = yield* orders.cancel({ category: "linear", symbol: "BTCUSDT", orderLinkId: "conformance-cancel" })
    expect(gone.orderId).toBe(orderId)
    const { list } = yield* orders.history({ category: "linear", orderId })
    expect(list).toMatchObject([{ orderStatus: "Cancelled", orderId }])
  }),
  "orders.cancelAll": Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const before = yield* orders.open({ category: "spot", orderFilter: "Order", limit: 50 })
    const { list } = yield* orders.cancelAll({ category: "spot" })
    const cancelled = Option.getOrThrow(list).map(Either.getOrThrow)
    expect(cancelled.map(({ orderId }) => orderId).sort()).toEqual(before.list.map(({ orderId }) => orderId).sort())
    expect((yield* orders.open({ category: "spot", orderFilter: "Order" })).list).toEqual([])
  }),
  "orders.createBatch": Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const price = yield* restingPrice
    const outcomes = yield* orders.createBatch({
      category: "linear",
      request: [
        { ...order, price, qty: "0.01", orderLinkId: "conformance-batch-1" },
        { ...order, symbol: "NOSUCHUSDT", price, orderLinkId: "conformance-none" },
        { ...order, price, qty: "0.01", orderLinkId: "conformance-batch-2" }
      ]
    })
    expect(outcomes.map(Either.isRight)).toEqual([true, false, true])
    expect(outcomes[1]).toMatchObject({ left: { _tag: "Rejected", reason: "InvalidRequest" } })
    for (const acknowledged of outcomes.flatMap(Either.match({ onLeft: () => [], onRight: (one) => [one] }))) {
      const { list } = yield* orders.open({ category: "linear", symbol: "BTCUSDT", orderId: acknowledged.orderId })
      expect(list).toMatchObject([{ orderStatus: "New", orderLinkId: acknowledged.orderLinkId }])
    }
  }),
  "orders.amendBatch": Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const { orderId } = yield* placed("conformance-amend-batch")
    const price = BigDecimal.subtract(yield* restingPrice, BigDecimal.unsafeFromString("10"))
    const outcomes = yield* orders.amendBatch({
      category: "linear",
      request: [
        { symbol: "BTCUSDT", orderId: "no-such-order", price },
        { symbol: "BTCUSDT", orderLinkId: "conformance-amend-batch", price }
      ]
    })
    expect(outcomes).toMatchObject([
      { left: { _tag: "Rejected", reason: "NotFound", retCode: 110001 } },
      { right: { orderId } }
    ])
    const { list } = yield* orders.open({ category: "linear", symbol: "BTCUSDT", orderId })
    expect(list.map((one) => Option.exists(one.price, BigDecimal.equals(price)))).toEqual([true])
  }),
  "orders.cancelBatch": Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const { orderId } = yield* placed("conformance-cancel-batch")
    const outcomes = yield* orders.cancelBatch({
      category: "linear",
      request: [
        { symbol: "BTCUSDT", orderId },
        { symbol: "BTCUSDT", orderId }
      ]
    })
    expect(outcomes).toMatchObject([
      { right: { orderId } },
      { left: { _tag: "Rejected", reason: "OrderState", retCode: 110010 } }
    ])
    const { list } = yield* orders.history({ category: "linear", orderId })
    expect(list).toMatchObject([{ orderStatus: "Cancelled" }])
  }),
  "positions.addMargin": Effect.gen(function* () {
    const positions = yield* Positions.Positions
    const { positionIdx, symbol } = yield* isolatedPosition
    const change = yield* positions.addMargin({
      category: "linear",
      symbol,
      margin: "1.2345",
      ...(positionIdx === 0 ? {} : { positionIdx: positionIdx === 1 ? 1 : 2 })
    })
    expect(change.symbol).toStrictEqual(Option.some(symbol))
    expect(change.category).toBe("linear")
  }),
  "positions.setTradingStop": Effect.gen(function* () {
    const positions = yield* Positions.Positions
    const { markPrice, positionIdx, side, symbol } = yield* openPosition
    const mark = Option.getOrThrow(markPrice)
    const factor = BigDecimal.unsafeFromString(Option.contains(side, "Buy") ? "2" : "0.5")
    const takeProfit = BigDecimal.scale(BigDecimal.multiply(mark, factor), 0)
    const index = positionIdx === 1 ? 1 : positionIdx === 2 ? 2 : 0
    yield* positions.setTradingStop({ category: "linear", symbol, tpslMode: "Full", takeProfit, positionIdx: index })
    const { list } = yield* positions.list({ category: "linear", symbol })
    const after = list.find((position) => position.positionIdx === positionIdx)
    expect(Option.exists(after?.takeProfit ?? Option.none(), BigDecimal.equals(takeProfit))).toBe(true)
  }),
  "positions.setRiskLimit": Effect.gen(function* () {
    const positions = yield* Positions.Positions
    const { positionIdx, riskId, symbol } = yield* openPosition
    const limit = yield* positions.setRiskLimit({
      category: "linear",
      symbol,
      riskId: Option.getOrThrow(riskId) + 1,
      positionIdx: positionIdx === 1 ? 1 : positionIdx === 2 ? 2 : 0
    })
    expect(limit.riskId).toStrictEqual(Option.map(riskId, (id) => id + 1))
    expect(Option.exists(limit.riskLimitValue, BigDecimal.isPositive)).toBe(true)
  }),
  "positions.confirmNewRiskLimit": Effect.gen(function* () {
    const positions = yield* Positions.Positions
    yield* markedReduceOnly("XRPUSDT")
    const marked = yield* positions.list({ category: "linear", symbol: "XRPUSDT" })
    expect(marked.list.map(({ isReduceOnly }) => isReduceOnly)).toEqual([true])
    yield* positions.confirmNewRiskLimit({ category: "linear", symbol: "XRPUSDT" })
    const { list } = yield* positions.list({ category: "linear", symbol: "XRPUSDT" })
    expect(list.map(({ isReduceOnly }) => isReduceOnly)).toEqual([false])
  }) as Call,
  "positions.setLeverage": Effect.gen(function* () {
    const positions = yield* Positions.Positions
    const leverageOf = Effect.map(positions.list({ category: "linear", symbol: "SOLUSDT" }), ({ list }) =>
      list.map(({ leverage }) => Option.map(leverage, BigDecimal.format))
    )
    expect(yield* leverageOf).not.toEqual([Option.some("7")])
    yield* positions.setLeverage({ category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" })
    expect(yield* leverageOf).toEqual([Option.some("7")])
  }),
  "positions.setTpslMode": Effect.gen(function* () {
    const positions = yield* Positions.Positions
    const modes = Effect.map(positions.list({ category: "linear", symbol: "SOLUSDT" }), ({ list }) =>
      list.map(({ tpslMode }) => Option.getOrThrow(tpslMode))
    )
    expect(yield* modes).toEqual(["Full"])
    const set = yield* positions.setTpslMode({ category: "linear", symbol: "SOLUSDT", tpSlMode: "Partial" })
    expect(set).toEqual({ tpSlMode: "Partial" })
    expect(yield* modes).toEqual(["Partial"])
  }),
  "assets.transfer": Effect.gen(function* () {
    const assets = yield* Assets.Assets
    const first = yield* assets.transfer(transfer)
    const second = yield* assets.transfer(transfer)
    expect(second).toEqual(first)
    const { list } = yield* assets.transfers({ transferId: first.transferId })
    expect(list).toHaveLength(1)
    expect(BigDecimal.equals(list[0]?.amount ?? BigDecimal.fromBigInt(0n), BigDecimal.unsafeFromString("1.5"))).toBe(
      true
    )
  }),
  "assets.withdrawInternal": Effect.gen(function* () {
    const assets = yield* Assets.Assets
    const state = yield* Effect.flatMap(Live, ({ sandbox }) => sandbox.snapshot)
    const entry = state.accounts.get("10000001")?.addressBook[0]
    const address = yield* Effect.orDie(Effect.fromNullable(entry))
    const request = { requestId: "conformance1", coin: "USDT", address: address.address, amount: "2" }
    const first = yield* assets.withdrawInternal({ ...request, addressType: 3 })
    expect(first.withdrawId).not.toBe("")
    expect(yield* assets.withdrawInternal({ ...request, addressType: 3 })).toEqual(first)
  }) as Call,
  "apiLimits.set": Effect.gen(function* () {
    const limits = yield* ApiLimits.ApiLimits
    const uid = "10000101"
    const { list } = yield* limits.set({ list: [{ uids: [uid], bizType: "DERIVATIVES", rate: 20 }] })
    expect(list).toMatchObject([{ uids: [uid], bizType: "DERIVATIVES", rate: 20, success: true }])
    const asked = yield* limits.query({ uids: [uid] })
    expect(asked.list).toContainEqual({ uids: [uid], bizType: "DERIVATIVES", rate: 20 })
  })
}

const isRule = (rule: string | RegExp) => (typeof rule === "string" ? rule : expect.stringMatching(rule))

describe("every operation of the service", () => {
  layer(live, { excludeTestServices: true })((it) => {
    it.effect("is specified with two requests that the client refuses and one that the service refuses", () =>
      Effect.sync(() => {
        expect([...Specification.names].sort()).toEqual(Endpoints.all.map(({ name }) => name).sort())
        for (const { refusedHere, refusedThere } of Object.values(Specification.specification)) {
          expect(refusedHere.length).toBeGreaterThanOrEqual(2)
          expect(refusedThere.length).toBeGreaterThanOrEqual(1)
        }
      })
    )

    for (const { name, request } of Samples.all) {
      const { refusedHere, refusedThere } = Specification.specification[name]

      it.effect(`${name} refuses invalid requests before sending, with field and rule`, () =>
        Effect.gen(function* () {
          const live = yield* Live
          for (const [request, field, rule] of refusedHere) {
            const failure = yield* Effect.flip(Effect.provide(call(name, request), live.as.main))
            expect(failure).toMatchObject({ _tag: "InvalidRequest", operation: name, field, rule: isRule(rule) })
          }
        })
      )

      it.effect(`${name} works from typed request to typed result`, () =>
        Effect.flatMap(Live, (live) => Effect.provide(trials[name] ?? call(name, request), live.as.main))
      )

      it.effect(`${name} returns refusals of the service with their tags`, () =>
        Effect.gen(function* () {
          const live = yield* Live
          for (const [request, by, failure] of refusedThere) {
            const refused = yield* Effect.flip(Effect.provide(call(name, request), live.as[by]))
            expect(refused).toMatchObject({ operation: name, ...failure })
            // Every failure can be sent to another process: failures are data.
            expect(Schema.is(Schema.Struct({ _tag: Schema.String, operation: Schema.String }))(refused)).toBe(true)
          }
        })
      )
    }

    it.effect("orders.create is refused for a used id, and for an order that the balance does not cover", () =>
      Effect.gen(function* () {
        const live = yield* Live
        const twice = Effect.zipRight(placed("conformance-twice"), placed("conformance-twice"))
        expect(yield* Effect.flip(Effect.provide(twice, live.as.main))).toMatchObject({
          ...{ _tag: "Rejected", reason: "Duplicate", retCode: 110072 }
        })
        const large = Effect.flatMap(restingPrice, (price) =>
          inOrders((orders) =>
            orders.create({ ...order, category: "spot", price, qty: "50", orderLinkId: "conformance-large" })
          )
        )
        expect(yield* Effect.flip(Effect.provide(large, live.as.sub))).toMatchObject({
          ...{ _tag: "Rejected", reason: "InsufficientBalance", retCode: 170131 }
        })
      })
    )

    it.effect("positions.addMargin is refused for more than the balance", () =>
      Effect.gen(function* () {
        const live = yield* Live
        const large = Effect.flatMap(isolatedPosition, ({ symbol }) =>
          inPositions((positions) => positions.addMargin({ category: "linear", symbol, margin: "999999999999" }))
        )
        expect(yield* Effect.flip(Effect.provide(large, live.as.main))).toMatchObject({
          ...{ _tag: "Rejected", reason: "InsufficientBalance" }
        })
      })
    )
  })
})
