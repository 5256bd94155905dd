import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Holding from "../trading/holding.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Accounts from "../state/accounts.js"
import * as ChildOrders from "./childOrders.js"
import * as Closing from "../positions/closing.js"
import * as Fills from "../positions/fills.js"
import * as Liquidity from "../book/liquidity.js"
import * as RestingOrders from "../book/restingOrders.js"

const sideOf = (order: Exchange.Order): "Buy" | "Sell" => (order.side === "Buy" ? "Buy" : "Sell")

/** The part of its position that an order can close, which limits a reducing order. */
export const reducible = (
  account: Exchange.Account,
  order: Pick<Exchange.Order, "category" | "symbol" | "positionIdx" | "side">
): BigDecimal.BigDecimal => {
  const position = Accounts.findPosition(account, order)
  if (position === undefined || BigDecimal.isZero(position.size)) return Money.zero
  return BigDecimal.isPositive(position.size) === (order.side === "Sell") ? BigDecimal.abs(position.size) : Money.zero
}

// The remaining quantity of an order; for a reducing order at most the position.
const remainderOf = (account: Exchange.Account | undefined, order: Exchange.Order): Liquidity.Wanted => {
  const left = Option.getOrElse(order.leavesQty, () => order.qty)
  if (Fills.isByQuote(order)) return { unit: "quote", amount: left }
  const limited = order.reduceOnly && account !== undefined
  return { unit: "base", qty: limited ? BigDecimal.min(left, reducible(account, order)) : left }
}

/** Returns the fills that an order would get at once, down to its worst price. */
export const plan = (
  state: Exchange.State,
  account: Exchange.Account,
  listing: Exchange.Listing,
  order: Exchange.Order,
  worst: Option.Option<BigDecimal.BigDecimal>
): ReadonlyArray<Liquidity.Level> => {
  const limit = Option.getOrUndefined(worst)
  const { callers, marketMaker } = Liquidity.offer(state, listing, sideOf(order), limit, order.orderId)
  // With self-match prevention the account's orders are skipped.
  const others = prevents(order) ? callers.filter(({ uid }) => uid !== account.uid) : callers
  return Liquidity.walk(state, listing, sideOf(order), remainderOf(account, order), limit, {
    callers: others,
    marketMaker
  })
}

// Self-match prevention. (docs/reference/listed-operations.md#orderscreate)
const prevents = ({ smpType }: Exchange.Order): boolean => smpType !== undefined && smpType !== "None"

const qtyOf = (levels: ReadonlyArray<Liquidity.Level>): BigDecimal.BigDecimal =>
  Money.sum(...levels.map((level) => level.qty))

/** The value of levels, before fees. */
export const valueOf = (category: Exchange.Category, levels: ReadonlyArray<Liquidity.Level>): BigDecimal.BigDecimal =>
  Money.sum(...levels.map(({ price, qty }) => Holding.value(category, price, qty)))

const rests = (order: Exchange.Order): boolean =>
  order.orderType === "Limit" && (order.timeInForce === "GTC" || order.timeInForce === "PostOnly")

// Finishes an order by quote coin whose remainder is less than the cost of one step.
const settleQuote = (
  state: Exchange.State,
  uid: string,
  orderId: string,
  levels: ReadonlyArray<Liquidity.Level>,
  listing: Exchange.Listing
): Exchange.State => {
  const order = Accounts.openOrder(state, uid, orderId)
  const last = levels.at(-1)
  if (order === undefined || !Fills.isByQuote(order) || last === undefined) return state
  const left = Option.getOrElse(order.leavesQty, () => Money.zero)
  const step = Holding.value(order.category, Liquidity.best(listing, sideOf(order)), Liquidity.qtyStep(listing))
  return BigDecimal.lessThan(left, BigDecimal.multiply(step, BigDecimal.make(2n, 0)))
    ? Accounts.update(state, uid, (account) => Accounts.close(account, finish(order)))
    : state
}

/** Marks an order as filled, although a remainder of the quote coin is too small to trade. */
const finish = (order: Exchange.Order): Exchange.ClosedOrder => ({
  ...order,
  orderStatus: "Filled",
  leavesQty: Option.some(Money.zero),
  leavesValue: Option.some(Money.zero)
})

/** The state after a trade, and the filled quantity. */
interface Taken {
  readonly state: Exchange.State
  readonly qty: BigDecimal.BigDecimal
}

