import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Accounts from "../state/accounts.js"

/** How an unfilled order is closed. */
export interface End {
  readonly cancelType?: Enumerations.CancelType
  readonly rejectReason?: Enumerations.RejectReason
}

/** Returns an order after its cancellation. */
export const cancel = (order: Exchange.Order, now: number, end: End = {}): Exchange.ClosedOrder => ({
  ...order,
  orderStatus: "Cancelled",
  cancelType: Option.some(end.cancelType ?? "UNKNOWN"),
  rejectReason: end.rejectReason === undefined ? order.rejectReason : Option.some(end.rejectReason),
  leavesQty: Option.some(Money.zero),
  leavesValue: Option.some(Money.zero),
  updatedTime: DateTime.unsafeMake(now)
})

const isStopOf = (position: Exchange.Position, type: string) => (order: Exchange.Order) =>
  Accounts.isSamePosition(order, position) && Option.contains(order.stopOrderType, type)

/** Clears the removed stops of a position. */
export const withoutStops = (position: Exchange.Position, gone: ReadonlyArray<Exchange.Order>): Exchange.Position => {
  const lost = (type: string) => gone.some(isStopOf(position, type))
  const [profit, loss, trailing] = [lost("TakeProfit"), lost("StopLoss"), lost("TrailingStop")]
  if (!profit && !loss && !trailing) return position
  return {
    ...position,
    takeProfit: profit ? Option.none() : position.takeProfit,
    stopLoss: loss ? Option.none() : position.stopLoss,
    trailingStop: trailing ? Option.none() : position.trailingStop,
    activePrice: trailing ? Option.none() : position.activePrice
  }
}

/** Clears the stops of an account's positions that are among the removed orders. */
export const clearStops = (account: Exchange.Account, gone: ReadonlyArray<Exchange.Order>): Exchange.Account =>
  gone.some(OrderRecord.isPositionStop)
    ? { ...account, positions: account.positions.map((position) => withoutStops(position, gone)) }
    : account

/** Cancels open orders of an account and clears the stops of its positions. Their partners stay open, unpaired. */
export const cancelOrders = (
  account: Exchange.Account,
  going: ReadonlyArray<Exchange.Order>,
  now: number,
  end: End
): Exchange.Account => {
  if (going.length === 0) return account
  const ids = new Set<string>(going.map((order) => order.orderId))
  const gone = going.map((order) => cancel(order, now, end))
  return clearStops(
    {
      ...account,
      openOrders: account.openOrders
        .filter((order) => !ids.has(order.orderId))
        .map((order) =>
          Option.exists(order.pairedWith, (partner) => ids.has(partner))
            ? { ...order, pairedWith: Option.none() }
            : order
        ),
      closedOrders: account.closedOrders.append(gone)
    },
    going
  )
}

/** Returns an order and its partner, if that is still open. */
export const withPartner = (account: Exchange.Account, order: Exchange.Order): ReadonlyArray<Exchange.Order> => {
  const partner = Option.isNone(order.pairedWith)
    ? undefined
    : account.openOrders.find((candidate) => candidate.orderId === Option.getOrUndefined(order.pairedWith))
  return partner === undefined ? [order] : [order, partner]
}

/** Separates an order from its partner. (rule states/4) */
export const unpair = (account: Exchange.Account, order: Exchange.Order): Exchange.Account => {
  if (Option.isNone(order.pairedWith)) return account
  const pair = new Set<string>([order.orderId, order.pairedWith.value])
  return {
    ...account,
    openOrders: account.openOrders.map((candidate) =>
      pair.has(candidate.orderId) && Option.isSome(candidate.pairedWith)
        ? { ...candidate, pairedWith: Option.none() }
        : candidate
    )
  }
}

/** Closes an order that cannot rest: the remaining quantity is cancelled. */
export const drop = (
  state: Exchange.State,
  uid: string,
  order: Exchange.Order,
  now: number,
  end: End = {}
): Exchange.State => Accounts.update(state, uid, (account) => Accounts.close(account, cancel(order, now, end)))
