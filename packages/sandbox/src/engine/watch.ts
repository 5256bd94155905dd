import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Collateral from "../trading/collateral.js"
import * as Margin from "../trading/margin.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Prices from "../book/prices.js"

// A summary of an account in plain numbers, which decides whether a step of the market could affect it. The exact computation uses
// decimals. A false positive only costs time, so the comparisons are slightly too eager.

interface OrderWatch {
  readonly listing: string
  readonly by: "last" | "mark" | "index"
  readonly rises: boolean
  readonly at: number
}

interface Exposure {
  readonly listing: string
  readonly coin: string
  readonly size: number
  readonly entry: number
  readonly inverse: boolean
  readonly rate: number
  /** The margin of an isolated position; `undefined` for cross margin. */
  readonly margin: number | undefined
}

/** The balance of a coin behind cross positions, without the margin of isolated positions. */
interface Backing {
  readonly coin: string
  readonly amount: number
}

interface Watched {
  readonly orders: ReadonlyArray<OrderWatch>
  readonly exposures: ReadonlyArray<Exposure>
  /** Empty without cross positions. */
  readonly backing: ReadonlyArray<Backing>
  /** Whether all coins back all cross positions, by their index prices. */
  readonly unified: boolean
  /** The listing whose index price values a coin in USD, by coin. */
  readonly usd: ReadonlyMap<string, string>
  /** A status `Liq` or `Adl` that the next step clears. */
  readonly marked: boolean
}

const slack = 1e-6

const priceBy = (order: Exchange.Order): OrderWatch["by"] => {
  switch (Option.getOrElse(order.triggerBy, () => "LastPrice")) {
    case "MarkPrice":
      return "mark"
    case "IndexPrice":
      return "index"
    default:
      return "last"
  }
}

const watchOrder = (order: Exchange.Order): ReadonlyArray<OrderWatch> => {
  const listing = Exchange.listingKey(order.category, order.symbol)
  if (!OrderRecord.isConditional(order)) {
    return Option.match(order.price, {
      onNone: () => [],
      onSome: (price) => [{ listing, by: "last" as const, rises: order.side === "Sell", at: Prices.toNumber(price) }]
    })
  }
  if (Option.isSome(order.trailingStop)) {
    const sells = order.side === "Sell"
    const distance = Prices.toNumber(order.trailingStop.value)
    if (Option.isSome(order.extreme)) {
      const extreme = Prices.toNumber(order.extreme.value)
      const tick = Number.EPSILON * extreme
      return [
        { listing, by: "last", rises: sells, at: sells ? extreme + tick : extreme - tick },
        { listing, by: "last", rises: !sells, at: sells ? extreme - distance : extreme + distance }
      ]
    }
    return Option.match(order.triggerPrice, {
      onNone: () => [{ listing, by: "last" as const, rises: true, at: 0 }],
      onSome: (price) => [{ listing, by: "last" as const, rises: sells, at: Prices.toNumber(price) }]
    })
  }
  return Option.match(order.triggerPrice, {
    onNone: () => [],
    onSome: (price) => [
      {
        listing,
        by: priceBy(order),
        rises: Option.contains(order.triggerDirection, 1),
        at: Prices.toNumber(price)
      }
    ]
  })
}

const backingOf = (state: Exchange.State, account: Exchange.Account, coin: string): number => {
  const wallet = Margin.contractWallet(account)
  const { isolated } = Margin.margins(state, account, wallet, coin)
  return Prices.toNumber(BigDecimal.subtract(Margin.balance(account, wallet, coin), isolated))
}

