/**
 * Orders: placing, changing and cancelling them, one or many; what is open, what was closed.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumeration from "./Enumeration.js"
import * as Enumerations from "./Enumerations.js"
import { Flag, FlagText } from "./Flag.js"
import * as Id from "./Id.js"
import * as Instant from "./Instant.js"
import { Integer } from "./Integer.js"
import { joined } from "./internal/joined.js"
import * as items from "./internal/orderItems.js"
import * as repeated from "./internal/repeated.js"
import * as LookUps from "./internal/orderLookUps.js"
import * as Naming from "./Naming.js"
import * as Page from "./Page.js"
import * as Rule from "./Rule.js"

/**
 * The fields of an order, in the domain's spelling.
 *
 * @since 0.1.0
 * @category fields
 */
export const orderFields = {
  orderId: Id.OrderId,
  orderLinkId: Absent.emptyable(Id.OrderLinkId),
  symbol: Id.Symbol,
  price: Absent.emptyable(Decimal),
  qty: Decimal,
  side: Enumeration.stated(Enumerations.Side),
  isLeverage: Absent.undescribed(FlagText, "empty"),
  positionIdx: Absent.withDefault(Enumerations.PositionIdx, 0),
  orderStatus: Enumeration.stated(Enumerations.OrderStatus),
  cancelType: Absent.emptyable(Enumerations.CancelType),
  rejectReason: Absent.emptyable(Enumerations.RejectReason),
  avgPrice: Absent.emptyable(Decimal),
  leavesQty: Absent.emptyable(Decimal),
  leavesValue: Absent.emptyable(Decimal),
  cumExecQty: Decimal,
  cumExecValue: Decimal,
  cumExecFee: Decimal,
  timeInForce: Absent.withDefault(Enumerations.TimeInForce, ""),
  orderType: Absent.withDefault(Enumerations.OrderType, ""),
  stopOrderType: Absent.emptyable(Enumerations.StopOrderType),
  orderIv: Absent.emptyable(Decimal),
  marketUnit: Absent.emptyable(Enumerations.MarketUnit),
  triggerPrice: Absent.emptyable(Decimal),
  takeProfit: Absent.emptyable(Decimal),
  stopLoss: Absent.emptyable(Decimal),
  tpslMode: Absent.emptyable(Enumerations.TpslMode),
  tpLimitPrice: Absent.emptyable(Decimal),
  slLimitPrice: Absent.emptyable(Decimal),
  tpTriggerBy: Absent.emptyable(Enumerations.TriggerBy),
  slTriggerBy: Absent.emptyable(Enumerations.TriggerBy),
  triggerDirection: Absent.omittable(Enumerations.TriggerDirection),
  triggerBy: Absent.emptyable(Enumerations.TriggerBy),
  lastPriceOnCreated: Absent.emptyable(Decimal),
  reduceOnly: Absent.withDefault(Flag, false),
  closeOnTrigger: Absent.withDefault(Flag, false),
  placeType: Absent.undescribed(Enumerations.PlaceType, "left out"),
  createdTime: Instant.MillisText,
  updatedTime: Instant.MillisText
}

/**
 * An order, with its wire names in lower camel case. (docs/reference/listed-operations.md#ordershistory)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Order = Schema.Struct(orderFields).annotations({ identifier: "Order" })

/**
 * @since 0.1.0
 * @category models
 */
export type Order = typeof Order.Type

/**
 * The same order as the open-orders answer spells it: wire names begin with a capital. (rule records/order)
 *
 * @since 0.1.0
 * @category schemas
 */
export const OpenOrder = Naming.capitalised(orderFields).annotations({ identifier: "OpenOrder" })

/**
 * What an order change answers with.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OrderAck = Schema.Struct({
  orderId: Id.OrderId,
  orderLinkId: Absent.emptyable(Id.OrderLinkId)
}).annotations({ identifier: "OrderAck" })

/**
 * @since 0.1.0
 * @category models
 */
export type OrderAck = typeof OrderAck.Type

const openCommon = {
  symbol: Rule.optional(Rule.nonEmpty),
  orderId: Rule.optional(Rule.nonEmpty),
  orderLinkId: Rule.optional(Rule.nonEmpty),
  openOnly: Rule.optional(Rule.queryOneOf(0, 1)),
  limit: Rule.optional(Rule.queryInteger(1, 50)),
  cursor: Page.cursor
}

