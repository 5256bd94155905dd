/** Orders: place, change and cancel orders, one at a time or in batches; list open and closed orders. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import { Decimal, type Input } from "../scalars/Decimal.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import { assume, narrowType, perCategory, probeRanges, timeRange, upgradable } from "../endpoint/definition.js"
import { eitherInitial } from "../fields/eitherInitial.js"
import * as Enumeration from "../scalars/enumeration.js"
import * as Enumerations from "../scalars/Enumerations.js"
import { Flag, FlagText } from "../scalars/flag.js"
import * as Id from "../scalars/Id.js"
import type * as Instant from "../scalars/Instant.js"
import * as instants from "../scalars/instants.js"
import { Integer } from "../scalars/integer.js"
import { join } from "../fields/joined.js"
import * as rules from "./orderRules.js"
import * as repeated from "../endpoint/repeated.js"
import { orderKinds } from "./OrderKinds.js"
import * as LimitStops from "./limitStops.js"
import * as LookUps from "./orderLookUps.js"
import * as Page from "../endpoint/page.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"

const recordIds = {
  /** The service's id of the order. */
  orderId: Id.OrderId,
  /** The id of the order, chosen by the caller. */
  orderLinkId: Absent.emptyable(Id.OrderLinkId)
}

/** The fields of an order, under their domain names. */
const orderFields = {
  ...recordIds,
  /** The instrument. */
  symbol: Id.Symbol,
  /** Limit price; absent for market orders. Unit: quote coin per base coin. */
  price: Absent.emptyable(Decimal),
  /** Order quantity. Unit: base coin; for inverse contracts USD; for spot by `marketUnit`. */
  qty: Decimal,
  /** Buy or Sell. */
  side: Enumeration.requireStated(Enumerations.Side),
  /** Whether a spot order borrows; not documented by the service. */
  isLeverage: Absent.undescribed(FlagText, "empty"),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode. */
  positionIdx: Absent.withDefault(Enumerations.PositionIdx, 0),
  /** New and PartiallyFilled are open; Cancelled, Rejected and Filled are final. */
  orderStatus: Enumeration.requireStated(Enumerations.OrderStatus),
  /** Reason of the cancellation. */
  cancelType: Absent.emptyable(Enumerations.CancelType),
  /** Reason of the rejection. */
  rejectReason: Absent.emptyable(Enumerations.RejectReason),
  /** Average fill price; absent without fills. Unit: quote coin per base coin. */
  avgPrice: Absent.emptyable(Decimal),
  /** Quantity not executed. Unit: base coin; for inverse contracts USD. */
  leavesQty: Absent.emptyable(Decimal),
  /** Estimated value of the quantity not executed. Unit: quote coin. */
  leavesValue: Absent.emptyable(Decimal),
  /** Quantity executed. Unit: base coin; for inverse contracts USD. */
  cumExecQty: Decimal,
  /** Value executed. Unit: quote coin. */
  cumExecValue: Decimal,
  /** Total fees of the executions, positive if paid. Unit: as `execFee` of an execution. */
  cumExecFee: Decimal,
  /** How long the order stays open. */
  timeInForce: Absent.orEmptyText(Enumerations.TimeInForce),
  /** Limit or Market; for a take profit or stop loss the type after it triggers. */
  orderType: Absent.orEmptyText(Enumerations.OrderType),
  /** Kind of conditional order; absent for other orders. */
  stopOrderType: Absent.emptyable(Enumerations.StopOrderType),
  /** Implied volatility. */
  orderIv: Absent.emptyable(Decimal),
  /** The coin that `qty` counts in a spot market order. */
  marketUnit: Absent.emptyable(Enumerations.MarketUnit),
  /** Trigger price; for a trailing stop the price that activates it. Unit: quote coin per base coin. */
  triggerPrice: Absent.emptyable(Decimal),
  /** Take profit price. Unit: quote coin per base coin. */
  takeProfit: Absent.emptyable(Decimal),
  /** Stop loss price. Unit: quote coin per base coin. */
  stopLoss: Absent.emptyable(Decimal),
  /** Full: take profit and stop loss for the whole position; Partial: for this order. */
  tpslMode: Absent.emptyable(Enumerations.TpslMode),
  /** Limit price of the take profit after it triggers. Unit: quote coin per base coin. */
  tpLimitPrice: Absent.emptyable(Decimal),
  /** Limit price of the stop loss after it triggers. Unit: quote coin per base coin. */
  slLimitPrice: Absent.emptyable(Decimal),
  /** The kind of price that triggers the take profit. */
  tpTriggerBy: Absent.emptyable(Enumerations.TriggerBy),
  /** The kind of price that triggers the stop loss. */
  slTriggerBy: Absent.emptyable(Enumerations.TriggerBy),
  /** 1: triggered by a rise, 2: by a fall. */
  triggerDirection: Absent.omittable(Enumerations.TriggerDirection),
  /** The kind of price that triggers the order. */
  triggerBy: Absent.emptyable(Enumerations.TriggerBy),
  /** Last price when the order was placed. Unit: quote coin per base coin. */
  lastPriceOnCreated: Absent.emptyable(Decimal),
  /** Whether the order can only reduce a position. */
  reduceOnly: Absent.withDefault(Flag, false),
  /** Whether the triggered order only reduces a position; it can cancel other orders to free margin. */
  closeOnTrigger: Absent.withDefault(Flag, false),
  /** How an option order was priced; not documented by the service. */
  placeType: Absent.undescribed(Enumerations.PlaceType, "left out"),
  /** Time of creation. */
  createdTime: instants.MillisText,
  /** Time of the last change. */
  updatedTime: instants.MillisText
}

