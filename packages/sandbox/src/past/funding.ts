import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import * as Random from "../state/random.js"
import * as Market from "./market.js"
import * as PastTrading from "./pastTrading.js"
import type * as Prices from "./prices.js"
import * as Trading from "./trading.js"

/** A funding charge in the past. A negative fee is paid to the position. */
export interface Funding {
  readonly market: Market.Market
  readonly at: number
  readonly order: PastTrading.Ticket
  readonly ticket: PastTrading.Ticket
  /** In steps, negative for short. */
  readonly size: number
  /** In units of the last digit of the price. */
  readonly price: number
  /** With the decimals of `Market.valueScale`. */
  readonly value: number
  /** With the decimals of `rateScale`. */
  readonly rate: number
  /** In units. */
  readonly fee: number
}

export const rateScale = 6

/** Past positions are charged every eight hours of the last 30 days, counted back from the opening. */
const interval = 8 * 3_600_000
const charges = 90

const contracts = Market.traded.filter(({ category }) => category !== "spot")

/** The rates of a contract, latest first. */
export type Rates = (market: Market.Market) => ReadonlyArray<number>

/** Generates the rates of a seed: about 0.01 %, at most 0.05 % in either direction. */
export const rates = (seed: number): Rates => {
  const known = new Map<Market.Market, ReadonlyArray<number>>()
  return (market) => {
    const made = known.get(market)
    if (made !== undefined) return made
    const random = Random.make(seed, `funding ${market.category} ${market.symbol}`)
    const all = Array.from({ length: charges }, () =>
      Math.min(Math.max(Math.round(100 + 150 * random.bell()), -500), 500)
    )
    known.set(market, all)
    return all
  }
}

/** Visits every open position at each funding instant, earliest first. */
const forEachPosition = (
  trades: ReadonlyArray<PastTrading.Trade>,
  visit: (market: Market.Market, size: number, count: number) => void
): void => {
  const sizes = new Map<Market.Market, number>()
  let count = charges
  const visitUntil = (at: number): void => {
    for (; count > 0 && -count * interval < at; count--) {
      for (const market of contracts) {
        const size = sizes.get(market) ?? 0
        if (size !== 0) visit(market, size, count)
      }
    }
  }
  for (const { fills, market, side } of trades) {
    if (market.category === "spot") continue
    for (const { at, steps } of fills) {
      // An execution at the same instant precedes the charge.
      visitUntil(at)
      sizes.set(market, (sizes.get(market) ?? 0) + (side === "Buy" ? steps : -steps))
    }
  }
  visitUntil(0)
}

/** Funding ids use a separate range of counts, which no other id of the account reaches. */
const firstCount = 2 ** 27

/** Charges funding on the positions of an account, and books the fees. */
export const charge = (
  books: PastTrading.Books,
  random: Random.Random,
  terms: { readonly prices: Prices.Prices; readonly rates: Rates; readonly wallet: Exchange.WalletType }
): ReadonlyArray<Funding> => {
  const ids = { issued: firstCount, random }
  const fundings: Array<Funding> = []
  forEachPosition(books.trades, (market, size, count) => {
    const at = -count * interval
    const rate = terms.rates(market)[count - 1] ?? 0
    const price = Market.priceUnits(market, terms.prices.at(market.base, at))
    const value = Trading.valueOf(market, price, Math.abs(size))
    const part = Trading.partOf(value * Math.abs(rate), Market.valueScale(market) + rateScale)
    const fee = size > 0 === rate > 0 ? part : -part
    const order = PastTrading.ticket(ids)
    fundings.push({ market, at, order, ticket: PastTrading.ticket(ids), size, price, value, rate, fee })
    PastTrading.post(books, terms.wallet, market.settle, -fee, Money.coinScale)
    const holding = books.holdings.get(market)
    if (holding === undefined) return
    PastTrading.add(at < holding.createdAt ? holding.earlier : holding.realised, -fee, Money.coinScale)
    holding.updatedAt = Math.max(holding.updatedAt, at)
  })
  return fundings
}