/**
 * Parameters of `orders.open`. Priority when several are given: orderId, orderLinkId, symbol, baseCoin. `openOnly` 0 (the
 * default) gives open orders, 1 the most recent closed ones, at most 500; it is ignored with orderId or orderLinkId.
 * (docs/reference/orders.md#open)
 *
 * @since 0.1.0
 * @category schemas
 */
export const OpenRequest = Schema.Union(
  Rule.forCategory("spot", { ...openCommon, orderFilter: Rule.optional(Rule.oneOf("Order", "tpslOrder")) }),
  Rule.atLeastOne(
    Rule.forCategory("linear", {
      ...openCommon,
      baseCoin: Rule.optional(Rule.nonEmpty),
      settleCoin: Rule.optional(Rule.nonEmpty),
      orderFilter: Rule.optional(Rule.oneOf("Order", "StopOrder"))
    }),
    "symbol",
    "baseCoin",
    "settleCoin"
  ),
  Rule.forCategory("inverse", {
    ...openCommon,
    baseCoin: Rule.optional(Rule.nonEmpty),
    orderFilter: Rule.optional(Rule.oneOf("Order", "StopOrder"))
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type OpenRequest = typeof OpenRequest.Type

/**
 * Open orders, or the most recent closed ones, newest first.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const open = Endpoint.make({
  name: "orders.open",
  domain: "Orders",
  summary: "Open orders, or the most recent closed ones, newest first",
  method: "GET",
  path: "/cloud/trade/v3/order/realtime",
  request: OpenRequest,
  result: Page.categorised(OpenOrder),
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "read",
  paging: Page.ofList(50, 20),
  source: "docs/reference/rules.md#1-open-orders",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: [
    { variant: "spot", request: ({ cursor }) => ({ category: "spot" as const, cursor }) },
    { variant: "linear", request: ({ cursor }) => ({ category: "linear" as const, settleCoin: "USDT", cursor }) },
    { variant: "inverse", request: ({ cursor }) => ({ category: "inverse" as const, cursor }) }
  ]
})

const week = Duration.days(7)

interface Times {
  readonly startTime?: Instant.Input | undefined
  readonly endTime?: Instant.Input | undefined
}

/**
 * Parameters of `orders.history`. Both times or none; without them the last 7 days, with them at most 7 days. Priority when
 * several are given: orderId, orderLinkId, symbol. Without an `orderFilter` orders of every kind.
 * (docs/reference/listed-operations.md#ordershistory)
 *
 * @since 0.1.0
 * @category schemas
 */
export const HistoryRequest = Rule.all(
  Schema.Struct({
    category: Rule.oneOf("spot", "linear", "inverse"),
    symbol: Rule.optional(Rule.nonEmpty),
    orderId: Rule.optional(Rule.nonEmpty),
    orderLinkId: Rule.optional(Rule.nonEmpty),
    orderFilter: Rule.optional(Rule.oneOf("Order", "StopOrder")),
    orderStatus: Rule.optional(Rule.given(Enumerations.OrderStatus)),
    startTime: Rule.optional(Instant.queryInstant("ms")),
    endTime: Rule.optional(Instant.queryInstant("ms")),
    limit: Rule.optional(Rule.queryInteger(1, 50)),
    cursor: Page.cursor
  }),
  Rule.requiredWhen<Times>("startTime", "endTime is given", (request) => Rule.has(request, "endTime")),
  Rule.requiredWhen<Times>("endTime", "startTime is given", (request) => Rule.has(request, "startTime")),
  ...Rule.timeRange("startTime", "endTime", week)
)

/**
 * @since 0.1.0
 * @category models
 */
export type HistoryRequest = typeof HistoryRequest.Type

/**
 * Orders of the last 7 days in any status, and older ones that were filled: back to 730 days for unified accounts, inverse excluded.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const history = Endpoint.make({
  name: "orders.history",
  domain: "Orders",
  summary: "Order history: the last 7 days in any status, older orders where they were filled",
  method: "GET",
  path: "/cloud/trade/v3/order/history",
  request: HistoryRequest,
  result: Page.categorised(Order),
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "read",
  paging: Page.ofList(50, 20),
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "ms",
    span: Option.some(week),
    reachBack: Option.some(Duration.days(730))
  },
  evidence: "listed",
  source: "docs/reference/listed-operations.md#ordershistory",
  example: { category: "linear", symbol: "BTCUSDT", limit: 50 },
  probes: Endpoint.probeEach(["spot", "linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

// Writes ------------------------------------------------------------------------------------------------------------

/** The history has orders in any status for a week. (docs/reference/listed-operations.md#ordershistory) */
const creates: Endpoint.Creation = { id: "orderLinkId", listedFor: week }

const lookUps = LookUps.make({
  open: (selection, read) => read(open, selection),
  history: (selection, read) => read(history, selection)
})

/**
 * Parameters of `orders.amend`. What is not given stays as it is; a take profit or stop loss of 0 cancels it. `tpslMode` and
 * `triggerBy` are for contracts. (docs/reference/orders.md#amend)
 *
 * @since 0.1.0
 * @category schemas
 */
export const AmendRequest = Schema.Union(items.amend.spot, ...Rule.forContracts(items.amend.contract))

/**
 * @since 0.1.0
 * @category models
 */
export type AmendRequest = typeof AmendRequest.Type

/**
 * Changes an order that is not filled, or partially filled.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const amend = Endpoint.make({
  name: "orders.amend",
  domain: "Orders",
  summary: "Change an order that is not filled, or partially filled",
  method: "POST",
  path: "/cloud/trade/v3/order/amend",
  request: AmendRequest,
  result: OrderAck,
  rateLimit: Endpoint.upgradable(Endpoint.perSecond(10, "uid x category")),
  safety: "write",
  lookUp: lookUps.amended,
  contradicts: repeated.orderIds,
  urgent: true,
  source: "docs/reference/rules.md#13-amending-an-order",
  example: { category: "linear", symbol: "BTCUSDT", orderLinkId: "entry-1", price: "19000.5" }
})

const upperCase = Rule.text("must be upper case", (coin) => coin.length > 0 && coin === coin.toUpperCase(), undefined, {
  minLength: 1,
  pattern: "^[^a-z]*$"
})

const cancelAllContract = {
  symbol: Rule.optional(Rule.nonEmpty),
  baseCoin: Rule.optional(upperCase),
  settleCoin: Rule.optional(Rule.nonEmpty),
  orderFilter: Rule.optional(Rule.oneOf("Order", "StopOrder")),
  stopOrderType: Rule.optional(Rule.oneOf("Stop"))
}

const cancelAllContractOf = (category: "linear" | "inverse") =>
  Rule.all(
    Rule.atLeastOne(Rule.forCategory(category, cancelAllContract), "symbol", "baseCoin", "settleCoin"),
    Rule.onlyWhen<{ readonly stopOrderType?: unknown; readonly orderFilter?: unknown }>(
      "stopOrderType",
      "orderFilter=StopOrder",
      (request) => request.orderFilter === "StopOrder"
    )
  )

/**
 * Parameters of `orders.cancelAll`. Priority: symbol, baseCoin, settleCoin. Without an `orderFilter` contracts lose orders of
 * every kind, spot those of kind Order. (docs/reference/orders.md#cancelall)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CancelAllRequest = Schema.Union(
  Rule.forCategory("spot", {
    symbol: Rule.optional(Rule.nonEmpty),
    baseCoin: Rule.optional(upperCase),
    orderFilter: Rule.optional(Rule.oneOf("Order", "tpslOrder"))
  }),
  ...Rule.forContracts(cancelAllContractOf)
)

/**
 * @since 0.1.0
 * @category models
 */
export type CancelAllRequest = typeof CancelAllRequest.Type

/**
 * What cancel-all answers with: one entry per order. `success` is `none` where the service leaves the flag out
 * (docs/reference/contradictions.md#success-flag-of-cancel-all).
 *
 * @since 0.1.0
 * @category schemas
 */
export const CancelAllResult = Schema.Struct({
  list: Absent.rows(
    Schema.Struct({
      orderId: Id.OrderId,
      orderLinkId: Absent.emptyable(Id.OrderLinkId),
      success: Absent.omittable(FlagText)
    })
  ),
  success: Absent.omittable(FlagText)
}).annotations({ identifier: "CancelAllResult" })

/**
 * @since 0.1.0
 * @category models
 */
export type CancelAllResult = typeof CancelAllResult.Type

/**
 * Cancels all orders of a category, symbol or coin. At most 500 a call for contracts, picked at random when there are more.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const cancelAll = Endpoint.make({
  name: "orders.cancelAll",
  domain: "Orders",
  summary: "Cancel all orders of a category, symbol or coin; at most 500 a call for contracts",
  method: "POST",
  path: "/cloud/trade/v3/order/cancel-all",
  request: CancelAllRequest,
  result: CancelAllResult,
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "write",
  lookUp: lookUps.allCancelled,
  urgent: true,
  source: "docs/reference/rules.md#18-cancelling-all-orders",
  example: { category: "linear", symbol: "BTCUSDT" }
})

/**
 * Parameters of `orders.create`. `price` with Limit orders only. `qty` counts the base coin for contracts; for spot market orders
 * `marketUnit` says which coin it counts (default: quoteCoin for buying, baseCoin for selling). With a `triggerPrice` the
 * order waits for its trigger, `triggerDirection` 1: for a rise, 2: for a fall. `positionIdx` is required in hedge mode. A slippage tolerance counts
 * ticks (1 to 10000) or percent (0.01 to 10). `orderLinkId`: at most 36 letters, digits, `-` and `_`, never used before; without one the
 * order cannot be looked up. (docs/reference/listed-operations.md#orderscreate)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreateRequest = Schema.Union(items.create.spot, ...Rule.forContracts(items.create.contract))

/**
 * @since 0.1.0
 * @category models
 */
export type CreateRequest = typeof CreateRequest.Type

/**
 * Places an order. The response only confirms that it was received; the order queries return its outcome.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const create = Endpoint.make({
  name: "orders.create",
  domain: "Orders",
  summary: "Place an order",
  method: "POST",
  path: "/cloud/trade/v3/order/create",
  request: CreateRequest,
  result: OrderAck,
  rateLimit: Endpoint.upgradable(Endpoint.perSecond(10, "uid x category")),
  safety: "write",
  lookUp: lookUps.created,
  contradicts: repeated.orderIds,
  creates,
  evidence: "listed",
  source: "docs/reference/listed-operations.md#orderscreate",
  example: {
    category: "linear",
    symbol: "BTCUSDT",
    side: "Buy",
    orderType: "Limit",
    qty: "0.01",
    price: "20000.5",
    orderLinkId: "entry-1"
  }
})

/**
 * Parameters of `orders.cancel`. `orderId` wins where both ids are given. (docs/reference/listed-operations.md#orderscancel)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CancelRequest = Schema.Union(items.cancel.spot, ...Rule.forContracts(items.cancel.contract))

/**
 * @since 0.1.0
 * @category models
 */
export type CancelRequest = typeof CancelRequest.Type

/**
 * Cancels an order that is open: new, partially filled or waiting for its trigger.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const cancel = Endpoint.make({
  name: "orders.cancel",
  domain: "Orders",
  summary: "Cancel an order that is open",
  method: "POST",
  path: "/cloud/trade/v3/order/cancel",
  request: CancelRequest,
  result: OrderAck,
  rateLimit: Endpoint.upgradable(Endpoint.perSecond(10, "uid x category")),
  safety: "write",
  lookUp: lookUps.cancelled,
  contradicts: repeated.orderIds,
  urgent: true,
  evidence: "listed",
  source: "docs/reference/listed-operations.md#orderscancel",
  example: { category: "linear", symbol: "BTCUSDT", orderLinkId: "entry-1" }
})

const batchSlot = {
  category: Absent.emptyable(Schema.String),
  symbol: Absent.emptyable(Id.Symbol),
  orderId: Absent.emptyable(Id.OrderId),
  orderLinkId: Absent.emptyable(Id.OrderLinkId)
}

const BatchCode = Schema.Struct({ code: Integer, msg: Absent.withDefault(Schema.String, "") })

/**
 * The outcomes of the orders of a batch, in the order in which they were sent: `code` 0 for accepted orders, which have an
 * `orderId`; the return code and its `msg` for the others. On the wire these are two lists side by side, one in the result, one in
 * the ext info. (docs/reference/listed-operations.md#batches)
 *
 * @since 0.1.0
 * @category schemas
 */
export const BatchResult = joined(Schema.Struct(batchSlot), BatchCode).annotations({ identifier: "BatchResult" })

/**
 * @since 0.1.0
 * @category models
 */
export type BatchResult = typeof BatchResult.Type

/**
 * The same for a batch of new orders, with the instant of each.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreateBatchResult = joined(
  Schema.Struct({ ...batchSlot, createAt: Absent.omittable(Instant.MillisText) }),
  BatchCode
).annotations({ identifier: "CreateBatchResult" })

/**
 * @since 0.1.0
 * @category models
 */
export type CreateBatchResult = typeof CreateBatchResult.Type

/**
 * Parameters of `orders.createBatch`: 1 to 20 orders as `orders.create` takes them, without their category. No `orderLinkId` may
 * come twice. (docs/reference/listed-operations.md#batches)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreateBatchRequest = Rule.all(
  Schema.Union(
    items.batch("spot", items.create.spotItem),
    ...Rule.forContracts((category) => items.batch(category, items.create.contractItem))
  ),
  Rule.make("request", "must not have an orderLinkId twice", ({ request }) => {
    const links = request.flatMap(({ orderLinkId }) => (orderLinkId === undefined ? [] : [orderLinkId]))
    return new Set(links).size === links.length
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type CreateBatchRequest = typeof CreateBatchRequest.Type

const costOfBatch = (parameters: Readonly<Record<string, unknown>>): number =>
  Math.max(LookUps.ordersOfBatch(parameters).length, 1)

/**
 * Places 1 to 20 orders. Each is accepted or refused by itself and counts as a call.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const createBatch = Endpoint.make({
  name: "orders.createBatch",
  domain: "Orders",
  summary: "Place 1 to 20 orders, each taken or refused by itself",
  method: "POST",
  path: "/cloud/trade/v3/order/create-batch",
  extended: true,
  request: CreateBatchRequest,
  result: CreateBatchResult,
  rateLimit: Endpoint.upgradable(Endpoint.perSecond(10, "uid x category")),
  safety: "write",
  cost: costOfBatch,
  lookUp: lookUps.each(lookUps.created),
  creates,
  evidence: "listed",
  source: "docs/reference/listed-operations.md#batches",
  example: {
    category: "linear",
    request: [
      { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price: "20000.5", orderLinkId: "entry-2" }
    ]
  }
})

/**
 * Parameters of `orders.amendBatch`: 1 to 20 changes as `orders.amend` takes them, without their category.
 * (docs/reference/listed-operations.md#batches)
 *
 * @since 0.1.0
 * @category schemas
 */
export const AmendBatchRequest = Schema.Union(
  items.batch("spot", items.amend.spotItem),
  ...Rule.forContracts((category) => items.batch(category, items.amend.contractItem))
)

/**
 * @since 0.1.0
 * @category models
 */
export type AmendBatchRequest = typeof AmendBatchRequest.Type

/**
 * Changes 1 to 20 orders. Each change is accepted or refused by itself and counts as a call.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const amendBatch = Endpoint.make({
  name: "orders.amendBatch",
  domain: "Orders",
  summary: "Change 1 to 20 orders, each change taken or refused by itself",
  method: "POST",
  path: "/cloud/trade/v3/order/amend-batch",
  extended: true,
  request: AmendBatchRequest,
  result: BatchResult,
  rateLimit: Endpoint.upgradable(Endpoint.perSecond(10, "uid x category")),
  safety: "write",
  cost: costOfBatch,
  lookUp: lookUps.each(lookUps.amended),
  urgent: true,
  evidence: "listed",
  source: "docs/reference/listed-operations.md#batches",
  example: {
    category: "linear",
    request: [{ symbol: "BTCUSDT", orderLinkId: "entry-2", price: "19000.5" }]
  }
})

/**
 * Parameters of `orders.cancelBatch`: 1 to 20 orders, each by `orderId` or `orderLinkId`. (docs/reference/listed-operations.md#batches)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CancelBatchRequest = Schema.Union(
  items.batch("spot", items.cancel.item),
  ...Rule.forContracts((category) => items.batch(category, items.cancel.item))
)

/**
 * @since 0.1.0
 * @category models
 */
export type CancelBatchRequest = typeof CancelBatchRequest.Type

/**
 * Cancels 1 to 20 orders, each by itself. Each counts as a call.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const cancelBatch = Endpoint.make({
  name: "orders.cancelBatch",
  domain: "Orders",
  summary: "Cancel 1 to 20 orders, each by itself",
  method: "POST",
  path: "/cloud/trade/v3/order/cancel-batch",
  extended: true,
  request: CancelBatchRequest,
  result: BatchResult,
  rateLimit: Endpoint.upgradable(Endpoint.perSecond(10, "uid x category")),
  safety: "write",
  cost: costOfBatch,
  lookUp: lookUps.each(lookUps.cancelled),
  urgent: true,
  evidence: "listed",
  source: "docs/reference/listed-operations.md#batches",
  example: { category: "linear", request: [{ symbol: "BTCUSDT", orderLinkId: "entry-2" }] }
})

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { open, history, create, amend, cancel, cancelAll, createBatch, amendBatch, cancelBatch }
