import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Id from "@effect-venue/schemas/Id"
import type * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"

/** A funding charge of a position. A negative fee is paid to the position. */
export interface Charge {
  readonly symbol: Id.Symbol
  readonly isLong: boolean
  readonly size: BigDecimal.BigDecimal
  readonly markPrice: BigDecimal.BigDecimal
  readonly value: BigDecimal.BigDecimal
  readonly rate: BigDecimal.BigDecimal
  readonly fee: BigDecimal.BigDecimal
}

type ChargeDates = "orderId" | "execId" | "execTime" | "seq"

/** The part of the execution that does not depend on the time of the charge. */
export const makeUndated = (charge: Charge): Omit<Executions.Execution, ChargeDates> => ({
  symbol: charge.symbol,
  side: charge.isLong ? "Buy" : "Sell",
  orderPrice: Option.some(Money.zero),
  orderQty: Option.some(Money.zero),
  leavesQty: Option.some(Money.zero),
  orderType: "UNKNOWN",
  stopOrderType: Option.some("UNKNOWN"),
  execFee: charge.fee,
  execPrice: charge.markPrice,
  execQty: charge.size,
  execValue: Option.some(charge.value),
  execType: Option.some("Funding"),
  isMaker: Option.some(false),
  feeRate: Option.some(charge.rate),
  markPrice: Option.some(charge.markPrice),
  closedSize: Option.some(Money.zero),
  createType: Option.none()
})

/** The execution of a charge. */
export const addDate = (
  undated: Omit<Executions.Execution, ChargeDates>,
  ids: { readonly orderId: string; readonly execId: string },
  at: number
): Executions.Execution => ({
  orderId: Ids.OrderId(ids.orderId),
  execId: Ids.ExecId(ids.execId),
  execTime: DateTime.unsafeMake(at),
  seq: Option.some(Ids.sequence(at)),
  ...undated
})
