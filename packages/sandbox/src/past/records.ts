import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Id from "@effect-venue/schemas/Id"
import type * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Average from "../trading/average.js"
import * as Holding from "../trading/holding.js"
import * as FundingRecord from "../records/fundingRecord.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Funding from "./funding.js"
import type * as PastTrading from "./pastTrading.js"
import * as Market from "./market.js"

/** A record that depends on the opening instant, in milliseconds. */
export type Dated<A> = (openedAt: number) => A

/** Builds the id of a ticket from an instant in milliseconds relative to the opening. */
export const idOf = (uid: string, at: number, ticket: PastTrading.Ticket): Dated<string> => {
  const ending = Ids.ending(ticket.count, `${Number(uid).toString(16).padStart(7, "0")}${ticket.digits}`)
  return (openedAt) => Ids.makeTimed(openedAt + at, ending)
}

const orderIdOf = (uid: string, { at, ticket }: PastTrading.Trade): Dated<Id.OrderId> => {
  const id = idOf(uid, at, ticket)
  return (openedAt) => Ids.OrderId(id(openedAt))
}

/** Converts an amount of the simulation to a decimal. */
export const decimal = ({ scale, units }: Readonly<PastTrading.Amount>): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(units / 10 ** (Money.coinScale - scale)), scale)

const valueOf = (market: Market.Market, { value }: PastTrading.PastFill): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(value), Market.valueScale(market))

const feeOf = ({ fee }: PastTrading.PastFill): BigDecimal.BigDecimal => BigDecimal.make(BigInt(fee), Money.coinScale)

const limitOf = ({ limit, market }: PastTrading.Trade): Option.Option<BigDecimal.BigDecimal> =>
  limit === undefined ? Option.none() : Option.some(Market.priceOf(market, limit))

const typeOf = ({ isLimit }: PastTrading.Trade): Enumerations.OrderType => (isLimit ? "Limit" : "Market")

const stopOrderType = ({ market, stop }: PastTrading.Trade): Option.Option<Enumerations.StopOrderType> =>
  market.category === "spot" ? Option.none() : Option.some(stop ?? "UNKNOWN")

/** Creates the execution record of a fill. */
export const execution = (uid: string, fill: PastTrading.PastFill): Dated<Executions.Execution> => {
  const { at, trade } = fill
  const { market } = trade
  const isSpot = market.category === "spot"
  const orderId = orderIdOf(uid, trade)
  const execId = idOf(uid, at, fill.ticket)
  const execQty = Market.qty(market, fill.steps)
  const undated = {
    symbol: Ids.Symbol(market.symbol),
    side: trade.side,
    orderPrice: Option.orElseSome(limitOf(trade), () => Money.zero),
    orderQty: Option.some(Market.qty(market, trade.steps)),
    leavesQty: Option.some(Market.qty(market, fill.leaves)),
    orderType: typeOf(trade),
    stopOrderType: stopOrderType(trade),
    execFee: feeOf(fill),
    execPrice: Market.priceOf(market, fill.price),
    execQty,
    execValue: Option.some(valueOf(market, fill)),
    execType: Option.some<Enumerations.ExecType>("Trade"),
    isMaker: Option.some(fill.isMaker),
    feeRate: Option.some(Money.feeRate(market.category, fill.isMaker)),
    markPrice: isSpot ? Option.none() : Option.some(Market.priceOf(market, trade.price)),
    closedSize: Option.some(fill.closed === undefined ? Money.zero : execQty),
    createType: isSpot ? Option.none() : Option.some(trade.createType)
  }
  return (openedAt) => ({
    orderId: orderId(openedAt),
    execId: Ids.ExecId(execId(openedAt)),
    execTime: DateTime.unsafeMake(openedAt + at),
    seq: isSpot ? Option.none() : Option.some(Ids.sequence(openedAt + at)),
    ...undated
  })
}

/** Creates the execution record of a funding charge. */
export const funding = (uid: string, charge: Funding.Funding): Dated<Executions.Execution> => {
  const { at, market } = charge
  const orderId = idOf(uid, at, charge.order)
  const execId = idOf(uid, at, charge.ticket)
  const undated = FundingRecord.makeUndated({
    symbol: Ids.Symbol(market.symbol),
    isLong: charge.size > 0,
    size: Market.qty(market, Math.abs(charge.size)),
    markPrice: Market.priceOf(market, charge.price),
    value: BigDecimal.make(BigInt(charge.value), Market.valueScale(market)),
    rate: BigDecimal.make(BigInt(charge.rate), Funding.rateScale),
    fee: BigDecimal.make(BigInt(charge.fee), Money.coinScale)
  })
  return (openedAt) =>
    FundingRecord.addDate(undated, { orderId: orderId(openedAt), execId: execId(openedAt) }, openedAt + at)
}

