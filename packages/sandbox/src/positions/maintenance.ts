import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Accounts from "../state/accounts.js"
import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as PositionOf from "../records/positionOf.js"
import * as Closing from "./closing.js"

const isOf = (position: Exchange.Position) => (order: Exchange.Order) => Accounts.isSamePosition(order, position)

/** Whether an order is a stop of a position that waits for its trigger. */
export const isWaitingStop = (order: Exchange.Order): boolean =>
  OrderRecord.isConditional(order) && OrderRecord.isPositionStop(order)

// Limits a stop to the size of its position; a stop for the whole position follows the size.
const resize = (order: Exchange.Order, size: BigDecimal.BigDecimal, now: number): Exchange.Order => {
  const isPartial = Option.contains(order.tpslMode, "Partial")
  const qty = isPartial ? BigDecimal.min(order.qty, size) : size
  if (BigDecimal.equals(qty, order.qty)) return order
  return OrderRecord.withLeaves({ ...order, qty, updatedTime: DateTime.unsafeMake(now) })
}

/**
 * Updates the orders of a position after its size changed. If the position is closed, its stops and the orders that could only reduce it
 * are cancelled; otherwise the stops follow the size. The order that caused the change is not touched. (rule states/3)
 */
export const follow = (
  account: Exchange.Account,
  before: Exchange.Position,
  after: Exchange.Position,
  cause: string,
  now: number
): Exchange.Account => {
  const isOver =
    BigDecimal.isZero(after.size) ||
    (!BigDecimal.isZero(before.size) && BigDecimal.isNegative(before.size) !== BigDecimal.isNegative(after.size))
  const ours = account.openOrders.filter((order) => isOf(after)(order) && order.orderId !== cause)
  if (isOver) {
    const stops = ours.filter(isWaitingStop)
    const reducing = ours.filter((order) => order.reduceOnly && !OrderRecord.isConditional(order))
    const cleared: Exchange.Position = {
      ...after,
      takeProfit: Option.none(),
      stopLoss: Option.none(),
      trailingStop: Option.none(),
      activePrice: Option.none(),
      addedMargin: Money.zero
    }
    const without = Closing.cancelOrders(PositionOf.put(account, cleared), stops, now, {
      cancelType: "CancelByTpSlTsClear"
    })
    return Closing.cancelOrders(without, reducing, now, { cancelType: "CancelByReduceOnly" })
  }
  const size = BigDecimal.abs(after.size)
  const changed = new Map(
    ours
      .filter(isWaitingStop)
      .map((order) => [order, resize(order, size, now)] as const)
      .filter(([order, next]) => order !== next)
  )
  const put = PositionOf.put(account, after)
  return changed.size === 0 ? put : { ...put, openOrders: put.openOrders.map((order) => changed.get(order) ?? order) }
}
