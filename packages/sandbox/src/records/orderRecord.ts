import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Holding from "../trading/holding.js"
import * as Money from "../trading/money.js"

type Needed = "category" | "filter" | "symbol" | "qty" | "side" | "orderStatus" | "orderType"

type OrderDates = "orderId" | "createdTime" | "updatedTime"

/** Creates an order from its main fields. Without fills by default. */
export const make = (fields: Pick<Exchange.Order, Needed | OrderDates> & Partial<Exchange.Order>): Exchange.Order => ({
  ...makeUndated(fields),
  orderId: fields.orderId,
  createdTime: fields.createdTime,
  updatedTime: fields.updatedTime
})

/** The part of an order that does not depend on the time it was placed. */
export const makeUndated = <Status extends Exchange.Order["orderStatus"]>(
  fields: Pick<Exchange.Order, Needed> & Partial<Omit<Exchange.Order, OrderDates>> & { readonly orderStatus: Status }
): Omit<Exchange.Order, OrderDates> & { readonly orderStatus: Status } => ({
  trailingStop: Option.none(),
  extreme: Option.none(),
  pairedWith: Option.none(),
  orderLinkId: Option.none(),
  price: Option.none(),
  isLeverage: fields.category === "spot" ? Option.some(false) : Option.none(),
  positionIdx: 0,
  cancelType: Option.some("UNKNOWN"),
  rejectReason: Option.some("EC_NoError"),
  avgPrice: Option.none(),
  leavesQty: Option.some(fields.qty),
  leavesValue: Option.some(leavesValue(fields.category, fields.price ?? Option.none(), fields.qty)),
  cumExecQty: Money.zero,
  cumExecValue: Money.zero,
  cumExecFee: Money.zero,
  timeInForce: "GTC",
  stopOrderType: fields.category === "spot" ? Option.none() : Option.some("UNKNOWN"),
  orderIv: Option.none(),
  marketUnit: Option.none(),
  triggerPrice: Option.none(),
  takeProfit: Option.none(),
  stopLoss: Option.none(),
  tpslMode: Option.none(),
  tpLimitPrice: Option.none(),
  slLimitPrice: Option.none(),
  tpTriggerBy: Option.none(),
  slTriggerBy: Option.none(),
  triggerDirection: Option.some(0),
  triggerBy: Option.none(),
  lastPriceOnCreated: Option.none(),
  reduceOnly: false,
  closeOnTrigger: false,
  placeType: Option.none(),
  ...fields
})

/** The value of the open part of an order; zero for an order without a price. */
export const leavesValue = (
  category: Exchange.Category,
  price: Option.Option<BigDecimal.BigDecimal>,
  leavesQty: BigDecimal.BigDecimal
): BigDecimal.BigDecimal =>
  Option.match(price, { onNone: () => Money.zero, onSome: (at) => Holding.value(category, at, leavesQty) })

/** Computes the remaining quantity and value of an order from `qty`, `price` and the executed quantity. */
export const withLeaves = (order: Exchange.Order): Exchange.Order => {
  const leavesQty = BigDecimal.subtract(order.qty, order.cumExecQty)
  return {
    ...order,
    leavesQty: Option.some(leavesQty),
    leavesValue: Option.some(leavesValue(order.category, order.price, leavesQty))
  }
}

export const isConditional = (order: Exchange.Order): boolean => order.orderStatus === "Untriggered"

const stopKinds = new Set(["TakeProfit", "StopLoss", "TrailingStop", "PartialTakeProfit", "PartialStopLoss"])

/** Whether an order is a take profit, stop loss or trailing stop of a position. */
export const isPositionStop = (order: Exchange.Order): boolean =>
  Option.exists(order.stopOrderType, (type) => stopKinds.has(type))
