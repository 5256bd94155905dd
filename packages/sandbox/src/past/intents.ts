import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import * as PastTrading from "./pastTrading.js"
import * as Market from "./market.js"
import type * as Schedule from "./schedule.js"

const marketsOf = (category: Exchange.Category) => Market.traded.filter((candidate) => candidate.category === category)
const byCategory = { spot: marketsOf("spot"), linear: marketsOf("linear"), inverse: marketsOf("inverse") }

/** The first market of a category is the busiest. */
export const chooseMarket = (books: PastTrading.Books, slot: Schedule.Slot): Market.Market | undefined => {
  const markets = byCategory[slot.category]
  const draw = slot.border ? 0 : Math.floor(books.random.next() ** 2 * markets.length)
  return markets[draw]
}

/** The next order of an account: a number of steps of a market's quantity. */
export interface Intent {
  readonly side: "Buy" | "Sell"
  readonly steps: number
  readonly closing: boolean
}

/** Chooses a contract order. Positions grow, shrink and are closed in the end; no order reverses a position. */
export const contract = (books: PastTrading.Books, scale: number, market: Market.Market, price: number): Intent => {
  const { random } = books
  const size = books.holdings.get(market)?.size ?? 0
  const worth = market.typicalValue * scale * (0.2 + 1.8 * random.next())
  const units = market.category === "inverse" ? worth : (worth / price) * Money.tenTo(market.qtyScale)
  const steps = Math.max(1, Math.round(units))
  if (size === 0) return { side: random.chance(0.6) ? "Buy" : "Sell", steps, closing: false }
  const holding = Math.abs(size)
  const long = size > 0
  const crowded = holding > steps * 6
  if (!random.chance(crowded ? 0.85 : 0.5)) return { side: long ? "Buy" : "Sell", steps, closing: false }
  const all = random.chance(0.3) || holding <= steps
  return { side: long ? "Sell" : "Buy", steps: all ? holding : steps, closing: true }
}

/** Chooses a spot order. Only a small part of a balance is sold, because inverse contracts settle in the same coins. */
export const spot = (
  books: PastTrading.Books,
  scale: number,
  wallet: Exchange.WalletType,
  market: Market.Market,
  price: number
): Intent => {
  const { random } = books
  const worth = market.typicalValue * scale * (0.2 + 1.8 * random.next())
  const steps = Math.max(1, Math.round((worth / price) * Money.tenTo(market.qtyScale)))
  const owned = Math.trunc(
    PastTrading.balance(books, wallet, market.base) / Money.tenTo(Money.coinScale - market.qtyScale)
  )
  return { side: random.chance(0.5) && owned > steps * 10 ? "Sell" : "Buy", steps, closing: false }
}

/** Splits steps into about `parts` non-empty parts. */
export const split = (books: PastTrading.Books, steps: number, parts: number): ReadonlyArray<number> => {
  const shares: Array<number> = []
  let left = steps
  for (let part = parts; part > 1 && left > part; part--) {
    const some = Math.floor((left * books.random.between(20, 80)) / (100 * (part - 1)))
    const share = Math.min(Math.max(some, 1), left - (part - 1))
    shares.push(share)
    left -= share
  }
  shares.push(left)
  return shares
}

/** How an order ends. */
export interface Fate {
  readonly status: "Filled" | "Cancelled" | "Rejected"
  readonly parts: number
  readonly partly: boolean
}

const partCounts = [1, 1, 2, 2, 2, 3, 3, 4, 5]

export const fate = (books: PastTrading.Books, slot: Schedule.Slot): Fate => {
  const { random } = books
  if (slot.border) return { status: "Filled", parts: 1, partly: false }
  const draw = random.next()
  if (draw < 0.03) return { status: "Cancelled", parts: 0, partly: false }
  if (draw < 0.04) return { status: "Rejected", parts: 0, partly: false }
  const parts = partCounts[random.between(0, partCounts.length - 1)] ?? 1
  return { status: draw < 0.08 ? "Cancelled" : "Filled", parts, partly: draw < 0.08 }
}
