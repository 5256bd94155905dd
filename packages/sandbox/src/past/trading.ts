import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import * as PastTrading from "./pastTrading.js"
import * as Intents from "./intents.js"
import * as Market from "./market.js"
import type * as Prices from "./prices.js"
import type * as Schedule from "./schedule.js"

/** How an account trades in some slots. Instants are in milliseconds relative to the opening. */
export interface Plan {
  readonly slots: ReadonlyArray<Schedule.Slot>
  readonly prices: Prices.Prices
  /** The wallets for contracts and for spot. */
  readonly contractWallet: Exchange.WalletType
  readonly spotWallet: Exchange.WalletType
  /** All executions are before this instant. */
  readonly until: number
  /** The size of its orders relative to the market's typical order. */
  readonly scale: number
}

/** A fixed order instead of a random one. */
export interface Forced extends Intents.Intent {
  readonly market: Market.Market
}

/** The inputs of an order's executions, besides the order. */
interface Placement {
  readonly trade: PastTrading.Trade
  readonly wallet: Exchange.WalletType
  /** The market price, from which the prices of an order and its executions are derived. */
  readonly around: number
  readonly shares: ReadonlyArray<number>
}

const decide = (
  books: PastTrading.Books,
  plan: Plan,
  slot: Schedule.Slot,
  forced: Forced | undefined
): Placement | undefined => {
  const { random } = books
  const market = forced?.market ?? Intents.chooseMarket(books, slot)
  if (market === undefined) return undefined
  const isSpot = slot.category === "spot"
  const around = plan.prices.at(market.base, slot.at)
  const wallet = isSpot ? plan.spotWallet : plan.contractWallet
  const intent =
    forced ??
    (isSpot
      ? Intents.spot(books, plan.scale, wallet, market, around)
      : Intents.contract(books, plan.scale, market, around))
  const { partly, parts, status } = Intents.fate(books, { ...slot, border: slot.border || forced !== undefined })
  const isLimit = forced === undefined && random.chance(0.6)
  const price = Market.priceUnits(market, around)
  const shares = parts === 0 ? [] : Intents.split(books, intent.steps, parts)
  const unfilled = partly ? random.between(1, 50) : parts === 0 ? intent.steps : 0
  const stop =
    intent.closing && forced === undefined && random.chance(0.06) ? random.pick("TakeProfit", "StopLoss") : undefined
  const trade: PastTrading.Trade = {
    market,
    at: slot.at,
    closedAt: slot.at,
    ticket: PastTrading.ticket(books),
    side: intent.side,
    closing: intent.closing,
    status,
    isLimit,
    price,
    // Contract market orders also have a price. (docs/reference/listed-operations.md#orderscreate)
    limit: isLimit
      ? price
      : isSpot
        ? undefined
        : Market.priceUnits(market, around * (intent.side === "Buy" ? 1.03 : 0.97)),
    steps: shares.reduce((sum, share) => sum + share, 0) + unfilled,
    stop,
    createType:
      stop !== undefined
        ? `CreateBy${stop}`
        : intent.closing && random.chance(0.5)
          ? "CreateByClosing"
          : "CreateByUser",
    link: undefined,
    fills: []
  }
  return { trade, wallet, around, shares }
}

/** Computes the value of steps at a price, with the decimals of `Market.valueScale`. */
export const valueOf = (market: Market.Market, price: number, steps: number): number =>
  market.category === "inverse" ? PastTrading.shareOf(steps, Money.tenTo(8 + market.priceScale), price) : price * steps

/** A fee rate as a whole number, and its decimals. */
const rateOf = (category: Exchange.Category, isMaker: boolean) => {
  const { scale, value } = Money.feeRate(category, isMaker)
  return { rate: Number(value), rateScale: scale }
}

const ratesOf = (category: Exchange.Category) => ({ maker: rateOf(category, true), taker: rateOf(category, false) })

const rates = { spot: ratesOf("spot"), linear: ratesOf("linear"), inverse: ratesOf("inverse") }

/** Converts a positive amount with `scale` decimals to units. */
export const partOf = (product: number, scale: number): number => {
  const shift = Money.coinScale - scale
  return shift >= 0 ? product * Money.tenTo(shift) : PastTrading.shareOf(product, 1, Money.tenTo(-shift))
}