const orderSchema = Schema.Struct(orderFields).pipe(Refusals.record("Order"))

/** An order whose wire names are in lower camel case. (docs/reference/listed-operations.md#ordershistory) */
export const Order: Schema.Schema<Order, Schema.Schema.Encoded<typeof orderSchema>> = orderSchema

export interface Order extends Schema.Schema.Type<typeof orderSchema> {}

const openOrderSchema = eitherInitial(orderFields, "OpenOrder")

/**
 * An order in the response of `orders.open`, whose wire names begin with a capital letter. A small letter is read too, for each field. (rule records/order)
 */
export const OpenOrder: Schema.Schema<OpenOrder, Schema.Schema.Encoded<typeof openOrderSchema>> = openOrderSchema

export interface OpenOrder extends Schema.Schema.Type<typeof openOrderSchema> {}

const orderAckSchema = Schema.Struct(recordIds).pipe(Refusals.record("OrderAck"))

/** The result of a change to an order. */
export const OrderAck: Schema.Schema<OrderAck, Schema.Schema.Encoded<typeof orderAckSchema>> = orderAckSchema

export interface OrderAck extends Schema.Schema.Type<typeof orderAckSchema> {}

const selection = {
  /** Only orders of this instrument; takes priority over `baseCoin`. */
  symbol: Rule.optional(Rule.nonEmpty),
  /** The service's id of the order; takes priority over all others. */
  orderId: Rule.optional(Rule.nonEmpty),
  /** The id of the order, chosen by the caller; takes priority over `symbol`. */
  orderLinkId: Rule.optional(Rule.nonEmpty)
}

const openCommon = {
  ...selection,
  /** 0: open orders (default); 1: up to 500 recently closed orders; ignored with an id. */
  openOnly: Rule.optional(Rule.queryOneOf("document", 0, 1)),
  /** Maximum number of rows per page. */
  limit: Rule.optional(Rule.queryIntegerIn("document", 1, 50)),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor: Page.cursor
}

const spotOpenSchema = Rule.forCategory("spot", {
  ...openCommon,
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  orderFilter: Rule.optional(Rule.oneOf("document", ...orderKinds.spot))
})

/** Parameters of `orders.open` for spot orders. */
interface SpotOpenRequest
  extends
    Schema.Schema.Type<typeof spotOpenSchema>,
    Endpoint.OnlyFor<"contracts", "baseCoin">,
    Endpoint.OnlyFor<"linear", "settleCoin"> {}

/** Parameters of `orders.open` for the orders of an instrument of any category. */
interface AnyOpenRequest
  extends
    Schema.Struct.Type<typeof openCommon>,
    Endpoint.OnlyFor<"contracts", "baseCoin">,
    Endpoint.OnlyFor<"linear", "settleCoin">,
    Endpoint.ForCategory<Endpoint.Category> {
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  readonly orderFilter?: "Order" | undefined
}

const linearOpenSchema = Rule.forCategory("linear", {
  ...openCommon,
  /** All instruments with this base coin, such as `BTC`. */
  baseCoin: Rule.optional(Rule.nonEmpty),
  /** All contracts that settle in this coin, such as `USDT`. */
  settleCoin: Rule.optional(Rule.nonEmpty),
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  orderFilter: Rule.optional(Rule.oneOf("document", ...orderKinds.linear))
})

/** Parameters of `orders.open` for orders of USDT-linear contracts. */
interface LinearOpenRequest extends Schema.Schema.Type<typeof linearOpenSchema> {}

const inverseOpenSchema = Rule.forCategory("inverse", {
  ...openCommon,
  /** All instruments with this base coin, such as `BTC`. */
  baseCoin: Rule.optional(Rule.nonEmpty),
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  orderFilter: Rule.optional(Rule.oneOf("document", ...orderKinds.inverse))
})

/** Parameters of `orders.open` for orders of contracts. */
interface ContractOpenRequest
  extends
    Omit<Schema.Schema.Type<typeof inverseOpenSchema>, "category">,
    Endpoint.OnlyFor<"linear", "settleCoin">,
    Endpoint.ForCategory<"linear" | "inverse"> {}

/** Parameters of `orders.open` for orders of inverse contracts. */
interface InverseOpenRequest
  extends Schema.Schema.Type<typeof inverseOpenSchema>, Endpoint.OnlyFor<"linear", "settleCoin"> {}

/**
 * Parameters of `orders.open`. If several selections are present, the priority is orderId, orderLinkId, symbol, baseCoin. `openOnly` 0
 * (default) returns open orders; 1 returns the most recent closed orders, at most 500, and is ignored with orderId or orderLinkId.
 * (docs/reference/orders/open.md)
 */
export const OpenRequest = narrowType<OpenRequest>()(
  Rule.variants(
    spotOpenSchema,
    Rule.all(linearOpenSchema, Rule.atLeastOne("document", "symbol", "baseCoin", "settleCoin")),
    inverseOpenSchema
  )
)

// Members have names, so that the compiler says which of them a request for linear contracts could be.
interface OpenOfSymbol extends AnyOpenRequest {
  readonly symbol: string
}
interface ContractsOfSymbol extends ContractOpenRequest {
  readonly symbol: string
}
interface ContractsOfBaseCoin extends ContractOpenRequest {
  readonly baseCoin: string
}
interface LinearOfSettleCoin extends LinearOpenRequest {
  readonly settleCoin: string
}

export type OpenRequest =
  SpotOpenRequest | InverseOpenRequest | OpenOfSymbol | ContractsOfSymbol | ContractsOfBaseCoin | LinearOfSettleCoin

