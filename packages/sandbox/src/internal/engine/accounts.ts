import * as Option from "effect/Option"
import * as State from "../../State.js"
import * as GrowingList from "../state/growingList.js"

/** The state with an account changed; an unknown UID changes nothing. */
export const update = (
  state: State.State,
  uid: string,
  change: (account: State.Account) => State.Account
): State.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const changed = change(account)
  return changed === account ? state : State.withAccount(state, changed)
}

/** An open order of an account. */
export const openOrder = (state: State.State, uid: string, orderId: string): State.Order | undefined =>
  state.accounts.get(uid)?.openOrders.find((order) => order.orderId === orderId)

/** The account with an order that replaces the one with its id, or follows the others. */
export const putOrder = (account: State.Account, order: State.Order): State.Account => {
  const known = account.openOrders.some((one) => one.orderId === order.orderId)
  return {
    ...account,
    openOrders: known
      ? account.openOrders.map((one) => (one.orderId === order.orderId ? order : one))
      : [...account.openOrders, order]
  }
}

/** The account with an order no longer open, in the way in which it was closed. */
export const close = (account: State.Account, closed: State.Order): State.Account => ({
  ...account,
  openOrders: account.openOrders.filter((one) => one.orderId !== closed.orderId),
  closedOrders: withClosed(account.closedOrders, [closed])
})

/** What a client's own id is looked up by among closed orders. */
export const linkKey = (order: Pick<State.Order, "category" | "orderLinkId">): string | undefined =>
  Option.isNone(order.orderLinkId) ? undefined : `${order.category} ${order.orderLinkId.value}`

/** Closed orders with further ones. */
export const withClosed = (
  closed: ReadonlyArray<State.Order>,
  added: ReadonlyArray<State.Order>
): ReadonlyArray<State.Order> => GrowingList.append(closed, added, linkKey)
