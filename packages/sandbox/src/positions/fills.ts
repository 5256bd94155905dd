import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Average from "../trading/average.js"
import * as Holding from "../trading/holding.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as PositionOf from "../records/positionOf.js"
import * as PositionRecord from "../records/positionRecord.js"
import * as Accounts from "../state/accounts.js"
import * as Awards from "./awards.js"
import * as MarketMaker from "../trading/marketMaker.js"
import * as Maintenance from "./maintenance.js"
import type { RecordList } from "../state/recordList.js"

/** An execution against the venue. */
export interface Trade {
  readonly price: BigDecimal.BigDecimal
  readonly qty: BigDecimal.BigDecimal
  readonly isMaker: boolean
  readonly at: number
  readonly execType?: "Trade" | "BustTrade" | "AdlTrade" | "Delivery" | "Settle"
  /** The order's creation type, if its record has none. */
  readonly createType?: Enumerations.CreateType
  /** The fee rate, if it differs from the maker or taker rate. */
  readonly feeRate?: BigDecimal.BigDecimal
}

const stopTypes: ReadonlyMap<string, Enumerations.CreateType> = new Map([
  ["Stop", "CreateByStopOrder"],
  ["TakeProfit", "CreateByTakeProfit"],
  ["StopLoss", "CreateByStopLoss"],
  ["TrailingStop", "CreateByTrailingStop"],
  ["PartialTakeProfit", "CreateByPartialTakeProfit"],
  ["PartialStopLoss", "CreateByPartialStopLoss"]
])

const createType = (order: Exchange.Order): Enumerations.CreateType =>
  stopTypes.get(Option.getOrElse(order.stopOrderType, () => "")) ??
  (order.reduceOnly ? "CreateByClosing" : "CreateByUser")

/** Whether the quantity of an order is an amount of the quote coin. */
export const isByQuote = (order: Exchange.Order): boolean => Option.contains(order.marketUnit, "quoteCoin")

// The remaining quantity of an order in the order's unit; never negative.
const leavesOf = (
  order: Exchange.Order,
  cumExecQty: BigDecimal.BigDecimal,
  cumExecValue: BigDecimal.BigDecimal
): BigDecimal.BigDecimal =>
  BigDecimal.max(Money.zero, BigDecimal.subtract(order.qty, isByQuote(order) ? cumExecValue : cumExecQty))

// The state keeps the exact average price if the record shows it rounded.
const isRounded = (mean: BigDecimal.BigDecimal): boolean => !BigDecimal.equals(Average.roundShown(mean), mean)

const fillOrder = (order: Exchange.Order, trade: Trade, value: BigDecimal.BigDecimal, fee: BigDecimal.BigDecimal) => {
  const cumExecQty = BigDecimal.sum(order.cumExecQty, trade.qty)
  const cumExecValue = BigDecimal.sum(order.cumExecValue, value)
  const left = leavesOf(order, cumExecQty, cumExecValue)
  const isDone = BigDecimal.isZero(left)
  const mean = Average.add(
    order.category,
    { size: order.cumExecQty, price: order.meanPrice ?? Option.getOrElse(order.avgPrice, () => Money.zero) },
    { size: trade.qty, price: trade.price }
  ).price
  const after: Exchange.Order = {
    ...order,
    cumExecQty,
    cumExecValue,
    cumExecFee: BigDecimal.sum(order.cumExecFee, fee),
    avgPrice: Option.some(Average.roundShown(mean)),
    ...(isRounded(mean) || order.meanPrice !== undefined ? { meanPrice: mean } : {}),
    leavesQty: Option.some(left),
    leavesValue: Option.some(isByQuote(order) ? left : OrderRecord.leavesValue(order.category, order.price, left)),
    orderStatus: isDone ? "Filled" : "PartiallyFilled",
    updatedTime: DateTime.unsafeMake(trade.at)
  }
  return after
}

/** The result of a fill: the next account, the closed part, and the market maker's share. */
interface Booked {
  readonly account: Exchange.Account
  readonly closed: Option.Option<Holding.Closed>
  readonly covered: BigDecimal.BigDecimal
  readonly marketMaker: ReadonlyArray<readonly [coin: string, amount: BigDecimal.BigDecimal]>
  readonly wallet: Exchange.WalletType
  readonly feeCoin: string
}

