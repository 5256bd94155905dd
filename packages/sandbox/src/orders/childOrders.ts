import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as PositionOf from "../records/positionOf.js"
import * as TradingStop from "./tradingStop.js"
import * as Accounts from "../state/accounts.js"
import * as Liquidity from "../book/liquidity.js"

/** What happens to an order of an account, and when. */
export interface OrderStep<Order = Exchange.Order> {
  readonly uid: string
  readonly order: Order
  readonly listing: Exchange.Listing
  readonly now: number
}

const has = (order: Exchange.Order): boolean => Option.isSome(order.takeProfit) || Option.isSome(order.stopLoss)

const pair = (state: Exchange.State, uid: string, made: ReadonlyArray<string>): Exchange.State => {
  const [first, second] = made
  if (first === undefined || second === undefined) return state
  const partners = new Map([
    [first, second],
    [second, first]
  ])
  return Accounts.update(state, uid, (account) => ({
    ...account,
    openOrders: account.openOrders.map((order) => {
      const partner = partners.get(order.orderId)
      return partner === undefined ? order : { ...order, pairedWith: Option.some(partner) }
    })
  }))
}

// Creates the stops of a contract order: Full stops belong to the position, partial ones to the filled quantity.
const ofPosition = (
  state: Exchange.State,
  { listing, now, order, uid }: OrderStep<Exchange.Order & { readonly category: Exchange.Contract }>,
  filled: BigDecimal.BigDecimal
): Exchange.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const position = Accounts.findPosition(account, order)
  const isLong = order.side === "Buy"
  // A fill that only reduced the opposite position needs no protection.
  if (position === undefined || BigDecimal.isZero(position.size) || BigDecimal.isPositive(position.size) !== isLong) {
    return state
  }
  const isPartial = Option.contains(order.tpslMode, "Partial")
  let stops: TradingStop.Stops = {
    state,
    position,
    openOrders: account.openOrders,
    closedOrders: account.closedOrders
  }
  const made: Array<string> = []
  for (const side of TradingStop.sides) {
    const trigger = order[side.field]
    if (Option.isNone(trigger)) continue
    if (!isPartial) stops = { ...stops, position: { ...stops.position, [side.field]: trigger } }
    const kind = isPartial ? side.partial : side.full
    const [after, id] = TradingStop.place(
      stops,
      listing,
      {
        kind,
        trigger,
        triggerBy: Option.getOrElse(order[side.by], () => "LastPrice"),
        qty: isPartial ? BigDecimal.min(filled, BigDecimal.abs(position.size)) : BigDecimal.abs(position.size),
        limit: isPartial ? order[side.limit] : Option.none(),
        distance: Option.none()
      },
      now
    )
    stops = after
    made.push(id)
  }
  const put = PositionOf.put(
    { ...account, openOrders: stops.openOrders, closedOrders: stops.closedOrders },
    stops.position
  )
  return pair(Exchange.withAccount(stops.state, put), uid, made)
}

// Creates spot orders on the other side, for the bought amount after its fee or for the proceeds of a sale.
const ofSpot = (state: Exchange.State, { listing, now, order, uid }: OrderStep): Exchange.State => {
  const buys = order.side === "Buy"
  const qty = Liquidity.wholeSteps(
    listing,
    buys ? BigDecimal.subtract(order.cumExecQty, order.cumExecFee) : order.cumExecQty
  )
  if (BigDecimal.lessThan(qty, listing.instrument.lotSizeFilter.minOrderQty)) return state
  let next = state
  const made: Array<string> = []
  for (const side of TradingStop.sides) {
    const trigger = order[side.field]
    if (Option.isNone(trigger)) continue
    const [id, issued] = Handler.issue(next, now)
    const gains = side.field === "takeProfit"
    const at = DateTime.unsafeMake(now)
    const stop = OrderRecord.make({
      category: "spot",
      filter: "tpslOrder",
      orderId: Ids.OrderId(id),
      symbol: order.symbol,
      side: buys ? "Sell" : "Buy",
      qty,
      price: order[side.limit],
      orderStatus: "Untriggered",
      orderType: Option.isSome(order[side.limit]) ? "Limit" : "Market",
      timeInForce: Option.isSome(order[side.limit]) ? "GTC" : "IOC",
      marketUnit: Option.isSome(order[side.limit]) ? Option.none() : Option.some("baseCoin"),
      stopOrderType: Option.some("tpslOrder"),
      triggerPrice: trigger,
      triggerDirection: Option.some(gains === buys ? 1 : 2),
      lastPriceOnCreated: Option.some(listing.lastPrice),
      createdTime: at,
      updatedTime: at
    })
    next = Accounts.update(issued, uid, (account) => Accounts.putOrder(account, stop))
    made.push(id)
  }
  return pair(next, uid, made)
}

/** Creates the take profit and stop loss of an order for the quantity just filled. Spot creates them once the order is closed. */
export const attach = (
  state: Exchange.State,
  uid: string,
  order: Exchange.Order,
  filled: BigDecimal.BigDecimal,
  now: number
): Exchange.State => {
  if (!has(order) || BigDecimal.isZero(filled)) return state
  const listing = Exchange.listing(state, order.category, order.symbol)
  if (listing === undefined) return state
  const { category } = order
  if (category !== "spot") return ofPosition(state, { uid, order: { ...order, category }, listing, now }, filled)
  return order.orderStatus === "Filled" ? ofSpot(state, { uid, order, listing, now }) : state
}
