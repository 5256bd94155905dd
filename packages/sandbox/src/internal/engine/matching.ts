import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as State from "../../State.js"
import * as Book from "../book.js"
import * as Margin from "../margin.js"
import * as Money from "../money.js"
import * as Accounts from "./accounts.js"
import * as ChildOrders from "./childOrders.js"
import * as Closing from "./closing.js"
import * as Fills from "./fills.js"
import * as Liquidity from "./liquidity.js"

const sideOf = (order: State.Order): "Buy" | "Sell" => (order.side === "Buy" ? "Buy" : "Sell")

/** What an order may close of its position: what a reducing one is worth at most. */
export const reducible = (
  account: State.Account,
  order: Pick<State.Order, "category" | "symbol" | "positionIdx" | "side">
): BigDecimal.BigDecimal => {
  const position = account.positions.find(
    (one) => one.category === order.category && one.symbol === order.symbol && one.positionIdx === order.positionIdx
  )
  if (position === undefined || BigDecimal.isZero(position.size)) return Money.zero
  return BigDecimal.isPositive(position.size) === (order.side === "Sell") ? BigDecimal.abs(position.size) : Money.zero
}

const wanted = (order: State.Order): Liquidity.Wanted => {
  const left = Option.getOrElse(order.leavesQty, () => order.qty)
  return Fills.isByQuote(order) ? { unit: "quote", amount: left } : { unit: "base", qty: left }
}

/** What an order would get at once, from the price it takes at worst. */
export const plan = (
  state: State.State,
  listing: State.Listing,
  order: State.Order,
  worst: Option.Option<BigDecimal.BigDecimal>
): ReadonlyArray<Liquidity.Level> =>
  Liquidity.walk(state, listing, sideOf(order), wanted(order), Option.getOrUndefined(worst))

const qtyOf = (levels: ReadonlyArray<Liquidity.Level>): BigDecimal.BigDecimal =>
  Money.sum(...levels.map((level) => level.qty))

/** What levels cost or bring, before fees. */
export const valueOf = (category: State.Category, levels: ReadonlyArray<Liquidity.Level>): BigDecimal.BigDecimal =>
  Money.sum(...levels.map(({ price, qty }) => Book.value(category, price, qty)))

const rests = (order: State.Order): boolean =>
  order.orderType === "Limit" && (order.timeInForce === "GTC" || order.timeInForce === "PostOnly")

// What an order by quote coin has left over is less than one step costs: then it is done.
const settleQuote = (order: State.Order, levels: ReadonlyArray<Liquidity.Level>, listing: State.Listing): boolean => {
  const last = levels.at(-1)
  if (!Fills.isByQuote(order) || last === undefined) return false
  const left = Option.getOrElse(order.leavesQty, () => Money.zero)
  const step = Book.value(order.category, Liquidity.best(listing, sideOf(order)), Liquidity.qtyStep(listing))
  return BigDecimal.lessThan(left, BigDecimal.multiply(step, BigDecimal.make(2n, 0)))
}

/** The order as done although a remainder of the quote coin is too small to trade. */
const finished = (order: State.Order): State.Order => ({
  ...order,
  orderStatus: "Filled",
  leavesQty: Option.some(Money.zero),
  leavesValue: Option.some(Money.zero)
})

/**
 * Brings an open order to the market: it takes what is there up to `worst`, and what is left rests, or is cancelled. An order
 * that is to be filled whole, or not at once, is held to it.
 */