// Spot fees are charged in the received coin.
const settleSpot = (
  books: PastTrading.Books,
  { trade: { market, side }, wallet }: Placement,
  { fee, steps, value }: Omit<PastTrading.ContractFill, "buys">
): void => {
  const qty = steps * Money.tenTo(Money.coinScale - market.qtyScale)
  if (side === "Buy") {
    PastTrading.post(books, wallet, market.base, qty - fee, fee === 0 ? market.qtyScale : Money.coinScale)
    PastTrading.post(books, wallet, market.quote, -value, Market.valueScale(market))
  } else {
    PastTrading.post(books, wallet, market.base, -qty, market.qtyScale)
    PastTrading.post(books, wallet, market.quote, value - fee, fee === 0 ? Market.valueScale(market) : Money.coinScale)
  }
}

const execute = (
  books: PastTrading.Books,
  placement: Placement,
  steps: number,
  leaves: number,
  at: number,
  index: number
): PastTrading.PastFill => {
  const { around, trade, wallet } = placement
  const { isLimit, market, side } = trade
  const isSpot = market.category === "spot"
  const buys = side === "Buy"
  // A market order moves through the book.
  const price = isLimit ? trade.price : Market.priceUnits(market, around * (1 + 0.0001 * index * (buys ? 1 : -1)))
  const value = valueOf(market, price, steps)
  const valueScale = Market.valueScale(market)
  const isMaker = isLimit && books.random.chance(0.75)
  const { rate, rateScale } = rates[market.category][isMaker ? "maker" : "taker"]
  const fee =
    isSpot && buys ? partOf(steps * rate, market.qtyScale + rateScale) : partOf(value * rate, valueScale + rateScale)
  const booked = { buys, steps, value: value * Money.tenTo(Money.coinScale - valueScale), valueScale, fee }
  if (isSpot) settleSpot(books, placement, booked)
  const closed = isSpot ? undefined : PastTrading.fillContract(books, wallet, at, market, booked)
  return { trade, at, ticket: PastTrading.ticket(books), steps, leaves, price, isMaker, value, fee, closed }
}

/** Places and books a past order with its executions. Returns the instant of the last execution. */
export const place = (
  books: PastTrading.Books,
  plan: Plan,
  slot: Schedule.Slot,
  next: number,
  forced?: Forced
): number => {
  const placement = decide(books, plan, slot, forced)
  if (placement === undefined) return slot.at
  const { random } = books
  const { shares, trade } = placement
  let last = slot.at
  let leaves = trade.steps
  const room = Math.min(next, plan.until) - slot.at - 1
  const longest = Math.min(600_000, Math.floor(room / Math.max(1, shares.length)))
  shares.forEach((share, index) => {
    // About half of the orders fill in a single sweep, the others also later, but before the next order.
    const waits = (trade.isLimit || index > 0) && !slot.border && room > 0 && random.chance(0.5)
    last += waits ? random.between(0, longest) : 0
    leaves -= share
    trade.fills.push(execute(books, placement, share, leaves, last, index))
  })
  trade.closedAt = last + (trade.status === "Cancelled" && room > 1000 ? 500 : 0)
  trade.link = random.chance(0.3) ? random.hex(10) : undefined
  books.trades.push(trade)
  return last
}

/** Trades in the slots of a plan. */
export const run = (books: PastTrading.Books, plan: Plan): void => {
  let last = Number.NEGATIVE_INFINITY
  plan.slots.forEach((slot, index) => {
    const next = plan.slots[index + 1]?.at ?? plan.until
    // Some orders execute in the same millisecond as the previous execution, so that two symbols share a sequence.
    const at = !slot.border && last > slot.at - 1_200_000 && books.random.chance(0.05) ? last : Math.max(slot.at, last)
    last = place(books, plan, { ...slot, at }, Math.max(next, at))
  })
}

/** Closes all positions at one instant. */
export const closeAll = (books: PastTrading.Books, plan: Plan, at: number): void => {
  for (const { market, size } of Array.from(books.holdings.values())) {
    if (size === 0) continue
    place(books, plan, { at, category: market.category, border: true }, at, {
      market,
      side: size > 0 ? "Sell" : "Buy",
      steps: Math.abs(size),
      closing: true
    })
  }
  books.holdings.clear()
}

/** Opens positions of the required sizes if the simulation closed them. */
export const ensureOpen = (
  books: PastTrading.Books,
  plan: Plan,
  at: number,
  wanted: ReadonlyArray<readonly [category: Exchange.Contract, symbol: string, steps: number]>
): void => {
  for (const [category, symbol, steps] of wanted) {
    const market = Market.traded.find((candidate) => candidate.category === category && candidate.symbol === symbol)
    if (market === undefined || (books.holdings.get(market)?.size ?? 0) !== 0) continue
    place(books, plan, { at, category, border: true }, at, { market, side: "Buy", steps, closing: false })
  }
}