/** Trades an open order with callers and the market maker, down to `worst`. Orders of callers trade at their prices, as makers. */
const trade = (
  before: Exchange.State,
  { listing, now, order, uid }: ChildOrders.OrderStep,
  worst: Option.Option<BigDecimal.BigDecimal>
): Taken => {
  const { orderId, smpType } = order
  let state = before
  const take = ({ maker, price, qty }: Liquidity.Level): BigDecimal.BigDecimal | undefined => {
    if (Accounts.openOrder(state, uid, orderId) === undefined) return undefined
    let traded = qty
    if (maker !== undefined) {
      if (maker.uid === uid && prevents(order)) {
        if (smpType !== "CancelTaker") state = dropOpen(state, maker.uid, maker.order.orderId, now, "CancelBySmp")
        if (smpType === "CancelMaker") return Money.zero
        state = dropOpen(state, uid, orderId, now, "CancelBySmp")
        return undefined
      }
      const filled = fillMaker(state, maker.uid, maker.order.orderId, { price, qty }, now)
      state = filled.state
      traded = filled.qty
    }
    if (BigDecimal.isPositive(traded)) {
      state = Fills.book(state, uid, orderId, { price, qty: traded, isMaker: false, at: now })
    }
    return traded
  }
  const limit = Option.getOrUndefined(worst)
  const offer = Liquidity.offer(state, listing, sideOf(order), limit, orderId)
  const levels = Liquidity.walk(
    state,
    listing,
    sideOf(order),
    remainderOf(state.accounts.get(uid), order),
    limit,
    offer,
    take
  )
  return { state: settleQuote(state, uid, orderId, levels, listing), qty: qtyOf(levels) }
}

// The remainder of a reducing order without a position can never trade.
const withoutRemainder = (
  state: Exchange.State,
  uid: string,
  order: Exchange.Order,
  filled: BigDecimal.BigDecimal,
  now: number
): Exchange.State => {
  const account = state.accounts.get(uid)
  const isStranded =
    order.reduceOnly &&
    BigDecimal.isPositive(filled) &&
    account !== undefined &&
    BigDecimal.isZero(reducible(account, order))
  return isStranded ? dropOpen(state, uid, order.orderId, now, "CancelByReduceOnly") : state
}

const dropOpen = (
  state: Exchange.State,
  uid: string,
  orderId: string,
  now: number,
  cancelType: Enumerations.CancelType
): Exchange.State => {
  const order = Accounts.openOrder(state, uid, orderId)
  return order === undefined ? state : Closing.drop(state, uid, order, now, { cancelType })
}

/** Submits an open order: it trades down to `worst`, and the remainder rests or is cancelled. A FOK or PostOnly order is handled as a whole. */
export const submit = (
  state: Exchange.State,
  uid: string,
  orderId: string,
  worst: Option.Option<BigDecimal.BigDecimal>,
  now: number
): Exchange.State => {
  const account = state.accounts.get(uid)
  const order = Accounts.openOrder(state, uid, orderId)
  const listing = order === undefined ? undefined : Exchange.listing(state, order.category, order.symbol)
  if (account === undefined || order === undefined || listing === undefined) return state
  const whole = order.timeInForce === "FOK"
  const notWhole = () => Closing.drop(state, uid, order, now, { rejectReason: "EC_NoEnoughQtyToFill" })
  if (whole || order.timeInForce === "PostOnly") {
    const levels = plan(state, account, listing, order, worst)
    if (whole && BigDecimal.lessThan(qtyOf(levels), order.qty)) return notWhole()
    if (!whole && levels.length > 0) {
      return Closing.drop(state, uid, order, now, { rejectReason: "EC_PostOnlyWillTakeLiquidity" })
    }
  }
  const taken = trade(state, { uid, order, listing, now }, worst)
  // A maker in the plan can have failed to trade.
  if (whole && BigDecimal.lessThan(taken.qty, order.qty)) return notWhole()
  const open = Accounts.openOrder(taken.state, uid, orderId)
  const nothing = BigDecimal.isZero(taken.qty)
  const left =
    open === undefined
      ? taken.state
      : rests(open)
        ? withoutRemainder(taken.state, uid, open, taken.qty, now)
        : Closing.drop(taken.state, uid, open, now, nothing ? { rejectReason: "EC_NoImmediateQtyToFill" } : {})
  return attachTo(left, uid, orderId, taken.qty, now)
}

const latest = (state: Exchange.State, uid: string, orderId: string): Exchange.Order | undefined =>
  Accounts.openOrder(state, uid, orderId) ??
  state.accounts.get(uid)?.closedOrders.findLast((order) => order.orderId === orderId)

const attachTo = (
  state: Exchange.State,
  uid: string,
  orderId: string,
  filled: BigDecimal.BigDecimal,
  now: number
): Exchange.State => {
  const order = BigDecimal.isZero(filled) ? undefined : latest(state, uid, orderId)
  return order === undefined ? state : ChildOrders.attach(state, uid, order, filled, now)
}

