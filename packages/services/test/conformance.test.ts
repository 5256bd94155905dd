import type * as Seed from "@effect-venue/sandbox/Seed"
import type * as Samples from "@effect-venue/testing/Samples"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Account from "@effect-venue/services/Account"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Assets from "@effect-venue/services/Assets"
import * as Broker from "@effect-venue/services/Broker"
import * as Executions from "@effect-venue/services/Executions"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import type * as Venue from "@effect-venue/services/Venue"
import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, layer } from "@effect/vitest"
import { BigDecimal, DateTime, Duration, Effect, Either, Option, Schema } from "effect"
import { Live, layer as live } from "./utils/live.js"

type Call<A = unknown> = Effect.Effect<A, Failure.Failure, Venue.Venue | Transport.Transport>

interface Conformance {
  /** Called with success over a real socket; what it gave is looked at. */
  readonly works: Call
  /** Requests that are refused here, and the field and rule that they must name. */
  readonly refusedHere: ReadonlyArray<readonly [call: Call, field: string, rule: string | RegExp]>
  /** Requests that the sandbox refuses, with whose key, and how the refusal arrives. */
  readonly refusedThere: ReadonlyArray<readonly [call: Call, by: Seed.Role, failure: object]>
}

const week = Duration.days(7)
const range = (days: number) =>
  Effect.map(DateTime.now, (now) => ({ startTime: DateTime.subtractDuration(now, Duration.days(days)), endTime: now }))

const nobodysCursor = "unknown%3Dcursor"
const badCursor = { _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 }
const expired = { _tag: "Unauthorized", reason: "Key", retCode: 33004 }
const noPermission = { _tag: "Unauthorized", reason: "Permission" }

// Bad requests that the types already refuse are forced through, as an untyped caller would send them.
const forced = (request: object): never => request as never

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

// Half of what is asked for it: an order to buy at this price waits.
const farPrice = Effect.flatMap(Positions.Positions, (positions) =>
  positions.list({ category: "linear", symbol: "BTCUSDT" })
).pipe(
  Effect.map(({ list }) =>
    Option.getOrThrow(Option.flatMap(Option.fromNullable(list[0]), ({ markPrice }) => markPrice))
  ),
  Effect.map((mark) => BigDecimal.scale(BigDecimal.multiply(mark, BigDecimal.make(5n, 1)), 0))
)

/** An order that waits, under this name. */
const placed = (orderLinkId: string) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const request = { ...order, category: "linear", price: yield* farPrice, qty: "0.01", orderLinkId } as const
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

const cursorOf = ({ nextPageCursor }: { readonly nextPageCursor: Option.Option<string> }) => ({
  cursor: Option.getOrUndefined(nextPageCursor)
})

const transfer = {
  requestId: "3f0e9d1a-52f7-4c0e-9a53-0e8f43f5a001",
  coin: "USDT",
  amount: "1.5",
  fromAccountType: "UNIFIED",
  toAccountType: "FUND"
}

