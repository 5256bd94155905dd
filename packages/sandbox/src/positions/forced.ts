import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Accounts from "../state/accounts.js"
import * as Fills from "./fills.js"

/** The quantity to close, and its price. */
export interface Part {
  readonly qty: BigDecimal.BigDecimal
  readonly price: BigDecimal.BigDecimal
}

/** The types and the fee rate of the execution. */
export type ForcedClose = Required<Pick<Fills.Trade, "execType" | "createType" | "feeRate">>

/** Closes a part of a position with an order of the venue. */
export const close = (
  state: Exchange.State,
  uid: string,
  position: Exchange.Position,
  { price, qty }: Part,
  kind: ForcedClose,
  now: number
): Exchange.State => {
  const [id, issued] = Handler.issue(state, now)
  const at = DateTime.unsafeMake(now)
  const order = OrderRecord.make({
    category: position.category,
    filter: "Order",
    orderId: Ids.OrderId(id),
    symbol: Ids.Symbol(position.symbol),
    positionIdx: position.positionIdx,
    side: BigDecimal.isPositive(position.size) ? "Sell" : "Buy",
    price: Option.some(price),
    qty,
    orderStatus: "New",
    orderType: "Market",
    timeInForce: "IOC",
    reduceOnly: true,
    createdTime: at,
    updatedTime: at
  })
  const opened = Accounts.update(issued, uid, (account) => Accounts.putOrder(account, order))
  return Fills.book(opened, uid, id, { price, qty, isMaker: false, at: now, ...kind })
}
