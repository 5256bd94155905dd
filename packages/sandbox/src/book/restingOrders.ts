import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as OnDemand from "../state/onDemand.js"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"

/** An order that rests at its price. */
export interface Resting {
  readonly uid: string
  readonly order: Exchange.Order
  readonly price: BigDecimal.BigDecimal
}

type Side = "Buy" | "Sell"

const isResting = (order: Exchange.Order): boolean => !OrderRecord.isConditional(order) && Option.isSome(order.price)

const keyOf = (category: Exchange.Category, symbol: string, side: string): string => `${category}:${symbol}:${side}`

/** Groups the resting orders of an account by market and side. */
const sidesOf = OnDemand.perObject((orders: ReadonlyArray<Exchange.Order>) => {
  const groups = new Map<string, Array<Exchange.Order>>()
  for (const order of orders) {
    if (!isResting(order)) continue
    const key = keyOf(order.category, order.symbol, order.side)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [order])
    else group.push(order)
  }
  return groups
})

/** Whether a resting order of this side would trade at `limit` or better. */
const reaches = (side: Side, price: BigDecimal.BigDecimal, limit: BigDecimal.BigDecimal | undefined): boolean =>
  limit === undefined ||
  (side === "Buy" ? BigDecimal.greaterThanOrEqualTo(price, limit) : BigDecimal.lessThanOrEqualTo(price, limit))

/** The place of an order in the queue of its price. Ids sort by time; an amendment can lose the place. */
const place = (order: Exchange.Order): string => order.queuedAs ?? order.orderId

/** Returns the place behind all resting orders. */
export const lastInQueue = (state: Exchange.State, order: Pick<Exchange.Order, "orderId">, now: number): string =>
  `${Ids.makeTimed(now, Ids.ending(state.issued, ""))}${order.orderId}`

/** Sorts by better price, then by earlier order. */
export const byPriority =
  (side: Side) =>
  (a: Resting, b: Resting): number => {
    const price = side === "Buy" ? BigDecimal.Order(b.price, a.price) : BigDecimal.Order(a.price, b.price)
    if (price !== 0) return price
    return place(a.order) < place(b.order) ? -1 : 1
  }

/** Returns the resting orders on a side of a listing at `limit` or better, in trading order. */
export const queue = (
  state: Exchange.State,
  listing: Exchange.Listing,
  side: Side,
  limit: BigDecimal.BigDecimal | undefined
): ReadonlyArray<Resting> => {
  const key = keyOf(listing.category, listing.instrument.symbol, side)
  const found: Array<Resting> = []
  for (const { openOrders, uid } of state.accounts.values()) {
    if (openOrders.length === 0) continue
    for (const order of sidesOf(openOrders).get(key) ?? []) {
      const price = Option.getOrElse(order.price, () => Money.zero)
      if (reaches(side, price, limit)) found.push({ uid, order, price })
    }
  }
  return found.length < 2 ? found : found.sort(byPriority(side))
}