/** Converts an execution to its pre-upgrade record. (docs/reference/rules.md#records-execution) */
export const preUpgrade = (
  category: Exchange.Category,
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

/** Returns the average price of executions. */
const meanPrice = (market: Market.Market, fills: ReadonlyArray<PastTrading.PastFill>): BigDecimal.BigDecimal =>
  averageOf(market, fills, (fill) => Market.priceOf(market, fill.price))

const averageOf = (
  market: Market.Market,
  fills: ReadonlyArray<PastTrading.PastFill>,
  priceOf: (fill: PastTrading.PastFill) => BigDecimal.BigDecimal
): BigDecimal.BigDecimal =>
  Average.roundShown(
    fills
      .map((fill) => ({ size: Market.qty(market, fill.steps), price: priceOf(fill) }))
      .reduce((before, more) => Average.add(market.category, before, more), Average.none).price
  )

const total = <A>(parts: ReadonlyArray<A>, pick: (part: A) => BigDecimal.BigDecimal) => Money.sum(...parts.map(pick))

/** The caller's id of a trade's order. */
export const namesOf = (uid: string, { link, market }: PastTrading.Trade) => ({
  category: market.category,
  orderLinkId: link === undefined ? Option.none() : Option.some(Ids.OrderLinkId(`link-${uid}-${link}`))
})

/** Creates the closed order of a trade. */
export const order = (uid: string, trade: PastTrading.Trade): Dated<Exchange.ClosedOrder> => {
  const { closing, fills, isLimit, market, side, status, stop } = trade
  const { category } = market
  const isSpot = category === "spot"
  const price = Market.priceOf(market, trade.price)
  const whenStop = <A>(value: A): Option.Option<A> => (stop === undefined ? Option.none() : Option.some(value))
  const cumExecQty = total(fills, (fill) => Market.qty(market, fill.steps))
  const cumExecValue = total(fills, (fill) => valueOf(market, fill))
  const orderId = orderIdOf(uid, trade)
  const undated = OrderRecord.makeUndated({
    ...namesOf(uid, trade),
    filter: stop === undefined ? "Order" : "StopOrder",
    symbol: Ids.Symbol(market.symbol),
    price: limitOf(trade),
    qty: Market.qty(market, trade.steps),
    side,
    orderStatus: status,
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
    closeOnTrigger: stop !== undefined
  })
  return (openedAt) => ({
    orderId: orderId(openedAt),
    createdTime: DateTime.unsafeMake(openedAt + trade.at),
    updatedTime: DateTime.unsafeMake(openedAt + trade.closedAt),
    ...undated
  })
}

const ten = BigDecimal.make(10n, 0)

export const isClosing = (
  fill: PastTrading.PastFill
): fill is PastTrading.PastFill & { readonly closed: PastTrading.Closed } => fill.closed !== undefined

/** Creates the closed profit of a trade, after the fees of opening and closing. `entryPrices` are those of its executions. */
export const makeClosedPnl = (
  uid: string,
  trade: PastTrading.Trade,
  entryPrices: ReadonlyMap<PastTrading.PastFill, BigDecimal.BigDecimal>
): Dated<Positions.ClosedPnl> => {
  const { market, side } = trade
  const category = market.category === "inverse" ? "inverse" : "linear"
  const parts = trade.fills.filter(isClosing)
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
  const orderId = orderIdOf(uid, trade)
  const closedAt = trade.fills.at(-1)?.at ?? trade.at
  const undated = {
    symbol: Ids.Symbol(market.symbol),
    side,
    qty: Market.qty(market, trade.steps),
    orderPrice: Option.orElseSome(limitOf(trade), () => Money.zero),
    orderType: typeOf(trade),
    execType: "Trade" as const,
    closedSize,
    cumEntryValue,
    avgEntryPrice: averageOf(market, parts, (fill) => entryPrices.get(fill) ?? Money.zero),
    cumExitValue,
    avgExitPrice: meanPrice(market, parts),
    closedPnl: BigDecimal.subtract(profit, fees),
    fillCount: Option.some(parts.length),
    leverage: Option.some(ten)
  }
  return (openedAt) => ({
    orderId: orderId(openedAt),
    createdTime: DateTime.unsafeMake(openedAt + trade.at),
    updatedTime: DateTime.unsafeMake(openedAt + closedAt),
    ...undated
  })
}