export const submit = (
  state: State.State,
  uid: string,
  orderId: string,
  worst: Option.Option<BigDecimal.BigDecimal>,
  now: number
): State.State => {
  const order = Accounts.openOrder(state, uid, orderId)
  const listing = order === undefined ? undefined : State.listing(state, order.category, order.symbol)
  if (order === undefined || listing === undefined) return state
  const levels = plan(state, listing, order, worst)
  if (order.timeInForce === "PostOnly" && levels.length > 0) {
    return Closing.drop(state, uid, order, now, { rejectReason: "EC_PostOnlyWillTakeLiquidity" })
  }
  if (order.timeInForce === "FOK" && BigDecimal.lessThan(qtyOf(levels), order.qty)) {
    return Closing.drop(state, uid, order, now, { rejectReason: "EC_NoEnoughQtyToFill" })
  }
  const taken = levels.reduce(
    (next, { price, qty }) => Fills.book(next, uid, orderId, { price, qty, isMaker: false, at: now }),
    state
  )
  const open = Accounts.openOrder(taken, uid, orderId)
  const left =
    open === undefined
      ? taken
      : settleQuote(open, levels, listing)
        ? Accounts.update(taken, uid, (account) => Accounts.close(account, finished(open)))
        : rests(open)
          ? taken
          : Closing.drop(taken, uid, open, now, levels.length === 0 ? { rejectReason: "EC_NoImmediateQtyToFill" } : {})
  return attachTo(left, uid, orderId, qtyOf(levels), now)
}

const latest = (state: State.State, uid: string, orderId: string): State.Order | undefined =>
  Accounts.openOrder(state, uid, orderId) ??
  state.accounts.get(uid)?.closedOrders.findLast((order) => order.orderId === orderId)

const attachTo = (
  state: State.State,
  uid: string,
  orderId: string,
  filled: BigDecimal.BigDecimal,
  now: number
): State.State => {
  const order = BigDecimal.isZero(filled) ? undefined : latest(state, uid, orderId)
  return order === undefined ? state : ChildOrders.attach(state, uid, order, filled, now)
}

const affordable = (account: State.Account, order: State.Order, listing: State.Listing, trade: Liquidity.Level) => {
  if (order.category !== "spot") return true
  const wallet = Margin.spotWallet(account)
  const { baseCoin, quoteCoin } = listing.instrument
  return order.side === "Buy"
    ? BigDecimal.lessThanOrEqualTo(
        Book.value("spot", trade.price, trade.qty),
        Margin.balance(account, wallet, quoteCoin)
      )
    : BigDecimal.lessThanOrEqualTo(trade.qty, Margin.balance(account, wallet, baseCoin))
}

/**
 * Fills a resting order as a maker, so much of it at a price. One that can reduce nothing any more, or that its wallet no
 * longer covers, is cancelled instead.
 */
export const fillResting = (
  state: State.State,
  uid: string,
  orderId: string,
  trade: Liquidity.Level,
  now: number
): State.State => {
  const account = state.accounts.get(uid)
  const order = Accounts.openOrder(state, uid, orderId)
  const listing = order === undefined ? undefined : State.listing(state, order.category, order.symbol)
  if (account === undefined || order === undefined || listing === undefined) return state
  const left = Option.getOrElse(order.leavesQty, () => Money.zero)
  const most = order.reduceOnly ? BigDecimal.min(left, reducible(account, order)) : left
  const qty = BigDecimal.min(trade.qty, most)
  if (!BigDecimal.isPositive(qty)) {
    return Closing.drop(state, uid, order, now, { cancelType: "CancelByReduceOnly" })
  }
  if (!affordable(account, order, listing, { price: trade.price, qty })) {
    return Closing.drop(state, uid, order, now, { cancelType: "CancelByCannotAffordOrderCost" })
  }
  const filled = Fills.book(state, uid, orderId, { price: trade.price, qty, isMaker: true, at: now })
  return attachTo(filled, uid, orderId, qty, now)
}

/** Whether the market has come to the price of a resting order. */
export const isReached = (order: State.Order, listing: State.Listing): boolean =>
  Option.exists(order.price, (price) => Liquidity.within(sideOf(order), listing.lastPrice, price))

/** Fills a resting order as far as one step of the market does. */
export const cross = (state: State.State, uid: string, order: State.Order, now: number): State.State => {
  const listing = State.listing(state, order.category, order.symbol)
  if (listing === undefined || Option.isNone(order.price) || !isReached(order, listing)) return state
  const qty = Liquidity.perStep(state, listing, sideOf(order))
  return fillResting(state, uid, order.orderId, { price: order.price.value, qty }, now)
}
