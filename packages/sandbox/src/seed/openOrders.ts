import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "../trading/ids.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as PastTrading from "../past/pastTrading.js"
import type * as Ledger from "../past/ledger.js"
import * as Market from "../past/market.js"
import type * as Prices from "../past/prices.js"
import * as Records from "../past/records.js"

interface Draft {
  readonly category: Exchange.Category
  readonly symbol: string
  readonly side: "Buy" | "Sell"
  /** A fraction of the market price. */
  readonly at: number
  readonly qty: string
  readonly trigger?: number
  readonly more?: Partial<Exchange.Order>
}

const stop = (type: Enumerations.StopOrderType, more: Partial<Exchange.Order> = {}): Partial<Exchange.Order> => ({
  filter: "StopOrder",
  orderStatus: "Untriggered",
  stopOrderType: Option.some(type),
  triggerBy: Option.some("LastPrice"),
  ...more
})

const ladder = (category: Exchange.Category, symbol: string, qty: string, rungs: number): ReadonlyArray<Draft> =>
  Array.from({ length: rungs }, (_, rung) => ({
    category,
    symbol,
    side: rung % 2 === 0 ? ("Buy" as const) : ("Sell" as const),
    at: rung % 2 === 0 ? 0.97 - rung * 0.002 : 1.03 + rung * 0.002,
    qty
  }))

const drafts: ReadonlyArray<Draft> = [
  ...ladder("linear", "BTCUSDT", "0.010", 4),
  ...ladder("linear", "ETHUSDT", "0.25", 4),
  ...ladder("linear", "XRPUSDT", "40", 56),
  ...ladder("inverse", "BTCUSD", "100", 3),
  ...ladder("spot", "BTCUSDT", "0.002000", 3),
  ...ladder("spot", "ETHUSDT", "0.05000", 2),
  {
    category: "linear",
    symbol: "SOLUSDT",
    side: "Buy",
    at: 0.9,
    qty: "2.0",
    more: {
      takeProfit: Option.some(BigDecimal.make(900n, 0)),
      tpTriggerBy: Option.some("LastPrice"),
      tpslMode: Option.some("Full")
    }
  },
  { category: "linear", symbol: "BTCUSDT", side: "Buy", at: 1.06, qty: "0.005", trigger: 1.05, more: stop("Stop") },
  { category: "linear", symbol: "ETHUSDT", side: "Sell", at: 0.93, qty: "0.10", trigger: 0.94, more: stop("Stop") },
  { category: "inverse", symbol: "ETHUSD", side: "Buy", at: 1.06, qty: "50", trigger: 1.05, more: stop("Stop") },
  {
    category: "spot",
    symbol: "BTCUSDT",
    side: "Sell",
    at: 1.1,
    qty: "0.001000",
    trigger: 1.1,
    more: stop("tpslOrder", { filter: "tpslOrder", triggerBy: Option.none() })
  },
  {
    category: "spot",
    symbol: "ETHUSDT",
    side: "Sell",
    at: 0.85,
    qty: "0.02000",
    trigger: 0.86,
    more: stop("tpslOrder", { filter: "tpslOrder", triggerBy: Option.none() })
  }
]

const priceOf = (prices: Prices.Prices, category: Exchange.Category, symbol: string, factor: number) => {
  const market = Market.traded.find((candidate) => candidate.category === category && candidate.symbol === symbol)
  return market === undefined ? BigDecimal.make(1n, 0) : Market.price(market, prices.at(market.base, 0) * factor)
}

/** Adds open orders of every kind to an account, placed within the last half hour. */
export const place = (ledger: Ledger.Ledger, prices: Prices.Prices): void => {
  const { uid } = ledger
  drafts.forEach((draft, index) => {
    const { trigger } = draft
    const at = -1_500_000 + index * 10_000
    const ticket = PastTrading.ticket(ledger)
    const undated = OrderRecord.makeUndated({
      category: draft.category,
      filter: "Order",
      orderLinkId: index % 3 === 0 ? Option.some(Ids.OrderLinkId(`open-${uid}-${index}`)) : Option.none(),
      symbol: Ids.Symbol(draft.symbol),
      side: draft.side,
      price: Option.some(priceOf(prices, draft.category, draft.symbol, draft.at)),
      qty: BigDecimal.unsafeFromString(draft.qty),
      orderStatus: "New",
      orderType: "Limit",
      lastPriceOnCreated: Option.some(priceOf(prices, draft.category, draft.symbol, 1)),
      triggerPrice:
        trigger === undefined ? Option.none() : Option.some(priceOf(prices, draft.category, draft.symbol, trigger)),
      triggerDirection: Option.some(trigger === undefined ? 0 : trigger > 1 ? 1 : 2),
      ...draft.more
    })
    ledger.openOrders.push(dateOrder(undated, at, Records.idOf(uid, at, ticket)))
  })
}

