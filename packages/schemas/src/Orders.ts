/**
 * Orders: what is open, what was closed lately, changing one, cancelling all.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumerations from "./Enumerations.js"
import { FlagText } from "./Flag.js"
import * as Id from "./Id.js"
import * as Instant from "./Instant.js"
import { contract, says, text } from "./internal/lookUp.js"
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
  side: Enumerations.Side,
  isLeverage: Absent.emptyable(FlagText),
  positionIdx: Enumerations.PositionIdx,
  orderStatus: Enumerations.OrderStatus,
  cancelType: Absent.emptyable(Enumerations.CancelType),
  rejectReason: Absent.emptyable(Enumerations.RejectReason),
  avgPrice: Absent.emptyable(Decimal),
  leavesQty: Absent.emptyable(Decimal),
  leavesValue: Absent.emptyable(Decimal),
  cumExecQty: Decimal,
  cumExecValue: Decimal,
  cumExecFee: Decimal,
  timeInForce: Enumerations.TimeInForce,
  orderType: Enumerations.OrderType,
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
  reduceOnly: Schema.Boolean,
  closeOnTrigger: Schema.Boolean,
  placeType: Absent.omittable(Enumerations.PlaceType),
  createdTime: Instant.MillisText,
  updatedTime: Instant.MillisText
}

/**
 * An order, with its wire names in lower camel case. (facts/listed-endpoints.md 3)
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
 * The same order as the open-orders answer spells it: wire names begin with a capital. (interface.md, Order record)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CapitalisedOrder = Naming.capitalised(orderFields).annotations({ identifier: "CapitalisedOrder" })

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
 * (interface.md, 1)
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
  signing: "header",
  envelope: "A",
  request: OpenRequest,
  result: Page.categorised(CapitalisedOrder),
  rateLimit: Option.some(Endpoint.perSecond(10, "uid x category")),
  safety: "read",
  paging: Option.some({
    items: "list",
    cursor: "nextPageCursor",
    cursorParameter: "cursor",
    sizeParameter: "limit",
    size: Option.some({ min: 1, max: 50, default: 20 })
  }),
  historyWindow: Option.none(),
  evidence: "documented",
  deprecated: false,
  source: "interface.md 1"
})

const amendCommon = {
  symbol: Rule.nonEmpty,
  orderId: Rule.optional(Rule.nonEmpty),
  orderLinkId: Rule.optional(Rule.nonEmpty),
  orderIv: Rule.optional(Rule.positive),
  triggerPrice: Rule.optional(Rule.positive),
  qty: Rule.optional(Rule.positive),
  price: Rule.optional(Rule.positive),
  takeProfit: Rule.optional(Rule.notNegative),
  stopLoss: Rule.optional(Rule.notNegative),
  tpTriggerBy: Rule.optional(Enumerations.TriggerBy),
  slTriggerBy: Rule.optional(Enumerations.TriggerBy),
  tpLimitPrice: Rule.optional(Rule.positive),
  slLimitPrice: Rule.optional(Rule.positive)
}

const amendContract = {
  ...amendCommon,
  tpslMode: Rule.optional(Rule.oneOf("Full", "Partial")),
  triggerBy: Rule.optional(Enumerations.TriggerBy)
}

interface LimitPrices {
  readonly tpslMode?: "Full" | "Partial" | undefined
}

const partialForLimit = (
  field: "tpLimitPrice" | "slLimitPrice"
): Rule.Rule<LimitPrices & { readonly [K in typeof field]?: unknown }> =>
  Rule.onlyWhen(field, "tpslMode=Partial", (request) => request.tpslMode !== "Full")

const amendContractOf = (category: "linear" | "inverse") =>
  Rule.all(
    Rule.atLeastOne(Rule.forCategory(category, amendContract), "orderId", "orderLinkId"),
    partialForLimit("tpLimitPrice"),
    partialForLimit("slLimitPrice")
  )

/**
 * Parameters of `orders.amend`. What is not given stays as it is; a take profit or stop loss of 0 cancels it. `tpslMode` and
 * `triggerBy` are for contracts. (interface.md, 13)
 *
 * @since 0.1.0
 * @category schemas
 */
