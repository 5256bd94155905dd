import * as Option from "effect/Option"
import * as Exchange from "./Exchange.js"

/** Changes an account of the state. An unknown UID changes nothing. */
export const update = (
  state: Exchange.State,
  uid: string,
  change: (account: Exchange.Account) => Exchange.Account
): Exchange.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const changed = change(account)
  return changed === account ? state : Exchange.withAccount(state, changed)
}

/** What a position and its orders have in common. */
interface OfPosition {
  readonly category: Exchange.Category
  readonly symbol: string
  readonly positionIdx: number
}

/** Returns true if two records, each a position or an order, belong to the same position. */
export const isSamePosition = (a: OfPosition, b: OfPosition): boolean =>
  a.category === b.category && a.symbol === b.symbol && a.positionIdx === b.positionIdx

/** Returns the position of an order, or the current version of a position. */
export const findPosition = (account: Exchange.Account, of: OfPosition): Exchange.Position | undefined =>
  account.positions.find((position) => isSamePosition(position, of))

/** Returns an open order of an account. */
export const openOrder = (state: Exchange.State, uid: string, orderId: string): Exchange.Order | undefined =>
  state.accounts.get(uid)?.openOrders.find((order) => order.orderId === orderId)

/** Replaces the order with the same id, or adds the order at the end. */
export const putOrder = (account: Exchange.Account, order: Exchange.Order): Exchange.Account => {
  const known = account.openOrders.some((candidate) => candidate.orderId === order.orderId)
  return {
    ...account,
    openOrders: known
      ? account.openOrders.map((candidate) => (candidate.orderId === order.orderId ? order : candidate))
      : [...account.openOrders, order]
  }
}

/** Moves an order from the open orders to the closed ones. */
export const close = (account: Exchange.Account, closed: Exchange.ClosedOrder): Exchange.Account => ({
  ...account,
  openOrders: account.openOrders.filter((order) => order.orderId !== closed.orderId),
  closedOrders: account.closedOrders.append([closed])
})

/** The key of the caller's order id among closed orders. */
export const linkKey = (order: Pick<Exchange.Order, "category" | "orderLinkId">): string | undefined =>
  Option.isNone(order.orderLinkId) ? undefined : `${order.category} ${order.orderLinkId.value}`
