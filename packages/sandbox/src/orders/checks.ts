import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Holding from "../trading/holding.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Refusal from "../handling/refusal.js"
import * as Accounts from "../state/accounts.js"
import * as Liquidity from "../book/liquidity.js"

export type Checked<A = void> = Either.Either<A, Refusal.Refusal>

/** Checks that a price is a multiple of the tick and within the range of its listing. */
export const price = (listing: Exchange.Listing, field: string, price: BigDecimal.BigDecimal): Checked => {
  const { maxPrice, minPrice, tickSize } = listing.instrument.priceFilter
  if (!Money.isMultiple(price, tickSize)) {
    return listing.category === "spot"
      ? Refusal.left(170134, "Order price has too many decimals.")
      : Refusal.parameter(`${field} must be a multiple of ${Decimal.format(tickSize)}`)
  }
  const outside =
    Option.exists(minPrice, (least) => BigDecimal.lessThan(price, least)) ||
    Option.exists(maxPrice, (most) => BigDecimal.greaterThan(price, most))
  return outside ? Refusal.left(110003, "Order price exceeds the allowable range.") : Either.void
}

const most = (listing: Exchange.Listing, orderType: string): BigDecimal.BigDecimal => {
  const { maxMktOrderQty, maxOrderQty } = listing.instrument.lotSizeFilter
  return orderType === "Market" ? Option.getOrElse(maxMktOrderQty, () => maxOrderQty) : maxOrderQty
}

/** Checks that a quantity of the base coin or of contracts is a multiple of the step and within the bounds of its listing. */
export const qty = (listing: Exchange.Listing, orderType: string, qty: BigDecimal.BigDecimal): Checked => {
  const { minOrderQty } = listing.instrument.lotSizeFilter
  const spot = listing.category === "spot"
  if (!Money.isMultiple(qty, Liquidity.qtyStep(listing))) {
    return spot ? Refusal.left(170137, "Order quantity has too many decimals.") : Refusal.parameter("qty invalid")
  }
  if (BigDecimal.lessThan(qty, minOrderQty)) {
    return spot ? Refusal.left(170136, "Order quantity is below the minimum.") : Refusal.parameter("qty invalid")
  }
  if (BigDecimal.lessThanOrEqualTo(qty, most(listing, orderType))) return Either.void
  return spot ? Refusal.left(170135, "Order quantity is above the maximum.") : Refusal.parameter("qty invalid")
}

/** Checks the quote amount that a market order spends or receives. */
export const quoteAmount = (listing: Exchange.Listing, amount: BigDecimal.BigDecimal): Checked => {
  const precision = Option.getOrElse(listing.instrument.lotSizeFilter.quotePrecision, () => Money.one)
  return Money.isMultiple(amount, precision)
    ? Either.void
    : Refusal.left(170137, "Order quantity has too many decimals.")
}

/** Checks the value of an order against the minimum of its listing. Reducing orders can have any size. */
export const worth = (
  listing: Exchange.Listing,
  qty: BigDecimal.BigDecimal,
  at: BigDecimal.BigDecimal,
  byQuote: boolean
): Checked => {
  const { maxOrderAmt, minNotionalValue, minOrderAmt } = listing.instrument.lotSizeFilter
  // An inverse contract is worth one dollar.
  const value = byQuote || listing.category === "inverse" ? qty : Holding.value(listing.category, at, qty)
  if (Option.exists(minNotionalValue, (least) => BigDecimal.lessThan(value, least))) {
    return Refusal.left(110094, "Order does not meet minimum order value")
  }
  if (Option.exists(minOrderAmt, (least) => BigDecimal.lessThan(value, least))) {
    return Refusal.left(170140, "Order value exceeded lower limit.")
  }
  return Option.exists(maxOrderAmt, (upper) => BigDecimal.greaterThan(value, upper))
    ? Refusal.left(170135, "Order quantity is above the maximum.")
    : Either.void
}

/** Checks that the price of a spot limit order is close enough to the market. */
export const spotBand = (listing: Exchange.Listing, side: string, price: BigDecimal.BigDecimal): Checked => {
  const limit = Option.map(listing.instrument.riskParameters, (risk) => risk.limitParameter)
  if (Option.isNone(limit)) return Either.void
  const away = BigDecimal.multiply(listing.lastPrice, limit.value)
  if (side === "Buy") {
    return BigDecimal.greaterThan(price, BigDecimal.sum(listing.lastPrice, away))
      ? Refusal.left(170132, "Order price is too high.")
      : Either.void
  }
  return BigDecimal.lessThan(price, BigDecimal.subtract(listing.lastPrice, away))
    ? Refusal.left(170133, "Order price is too low.")
    : Either.void
}