const affordable = (
  account: Exchange.Account,
  order: Exchange.Order,
  listing: Exchange.Listing,
  trade: Liquidity.Level
) => {
  if (order.category !== "spot") return true
  const wallet = Margin.spotWallet(account)
  const { baseCoin, quoteCoin } = listing.instrument
  return order.side === "Buy"
    ? BigDecimal.lessThanOrEqualTo(
        Holding.value("spot", trade.price, trade.qty),
        Margin.balance(account, wallet, quoteCoin)
      )
    : BigDecimal.lessThanOrEqualTo(trade.qty, Margin.balance(account, wallet, baseCoin))
}

/**
 * Fills a resting order as a maker, up to `qty` at a price. The order is cancelled if it can no longer reduce anything, or if the wallet no
 * longer covers it.
 */
const fillMaker = (state: Exchange.State, uid: string, orderId: string, level: Liquidity.Level, now: number): Taken => {
  const account = state.accounts.get(uid)
  const order = Accounts.openOrder(state, uid, orderId)
  const listing = order === undefined ? undefined : Exchange.listing(state, order.category, order.symbol)
  if (account === undefined || order === undefined || listing === undefined) return { state, qty: Money.zero }
  const left = Option.getOrElse(order.leavesQty, () => Money.zero)
  const most = order.reduceOnly ? BigDecimal.min(left, reducible(account, order)) : left
  const qty = BigDecimal.min(level.qty, most)
  const drop = (cancelType: Enumerations.CancelType): Taken => ({
    state: Closing.drop(state, uid, order, now, { cancelType }),
    qty: Money.zero
  })
  if (!BigDecimal.isPositive(qty)) return drop("CancelByReduceOnly")
  if (!affordable(account, order, listing, { price: level.price, qty })) {
    return drop("CancelByCannotAffordOrderCost")
  }
  const filled = Fills.book(state, uid, orderId, { price: level.price, qty, isMaker: true, at: now })
  const kept = withoutRemainder(filled, uid, order, qty, now)
  return { state: attachTo(kept, uid, orderId, qty, now), qty }
}

/** Fills a resting order against the market maker, up to `qty` at a price. */
export const fillResting = (
  state: Exchange.State,
  uid: string,
  orderId: string,
  level: Liquidity.Level,
  now: number
): Exchange.State => fillMaker(state, uid, orderId, level, now).state

const findReached = (state: Exchange.State, uids: ReadonlyArray<string>): ReadonlyArray<RestingOrders.Resting> =>
  uids.flatMap((uid) =>
    (state.accounts.get(uid)?.openOrders ?? []).flatMap((order) => {
      if (OrderRecord.isConditional(order) || Option.isNone(order.price)) return []
      const listing = Exchange.listing(state, order.category, order.symbol)
      const price = order.price.value
      return listing !== undefined && Liquidity.within(sideOf(order), listing.lastPrice, price)
        ? [{ uid, order, price }]
        : []
    })
  )

/**
 * Runs one step for the resting orders whose price was reached, best price first, then oldest first. If the market passed the price, the
 * whole order is filled, because the market maker never trades behind a caller's price. If the market is exactly at the price, a limited
 * quantity is filled, shared by all orders there.
 */
export const cross = (state: Exchange.State, uids: ReadonlyArray<string>, now: number): Exchange.State => {
  const room = new Map<string, BigDecimal.BigDecimal>()
  const buys = findReached(state, uids).filter(({ order }) => order.side === "Buy")
  const sells = findReached(state, uids).filter(({ order }) => order.side === "Sell")
  return [
    ...[...buys].sort(RestingOrders.byPriority("Buy")),
    ...[...sells].sort(RestingOrders.byPriority("Sell"))
  ].reduce((next, { order: { category, leavesQty, orderId, side, symbol }, price, uid }) => {
    const listing = Exchange.listing(next, category, symbol)
    if (listing === undefined) return next
    if (!BigDecimal.equals(price, listing.lastPrice)) {
      const qty = Option.getOrElse(leavesQty, () => Money.zero)
      return fillMaker(next, uid, orderId, { price, qty }, now).state
    }
    const key = `${Exchange.listingKey(category, symbol)} ${side}`
    const left = room.get(key) ?? Liquidity.perStep(next, listing, side === "Buy" ? "Buy" : "Sell")
    if (!BigDecimal.isPositive(left)) return next
    const filled = fillMaker(next, uid, orderId, { price, qty: left }, now)
    room.set(key, BigDecimal.subtract(left, filled.qty))
    return filled.state
  }, state)
}
