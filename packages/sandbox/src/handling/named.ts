import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Refusal from "./refusal.js"

/** The ids of an order in a request. */
export interface Named {
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

/** `orderId` takes priority over `orderLinkId`, and both over everything else. */
export const isNamed = ({ orderId, orderLinkId }: Named, order: Exchange.Order): boolean =>
  orderId !== undefined ? order.orderId === orderId : Option.contains<string>(order.orderLinkId, orderLinkId ?? "")

/** The refusal for an order that can no longer be changed. */
const gone = (
  account: Exchange.Account,
  category: Exchange.Category,
  named: Named
): Either.Either<never, Refusal.Refusal> => {
  const order = account.closedOrders.findLast(
    (candidate) => candidate.category === category && isNamed(named, candidate)
  )
  if (category === "spot") {
    return order?.orderStatus === "Filled"
      ? Refusal.left(170139, "Order has been filled.")
      : order === undefined
        ? Refusal.left(170213, "Order does not exist.")
        : Refusal.left(170142, "Order has been canceled.")
  }
  switch (order?.orderStatus) {
    case "Filled":
      return Refusal.left(110008, "Order has been finished or canceled")
    case "Cancelled":
      return Refusal.left(110010, "Order has been canceled")
    default:
      return Refusal.left(110001, "order not exists or too late to replace")
  }
}

/** Returns the open order that a request names, or the refusal of the request. */
export const findOpen = (
  account: Exchange.Account,
  request: Named & { readonly category: Exchange.Category; readonly symbol: string },
  filter?: string
): Either.Either<Exchange.Order, Refusal.Refusal> => {
  const order = account.openOrders.find(
    (candidate) =>
      candidate.category === request.category &&
      isNamed(request, candidate) &&
      (filter === undefined || candidate.filter === filter)
  )
  if (order === undefined) return gone(account, request.category, request)
  return order.symbol === request.symbol ? Either.right(order) : Refusal.parameter("symbol does not match the order")
}