// The share of an isolated position's margin that belongs to the closed part.
const marginOf = (position: Exchange.Position, closed: Holding.Closed): BigDecimal.BigDecimal => {
  const size = BigDecimal.abs(position.size)
  const added = BigDecimal.equals(size, closed.size)
    ? position.addedMargin
    : Money.divide(BigDecimal.multiply(position.addedMargin, closed.size), size)
  return BigDecimal.sum(Money.divide(closed.entryValue, position.leverage), added)
}

// An isolated position loses at most its margin; the market maker pays the rest.
const coverOf = (position: Exchange.Position, closed: Option.Option<Holding.Closed>): BigDecimal.BigDecimal => {
  if (position.tradeMode === "cross" || Option.isNone(closed)) return Money.zero
  const loss = BigDecimal.subtract(closed.value.closeFee, closed.value.pnl)
  return BigDecimal.max(Money.zero, BigDecimal.subtract(loss, marginOf(position, closed.value)))
}

const bookContract = (
  state: Exchange.State,
  account: Exchange.Account,
  order: Exchange.Order & { readonly category: Exchange.Contract },
  listing: Exchange.Listing,
  trade: Trade,
  fill: Holding.Fill
): Booked => {
  const { category } = order
  const position =
    PositionOf.all(account, category, order.symbol, state.openedAt).find(
      (candidate) => candidate.positionIdx === order.positionIdx
    ) ?? PositionRecord.makeEmpty(category, order.symbol, 0, state.openedAt)
  const { closed, holding } = Holding.apply(category, position, fill)
  const covered = coverOf(position, closed)
  const opens =
    BigDecimal.isZero(position.size) || BigDecimal.isNegative(position.size) !== BigDecimal.isNegative(holding.size)
  const left = Option.match(closed, {
    onNone: () => position.addedMargin,
    onSome: (part) =>
      BigDecimal.isZero(holding.size) || opens
        ? Money.zero
        : BigDecimal.subtract(
            position.addedMargin,
            Money.divide(BigDecimal.multiply(position.addedMargin, part.size), BigDecimal.abs(position.size))
          )
  })
  const isNew = opens && !BigDecimal.isZero(holding.size)
  // What is covered belongs to the closed position.
  const realised = isNew ? "earlierRealisedPnl" : "cumRealisedPnl"
  const after: Exchange.Position = {
    ...position,
    ...holding,
    [realised]: BigDecimal.sum(holding[realised], covered),
    addedMargin: left,
    createdTime: isNew ? trade.at : position.createdTime,
    updatedTime: trade.at
  }
  const pnl = Option.match(closed, { onNone: () => Money.zero, onSome: (part) => part.pnl })
  const change = BigDecimal.sum(BigDecimal.subtract(pnl, fill.fee), covered)
  const wallet = Margin.contractWallet(account)
  const paid = Margin.post(account, wallet, listing.settleCoin, change)
  return {
    account: Maintenance.follow(paid, position, after, order.orderId, trade.at),
    closed,
    covered,
    marketMaker: [[listing.settleCoin, BigDecimal.negate(change)]],
    wallet,
    feeCoin: listing.settleCoin
  }
}

const bookSpot = (account: Exchange.Account, listing: Exchange.Listing, fill: Holding.Fill): Booked => {
  const { baseCoin, quoteCoin } = listing.instrument
  const wallet = Margin.spotWallet(account)
  const buys = fill.side === "Buy"
  const base = buys ? BigDecimal.subtract(fill.qty, fill.fee) : BigDecimal.negate(fill.qty)
  const quote = buys ? BigDecimal.negate(fill.value) : BigDecimal.subtract(fill.value, fill.fee)
  return {
    account: Margin.post(Margin.post(account, wallet, baseCoin, base), wallet, quoteCoin, quote),
    closed: Option.none(),
    covered: Money.zero,
    marketMaker: [
      [baseCoin, BigDecimal.negate(base)],
      [quoteCoin, BigDecimal.negate(quote)]
    ],
    wallet,
    feeCoin: buys ? baseCoin : quoteCoin
  }
}