const table: Readonly<Record<Samples.Operation, Conformance>> = {
  "orders.open": {
    works: Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const page = yield* orders.open({ category: "linear", settleCoin: "USDT", limit: 5 })
      expect(page.list.length).toBeGreaterThan(0)
      for (const order of page.list) {
        expect(BigDecimal.isBigDecimal(order.qty)).toBe(true)
        expect(DateTime.isUtc(order.createdTime)).toBe(true)
      }
      return page
    }),
    refusedHere: [
      [
        Effect.flatMap(Orders.Orders, (orders) => orders.open(forced({ category: "linear" }))),
        "symbol",
        "one of symbol, baseCoin, settleCoin is required"
      ],
      [
        Effect.flatMap(Orders.Orders, (orders) => orders.open(forced({ category: "spot", settleCoin: "USDT" }))),
        "settleCoin",
        "is not a parameter for category spot"
      ],
      [
        Effect.flatMap(Orders.Orders, (orders) => orders.open({ category: "spot", limit: 51 })),
        "limit",
        "must be a whole number from 1 to 50"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Orders.Orders, (orders) => orders.open({ category: "spot", cursor: nobodysCursor })),
        "main",
        badCursor
      ],
      [Effect.flatMap(Orders.Orders, (orders) => orders.open({ category: "spot" })), "expired", expired]
    ]
  },
  "orders.history": {
    works: Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const first = yield* orders.history({ category: "linear", limit: 10 })
      expect(first.list).toHaveLength(10)
      const second = yield* orders.history({ category: "linear", limit: 10, ...cursorOf(first) })
      const rows = [...first.list, ...second.list]
      expect(new Set(rows.map(({ orderId }) => orderId)).size).toBe(20)
      const created = rows.map(({ createdTime }) => DateTime.toEpochMillis(createdTime))
      expect(created).toEqual(created.toSorted((one, other) => other - one))
      for (const { orderStatus } of rows) {
        expect(["Filled", "Cancelled", "Rejected", "Deactivated", "Triggered"]).toContain(orderStatus)
      }
      expect(rows.filter(({ cumExecFee }) => BigDecimal.isPositive(cumExecFee))).not.toEqual([])
    }),
    refusedHere: [
      [inOrders((orders) => orders.history({ category: "spot", limit: 51 })), "limit", /from 1 to 50$/],
      [
        inOrders((orders) => orders.history({ category: "linear", startTime: 1 })),
        "endTime",
        "required when startTime is given"
      ],
      [
        inOrders((orders) =>
          orders.history({ category: "linear", startTime: 0, endTime: Duration.toMillis(week) + 1 })
        ),
        "endTime",
        "must be at most 7d after startTime"
      ]
    ],
    refusedThere: [
      [inOrders((orders) => orders.history({ category: "linear", cursor: nobodysCursor })), "main", badCursor],
      [inOrders((orders) => orders.history({ category: "spot" })), "expired", expired]
    ]
  },
  "orders.create": {
    works: Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const { request, orderId, orderLinkId } = yield* placed("conformance-create")
      expect(Option.getOrThrow(orderLinkId)).toBe("conformance-create")
      const { list } = yield* orders.open({ category: "linear", symbol: "BTCUSDT", orderId })
      expect(list).toMatchObject([{ orderStatus: "New", side: "Buy", symbol: "BTCUSDT", orderType: "Limit" }])
      expect(Option.exists(list[0]?.price ?? Option.none(), BigDecimal.equals(request.price))).toBe(true)
    }),
    refusedHere: [
      [
        inOrders((orders) => orders.create(forced({ ...order, category: "linear", price: undefined }))),
        "price",
        "required when orderType=Limit"
      ],
      [inOrders((orders) => orders.create({ ...order, category: "spot", qty: "0" })), "qty", /greater than 0$/],
      [
        inOrders((orders) => orders.create(forced({ ...order, category: "spot", reduceOnly: true }))),
        "reduceOnly",
        "is not a parameter for category spot"
      ]
    ],
    refusedThere: [
      [
        Effect.zipRight(placed("conformance-twice"), placed("conformance-twice")),
        "main",
        { _tag: "Rejected", reason: "Duplicate", retCode: 110072 }
      ],
      [
        Effect.flatMap(farPrice, (price) =>
          inOrders((orders) => orders.create({ ...order, category: "spot", price, qty: "50" }))
        ),
        "sub",
        { _tag: "Rejected", reason: "InsufficientBalance", retCode: 170131 }
      ],
      [inOrders((orders) => orders.create({ ...order, category: "linear" })), "readOnly", noPermission]
    ]
  },
  "orders.amend": {
    works: Effect.gen(function* () {
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
    refusedHere: [
      [
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.amend(forced({ category: "linear", symbol: "BTCUSDT", qty: "1" }))
        ),
        "orderId",
        "one of orderId, orderLinkId is required"
      ],
      [
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "o", price: "0" })
        ),
        "price",
        "must be a decimal greater than 0"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "no-such-order", price: "1" })
        ),
        "main",
        { _tag: "Rejected", reason: "NotFound", retCode: 110001 }
      ],
      [
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "no-such-order", price: "1" })
        ),
        "readOnly",
        noPermission
      ]
    ]
  },
  "orders.cancel": {
    works: Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const { orderId } = yield* placed("conformance-cancel")
      const gone = yield* orders.cancel({ category: "linear", symbol: "BTCUSDT", orderLinkId: "conformance-cancel" })
      expect(gone.orderId).toBe(orderId)
      const { list } = yield* orders.history({ category: "linear", orderId })
      expect(list).toMatchObject([{ orderStatus: "Cancelled", orderId }])
    }),
    refusedHere: [
      [
        inOrders((orders) => orders.cancel(forced({ category: "linear", symbol: "BTCUSDT" }))),
        "orderId",
        "one of orderId, orderLinkId is required"
      ],
      [
        inOrders((orders) => orders.cancel({ category: "linear", symbol: "", orderId: "o" })),
        "symbol",
        "must not be empty"
      ]
    ],
    refusedThere: [
      [
        inOrders((orders) => orders.cancel({ category: "linear", symbol: "BTCUSDT", orderId: "no-such-order" })),
        "main",
        { _tag: "Rejected", reason: "NotFound", retCode: 110001 }
      ],
      [
        inOrders((orders) => orders.cancel({ category: "linear", symbol: "BTCUSDT", orderId: "no-such-order" })),
        "readOnly",
        noPermission
      ]
    ]
  },
  "orders.cancelAll": {
    works: Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const before = yield* orders.open({ category: "spot", orderFilter: "Order", limit: 50 })
      const { list } = yield* orders.cancelAll({ category: "spot" })
      expect(list.map(({ orderId }) => orderId).sort()).toEqual(before.list.map(({ orderId }) => orderId).sort())
      expect((yield* orders.open({ category: "spot", orderFilter: "Order" })).list).toEqual([])
    }),
    refusedHere: [
      [
        Effect.flatMap(Orders.Orders, (orders) => orders.cancelAll(forced({ category: "inverse" }))),
        "symbol",
        "one of symbol, baseCoin, settleCoin is required"
      ],
      [
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.cancelAll({ category: "linear", symbol: "BTCUSDT", stopOrderType: "Stop" })
        ),
        "stopOrderType",
        "only with orderFilter=StopOrder"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Orders.Orders, (orders) => orders.cancelAll({ category: "linear", symbol: "NOSUCHUSDT" })),
        "main",
        { _tag: "Rejected", reason: "InvalidRequest" }
      ],
      [Effect.flatMap(Orders.Orders, (orders) => orders.cancelAll({ category: "spot" })), "readOnly", noPermission]
    ]
  },
  "orders.createBatch": {
    works: Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const price = yield* farPrice
      const outcomes = yield* orders.createBatch({
        category: "linear",
        request: [
          { ...order, price, qty: "0.01", orderLinkId: "conformance-batch-1" },
          { ...order, symbol: "NOSUCHUSDT", price },
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
    refusedHere: [
      [
        inOrders((orders) => orders.createBatch({ category: "linear", request: [] })),
        "request",
        "must be 1 to 20 orders"
      ],
      [
        inOrders((orders) =>
          orders.createBatch({ category: "linear", request: [order, forced({ ...order, price: undefined })] })
        ),
        "request.1.price",
        "required when orderType=Limit"
      ]
    ],
    refusedThere: [
      [inOrders((orders) => orders.createBatch({ category: "linear", request: [order] })), "readOnly", noPermission],
      [inOrders((orders) => orders.createBatch({ category: "linear", request: [order] })), "expired", expired]
    ]
  },
  "orders.amendBatch": {
    works: Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const { orderId } = yield* placed("conformance-amend-batch")
      const price = BigDecimal.subtract(yield* farPrice, BigDecimal.unsafeFromString("10"))
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
    refusedHere: [
      [inOrders((orders) => orders.amendBatch({ category: "spot", request: [] })), "request", "must be 1 to 20 orders"],
      [
        inOrders((orders) =>
          orders.amendBatch({ category: "spot", request: [{ symbol: "BTCUSDT", orderId: "o", qty: "0" }] })
        ),
        "request.0.qty",
        "must be a decimal greater than 0"
      ]
    ],
    refusedThere: [
      [
        inOrders((orders) =>
          orders.amendBatch({ category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o", price: "1" }] })
        ),
        "readOnly",
        noPermission
      ]
    ]
  },
  "orders.cancelBatch": {
    works: Effect.gen(function* () {
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
    refusedHere: [
      [
        inOrders((orders) => orders.cancelBatch({ category: "spot", request: [] })),
        "request",
        "must be 1 to 20 orders"
      ],
      [
        inOrders((orders) => orders.cancelBatch(forced({ category: "spot", request: [{ symbol: "BTCUSDT" }] }))),
        "request.0.orderId",
        "one of orderId, orderLinkId is required"
      ]
    ],
    refusedThere: [
      [
        inOrders((orders) =>
          orders.cancelBatch({ category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o" }] })
        ),
        "readOnly",
        noPermission
      ]
    ]
  },
  "positions.list": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      const { list } = yield* positions.list({ category: "linear", settleCoin: "USDT" })
      expect(list.length).toBeGreaterThan(0)
      for (const { side, size } of list) {
        expect(BigDecimal.isPositive(size)).toBe(true)
        expect(["Buy", "Sell"]).toContain(Option.getOrThrow(side))
      }
    }),
    refusedHere: [
      [
        Effect.flatMap(Positions.Positions, (positions) => positions.list(forced({ category: "linear" }))),
        "symbol",
        "one of symbol, settleCoin is required"
      ],
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.list({ category: "linear", symbol: "BTCUSDT", limit: 201 })
        ),
        "limit",
        "must be a whole number from 1 to 200"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.list({ category: "linear", symbol: "NOSUCHUSDT" })
        ),
        "main",
        { _tag: "Rejected", reason: "InvalidRequest" }
      ]
    ]
  },
  "positions.addMargin": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      const { positionIdx, symbol } = yield* isolatedPosition
      const change = yield* positions.addMargin({
        category: "linear",
        symbol,
        margin: "1.2345",
        ...(positionIdx === 0 ? {} : { positionIdx: positionIdx === 1 ? 1 : 2 })
      })
      expect(change.symbol).toBe(symbol)
      expect(change.category).toBe("linear")
    }),
    refusedHere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.addMargin({ category: "linear", symbol: "BTCUSDT", margin: "1.00001" })
        ),
        "margin",
        /at most 4 decimals/
      ],
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.addMargin(forced({ category: "linear", symbol: "BTCUSDT", margin: "1", positionIdx: 3 }))
        ),
        "positionIdx",
        "must be 0, 1 or 2"
      ]
    ],
    refusedThere: [
      [
        Effect.gen(function* () {
          const positions = yield* Positions.Positions
          const { symbol } = yield* isolatedPosition
          return yield* positions.addMargin({ category: "linear", symbol, margin: "999999999999" })
        }),
        "main",
        { _tag: "Rejected", reason: "InsufficientBalance" }
      ]
    ]
  },
  "positions.setTradingStop": {
    works: Effect.gen(function* () {
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
    refusedHere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.setTradingStop({
            category: "linear",
            symbol: "BTCUSDT",
            tpslMode: "Full",
            takeProfit: "1",
            tpOrderType: "Limit",
            positionIdx: 0
          })
        ),
        "tpOrderType",
        "must be Market with tpslMode=Full"
      ],
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.setTradingStop({
            category: "linear",
            symbol: "BTCUSDT",
            tpslMode: "Partial",
            tpSize: "1",
            slSize: "2",
            positionIdx: 0
          })
        ),
        "slSize",
        "must equal tpSize"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.setTradingStop({ category: "linear", symbol: "NOSUCHUSDT", takeProfit: "1", positionIdx: 0 })
        ),
        "main",
        { _tag: "Rejected", reason: "InvalidRequest" }
      ]
    ]
  },
  "positions.setRiskLimit": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      const { positionIdx, riskId, symbol } = yield* openPosition
      const limit = yield* positions.setRiskLimit({
        category: "linear",
        symbol,
        riskId: Option.getOrThrow(riskId) + 1,
        positionIdx: positionIdx === 1 ? 1 : positionIdx === 2 ? 2 : 0
      })
      expect(limit.riskId).toBe(Option.getOrThrow(riskId) + 1)
      expect(Option.exists(limit.riskLimitValue, BigDecimal.isPositive)).toBe(true)
    }),
    refusedHere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.setRiskLimit({ category: "linear", symbol: "BTCUSDT", riskId: 1.5 })
        ),
        "riskId",
        "must be a whole number of at least 0"
      ],
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.setRiskLimit(forced({ category: "linear", riskId: 1 }))
        ),
        "symbol",
        "is required"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.setRiskLimit({ category: "linear", symbol: "BTCUSDT", riskId: 123_456 })
        ),
        "main",
        { _tag: "Rejected" }
      ]
    ]
  },
  "positions.confirmNewRiskLimit": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      yield* markedReduceOnly("XRPUSDT")
      const marked = yield* positions.list({ category: "linear", symbol: "XRPUSDT" })
      expect(marked.list.map(({ isReduceOnly }) => isReduceOnly)).toEqual([true])
      yield* positions.confirmNewRiskLimit({ category: "linear", symbol: "XRPUSDT" })
      const { list } = yield* positions.list({ category: "linear", symbol: "XRPUSDT" })
      expect(list.map(({ isReduceOnly }) => isReduceOnly)).toEqual([false])
    }) as Call,
    refusedHere: [
      [
        inPositions((positions) => positions.confirmNewRiskLimit({ category: "linear", symbol: "" })),
        "symbol",
        "must not be empty"
      ],
      [
        inPositions((positions) => positions.confirmNewRiskLimit(forced({ category: "spot", symbol: "BTCUSDT" }))),
        "category",
        "must be linear or inverse"
      ]
    ],
    refusedThere: [
      [
        inPositions((positions) => positions.confirmNewRiskLimit({ category: "linear", symbol: "DOGEUSDT" })),
        "main",
        { _tag: "Rejected", retCode: 110082 }
      ]
    ]
  },
  "positions.setLeverage": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      const leverageOf = Effect.map(positions.list({ category: "linear", symbol: "SOLUSDT" }), ({ list }) =>
        list.map(({ leverage }) => Option.map(leverage, BigDecimal.format))
      )
      expect(yield* leverageOf).not.toEqual([Option.some("7")])
      yield* positions.setLeverage({ category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" })
      expect(yield* leverageOf).toEqual([Option.some("7")])
    }),
    refusedHere: [
      [
        inPositions((positions) =>
          positions.setLeverage({ category: "linear", symbol: "BTCUSDT", buyLeverage: "0.9", sellLeverage: "1" })
        ),
        "buyLeverage",
        "must be a decimal of at least 1"
      ],
      [
        inPositions((positions) =>
          positions.setLeverage(forced({ category: "linear", symbol: "BTCUSDT", buyLeverage: "2" }))
        ),
        "sellLeverage",
        "is required"
      ]
    ],
    refusedThere: [
      [
        inPositions((positions) =>
          positions.setLeverage({ category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" })
        ),
        "main",
        { _tag: "Rejected", retCode: 110043, noChange: true }
      ],
      [
        inPositions((positions) =>
          positions.setLeverage({ category: "linear", symbol: "SOLUSDT", buyLeverage: "500", sellLeverage: "500" })
        ),
        "main",
        { _tag: "Rejected", reason: "RiskLimit", retCode: 110013 }
      ]
    ]
  },
  "positions.setTpslMode": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      const modes = Effect.map(positions.list({ category: "linear", symbol: "SOLUSDT" }), ({ list }) =>
        list.map(({ tpslMode }) => Option.getOrThrow(tpslMode))
      )
      expect(yield* modes).toEqual(["Full"])
      const set = yield* positions.setTpslMode({ category: "linear", symbol: "SOLUSDT", tpSlMode: "Partial" })
      expect(set).toEqual({ tpSlMode: "Partial" })
      expect(yield* modes).toEqual(["Partial"])
    }),
    refusedHere: [
      [
        inPositions((positions) =>
          positions.setTpslMode(forced({ category: "linear", symbol: "BTCUSDT", tpSlMode: "Half" }))
        ),
        "tpSlMode",
        "must be Full or Partial"
      ],
      [
        inPositions((positions) => positions.setTpslMode({ category: "inverse", symbol: "", tpSlMode: "Full" })),
        "symbol",
        "must not be empty"
      ]
    ],
    refusedThere: [
      [
        inPositions((positions) =>
          positions.setTpslMode({ category: "linear", symbol: "BTCUSDT", tpSlMode: "Partial" })
        ),
        "main",
        { _tag: "Rejected", retCode: 110054 }
      ]
    ]
  },
  "positions.closedPnl": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      const { list } = yield* positions.closedPnl({ category: "linear", limit: 100, ...(yield* range(7)) })
      expect(list.length).toBeGreaterThan(10)
      const created = list.map(({ createdTime }) => DateTime.toEpochMillis(createdTime))
      expect(created).toEqual(created.toSorted((one, other) => other - one))
      for (const { closedPnl, closedSize } of list) {
        expect(BigDecimal.isBigDecimal(closedPnl)).toBe(true)
        expect(BigDecimal.isPositive(closedSize)).toBe(true)
      }
    }),
    refusedHere: [
      [inPositions((positions) => positions.closedPnl({ category: "linear", limit: 101 })), "limit", /from 1 to 100$/],
      [
        inPositions((positions) => positions.closedPnl({ category: "linear", startTime: 2, endTime: 1 })),
        "endTime",
        "must not be before startTime"
      ]
    ],
    refusedThere: [
      [
        inPositions((positions) => positions.closedPnl({ category: "linear", cursor: nobodysCursor })),
        "main",
        badCursor
      ]
    ]
  },
  "positions.preUpgradeClosedPnl": {
    works: Effect.gen(function* () {
      const positions = yield* Positions.Positions
      return yield* positions.preUpgradeClosedPnl({ category: "linear", ...(yield* range(7)) })
    }),
    refusedHere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          Effect.flatMap(range(8), (times) => positions.preUpgradeClosedPnl({ category: "linear", ...times }))
        ),
        "endTime",
        `must be at most ${Duration.format(week)} after startTime`
      ],
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.preUpgradeClosedPnl({ category: "inverse", limit: 101 })
        ),
        "limit",
        "must be a whole number from 1 to 100"
      ],
      [
        Effect.flatMap(Positions.Positions, (positions) => positions.preUpgradeClosedPnl(forced({ category: "spot" }))),
        "category",
        "must be linear or inverse"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Positions.Positions, (positions) =>
          positions.preUpgradeClosedPnl({ category: "linear", cursor: nobodysCursor })
        ),
        "main",
        badCursor
      ]
    ]
  },
  "executions.list": {
    works: Effect.gen(function* () {
      const executions = yield* Executions.Executions
      const { list } = yield* executions.list({ category: "linear", limit: 100, ...(yield* range(7)) })
      expect(list.length).toBe(100)
      expect(list.map(({ execId }) => execId)).toEqual(
        list
          .map(({ execId }) => execId)
          .toSorted()
          .toReversed()
      )
      for (const fill of list) {
        expect(BigDecimal.isBigDecimal(fill.execFee)).toBe(true)
        expect(Option.isSome(fill.seq)).toBe(true)
      }
    }),
    refusedHere: [
      [
        Effect.flatMap(Executions.Executions, (executions) =>
          Effect.flatMap(range(8), (times) => executions.list({ category: "linear", ...times }))
        ),
        "endTime",
        `must be at most ${Duration.format(week)} after startTime`
      ],
      [
        Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear", limit: 0 })),
        "limit",
        "must be a whole number from 1 to 100"
      ],
      [
        Effect.flatMap(Executions.Executions, (executions) => executions.list(forced({ category: "option" }))),
        "category",
        "must be spot, linear or inverse"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Executions.Executions, (executions) =>
          executions.list({ category: "linear", cursor: nobodysCursor })
        ),
        "main",
        badCursor
      ]
    ]
  },
  "executions.preUpgrade": {
    works: Effect.gen(function* () {
      const executions = yield* Executions.Executions
      const to = DateTime.subtractDuration(yield* DateTime.now, Duration.days(500))
      const { list } = yield* executions.preUpgrade({
        category: "linear",
        startTime: DateTime.subtractDuration(to, week),
        endTime: to
      })
      for (const fill of list) expect(DateTime.isUtc(fill.execTime)).toBe(true)
    }),
    refusedHere: [
      [
        Effect.flatMap(Executions.Executions, (executions) =>
          executions.preUpgrade(forced({ category: "spot", execType: "Trade" }))
        ),
        "execType",
        "is not a parameter for category spot"
      ],
      [
        Effect.flatMap(Executions.Executions, (executions) =>
          executions.preUpgrade({ category: "linear", startTime: 2000, endTime: 1000 })
        ),
        "endTime",
        "must not be before startTime"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Executions.Executions, (executions) =>
          executions.preUpgrade({ category: "linear", cursor: nobodysCursor })
        ),
        "main",
        badCursor
      ]
    ]
  },
  "instruments.list": {
    works: Effect.gen(function* () {
      const instruments = yield* Instruments.Instruments
      const linear = yield* instruments.list({ category: "linear" })
      expect(linear.list.map(({ symbol }) => String(symbol))).toContain("BTCUSDT")
      const spot = yield* instruments.list({ category: "spot" })
      expect(spot.list.length).toBeGreaterThan(0)
      for (const pair of spot.list) expect(Option.isNone(pair.contractType)).toBe(true)
    }),
    refusedHere: [
      [
        Effect.flatMap(Instruments.Instruments, (instruments) => instruments.list({ category: "linear", status: "" })),
        "status",
        "must not be empty"
      ],
      [
        Effect.flatMap(Instruments.Instruments, (instruments) => instruments.list({ category: "spot", limit: 1001 })),
        "limit",
        "must be a whole number from 1 to 1000"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Instruments.Instruments, (instruments) =>
          instruments.list({ category: "linear", symbol: "NOSUCHUSDT" })
        ),
        "main",
        { _tag: "Rejected", reason: "InvalidRequest", status: 400, retMsg: "we don't support this symbol, plz check." }
      ]
    ]
  },
  "account.walletBalance": {
    works: Effect.gen(function* () {
      const account = yield* Account.Account
      const { list } = yield* account.walletBalance({ accountType: "UNIFIED", coin: ["USDT", "BTC"] })
      expect(list[0]?.coin.map(({ coin }) => String(coin)).sort()).toEqual(["BTC", "USDT"])
    }),
    refusedHere: [
      [
        Effect.flatMap(Account.Account, (account) => account.walletBalance({ accountType: "UNIFIED", coin: [] })),
        "coin",
        "must name at least one"
      ],
      [
        Effect.flatMap(Account.Account, (account) =>
          account.walletBalance({ accountType: "UNIFIED", coin: ["USDT,BTC"] })
        ),
        "coin",
        "[0] must not be empty or contain a comma"
      ],
      [Effect.flatMap(Account.Account, (account) => account.walletBalance(forced({}))), "accountType", "is required"]
    ],
    refusedThere: [
      [
        Effect.flatMap(Account.Account, (account) => account.walletBalance({ accountType: "NOSUCH" })),
        "main",
        { _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 }
      ]
    ]
  },
  "account.feeRate": {
    works: Effect.gen(function* () {
      const account = yield* Account.Account
      const { list } = yield* account.feeRate({ category: "linear", symbol: "BTCUSDT" })
      expect(list.map(({ symbol }) => Option.map(symbol, String))).toEqual([Option.some("BTCUSDT")])
      const all = yield* account.feeRate({ category: "spot" })
      expect(all.list.length).toBeGreaterThan(1)
      for (const { makerFeeRate, takerFeeRate } of [...list, ...all.list]) {
        expect(BigDecimal.isPositive(makerFeeRate)).toBe(true)
        expect(BigDecimal.greaterThanOrEqualTo(takerFeeRate, makerFeeRate)).toBe(true)
      }
    }),
    refusedHere: [
      [
        Effect.flatMap(Account.Account, (account) => account.feeRate(forced({ category: "option" }))),
        "category",
        "must be spot, linear or inverse"
      ],
      [
        Effect.flatMap(Account.Account, (account) => account.feeRate({ category: "spot", symbol: "" })),
        "symbol",
        "must not be empty"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Account.Account, (account) => account.feeRate({ category: "linear", symbol: "NOSUCHUSDT" })),
        "main",
        { _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 }
      ],
      [Effect.flatMap(Account.Account, (account) => account.feeRate({ category: "spot" })), "expired", expired]
    ]
  },
  "assets.deposits": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const { rows } = yield* assets.deposits({ type: 2, pageSize: 50 })
      expect(rows.length).toBeGreaterThan(0)
      for (const deposit of rows) expect(BigDecimal.isPositive(deposit.amount)).toBe(true)
    }),
    refusedHere: [
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.deposits({ pageSize: 51 })),
        "pageSize",
        "must be a whole number from 1 to 50"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.deposits({ startTime: 1500 })),
        "startTime",
        /on a whole second/
      ]
    ],
    refusedThere: [
      [Effect.flatMap(Assets.Assets, (assets) => assets.deposits({ cursor: nobodysCursor })), "main", badCursor]
    ]
  },
  "assets.coins": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const { rows } = yield* assets.coins({ coin: "USDT" })
      expect(rows.map(({ coin }) => String(coin))).toEqual(["USDT"])
      expect(rows[0]?.withdrawChains.length).toBeGreaterThan(0)
    }),
    refusedHere: [
      [Effect.flatMap(Assets.Assets, (assets) => assets.coins({ coin: "" })), "coin", "must not be empty"],
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.coins(forced({ coins: "USDT" }))),
        "coins",
        "is not a parameter"
      ]
    ],
    refusedThere: [[Effect.flatMap(Assets.Assets, (assets) => assets.coins()), "expired", expired]]
  },
  "assets.bonusUsage": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const { rows } = yield* assets.bonusUsage({ coin: "USDT", limit: 50 })
      expect(rows.length).toBeGreaterThan(0)
    }),
    refusedHere: [
      [Effect.flatMap(Assets.Assets, (assets) => assets.bonusUsage(forced({ coin: "BTC" }))), "coin", "must be USDT"],
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.bonusUsage({ coin: "USDT", limit: 51 })),
        "limit",
        "must be a whole number from 1 to 50"
      ]
    ],
    refusedThere: [[Effect.flatMap(Assets.Assets, (assets) => assets.bonusUsage({ coin: "USDT" })), "expired", expired]]
  },
  "assets.transfers": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const { list } = yield* assets.transfers({ limit: 50 })
      expect(list.length).toBeGreaterThan(0)
    }),
    refusedHere: [
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.transfers({ limit: 51 })),
        "limit",
        "must be a whole number from 1 to 50"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.transfers({ startTime: 2000, endTime: 1000 })),
        "endTime",
        "must not be before startTime"
      ]
    ],
    refusedThere: [
      [Effect.flatMap(Assets.Assets, (assets) => assets.transfers({ cursor: nobodysCursor })), "main", badCursor]
    ]
  },
  "assets.subAccountTransfers": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const { list } = yield* assets.subAccountTransfers()
      expect(list.length).toBeGreaterThan(0)
      for (const { subUserId } of list) expect(subUserId).toMatch(/^\d+$/)
    }),
    refusedHere: [
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.subAccountTransfers({ limit: 0 })),
        "limit",
        "must be a whole number of at least 1"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.subAccountTransfers({ startTime: 1 })),
        "startTime",
        /on a whole second/
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.subAccountTransfers({ cursor: nobodysCursor })),
        "main",
        badCursor
      ]
    ]
  },
  "assets.transfer": {
    works: Effect.gen(function* () {
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
    refusedHere: [
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.transfer({ ...transfer, requestId: "not-a-uuid" })),
        "requestId",
        "must be a UUID with dashes"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.transfer({ ...transfer, amount: "-1" })),
        "amount",
        "must be a decimal greater than 0"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.transfer({ ...transfer, requestId: "3f0e9d1a-52f7-4c0e-9a53-0e8f43f5a002", amount: "999999999999" })
        ),
        "main",
        { _tag: "Rejected", reason: "InsufficientBalance" }
      ]
    ]
  },
  "assets.transferableCoins": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const { coins } = yield* assets.transferableCoins({ fromAccountType: "UNIFIED", toAccountType: "FUND" })
      expect(coins.map(String)).toContain("USDT")
    }),
    refusedHere: [
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.transferableCoins(forced({ fromAccountType: "UNIFIED" }))),
        "toAccountType",
        "is required"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.transferableCoins(forced({ fromAccountType: 1, toAccountType: "FUND" }))
        ),
        "fromAccountType",
        "must not be empty"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.transferableCoins({ fromAccountType: "NOSUCH", toAccountType: "FUND" })
        ),
        "main",
        { _tag: "Rejected" }
      ]
    ]
  },
  "assets.withdrawInternal": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const state = yield* Effect.flatMap(Live, ({ sandbox }) => sandbox.snapshot)
      const entry = state.accounts.get("10000001")?.addressBook[0]
      const address = yield* Effect.orDie(Effect.fromNullable(entry))
      const request = { requestId: "conformance1", coin: "USDT", address: address.address, amount: "2" }
      const first = yield* assets.withdrawInternal({ ...request, addressType: 3 })
      expect(first.withdrawId).not.toBe("")
      expect(yield* assets.withdrawInternal({ ...request, addressType: 3 })).toEqual(first)
    }) as Call,
    refusedHere: [
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.withdrawInternal({
            requestId: "r1",
            coin: "USDT",
            addressType: 3,
            address: "1",
            amount: "1",
            remark: "x".repeat(51)
          })
        ),
        "remark",
        "must be at most 50 characters"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.withdrawInternal(forced({ requestId: "r1", coin: "USDT", addressType: 2, address: "1", amount: "1" }))
        ),
        "areaCode",
        "is required"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.withdrawInternal({ requestId: "r-1", coin: "USDT", addressType: 3, address: "1", amount: "1" })
        ),
        "requestId",
        "must be 1 to 64 letters and digits"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.withdrawInternal({ requestId: "r2", coin: "USDT", addressType: 3, address: "10000001", amount: "1" })
        ),
        "sub",
        noPermission
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.withdrawInternal({ requestId: "r3", coin: "USDT", addressType: 3, address: "77777777", amount: "1" })
        ),
        "main",
        { ...noPermission, retCode: 131093 }
      ]
    ]
  },
  "assets.fundingAssets": {
    works: Effect.gen(function* () {
      const assets = yield* Assets.Assets
      const { fund } = yield* assets.fundingAssets({ accountType: "FUND" })
      expect(Option.getOrThrow(fund).assets.length).toBeGreaterThan(0)
    }),
    refusedHere: [
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.fundingAssets(forced({ accountType: "UNIFIED" }))),
        "accountType",
        "must be FUND or SPOT"
      ],
      [
        Effect.flatMap(Assets.Assets, (assets) => assets.fundingAssets({ accountType: "FUND", coin: "" })),
        "coin",
        "must not be empty"
      ]
    ],
    refusedThere: [
      [Effect.flatMap(Assets.Assets, (assets) => assets.fundingAssets({ accountType: "FUND" })), "expired", expired]
    ]
  },
  "broker.customers": {
    works: Effect.gen(function* () {
      const broker = yield* Broker.Broker
      const { userList } = yield* broker.customers()
      expect(userList.length).toBeGreaterThan(0)
    }),
    refusedHere: [
      [Effect.flatMap(Broker.Broker, (broker) => broker.customers({ begin: 1 })), "begin", /on a whole second/],
      [
        Effect.flatMap(Broker.Broker, (broker) => broker.customers({ begin: 2000, end: 1000 })),
        "end",
        "must not be before begin"
      ]
    ],
    refusedThere: [[Effect.flatMap(Broker.Broker, (broker) => broker.customers()), "customer", noPermission]]
  },
  "broker.tradeVolume": {
    works: Effect.gen(function* () {
      const broker = yield* Broker.Broker
      const { list } = yield* broker.tradeVolume({ limit: 50 })
      expect(list.length).toBeGreaterThan(0)
    }),
    refusedHere: [
      [
        Effect.flatMap(Broker.Broker, (broker) => broker.tradeVolume({ limit: 51 })),
        "limit",
        "must be a whole number from 1 to 50"
      ],
      [
        Effect.flatMap(Broker.Broker, (broker) =>
          broker.tradeVolume({ productType: "SPOT", contractType: "LinearPerpetual" })
        ),
        "contractType",
        /not with productType=SPOT/
      ]
    ],
    refusedThere: [
      [Effect.flatMap(Broker.Broker, (broker) => broker.tradeVolume({ cursor: nobodysCursor })), "main", badCursor]
    ]
  },
  "apiLimits.set": {
    works: Effect.gen(function* () {
      const limits = yield* ApiLimits.ApiLimits
      const uid = "10000101"
      const { list } = yield* limits.set({ list: [{ uids: [uid], bizType: "DERIVATIVES", rate: 20 }] })
      expect(list).toMatchObject([{ uids: [uid], bizType: "DERIVATIVES", rate: 20, success: true }])
      const asked = yield* limits.query({ uids: [uid] })
      expect(asked.list).toContainEqual({ uids: [uid], bizType: "DERIVATIVES", rate: 20 })
    }),
    refusedHere: [
      [
        Effect.flatMap(ApiLimits.ApiLimits, (limits) => limits.set({ list: [] })),
        "list",
        "must have at least one entry"
      ],
      [
        Effect.flatMap(ApiLimits.ApiLimits, (limits) =>
          limits.set({ list: [{ uids: ["1"], bizType: "SPOT", rate: 0 }] })
        ),
        "list.0.rate",
        "must be a whole number of at least 1"
      ]
    ],
    refusedThere: [
      [
        Effect.flatMap(ApiLimits.ApiLimits, (limits) =>
          limits.set({ list: [{ uids: ["30000001"], bizType: "SPOT", rate: 20 }] })
        ),
        "classic",
        noPermission
      ]
    ]
  },
  "apiLimits.query": {
    works: Effect.gen(function* () {
      const limits = yield* ApiLimits.ApiLimits
      const { list } = yield* limits.query({ uids: ["10000001", "10000101"] })
      expect(list.flatMap(({ uids }) => uids.map(String))).toContain("10000001")
    }),
    refusedHere: [
      [Effect.flatMap(ApiLimits.ApiLimits, (limits) => limits.query({ uids: [] })), "uids", "must name at least one"],
      [
        Effect.flatMap(ApiLimits.ApiLimits, (limits) => limits.query({ uids: ["1,2"] })),
        "uids",
        "[0] must not be empty or contain a comma"
      ]
    ],
    refusedThere: [
      [Effect.flatMap(ApiLimits.ApiLimits, (limits) => limits.query({ uids: ["10000001"] })), "sub", noPermission]
    ]
  }
}