/** Open orders, or the most recent closed ones, newest first. */
export const open = Endpoint.make({
  name: "orders.open",
  domain: "Orders",
  summary: "Open orders, or the most recent closed ones, newest first",
  method: "GET",
  path: "/cloud/trade/v3/order/realtime",
  request: OpenRequest,
  result: Page.pageOf(OpenOrder),
  rateLimit: perCategory,
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

/** The result of `orders.open`. */
export const OpenResult: Schema.Schema<OpenResult, Schema.Schema.Encoded<typeof open.result>> = open.result

export interface OpenResult extends Schema.Schema.Type<typeof open.result> {}

const week = Duration.days(7)

interface Times {
  readonly startTime?: Instant.Input | undefined
  readonly endTime?: Instant.Input | undefined
}

const past = {
  ...selection,
  /** Only orders in this status. */
  orderStatus: Rule.optional(Rule.nonEmptyOf(Enumerations.OrderStatus)),
  /** Only rows at or after this instant. */
  startTime: Rule.optional(instants.queryInstant("ms")),
  /** Only rows at or before this instant. */
  endTime: Rule.optional(instants.queryInstant("ms")),
  /** Maximum number of rows per page. */
  limit: Rule.optional(Rule.queryIntegerIn("public", 1, 50)),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor: Page.cursor
}

const spotHistory = {
  ...past,
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  orderFilter: Rule.optional(Rule.oneOf("public", ...orderKinds.spot))
}

const contractHistory = {
  ...past,
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  orderFilter: Rule.optional(Rule.oneOf("public", ...orderKinds.linear))
}

/** Parameters of `orders.history` for spot orders. */
interface SpotHistoryRequest extends Schema.Struct.Type<typeof spotHistory>, Endpoint.ForCategory<"spot"> {}

/** Parameters of `orders.history` for orders of any category. */
interface AnyHistoryRequest extends Schema.Struct.Type<typeof past>, Endpoint.ForCategory<Endpoint.Category> {
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  readonly orderFilter?: "Order" | undefined
}

/** Parameters of `orders.history` for orders of contracts. */
interface ContractHistoryRequest
  extends Schema.Struct.Type<typeof contractHistory>, Endpoint.ForCategory<"linear" | "inverse"> {}

/**
 * Parameters of `orders.history`. Pass both times or none: the range is at most 7 days, by default the last 7 days. If several selections
 * are present, the priority is orderId, orderLinkId, symbol. Without an `orderFilter`, orders of every kind are returned.
 * (docs/reference/listed-operations.md#ordershistory)
 */
export const HistoryRequest = narrowType<HistoryRequest>()(
  Rule.all(
    Schema.Union(
      Rule.forCategory("spot", spotHistory),
      ...Rule.forContracts((category) => Rule.forCategory(category, contractHistory))
    ),
    Rule.requireWhen<Times>("public", "startTime", "endTime is given", (request) => Rule.has(request, "endTime")),
    Rule.requireWhen<Times>("public", "endTime", "startTime is given", (request) => Rule.has(request, "startTime")),
    ...Rule.timeRange("startTime", "endTime", { source: "public", length: week })
  )
)

export type HistoryRequest = AnyHistoryRequest | SpotHistoryRequest | ContractHistoryRequest

/** Orders of the last 7 days in any status, and older filled orders: back to 730 days for unified accounts, except inverse. */
export const history = Endpoint.make({
  name: "orders.history",
  domain: "Orders",
  summary: "Order history: the last 7 days in any status, older orders if they were filled",
  method: "GET",
  path: "/cloud/trade/v3/order/history",
  request: HistoryRequest,
  result: Page.pageOf(Order),
  rateLimit: perCategory,
  safety: "read",
  paging: Page.ofList(50, 20),
  historyWindow: timeRange("ms", { span: week, reachBack: Duration.days(730) }),
  evidence: "path documented",
  source: "docs/reference/listed-operations.md#ordershistory",
  example: { category: "linear", symbol: "BTCUSDT", limit: 50 },
  probes: probeRanges("spot", "linear", "inverse")
})

/** The result of `orders.history`. */
export const HistoryResult: Schema.Schema<HistoryResult, Schema.Schema.Encoded<typeof history.result>> = history.result

export interface HistoryResult extends Schema.Schema.Type<typeof history.result> {}

// Writes ------------------------------------------------------------------------------------------------------------

/** The history lists orders in any status for a week. (docs/reference/listed-operations.md#ordershistory) */
const creates: Endpoint.Creation = { listedFor: week }

const lookUps = LookUps.make({
  open: (selection, read) => read(open, selection),
  history: (selection, read) => read(history, selection)
})

const orderIds = {
  /** The instrument, such as `BTCUSDT`. */
  symbol: Rule.nonEmpty,
  /** The service's id of the order. */
  orderId: Rule.optional(Rule.nonEmpty),
  /** The id of the order, chosen by the caller. */
  orderLinkId: Rule.optional(Rule.nonEmpty)
}

const spotAmendment = {
  ...orderIds,
  /** Implied volatility. */
  orderIv: Rule.optional(Rule.anyDecimal),
  /** The new trigger price. Unit: quote coin per base coin. */
  triggerPrice: Rule.optional(Rule.positive("ours")),
  /** The new quantity, including the executed part. Unit: base coin; for inverse contracts USD; for a spot market order by `marketUnit`. */
  qty: Rule.optional(Rule.positive("ours")),
  /** The new limit price. Unit: quote coin per base coin. */
  price: Rule.optional(Rule.positive("ours")),
  /** The new take profit price; 0 cancels it. Unit: quote coin per base coin. */
  takeProfit: Rule.optional(Rule.notNegative("document")),
  /** The new stop loss price; 0 cancels it. Unit: quote coin per base coin. */
  stopLoss: Rule.optional(Rule.notNegative("document")),
  /** The kind of price that triggers the take profit; required if the order has none. */
  tpTriggerBy: Rule.optional(Rule.nonEmptyOf(Enumerations.TriggerBy)),
  /** The kind of price that triggers the stop loss; required if the order has none. */
  slTriggerBy: Rule.optional(Rule.nonEmptyOf(Enumerations.TriggerBy)),
  /** The new limit price of the order's take profit. Unit: quote coin per base coin. */
  tpLimitPrice: Rule.optional(Rule.positive("ours")),
  /** The new limit price of the order's stop loss. Unit: quote coin per base coin. */
  slLimitPrice: Rule.optional(Rule.positive("ours"))
}

const contractAmendment = {
  ...spotAmendment,
  /** Full: take profit and stop loss for the whole position; Partial: for a part. Full requires market orders. */
  tpslMode: Rule.optional(Rule.oneOfKnown("document", Enumerations.TpslMode)),
  ...LimitStops.orderTypes,
  /** The kind of price that is compared with `triggerPrice`. */
  triggerBy: Rule.optional(Rule.nonEmptyOf(Enumerations.TriggerBy))
}

const hasId = Rule.atLeastOne("document", "orderId", "orderLinkId")

type HasId = Endpoint.AtLeastOne<"orderId" | "orderLinkId">

const spotAmendmentSchema = Schema.Struct(spotAmendment)

/** A change of a spot order, without its category. */
interface SpotAmendment
  extends
    Schema.Schema.Type<typeof spotAmendmentSchema>,
    Endpoint.OnlyFor<"contracts", Exclude<keyof typeof contractAmendment, keyof typeof spotAmendment>> {}

const contractAmendmentSchema = Schema.Struct(contractAmendment)

/** A change of an order of a contract, without its category. */
interface ContractAmendment extends Schema.Schema.Type<typeof contractAmendmentSchema> {}

/** Parameters of `orders.amend` for an order of any category. One of the ids is required, which `AmendRequest` adds. */
interface AnyAmendRequest extends SpotAmendment, Endpoint.ForCategory<Endpoint.Category> {}

/** Parameters of `orders.amend` for an order of a contract. One of the ids is required, which `AmendRequest` adds. */
interface ContractAmendRequest extends ContractAmendment, Endpoint.ForCategory<"linear" | "inverse"> {}

/**
 * Parameters of `orders.amend`. Values that are left out do not change. A take profit or stop loss of 0 cancels it. `tpslMode` and
 * `triggerBy` apply to contracts. (docs/reference/orders/amend.md)
 */
export const AmendRequest = narrowType<AmendRequest>()(
  Rule.variants(
    Rule.all(Rule.forCategory("spot", spotAmendment), hasId),
    ...Rule.forContracts((category) => Rule.all(Rule.forCategory(category, contractAmendment), hasId, ...rules.amend))
  )
)

export type AmendRequest = (AnyAmendRequest | ContractAmendRequest) & HasId

/** Changes an unfilled or partially filled order. */
export const amend = Endpoint.make({
  name: "orders.amend",
  domain: "Orders",
  summary: "Change an unfilled or partially filled order",
  method: "POST",
  path: "/cloud/trade/v3/order/amend",
  request: AmendRequest,
  result: OrderAck,
  rateLimit: upgradable(perCategory),
  safety: "write",
  lookUp: lookUps.amended,
  contradicts: repeated.orderIds,
  urgent: true,
  source: "docs/reference/rules.md#13-amending-an-order",
  example: { category: "linear", symbol: "BTCUSDT", orderLinkId: "entry-1", price: "19000.5" }
})

const upperCase = Rule.text(
  "document",
  "must be upper case",
  (coin) => coin.length > 0 && coin === coin.toUpperCase(),
  undefined,
  {
    minLength: 1,
    pattern: "^[^a-z]*$"
  }
)

const cancelledBy = {
  /** Orders of this instrument; takes priority over the coins. */
  symbol: Rule.optional(Rule.nonEmpty),
  /** Orders with this base coin, such as `BTC`; takes priority over `settleCoin`. */
  baseCoin: Rule.optional(upperCase)
}

const contractCancelAll = {
  ...cancelledBy,
  /** Contract orders that settle in this coin: `USDT`, or the base coin of an inverse contract, a call for each. */
  settleCoin: Rule.optional(Rule.nonEmpty),
  /** The kind of orders to cancel; default: all for contracts, active orders for spot. */
  orderFilter: Rule.optional(Rule.oneOf("document", ...orderKinds.linear)),
  /** Stop: conditional orders other than take profit, stop loss and trailing stop. */
  stopOrderType: Rule.optional(Rule.oneOfKnown("document", Enumerations.StopOrderType, "Stop"))
}

/** Parameters of `orders.cancelAll` for orders of contracts. */
interface CancelContract
  extends Schema.Struct.Type<typeof contractCancelAll>, Endpoint.ForCategory<"linear" | "inverse"> {}

/** Parameters of `orders.cancelAll` for orders of any category. Contracts need a symbol or a coin, which `CancelAllRequest` adds. */
interface CancelAny
  extends
    Schema.Struct.Type<typeof cancelledBy>,
    Endpoint.OnlyFor<"contracts", Exclude<keyof typeof contractCancelAll, keyof typeof cancelledBy | "orderFilter">>,
    Endpoint.ForCategory<Endpoint.Category> {
  /** The kind of orders to cancel; default: all for contracts, active orders for spot. */
  readonly orderFilter?: "Order" | undefined
}

const spotCancelAll = {
  ...cancelledBy,
  /** The kind of orders to cancel; default: all for contracts, active orders for spot. */
  orderFilter: Rule.optional(Rule.oneOf("document", ...orderKinds.spot))
}

/** Parameters of `orders.cancelAll` for spot orders. */
interface SpotCancelAllRequest
  extends
    Schema.Struct.Type<typeof spotCancelAll>,
    Endpoint.OnlyFor<"contracts", Exclude<keyof typeof contractCancelAll, keyof typeof spotCancelAll>>,
    Endpoint.ForCategory<"spot"> {}

const cancelAllContractOf = (category: "linear" | "inverse") =>
  Rule.all(
    Rule.forCategory(category, contractCancelAll),
    Rule.atLeastOne("document", "symbol", "baseCoin", "settleCoin"),
    Rule.onlyWhen<{ readonly stopOrderType?: unknown; readonly orderFilter?: unknown }>(
      "document",
      "stopOrderType",
      "orderFilter=StopOrder",
      (request) => request.orderFilter === "StopOrder"
    )
  )

/**
 * Parameters of `orders.cancelAll`. The priority is symbol, baseCoin, settleCoin. Without an `orderFilter`, contract orders of every kind
 * are cancelled, and spot orders of kind Order. (docs/reference/orders/cancelAll.md)
 */
export const CancelAllRequest = narrowType<CancelAllRequest>()(
  Rule.variants(Rule.forCategory("spot", spotCancelAll), ...Rule.forContracts(cancelAllContractOf))
)

interface CancelOfSymbol extends CancelAny {
  readonly symbol: string
}
interface CancelOfBaseCoin extends CancelAny {
  readonly baseCoin: string
}
interface CancelContractsOfSymbol extends CancelContract {
  readonly symbol: string
}
interface CancelContractsOfBaseCoin extends CancelContract {
  readonly baseCoin: string
}
interface CancelContractsOfSettleCoin extends CancelContract {
  readonly settleCoin: string
}

export type CancelAllRequest =
  | SpotCancelAllRequest
  | CancelOfSymbol
  | CancelOfBaseCoin
  | CancelContractsOfSymbol
  | CancelContractsOfBaseCoin
  | CancelContractsOfSettleCoin

const cancelledOrderSchema = Schema.Struct({
  ...recordIds,
  /** Whether the order was cancelled; absent if the service leaves it out. */
  success: Absent.omittable(FlagText)
}).pipe(Refusals.record("CancelledOrder"))

/** An order in the result of `orders.cancelAll`. */
export const CancelledOrder: Schema.Schema<
  CancelledOrder,
  Schema.Schema.Encoded<typeof cancelledOrderSchema>
> = cancelledOrderSchema

export interface CancelledOrder extends Schema.Schema.Type<typeof cancelledOrderSchema> {}

const cancelAllResultSchema = Schema.Struct({
  /** An entry for each order, a `Left` for one that cannot be read; absent if the service sends no list, empty if it sends `null`. */
  list: Absent.readableList(CancelledOrder),
  /** Whether all the orders were cancelled; absent if the service leaves it out. */
  success: Absent.omittable(FlagText)
}).pipe(Refusals.record("CancelAllResult"))

/**
 * The result of `orders.cancelAll`. `list` has an `Either` for each order: a `Left` is an entry that cannot be read, as it was sent. It is `none` if the service
 * sends no list, which does not prove that there was no order. `success` is `none` if the service leaves the flag out
 * (docs/reference/contradictions.md#success-flag-of-cancel-all).
 */
export const CancelAllResult: Schema.Schema<
  CancelAllResult,
  Schema.Schema.Encoded<typeof cancelAllResultSchema>
> = cancelAllResultSchema

export interface CancelAllResult extends Schema.Schema.Type<typeof cancelAllResultSchema> {}

/** Cancels all orders of a category, symbol or coin. For contracts at most 500 orders per call, picked at random if there are more. */
export const cancelAll = Endpoint.make({
  name: "orders.cancelAll",
  domain: "Orders",
  summary: "Cancel all orders of a category, symbol or coin; at most 500 per call for contracts",
  method: "POST",
  path: "/cloud/trade/v3/order/cancel-all",
  request: CancelAllRequest,
  result: CancelAllResult,
  rateLimit: perCategory,
  safety: "write",
  decides: ["success"],
  lookUp: lookUps.allCancelled,
  urgent: true,
  source: "docs/reference/rules.md#18-cancelling-all-orders",
  example: { category: "linear", symbol: "BTCUSDT" }
})

const orderLinkId = Rule.text(
  "public",
  "must be 1 to 36 letters, digits, - or _",
  (id) => /^[A-Za-z0-9_-]{1,36}$/.test(id),
  /^[A-Za-z0-9_-]{1,36}$/,
  { minLength: 1, maxLength: 36, pattern: "^[A-Za-z0-9_-]*$" }
)

const order = {
  /** The instrument, such as `BTCUSDT`. */
  symbol: Rule.nonEmpty,
  /** Buy or Sell. */
  side: Rule.oneOfKnown("public", Enumerations.Side, "Buy", "Sell"),
  /** Limit or Market. */
  orderType: Rule.oneOfKnown("public", Enumerations.OrderType, "Market", "Limit"),
  /** Order quantity. Unit: base coin; for inverse contracts USD; for a spot market order by `marketUnit`. */
  qty: Rule.positive("public"),
  /** Limit price. Unit: quote coin per base coin. */
  price: Rule.optional(Rule.orEmpty("public", Rule.positive("ours"))),
  /** How long the order stays open; market orders are always immediate-or-cancel. */
  timeInForce: Rule.optional(Rule.nonEmptyOf(Enumerations.TimeInForce)),
  /** The id of the order, chosen by the caller. */
  orderLinkId: Rule.optional(orderLinkId),
  /** Unit of `slippageTolerance`: ticks, or percent of the best opposite price. */
  slippageToleranceType: Rule.optional(
    Rule.oneOfKnown("public", Enumerations.SlippageToleranceType, "TickSize", "Percent")
  ),
  /** Maximum distance of a market order's fills from the best price. Unit: ticks or percent. */
  slippageTolerance: Rule.optional(Rule.anyDecimal),
  /** Trigger price; for contracts above the market to trigger on a rise. Unit: quote coin per base coin. */
  triggerPrice: Rule.optional(Rule.positive("ours")),
  /** Trigger price of the take profit. Unit: quote coin per base coin. */
  takeProfit: Rule.optional(Rule.anyDecimal),
  /** Trigger price of the stop loss. Unit: quote coin per base coin. */
  stopLoss: Rule.optional(Rule.anyDecimal),
  ...LimitStops.triggeredOrders,
  /** What to do if the order would match an order of the same owner. */
  smpType: Rule.optional(Rule.nonEmptyOf(Enumerations.SmpType))
}

const spotOnly = {
  /** The coin that `qty` of a spot market order counts; default: quote coin to buy, base coin to sell. */
  marketUnit: Rule.optional(Rule.oneOfKnown("public", Enumerations.MarketUnit)),
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  orderFilter: Rule.optional(Rule.oneOf("public", ...orderKinds.spot))
}

const contractOnly = {
  /** 1: triggered by a rise to `triggerPrice`; 2: by a fall. */
  triggerDirection: Rule.optional(Rule.oneOfKnown("public", Enumerations.TriggerDirection, 1, 2)),
  /** The kind of price that is compared with `triggerPrice`. */
  triggerBy: Rule.optional(Rule.nonEmptyOf(Enumerations.TriggerBy)),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode. */
  positionIdx: Rule.optional(Rule.oneOfKnown("public", Enumerations.PositionIdx)),
  /** Whether the order can only reduce a position. */
  reduceOnly: Rule.optional(Rule.flag),
  /** Whether the triggered order only reduces a position; it can cancel other orders to free margin. */
  closeOnTrigger: Rule.optional(Rule.flag),
  /** Full: take profit and stop loss for the whole position; Partial: for a part. Full requires market orders. */
  tpslMode: Rule.optional(Rule.oneOfKnown("public", Enumerations.TpslMode)),
  ...LimitStops.triggerKinds
}

const spotOrder = { ...order, ...spotOnly }
const contractOrder = { ...order, ...contractOnly }

type OnlySpot = keyof typeof spotOnly
type OnlyContracts = keyof typeof contractOnly

/** What the orders of all categories have. A type of its own, because the compiler then computes it once. */
interface OrderFields extends Omit<Schema.Struct.Type<typeof order>, "orderType" | "price" | "orderLinkId"> {}

/** An order of any category to be placed, without its category, type and price. */
export interface AnyOrderFields
  extends OrderFields, Endpoint.OnlyFor<"contracts", OnlyContracts>, Endpoint.OnlyFor<"spot", OnlySpot> {}

/** A spot order to be placed, without its category, type and price. */
export interface SpotOrderFields
  extends OrderFields, Schema.Struct.Type<typeof spotOnly>, Endpoint.OnlyFor<"contracts", OnlyContracts> {}

/** An order of a contract to be placed, without its category, type and price. */
export interface ContractOrderFields
  extends OrderFields, Schema.Struct.Type<typeof contractOnly>, Endpoint.OnlyFor<"spot", OnlySpot> {}

/** A batch of orders of one category. */
const batch = <const C extends "spot" | "linear" | "inverse", A, I>(category: C, item: Schema.Schema<A, I>) =>
  Rule.forCategory(category, {
    /** The orders; each succeeds or fails separately. */
    request: rules.orders(item)
  })

/** The parameters of a new order. `id` replaces the optional `orderLinkId`. */
const createOf = (id: object) =>
  Rule.variants(
    Rule.all(Rule.forCategory("spot", { ...spotOrder, ...id }), ...rules.create.spot),
    ...Rule.forContracts((category) =>
      Rule.all(Rule.forCategory(category, { ...contractOrder, ...id }), ...rules.create.contract)
    )
  )

/** The parameters of a batch of new orders. `id` replaces the optional `orderLinkId` of each. */
const createBatchOf = (id: object) =>
  Rule.all(
    Schema.Union(
      batch("spot", Rule.all(Schema.Struct({ ...spotOrder, ...id }), ...rules.create.spot)),
      ...Rule.forContracts((category) =>
        batch(category, Rule.all(Schema.Struct({ ...contractOrder, ...id }), ...rules.create.contract))
      )
    ),
    Rule.make("ours", "request", "must not have an orderLinkId twice", ({ request }) => {
      const links = request.flatMap(({ orderLinkId }) => (orderLinkId === undefined ? [] : [orderLinkId]))
      return new Set(links).size === links.length
    })
  )

/** An order with a price, which a Limit order requires. */
export interface PricedOrder {
  /** Limit: filled at its price or better. */
  readonly orderType: Enumerations.OrderType
  /** Limit price. Unit: quote coin per base coin. */
  readonly price: Input
}

/** An order without a price. */
export interface MarketOrder {
  /** Market: filled at market prices. */
  readonly orderType: "Market"
  /** Absent or empty for a market order. */
  readonly price?: Input | undefined
}

interface CanHaveId {
  /** The id of the order, chosen by the caller. */
  readonly orderLinkId?: string | undefined
}

/** An order of any category to place, without its category, as in a batch. */
type AnyOrder = AnyPricedOrder | AnyMarketOrder
interface AnyPricedOrder extends AnyOrderFields, PricedOrder, CanHaveId {}
interface AnyMarketOrder extends AnyOrderFields, MarketOrder, CanHaveId {}

/** A spot order to place, without its category, as in a batch. */
type SpotOrder = SpotPricedOrder | SpotMarketOrder
interface SpotPricedOrder extends SpotOrderFields, PricedOrder, CanHaveId {}
interface SpotMarketOrder extends SpotOrderFields, MarketOrder, CanHaveId {}

/** A contract order to place, without its category, as in a batch. */
type ContractOrder = ContractPricedOrder | ContractMarketOrder
interface ContractPricedOrder extends ContractOrderFields, PricedOrder, CanHaveId {}
interface ContractMarketOrder extends ContractOrderFields, MarketOrder, CanHaveId {}

/**
 * Parameters of `orders.create`. Only Limit orders have a `price`. `qty` counts the base coin for contracts; for spot market orders
 * `marketUnit` selects the coin (default: quoteCoin to buy, baseCoin to sell). With a `triggerPrice` the order waits for its trigger:
 * `triggerDirection` 1 for a rise, 2 for a fall. Hedge mode requires `positionIdx`. A slippage tolerance is in ticks (1 to 10000) or
 * percent (0.01 to 10). `orderLinkId` has at most 36 letters, digits, `-` and `_`, and must be new; without one, the order cannot be looked
 * up. (docs/reference/listed-operations.md#orderscreate)
 */
export const CreateRequest = narrowType<CreateRequest>()(createOf({}))

export type CreateRequest =
  | (AnyOrder & Endpoint.ForCategory<Endpoint.Category>)
  | (SpotOrder & Endpoint.ForCategory<"spot">)
  | (ContractOrder & Endpoint.ForCategory<"linear" | "inverse">)

/** Places an order. The response only confirms that the order was received; query the order for its outcome. */
export const create = Endpoint.make({
  name: "orders.create",
  domain: "Orders",
  summary: "Place an order",
  method: "POST",
  path: "/cloud/trade/v3/order/create",
  request: CreateRequest,
  result: OrderAck,
  rateLimit: upgradable(perCategory),
  safety: "write",
  lookUp: lookUps.created,
  contradicts: repeated.orderIds,
  creates,
  onceBy: "orderLinkId",
  evidence: "path documented",
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

const spotCancellation = {
  ...orderIds,
  /** Order: active; tpslOrder: spot take profit or stop loss; StopOrder: conditional order of a contract. */
  orderFilter: Rule.optional(Rule.oneOf("public", ...orderKinds.spot))
}

const cancellationSchema = Schema.Struct(orderIds)

/** The order to be cancelled in a batch, without its category. */
interface Cancellation extends Schema.Schema.Type<typeof cancellationSchema> {}

/** Parameters of `orders.cancel` for a spot order. One of the ids is required, which `CancelRequest` adds. */
interface SpotCancelRequest extends Schema.Struct.Type<typeof spotCancellation>, Endpoint.ForCategory<"spot"> {}

/** Parameters of `orders.cancel` for an order of any category. One of the ids is required, which `CancelRequest` adds. */
interface AnyCancelRequest
  extends Cancellation, Endpoint.OnlyFor<"spot", "orderFilter">, Endpoint.ForCategory<Endpoint.Category> {}

/** Parameters of `orders.cancel`. If both ids are present, `orderId` takes priority. (docs/reference/listed-operations.md#orderscancel) */
export const CancelRequest = narrowType<CancelRequest>()(
  Rule.variants(
    Rule.all(Rule.forCategory("spot", spotCancellation), hasId),
    ...Rule.forContracts((category) => Rule.all(Rule.forCategory(category, orderIds), hasId))
  )
)

export type CancelRequest = (SpotCancelRequest | AnyCancelRequest) & HasId

/** Cancels an open order: new, partially filled or waiting for its trigger. */
export const cancel = Endpoint.make({
  name: "orders.cancel",
  domain: "Orders",
  summary: "Cancel an open order",
  method: "POST",
  path: "/cloud/trade/v3/order/cancel",
  request: CancelRequest,
  result: OrderAck,
  rateLimit: upgradable(perCategory),
  safety: "write",
  lookUp: lookUps.cancelled,
  contradicts: repeated.orderIds,
  urgent: true,
  evidence: "path documented",
  source: "docs/reference/listed-operations.md#orderscancel",
  example: { category: "linear", symbol: "BTCUSDT", orderLinkId: "entry-1" }
})

const batchSlot = {
  /** The category of the order. */
  category: Absent.emptyable(Schema.String),
  /** The instrument. */
  symbol: Absent.emptyable(Id.Symbol),
  /** The service's id of the order. */
  orderId: Absent.emptyable(Id.OrderId),
  /** The id of the order, chosen by the caller. */
  orderLinkId: Absent.emptyable(Id.OrderLinkId)
}

const BatchCode = Schema.Struct({ code: Integer, msg: Absent.withDefault(Schema.String, "") })

/**
 * The outcome of each order of a batch, in the order of the request. An accepted order has `code` 0 and an `orderId`; a refused order has
 * its return code and `msg`. On the wire these are two parallel lists, one in the result and one in the ext info.
 * (docs/reference/listed-operations.md#batches)
 */
export const BatchResult = join(Schema.Struct(batchSlot).pipe(Refusals.record("BatchResult")), BatchCode).pipe(
  Refusals.record("BatchResult")
)

export type BatchResult = typeof BatchResult.Type

/** The outcome of each new order of a batch, with its time of creation. */
export const CreateBatchResult = join(
  Schema.Struct({
    ...batchSlot,
    /** Time at which the order was received. */
    createAt: Absent.omittable(instants.MillisText)
  }).pipe(Refusals.record("CreateBatchResult")),
  BatchCode
).pipe(Refusals.record("CreateBatchResult"))

export type CreateBatchResult = typeof CreateBatchResult.Type

/** The category of an order in a batch is that of the batch. */
export interface OfBatch {
  readonly category?: Endpoint.Refused<"belongs to the batch">
}

/** A batch of one category. */
export interface BatchOf<out C extends Endpoint.Category, out Item> extends Endpoint.ForCategory<C> {
  /** 1 to 20 orders. Each is accepted or refused separately. */
  readonly request: ReadonlyArray<Item>
}

/**
 * Parameters of `orders.createBatch`: 1 to 20 orders as in `orders.create`, without their category. Each `orderLinkId` must be unique in
 * the batch. (docs/reference/listed-operations.md#batches)
 */
export const CreateBatchRequest = narrowType<CreateBatchRequest>()(createBatchOf({}))

export type CreateBatchRequest =
  | BatchOf<Endpoint.Category, AnyOrder & OfBatch>
  | BatchOf<"spot", SpotOrder & OfBatch>
  | BatchOf<"linear" | "inverse", ContractOrder & OfBatch>

const costOfBatch = (parameters: Readonly<Record<string, unknown>>): number =>
  Math.max(LookUps.ordersOfBatch(parameters).length, 1)

/** Places 1 to 20 orders. Each is accepted or refused separately and counts as one call. */
export const createBatch = Endpoint.make({
  name: "orders.createBatch",
  domain: "Orders",
  summary: "Place 1 to 20 orders, each accepted or refused separately",
  method: "POST",
  path: "/cloud/trade/v3/order/create-batch",
  extended: true,
  request: CreateBatchRequest,
  result: CreateBatchResult,
  rateLimit: upgradable(assume(Endpoint.perSecond(10, "uid x category"))),
  safety: "write",
  cost: costOfBatch,
  lookUp: lookUps.each(lookUps.created),
  creates,
  onceBy: "orderLinkId",
  evidence: "undocumented",
  source: "docs/reference/listed-operations.md#batches",
  example: {
    category: "linear",
    request: [
      { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price: "20000.5", orderLinkId: "entry-2" }
    ]
  }
})

const required = { orderLinkId }

/** The operations that place orders, with a required `orderLinkId`: repeated without one, an order would be placed twice. */
export const withOrderLinkId: { readonly create: typeof create; readonly createBatch: typeof createBatch } = {
  create: { ...create, request: narrowType<CreateRequest>()(createOf(required)) },
  createBatch: { ...createBatch, request: narrowType<CreateBatchRequest>()(createBatchOf(required)) }
}

/**
 * Parameters of `orders.amendBatch`: 1 to 20 changes as in `orders.amend`, without their category.
 * (docs/reference/listed-operations.md#batches)
 */
export const AmendBatchRequest = narrowType<AmendBatchRequest>()(
  Rule.variants(
    batch("spot", Rule.all(spotAmendmentSchema, hasId)),
    ...Rule.forContracts((category) => batch(category, Rule.all(contractAmendmentSchema, hasId, ...rules.amend)))
  )
)

export type AmendBatchRequest =
  | BatchOf<Endpoint.Category, SpotAmendment & HasId & OfBatch>
  | BatchOf<"linear" | "inverse", ContractAmendment & HasId & OfBatch>

/** Changes 1 to 20 orders. Each change is accepted or refused separately and counts as one call. */
export const amendBatch = Endpoint.make({
  name: "orders.amendBatch",
  domain: "Orders",
  summary: "Change 1 to 20 orders, each accepted or refused separately",
  method: "POST",
  path: "/cloud/trade/v3/order/amend-batch",
  extended: true,
  request: AmendBatchRequest,
  result: BatchResult,
  rateLimit: upgradable(assume(Endpoint.perSecond(10, "uid x category"))),
  safety: "write",
  cost: costOfBatch,
  lookUp: lookUps.each(lookUps.amended),
  urgent: true,
  evidence: "undocumented",
  source: "docs/reference/listed-operations.md#batches",
  example: {
    category: "linear",
    request: [{ symbol: "BTCUSDT", orderLinkId: "entry-2", price: "19000.5" }]
  }
})

/** Parameters of `orders.cancelBatch`: 1 to 20 orders, each by `orderId` or `orderLinkId`. (docs/reference/listed-operations.md#batches) */
export const CancelBatchRequest = narrowType<CancelBatchRequest>()(
  Rule.variants(
    batch("spot", Rule.all(cancellationSchema, hasId)),
    ...Rule.forContracts((category) => batch(category, Rule.all(cancellationSchema, hasId)))
  )
)

export type CancelBatchRequest = BatchOf<Endpoint.Category, Cancellation & HasId & OfBatch>

/** Cancels 1 to 20 orders. Each is cancelled or refused separately and counts as one call. */
export const cancelBatch = Endpoint.make({
  name: "orders.cancelBatch",
  domain: "Orders",
  summary: "Cancel 1 to 20 orders, each accepted or refused separately",
  method: "POST",
  path: "/cloud/trade/v3/order/cancel-batch",
  extended: true,
  request: CancelBatchRequest,
  result: BatchResult,
  rateLimit: upgradable(assume(Endpoint.perSecond(10, "uid x category"))),
  safety: "write",
  cost: costOfBatch,
  lookUp: lookUps.each(lookUps.cancelled),
  urgent: true,
  evidence: "undocumented",
  source: "docs/reference/listed-operations.md#batches",
  example: { category: "linear", request: [{ symbol: "BTCUSDT", orderLinkId: "entry-2" }] }
})

/** The endpoints of this domain, by method name. */
export const endpoints = { open, history, create, amend, cancel, cancelAll, createBatch, amendBatch, cancelBatch }