const isContract = (order: Exchange.Order): order is Exchange.Order & { readonly category: Exchange.Contract } =>
  order.category !== "spot"

const execution = (
  order: Exchange.Order,
  after: Exchange.Order,
  listing: Exchange.Listing,
  trade: Trade,
  terms: { readonly id: string; readonly rate: BigDecimal.BigDecimal; readonly closed: Option.Option<Holding.Closed> },
  fill: Holding.Fill
): Executions.Execution => ({
  symbol: order.symbol,
  orderId: order.orderId,
  side: order.side,
  orderPrice: Option.orElseSome(order.price, () => Money.zero),
  orderQty: Option.some(order.qty),
  leavesQty: after.leavesQty,
  orderType: order.orderType,
  stopOrderType: order.category === "spot" ? Option.none() : order.stopOrderType,
  execFee: fill.fee,
  execId: Ids.ExecId(terms.id),
  execPrice: trade.price,
  execQty: trade.qty,
  execValue: Option.some(fill.value),
  execType: Option.some(trade.execType ?? "Trade"),
  execTime: DateTime.unsafeMake(trade.at),
  isMaker: Option.some(trade.isMaker),
  feeRate: Option.some(terms.rate),
  markPrice: order.category === "spot" ? Option.none() : Option.some(listing.markPrice),
  closedSize: Option.some(Option.match(terms.closed, { onNone: () => Money.zero, onSome: (part) => part.size })),
  createType: order.category === "spot" ? Option.none() : Option.some(trade.createType ?? createType(order)),
  seq: order.category === "spot" ? Option.none() : Option.some(Ids.sequence(trade.at))
})

// Closed profits have fewer types than executions. (rule records/closed-pnl)
const pnlTypes = {
  Trade: "Trade",
  AdlTrade: "Trade",
  BustTrade: "BustTrade",
  Delivery: "Settle",
  Settle: "Settle"
} as const

const emptyPnl = (order: Exchange.Order, trade: Trade, leverage: BigDecimal.BigDecimal): Positions.ClosedPnl => ({
  symbol: order.symbol,
  orderId: order.orderId,
  side: order.side,
  qty: order.qty,
  orderPrice: Option.orElseSome(order.price, () => Money.zero),
  orderType: order.orderType,
  execType: pnlTypes[trade.execType ?? "Trade"],
  closedSize: Money.zero,
  cumEntryValue: Money.zero,
  avgEntryPrice: Money.zero,
  cumExitValue: Money.zero,
  avgExitPrice: Money.zero,
  closedPnl: Money.zero,
  fillCount: Option.some(0),
  leverage: Option.some(leverage),
  createdTime: order.createdTime,
  updatedTime: DateTime.unsafeMake(trade.at)
})

// An order without earlier trades has no record, and no record is older than its order.
const latestOf = (records: RecordList<Exchange.ClosedPnl>, order: Exchange.Order): number | undefined => {
  if (BigDecimal.isZero(order.cumExecQty)) return undefined
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records.at(index)
    if (record?.orderId === order.orderId) return index
    if (record === undefined || record.updatedTime.epochMillis < order.createdTime.epochMillis) return undefined
  }
  return undefined
}

