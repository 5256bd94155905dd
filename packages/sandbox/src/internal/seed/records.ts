import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Id from "@effect-venue/schemas/Id"
import type * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as State from "../../State.js"
import * as Average from "../average.js"
import * as Holding from "../holding.js"
import * as Fees from "../fees.js"
import * as Ids from "../ids.js"
import * as Money from "../money.js"
import * as OrderRecord from "../orderRecord.js"
import * as PastTrading from "./pastTrading.js"
import * as Market from "./market.js"

/** Whose records are made, and when the exchange opened: trades count their milliseconds from there. */
export interface Owner {
  readonly uid: string
  readonly openedAt: number
}

/** The id for something that happened at `at`. */
export const id = (uid: string, at: number, ticket: number): string => {
  const { count, tail } = PastTrading.ticketParts(ticket)
  return Ids.timed(at, count, `${Number(uid).toString(16).padStart(7, "0")}${tail}`)
}

export const orderId = ({ openedAt, uid }: Owner, { at, ticket }: PastTrading.Trade): Id.OrderId =>
  Ids.OrderId(id(uid, openedAt + at, ticket))

/** An amount of the simulation as a decimal. */
export const decimal = ({ scale, units }: Readonly<PastTrading.Amount>): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(units / 10 ** (Money.coinScale - scale)), scale)

const valueOf = (market: Market.Market, { value }: PastTrading.Fill): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(value), Market.valueScale(market))

const feeOf = ({ fee }: PastTrading.Fill): BigDecimal.BigDecimal => BigDecimal.make(BigInt(fee), Money.coinScale)

const limitOf = ({ limit, market }: PastTrading.Trade): Option.Option<BigDecimal.BigDecimal> =>
  limit === undefined ? Option.none() : Option.some(Market.priceOf(market, limit))

const stopOrderType = ({ market, stop }: PastTrading.Trade) =>
  market.category === "spot" ? Option.none() : Option.some(stop ?? "UNKNOWN")

/** The executions of a trade. */
export const executions = (owner: Owner, trade: PastTrading.Trade): ReadonlyArray<Executions.Execution> => {
  const { isLimit, market, side } = trade
  const isSpot = market.category === "spot"
  const order = orderId(owner, trade)
  const orderPrice = Option.orElseSome(limitOf(trade), () => Money.zero)
  const orderQty = Option.some(Market.qty(market, trade.steps))
  let leaves = trade.steps
  return trade.fills.map((fill) => {
    const at = owner.openedAt + fill.at
    const execQty = Market.qty(market, fill.steps)
    leaves -= fill.steps
    return {
      symbol: Ids.Symbol(market.symbol),
      orderId: order,
      side,
      orderPrice,
      orderQty,
      leavesQty: Option.some(Market.qty(market, leaves)),
      orderType: isLimit ? "Limit" : "Market",
      stopOrderType: stopOrderType(trade),
      execFee: feeOf(fill),
      execId: Ids.ExecId(id(owner.uid, at, fill.ticket)),
      execPrice: Market.priceOf(market, fill.price),
      execQty,
      execValue: Option.some(valueOf(market, fill)),
      execType: Option.some("Trade"),
      execTime: DateTime.unsafeMake(at),
      isMaker: Option.some(fill.isMaker),
      feeRate: Option.some(Fees.of(market.category, fill.isMaker)),
      markPrice: isSpot ? Option.none() : Option.some(Market.priceOf(market, trade.price)),
      closedSize: Option.some(fill.closed === undefined ? Money.zero : execQty),
      createType: isSpot ? Option.none() : Option.some(trade.createType),
      seq: isSpot ? Option.none() : Option.some(Ids.sequence(at))
    }
  })
}

/** An execution as it is recorded from before the upgrade. (docs/reference/rules.md#records-execution) */
export const preUpgrade = (
  category: State.Category,
  { createType: _createType, seq: _seq, ...execution }: Executions.Execution
): Executions.PreUpgradeExecution =>
  category !== "spot"
    ? execution
    : {
        ...execution,
        leavesQty: Option.none(),
        execType: Option.none(),
        execValue: Option.none(),
        feeRate: Option.none(),
        markPrice: Option.none(),
        stopOrderType: Option.none()
      }

/** The mean price of some executions. */
const meanPrice = (market: Market.Market, fills: ReadonlyArray<PastTrading.Fill>): BigDecimal.BigDecimal =>
  averageOf(market, fills, (fill) => Market.priceOf(market, fill.price))

const averageOf = (
  market: Market.Market,
  fills: ReadonlyArray<PastTrading.Fill>,
  priceOf: (fill: PastTrading.Fill) => BigDecimal.BigDecimal
): BigDecimal.BigDecimal =>
  Average.shown(
    fills
      .map((fill) => ({ size: Market.qty(market, fill.steps), price: priceOf(fill) }))
      .reduce((before, more) => Average.add(market.category, before, more), Average.none).price
  )