export const AmendRequest = Schema.Union(
  Rule.atLeastOne(Rule.forCategory("spot", amendCommon), "orderId", "orderLinkId"),
  ...Rule.forContracts(amendContractOf)
)

/**
 * @since 0.1.0
 * @category models
 */
export type AmendRequest = typeof AmendRequest.Type

const given = (parameters: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = text(parameters, name)
  return value === "" ? undefined : value
}

const linearBy = (by: {
  readonly symbol: string | undefined
  readonly baseCoin: string | undefined
  readonly settleCoin: string | undefined
}): OpenRequest =>
  by.symbol !== undefined
    ? { category: "linear", symbol: by.symbol }
    : by.baseCoin !== undefined
      ? { category: "linear", baseCoin: by.baseCoin }
      : { category: "linear", settleCoin: by.settleCoin ?? "" }

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
  signing: "header",
  envelope: "A",
  request: AmendRequest,
  result: OrderAck,
  rateLimit: Option.some(Endpoint.upgradable(Endpoint.perSecond(10, "uid x category"))),
  safety: "write",
  lookUp: (parameters, read) => {
    const by = {
      symbol: text(parameters, "symbol"),
      orderId: given(parameters, "orderId"),
      orderLinkId: given(parameters, "orderLinkId")
    }
    const request: OpenRequest =
      parameters.category === "spot"
        ? { ...by, category: "spot" }
        : contract(parameters) === "inverse"
          ? { ...by, category: "inverse" }
          : { ...by, category: "linear" }
    return Effect.map(read(open, request), ({ list }) => {
      const same = Option.flatMap(Option.fromNullable(list[0]), (order) =>
        says(parameters, order, ["price", "qty", "triggerPrice", "takeProfit", "stopLoss"])
      )
      return {
        // One that differs may have been changed again since, or the change may still be on its way: that proves nothing.
        executed: Option.contains(same, true) ? "yes" : "undetermined",
        evidence: list
      }
    })
  },
  urgent: true,
  paging: Option.none(),
  historyWindow: Option.none(),
  evidence: "documented",
  deprecated: false,
  source: "interface.md 13"
})

const upperCase = Rule.text("must be upper case", (coin) => coin.length > 0 && coin === coin.toUpperCase())

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
 * every kind, spot those of kind Order. (interface.md, 18)
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
 * (facts/contradictions.md B12).
 *
 * @since 0.1.0
 * @category schemas
 */
export const CancelAllResult = Schema.Struct({
  list: Schema.Array(
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
  signing: "header",
  envelope: "A",
  request: CancelAllRequest,
  result: CancelAllResult,
  rateLimit: Option.some(Endpoint.perSecond(10, "uid x category")),
  safety: "write",
  lookUp: (parameters, read) => {
    const by = {
      symbol: given(parameters, "symbol"),
      baseCoin: given(parameters, "baseCoin"),
      settleCoin: given(parameters, "settleCoin")
    }
    const request =
      parameters.category === "spot"
        ? { category: "spot" as const, symbol: by.symbol }
        : parameters.category === "inverse"
          ? { category: "inverse" as const, symbol: by.symbol, baseCoin: by.baseCoin }
          : linearBy(by)
    return Effect.map(read(open, request), ({ list }) => ({
      // That nothing is open is what was asked for, whoever brought it about; what is open may be new.
      executed: list.length === 0 ? "yes" : "undetermined",
      evidence: list
    }))
  },
  urgent: true,
  paging: Option.none(),
  historyWindow: Option.none(),
  evidence: "documented",
  deprecated: false,
  source: "interface.md 18"
})