/** Records one closed profit per closing order, the latest last. The profit is after the fees of opening and closing. */
const recordClosed = (
  account: Exchange.Account,
  category: Exchange.Contract,
  order: Exchange.Order,
  trade: Trade,
  closed: Holding.Closed,
  covered: BigDecimal.BigDecimal,
  leverage: BigDecimal.BigDecimal
): Exchange.Account => {
  const records = account.closedPnl[category]
  const index = latestOf(records, order)
  const before: Exchange.ClosedPnl =
    (index === undefined ? undefined : records.at(index)) ?? emptyPnl(order, trade, leverage)
  const meanOf = (price: BigDecimal.BigDecimal, more: BigDecimal.BigDecimal) =>
    Average.add(category, { size: before.closedSize, price }, { size: closed.size, price: more }).price
  const entry = meanOf(before.meanEntryPrice ?? before.avgEntryPrice, closed.entryPrice)
  const exit = meanOf(before.meanExitPrice ?? before.avgExitPrice, trade.price)
  const closedSize = BigDecimal.sum(before.closedSize, closed.size)
  const cumEntryValue = BigDecimal.sum(before.cumEntryValue, closed.entryValue)
  const cumExitValue = BigDecimal.sum(before.cumExitValue, closed.exitValue)
  const gained = BigDecimal.sum(
    BigDecimal.subtract(closed.pnl, BigDecimal.sum(closed.openFee, closed.closeFee)),
    covered
  )
  const record: Exchange.ClosedPnl = {
    ...before,
    closedSize,
    cumEntryValue,
    avgEntryPrice: Average.roundShown(entry),
    ...(isRounded(entry) || before.meanEntryPrice !== undefined ? { meanEntryPrice: entry } : {}),
    cumExitValue,
    avgExitPrice: Average.roundShown(exit),
    ...(isRounded(exit) || before.meanExitPrice !== undefined ? { meanExitPrice: exit } : {}),
    closedPnl: BigDecimal.sum(before.closedPnl, gained),
    fillCount: Option.map(before.fillCount, (count) => count + 1),
    updatedTime: DateTime.unsafeMake(trade.at)
  }
  return {
    ...account,
    closedPnl: {
      ...account.closedPnl,
      [category]: index === undefined ? records.append([record]) : records.moveToEnd(index, record)
    }
  }
}

/**
 * Books an execution of an open order: money of the account and the market maker, position, order, execution, closed profit, awards, and
 * the consequences of the position's new size. A filled order is closed.
 */
export const book = (state: Exchange.State, uid: string, orderId: string, trade: Trade): Exchange.State => {
  const account = state.accounts.get(uid)
  const order = Accounts.openOrder(state, uid, orderId)
  const listing = order === undefined ? undefined : Exchange.listing(state, order.category, order.symbol)
  if (account === undefined || order === undefined || listing === undefined) return state
  const value = Holding.value(order.category, trade.price, trade.qty)
  const rate = trade.feeRate ?? Money.feeRate(order.category, trade.isMaker)
  const paidOn = order.category === "spot" && order.side === "Buy" ? trade.qty : value
  const fee = Money.round(BigDecimal.multiply(paidOn, rate))
  const fill: Holding.Fill = {
    side: order.side === "Buy" ? "Buy" : "Sell",
    qty: trade.qty,
    price: trade.price,
    value,
    fee
  }
  const leverage = isContract(order) ? Margin.leverageOf(account, order) : Money.one
  const booked = isContract(order)
    ? bookContract(state, account, order, listing, trade, fill)
    : bookSpot(account, listing, fill)
  const after = fillOrder(order, trade, value, fee)
  const [id, issued] = Handler.issue(state, trade.at)
  const made = execution(order, after, listing, trade, { id, rate, closed: booked.closed }, fill)
  const recorded: Exchange.Account = {
    ...booked.account,
    executions: {
      ...booked.account.executions,
      [order.category]: booked.account.executions[order.category].append([made])
    }
  }
  const withProfit =
    isContract(order) && Option.isSome(booked.closed)
      ? recordClosed(recorded, order.category, order, trade, booked.closed.value, booked.covered, leverage)
      : recorded
  const settled = Exchange.isClosed(after) ? Accounts.close(withProfit, after) : Accounts.putOrder(withProfit, after)
  const housed = booked.marketMaker.reduce((next, [coin, amount]) => MarketMaker.post(next, coin, amount), issued)
  const cause = { symbol: order.symbol, orderId: Option.some(order.orderId) }
  const { at } = trade
  const loss = Option.match(booked.closed, {
    onNone: () => Money.zero,
    onSome: ({ pnl }) => BigDecimal.negate(BigDecimal.sum(pnl, booked.covered))
  })
  const ofLoss = { cause: { ...cause, type: 1 }, coin: listing.settleCoin, amount: loss, at } as const
  const lossPaid = Awards.payFromBonus(settled, ofLoss)
  const ofFee = { cause: { ...cause, type: 2 }, coin: booked.feeCoin, amount: fee, at } as const
  return Exchange.withAccount(...Awards.payFee(housed, lossPaid, booked.wallet, ofFee))
}
