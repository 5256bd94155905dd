import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Accounts from "../state/accounts.js"
import * as Checks from "./checks.js"
import type { OrderStep } from "./childOrders.js"
import * as Closing from "../positions/closing.js"
import * as Cost from "./cost.js"
import * as Matching from "./matching.js"
import * as RestingOrders from "../book/restingOrders.js"
import * as Placement from "./placement.js"

const isTrailing = (order: Exchange.Order): boolean => Option.isSome(order.trailingStop)

/** Whether a conditional order triggers at the current prices. */
export const isDue = (order: Exchange.Order, listing: Exchange.Listing): boolean => {
  if (isTrailing(order)) {
    return Option.exists(
      Option.zipWith(order.extreme, order.trailingStop, (extreme, distance) =>
        BigDecimal.greaterThanOrEqualTo(
          order.side === "Sell"
            ? BigDecimal.subtract(extreme, listing.lastPrice)
            : BigDecimal.subtract(listing.lastPrice, extreme),
          distance
        )
      ),
      (due) => due
    )
  }
  if (Option.isNone(order.triggerPrice)) return false
  const price = Checks.triggering(listing, order.triggerBy)
  return Option.contains(order.triggerDirection, 1)
    ? BigDecimal.greaterThanOrEqualTo(price, order.triggerPrice.value)
    : BigDecimal.lessThanOrEqualTo(price, order.triggerPrice.value)
}

/** Updates a trailing stop after the market moved: it activates when its price is reached, and then tracks the best price. */
export const trail = (order: Exchange.Order, listing: Exchange.Listing): Exchange.Order => {
  if (!isTrailing(order)) return order
  const { lastPrice } = listing
  const sells = order.side === "Sell"
  if (Option.isNone(order.extreme)) {
    const isActive = Option.match(order.triggerPrice, {
      onNone: () => true,
      onSome: (price) =>
        sells ? BigDecimal.greaterThanOrEqualTo(lastPrice, price) : BigDecimal.lessThanOrEqualTo(lastPrice, price)
    })
    return isActive ? { ...order, extreme: Option.some(lastPrice) } : order
  }
  const isBetter = sells
    ? BigDecimal.greaterThan(lastPrice, order.extreme.value)
    : BigDecimal.lessThan(lastPrice, order.extreme.value)
  return isBetter ? { ...order, extreme: Option.some(lastPrice) } : order
}

// Cancels the other order of a pair when one triggers.
const withoutPartner = (state: Exchange.State, uid: string, order: Exchange.Order, now: number): Exchange.State =>
  Accounts.update(state, uid, (account) => {
    const partner = Closing.withPartner(account, order).filter((candidate) => candidate !== order)
    const rises = Option.contains(order.triggerDirection, 1)
    const firedProfit = rises === (order.side === "Sell")
    return Closing.cancelOrders(account, partner, now, {
      cancelType: firedProfit ? "CancelByOCOSlCanceledByTpTriggered" : "CancelByOCOTpCanceledBySlTriggered"
    })
  })

// Clears a stop of a position after it triggered.
const withoutStop = (state: Exchange.State, uid: string, order: Exchange.Order): Exchange.State =>
  OrderRecord.isPositionStop(order)
    ? Accounts.update(state, uid, (account) => Closing.clearStops(account, [order]))
    : state

const activate = (state: Exchange.State, { listing, now, order }: OrderStep): Exchange.Order => {
  const side = order.side === "Buy" ? ("Buy" as const) : ("Sell" as const)
  const isContractMarket = order.orderType === "Market" && order.category !== "spot"
  return OrderRecord.withLeaves({
    ...order,
    orderStatus: "New",
    price: isContractMarket ? Option.some(Placement.guard(listing, side, Option.none())) : order.price,
    pairedWith: Option.none(),
    // The order enters the book now.
    queuedAs: RestingOrders.lastInQueue(state, order, now),
    updatedTime: DateTime.unsafeMake(now)
  })
}

const worstOf = (order: Exchange.Order, listing: Exchange.Listing): Option.Option<BigDecimal.BigDecimal> =>
  order.orderType === "Limit"
    ? order.price
    : Option.some(Placement.guard(listing, order.side === "Buy" ? "Buy" : "Sell", Option.none()))

// A triggered spot order is cancelled without a reason, and replaced by an active order with a new id. (docs/reference/listed-operations.md#orderscreate)
const fireSpot = (state: Exchange.State, step: OrderStep): Exchange.State => {
  const { now, order, uid } = step
  const [id, issued] = Handler.issue(state, now)
  const isQuote = Option.contains(order.marketUnit, "quoteCoin")
  // The new id determines the place in the queue.
  const { queuedAs: _queuedAs, ...activeOrder } = activate(issued, step)
  const fresh: Exchange.Order = {
    ...activeOrder,
    orderId: Ids.OrderId(id),
    orderLinkId: Option.none(),
    filter: "Order",
    createdTime: DateTime.unsafeMake(now)
  }
  const active: Exchange.Order = isQuote ? { ...fresh, leavesValue: Option.some(fresh.qty) } : fresh
  const done = Accounts.update(issued, uid, (account) => Accounts.close(account, Closing.cancel(order, now)))
  return bring(done, { ...step, order: active })
}

// Cancels the order if the account can no longer pay for it.
const bring = (state: Exchange.State, { listing, now, order, uid }: OrderStep): Exchange.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const worst = worstOf(order, listing)
  const others = {
    ...account,
    openOrders: account.openOrders.filter((candidate) => candidate.orderId !== order.orderId)
  }
  const opened = Accounts.update(state, uid, (candidate) => Accounts.putOrder(candidate, order))
  return Either.isLeft(Cost.check(state, others, listing, order, worst))
    ? Closing.drop(opened, uid, order, now, { cancelType: "CancelByCannotAffordOrderCost" })
    : Matching.submit(opened, uid, order.orderId, worst, now)
}

/** Triggers a conditional order: it becomes active and reaches the market at once. */
export const fire = (state: Exchange.State, uid: string, orderId: string, now: number): Exchange.State => {
  const order = Accounts.openOrder(state, uid, orderId)
  const listing = order === undefined ? undefined : Exchange.listing(state, order.category, order.symbol)
  if (order === undefined || listing === undefined || !OrderRecord.isConditional(order)) return state
  const alone = withoutStop(withoutPartner(state, uid, order, now), uid, order)
  const step = { uid, order, listing, now }
  if (order.category === "spot") return fireSpot(alone, step)
  const account = alone.accounts.get(uid)
  const active = activate(alone, step)
  if (account === undefined || !order.reduceOnly) return bring(alone, { ...step, order: active })
  const most = Matching.reducible(account, order)
  return BigDecimal.isZero(most)
    ? Closing.drop(alone, uid, active, now, { cancelType: "CancelByReduceOnly" })
    : bring(alone, { ...step, order: OrderRecord.withLeaves({ ...active, qty: BigDecimal.min(active.qty, most) }) })
}