const total = <A>(parts: ReadonlyArray<A>, pick: (part: A) => BigDecimal.BigDecimal) => Money.sum(...parts.map(pick))

/** The order of a trade as it was when it was closed. */
export const order = (owner: Owner, trade: PastTrading.Trade): State.Order => {
  const { closing, fills, isLimit, market, partly, side, status, stop } = trade
  const { category } = market
  const isSpot = category === "spot"
  const price = Market.priceOf(market, trade.price)
  const whenStop = <A>(value: A): Option.Option<A> => (stop === undefined ? Option.none() : Option.some(value))
  const cumExecQty = total(fills, (fill) => Market.qty(market, fill.steps))
  const cumExecValue = total(fills, (fill) => valueOf(market, fill))
  return OrderRecord.make({
    category,
    filter: stop === undefined ? "Order" : "StopOrder",
    orderId: orderId(owner, trade),
    orderLinkId:
      trade.link === undefined ? Option.none() : Option.some(Ids.OrderLinkId(`link-${owner.uid}-${trade.link}`)),
    symbol: Ids.Symbol(market.symbol),
    price: limitOf(trade),
    qty: Market.qty(market, trade.steps),
    side,
    orderStatus: partly && isSpot ? "PartiallyFilledCanceled" : status,
    cancelType: Option.some(status === "Cancelled" ? "CancelByUser" : "UNKNOWN"),
    rejectReason: Option.some(status === "Rejected" ? "EC_Others" : "EC_NoError"),
    avgPrice: fills.length === 0 ? Option.none() : Option.some(meanPrice(market, fills)),
    leavesQty: Option.some(Money.zero),
    leavesValue: Option.some(Money.zero),
    cumExecQty,
    cumExecValue,
    cumExecFee: total(fills, feeOf),
    timeInForce: isLimit ? "GTC" : "IOC",
    orderType: isLimit ? "Limit" : "Market",
    stopOrderType: stopOrderType(trade),
    marketUnit: isSpot && !isLimit ? Option.some("baseCoin") : Option.none(),
    triggerPrice: whenStop(price),
    tpslMode: whenStop("Full"),
    triggerDirection: Option.some(stop === undefined ? 0 : (stop === "TakeProfit") === (side === "Sell") ? 1 : 2),
    triggerBy: whenStop("LastPrice"),
    lastPriceOnCreated: Option.some(price),
    reduceOnly: closing,
    closeOnTrigger: stop !== undefined,
    createdTime: DateTime.unsafeMake(owner.openedAt + trade.at),
    updatedTime: DateTime.unsafeMake(owner.openedAt + trade.closedAt)
  })
}

const ten = BigDecimal.make(10n, 0)

const isClosing = (fill: PastTrading.Fill): fill is PastTrading.Fill & { readonly closed: PastTrading.Closed } =>
  fill.closed !== undefined

/**
 * What a trade closed: its profit is after the fees of opening and closing. `none` for one that only opened. `entryPrices` are those of
 * its executions.
 */
export const closedPnl = (
  owner: Owner,
  trade: PastTrading.Trade,
  entryPrices: ReadonlyMap<PastTrading.Fill, BigDecimal.BigDecimal>
): Option.Option<Positions.ClosedPnl> => {
  const { market, side } = trade
  const { category } = market
  const parts = trade.fills.filter(isClosing)
  if (category === "spot" || parts.length === 0) return Option.none()
  const long = side === "Sell"
  const closedSize = total(parts, (fill) => Market.qty(market, fill.steps))
  const cumEntryValue = total(parts, ({ closed }) => decimal(closed.entry))
  const cumExitValue = total(parts, (fill) => valueOf(market, fill))
  const profit = total(parts, (fill) =>
    Holding.profit(category, long, decimal(fill.closed.entry), valueOf(market, fill))
  )
  const fees = BigDecimal.sum(
    total(parts, ({ closed }) => decimal(closed.openFee)),
    total(parts, feeOf)
  )
  return Option.some({
    symbol: Ids.Symbol(market.symbol),
    orderId: orderId(owner, trade),
    side,
    qty: Market.qty(market, trade.steps),
    orderPrice: Option.orElseSome(limitOf(trade), () => Money.zero),
    orderType: trade.isLimit ? "Limit" : "Market",
    execType: "Trade",
    closedSize,
    cumEntryValue,
    avgEntryPrice: averageOf(market, parts, (fill) => entryPrices.get(fill) ?? Money.zero),
    cumExitValue,
    avgExitPrice: meanPrice(market, parts),
    closedPnl: BigDecimal.subtract(profit, fees),
    fillCount: Option.some(parts.length),
    leverage: Option.some(ten),
    createdTime: DateTime.unsafeMake(owner.openedAt + trade.at),
    updatedTime: DateTime.unsafeMake(owner.openedAt + (trade.fills.at(-1)?.at ?? trade.at))
  })
}