/** Returns the price that a trigger is compared with. */
export const triggering = (listing: Exchange.Listing, by: Option.Option<string>): BigDecimal.BigDecimal => {
  switch (Option.getOrElse(by, () => "LastPrice")) {
    case "MarkPrice":
      return listing.markPrice
    case "IndexPrice":
      return listing.indexPrice
    default:
      return listing.lastPrice
  }
}

/** Checks that a trigger for a rise is above the market, and one for a fall below it. */
export const trigger = (listing: Exchange.Listing, order: Exchange.Order): Checked => {
  if (Option.isNone(order.triggerPrice)) return Either.void
  const now = triggering(listing, order.triggerBy)
  if (Option.contains(order.triggerDirection, 1) && BigDecimal.lessThanOrEqualTo(order.triggerPrice.value, now)) {
    return Refusal.left(110092, "expect Rising, but trigger_price <= current")
  }
  return Option.contains(order.triggerDirection, 2) && BigDecimal.greaterThanOrEqualTo(order.triggerPrice.value, now)
    ? Refusal.left(110093, "expect Falling, but trigger_price >= current")
    : Either.void
}

/** Checks that the take profit is on the gaining side of the order's price and the stop loss on the losing side. */
export const stops = (
  listing: Exchange.Listing,
  order: Exchange.Order,
  fields: ReadonlyArray<"takeProfit" | "stopLoss"> = ["takeProfit", "stopLoss"]
): Checked =>
  Either.gen(function* () {
    const entry =
      order.orderType === "Limit" ? Option.getOrElse(order.price, () => listing.lastPrice) : listing.lastPrice
    for (const field of fields) {
      const stop = order[field]
      if (Option.isNone(stop)) continue
      yield* price(listing, field, stop.value)
      const above = (field === "takeProfit") === (order.side === "Buy")
      const fits = above ? BigDecimal.greaterThan(stop.value, entry) : BigDecimal.lessThan(stop.value, entry)
      if (!fits) return yield* Refusal.parameter(`${field} must be ${above ? "above" : "below"} the order's price`)
    }
  })

/** Checks the maximum number of open orders. Reducing orders are accepted beyond it. (docs/reference/listed-operations.md#orderscreate) */
export const caps = (account: Exchange.Account, order: Exchange.Order): Checked => {
  if (order.reduceOnly || order.closeOnTrigger) return Either.void
  if (order.category === "spot") {
    const ours = account.openOrders.filter((candidate) => candidate.category === "spot")
    const stops = ours.filter((candidate) => candidate.filter !== "Order").length
    return ours.length >= 500 || (order.filter !== "Order" && stops >= 30)
      ? Refusal.left(170810, "Cannot exceed maximum of 500 conditional, TP/SL and active orders.")
      : Either.void
  }
  const ours = account.openOrders.filter(
    (candidate) =>
      candidate.category === order.category &&
      candidate.symbol === order.symbol &&
      !OrderRecord.isPositionStop(candidate)
  )
  const conditional = ours.filter(OrderRecord.isConditional).length
  if (OrderRecord.isConditional(order)) {
    return conditional >= 10
      ? Refusal.left(110009, "The number of stop orders exceeds the maximum allowable limit")
      : Either.void
  }
  return ours.length - conditional >= 500
    ? Refusal.left(110020, "Not allowed to have more than 500 active orders")
    : Either.void
}

/** Checks that the caller's order id is new. */
export const link = (account: Exchange.Account, order: Exchange.Order): Checked => {
  if (Option.isNone(order.orderLinkId)) return Either.void
  const id = order.orderLinkId.value
  const isTaken = (candidate: Exchange.Order) =>
    candidate.category === order.category && Option.contains(candidate.orderLinkId, id)
  const mayBeClosed = account.closedOrders.mayHave(Accounts.linkKey, Accounts.linkKey(order) ?? "")
  return account.openOrders.some(isTaken) || (mayBeClosed && account.closedOrders.findLast(isTaken) !== undefined)
    ? order.category === "spot"
      ? Refusal.left(170141, "Duplicate clientOrderId.")
      : Refusal.left(110072, "OrderLinkedID is duplicate")
    : Either.void
}