describe("every operation of the service", () => {
  layer(live, { excludeTestServices: true })((it) => {
    it.effect("has its line in this test", () =>
      Effect.sync(() => {
        expect(Object.keys(table)).toEqual(Endpoints.all.map(({ name }) => name))
        for (const { refusedHere, refusedThere } of Object.values(table)) {
          expect(refusedHere.length).toBeGreaterThanOrEqual(2)
          expect(refusedThere.length).toBeGreaterThanOrEqual(1)
        }
      })
    )

    for (const [name, { refusedHere }] of Object.entries(table)) {
      it.effect(`${name} refuses bad requests before anything is sent, naming field and rule`, () =>
        Effect.gen(function* () {
          const live = yield* Live
          for (const [call, field, rule] of refusedHere) {
            const failure = yield* Effect.flip(Effect.provide(call, live.as.main))
            expect(failure).toMatchObject({ _tag: "InvalidRequest", operation: name, field })
            expect((failure as Failure.InvalidRequest).rule).toMatch(
              typeof rule === "string" ? new RegExp(`^${rule.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`) : rule
            )
          }
        })
      )
    }

    for (const [name, { refusedThere, works }] of Object.entries(table)) {
      it.effect(`${name} works from typed request to typed result`, () =>
        Effect.flatMap(Live, (live) => Effect.provide(works, live.as.main))
      )

      it.effect(`${name} returns the service's refusals by their tags`, () =>
        Effect.gen(function* () {
          const live = yield* Live
          for (const [call, by, expected] of refusedThere) {
            const failure = yield* Effect.flip(Effect.provide(call, live.as[by]))
            expect(failure).toMatchObject({ operation: name, ...expected })
            // Every failure can be sent to another process: failures are data.
            expect(Schema.is(Schema.Struct({ _tag: Schema.String, operation: Schema.String }))(failure)).toBe(true)
          }
        })
      )
    }
  })
})