/** An order that has not changed since it was placed. */
const dateOrder =
  (
    undated: ReturnType<typeof OrderRecord.makeUndated>,
    at: number,
    id: Records.Dated<string>
  ): Records.Dated<Exchange.Order> =>
  (openedAt) => {
    const created = DateTime.unsafeMake(openedAt + at)
    return { orderId: Ids.OrderId(id(openedAt)), createdTime: created, updatedTime: created, ...undated }
  }

const isPartlyFilled = (trade: PastTrading.Trade): boolean =>
  trade.market.category === "linear" &&
  trade.isLimit &&
  trade.status === "Cancelled" &&
  !trade.closing &&
  trade.fills.length > 0

/**
 * Reopens the last order that was cancelled after a partial fill, so that a partially filled order with executions is open. Prefers an
 * order that the market moved away from; another would fill at once.
 */
export const reopen = (ledger: Ledger.Ledger, prices: Prices.Prices): void => {
  const isLeftBehind = ({ market, price, side }: PastTrading.Trade): boolean => {
    const last = Market.priceUnits(market, prices.at(market.base, 0))
    return side === "Buy" ? price < last : price > last
  }
  const partly = ledger.trades.current.filter(isPartlyFilled)
  const trade = partly.findLast(isLeftBehind) ?? partly.at(-1)
  if (trade === undefined) return
  ledger.reopened = trade
  const closed = Records.order(ledger.uid, trade)
  ledger.openOrders.unshift((openedAt) =>
    OrderRecord.withLeaves({
      ...closed(openedAt),
      orderStatus: "PartiallyFilled",
      cancelType: Option.some("UNKNOWN")
    })
  )
}

interface Stop {
  readonly type: Enumerations.StopOrderType
  readonly triggerPrice: Option.Option<BigDecimal.BigDecimal>
  readonly rises: boolean
  readonly id: Records.Dated<string>
  readonly trailingStop?: Option.Option<BigDecimal.BigDecimal>
}

/** Adds the stops of a position as open orders. */
export const protect = (ledger: Ledger.Ledger, prices: Prices.Prices, position: Exchange.Position): void => {
  const { activePrice, category, stopLoss, takeProfit, trailingStop } = position
  const at = -600_000
  const long = BigDecimal.isPositive(position.size)
  const stops: Array<Stop> = []
  const add = (stop: Omit<Stop, "id">): void => {
    stops.push({ ...stop, id: Records.idOf(ledger.uid, at, PastTrading.ticket(ledger)) })
  }
  if (Option.isSome(takeProfit)) add({ type: "TakeProfit", triggerPrice: takeProfit, rises: long })
  if (Option.isSome(stopLoss)) add({ type: "StopLoss", triggerPrice: stopLoss, rises: !long })
  // A take profit and a stop loss that were set together are a pair.
  const [first, second] = stops
  if (Option.isSome(trailingStop)) add({ type: "TrailingStop", triggerPrice: activePrice, rises: long, trailingStop })
  for (const stop of stops) {
    const undated = OrderRecord.makeUndated({
      category,
      filter: "StopOrder",
      symbol: Ids.Symbol(position.symbol),
      side: long ? "Sell" : "Buy",
      qty: BigDecimal.abs(position.size),
      orderStatus: "Untriggered",
      orderType: "Market",
      timeInForce: "IOC",
      stopOrderType: Option.some(stop.type),
      triggerPrice: stop.triggerPrice,
      triggerDirection: Option.some(stop.rises ? 1 : 2),
      triggerBy: Option.some("LastPrice"),
      tpslMode: Option.some("Full"),
      lastPriceOnCreated: Option.some(priceOf(prices, category, position.symbol, 1)),
      reduceOnly: true,
      closeOnTrigger: true,
      trailingStop: stop.trailingStop ?? Option.none()
    })
    const order = dateOrder(undated, at, stop.id)
    const partner = stop === first ? second : stop === second ? first : undefined
    ledger.openOrders.push(
      partner === undefined
        ? order
        : (openedAt) => ({ ...order(openedAt), pairedWith: Option.some(partner.id(openedAt)) })
    )
  }
}