const watch = (state: Exchange.State, account: Exchange.Account): Watched => {
  const orders = account.openOrders.flatMap(watchOrder)
  const exposures: Array<Exposure> = []
  const settled = new Set<string>()
  for (const position of account.positions) {
    const listing = Exchange.listing(state, position.category, position.symbol)
    if (listing === undefined || BigDecimal.isZero(position.size)) continue
    const isolated = position.tradeMode === "isolated"
    exposures.push({
      listing: Exchange.listingKey(position.category, position.symbol),
      coin: listing.settleCoin,
      size: Prices.toNumber(position.size),
      entry: Prices.toNumber(position.entryValue),
      inverse: position.category === "inverse",
      rate: Prices.toNumber(Margin.tier(listing, position.riskId)?.maintenanceRate ?? BigDecimal.make(0n, 0)),
      margin: isolated ? Prices.toNumber(Margin.computeIsolatedMargin(position)) : undefined
    })
    if (!isolated) settled.add(listing.settleCoin)
  }
  const coins = new Set(Array.from(settled).flatMap((coin) => Collateral.coins(state, account, coin)))
  return {
    orders,
    exposures,
    backing: Array.from(coins, (coin) => ({ coin, amount: backingOf(state, account, coin) })),
    unified: account.unified,
    usd: new Map(
      Array.from(coins).flatMap((coin) => {
        const listing = Exchange.usdListing(state, coin)
        return listing === undefined
          ? []
          : [[coin, Exchange.listingKey(listing.category, listing.instrument.symbol)] as const]
      })
    ),
    marked: account.positions.some((position) => position.status !== "Normal")
  }
}

// Accounts are immutable, so results can be cached by identity.
const memory = new WeakMap<Exchange.Account, Watched>()

const recallWatched = (state: Exchange.State, account: Exchange.Account): Watched => {
  const known = memory.get(account)
  if (known !== undefined) return known
  const fresh = watch(state, account)
  memory.set(account, fresh)
  return fresh
}

/** Returns the quote of a listing, computed once per instant. */
export type Quotes = (listing: string) => Prices.Quote | undefined

export const quotesAt = (state: Exchange.State, at: number): Quotes => {
  const known = new Map<string, Prices.Quote>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const [category, symbol] = key.split(":")
    const listing = Exchange.categories.flatMap((candidate) =>
      candidate === category ? [Exchange.listing(state, candidate, symbol ?? "")] : []
    )[0]
    if (listing === undefined) return undefined
    const quote = Prices.quote(state, listing, at)
    known.set(key, quote)
    return quote
  }
}

const isTouched = ({ at, by, listing, rises }: OrderWatch, quotes: Quotes): boolean => {
  const quote = quotes(listing)
  if (quote === undefined) return false
  return rises ? quote[by] >= at * (1 - slack) : quote[by] <= at * (1 + slack)
}

const isAtRisk = ({ backing, exposures, unified, usd }: Watched, quotes: Quotes): boolean => {
  // What is left of the collateral of a coin, in the unit of the collateral.
  const left = new Map<string, number>()
  const add = (coin: string, amount: number, tolerance: number): void => {
    const listing = unified ? usd.get(coin) : undefined
    const price = listing === undefined ? 1 : (quotes(listing)?.index ?? 1)
    const key = unified ? "" : coin
    left.set(key, (left.get(key) ?? 0) + (amount - tolerance * slack) * price)
  }
  for (const exposure of exposures) {
    const quote = quotes(exposure.listing)
    if (quote === undefined) continue
    const size = Math.abs(exposure.size)
    const value = exposure.inverse ? size / quote.mark : size * quote.mark
    const pnl = exposure.size > 0 === !exposure.inverse ? value - exposure.entry : exposure.entry - value
    if (exposure.margin !== undefined) {
      if (exposure.margin + pnl <= exposure.entry * exposure.rate + exposure.entry * slack) return true
      continue
    }
    add(exposure.coin, pnl - value * exposure.rate, value)
  }
  for (const { amount, coin } of backing) add(coin, amount, Math.abs(amount))
  return Array.from(left.values()).some((amount) => amount <= 0)
}

/** Whether the current prices could affect an account. */
export const mayNeedSettlement = (state: Exchange.State, account: Exchange.Account, quotes: Quotes): boolean => {
  if (account.openOrders.length === 0 && account.positions.length === 0) return false
  const all = recallWatched(state, account)
  if (all.marked) return true
  return all.orders.some((order) => isTouched(order, quotes)) || isAtRisk(all, quotes)
}
