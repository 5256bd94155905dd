import * as BigDecimal from "effect/BigDecimal"
import type * as State from "../../State.js"
import * as Money from "../money.js"
import * as Ledger from "./ledger.js"
import * as Market from "./market.js"
import type * as Schedule from "./schedule.js"

const marketsOf = (category: State.Category) => Market.traded.filter((one) => one.category === category)
const byCategory = { spot: marketsOf("spot"), linear: marketsOf("linear"), inverse: marketsOf("inverse") }

/** The first market of a category is the busiest. */
export const chooseMarket = (ledger: Ledger.Ledger, slot: Schedule.Slot): Market.Market | undefined => {
  const markets = byCategory[slot.category]
  const draw = slot.border ? 0 : Math.floor(ledger.random.next() ** 2 * markets.length)
  return markets[draw]
}

/** What an account wants: so many steps of a market's quantity. */
export interface Intent {
  readonly side: "Buy" | "Sell"
  readonly steps: bigint
  readonly closing: boolean
}

/** A quantity in steps of so many decimals. */
export const stepsOf = (qty: BigDecimal.BigDecimal, scale: number): bigint =>
  Money.truncate(qty, scale).value * 10n ** BigInt(Math.max(0, scale - qty.scale))

/** Positions grow and shrink and are closed in the end, and no order turns one over. */
export const contract = (ledger: Ledger.Ledger, scale: number, market: Market.Market, price: number): Intent => {
  const { random } = ledger
  const { size } = Ledger.holding(ledger, market.category, market.symbol)
  const worth = market.typicalValue * scale * (0.2 + 1.8 * random.next())
  const units = market.category === "inverse" ? worth : (worth / price) * 10 ** market.qtyScale
  const steps = BigInt(Math.max(1, Math.round(units)))
  if (BigDecimal.isZero(size)) return { side: random.chance(0.6) ? "Buy" : "Sell", steps, closing: false }
  const held = stepsOf(BigDecimal.abs(size), market.qtyScale)
  const long = BigDecimal.isPositive(size)
  const crowded = held > steps * 6n
  if (!random.chance(crowded ? 0.85 : 0.5)) return { side: long ? "Buy" : "Sell", steps, closing: false }
  const all = random.chance(0.3) || held <= steps
  return { side: long ? "Sell" : "Buy", steps: all ? held : steps, closing: true }
}

/** Coins are only sold out of a small part of what there is, because inverse contracts are settled from them too. */
export const spot = (
  ledger: Ledger.Ledger,
  scale: number,
  wallet: State.WalletType,
  market: Market.Market,
  price: number
): Intent => {
  const { random } = ledger
  const worth = market.typicalValue * scale * (0.2 + 1.8 * random.next())
  const steps = BigInt(Math.max(1, Math.round((worth / price) * 10 ** market.qtyScale)))
  const owned = stepsOf(Ledger.balance(ledger, wallet, market.base), market.qtyScale)
  return random.chance(0.5) && owned > steps * 10n
    ? { side: "Sell", steps, closing: false }
    : { side: "Buy", steps, closing: false }
}

/** So many steps in about as many parts, none of them empty. */
export const split = (ledger: Ledger.Ledger, steps: bigint, parts: number): ReadonlyArray<bigint> => {
  const shares: Array<bigint> = []
  let left = steps
  for (let part = parts; part > 1 && left > BigInt(part); part--) {
    const some = (left * BigInt(ledger.random.between(20, 80))) / (100n * BigInt(part - 1))
    const share = some < 1n ? 1n : some > left - BigInt(part - 1) ? left - BigInt(part - 1) : some
    shares.push(share)
    left -= share
  }
  shares.push(left)
  return shares
}

/** What becomes of an order. */
export interface Fate {
  readonly status: "Filled" | "Cancelled" | "Rejected"
  readonly parts: number
  readonly partly: boolean
}

export const fate = (ledger: Ledger.Ledger, slot: Schedule.Slot): Fate => {
  const { random } = ledger
  if (slot.border) return { status: "Filled", parts: 1, partly: false }
  const draw = random.next()
  if (draw < 0.03) return { status: "Cancelled", parts: 0, partly: false }
  if (draw < 0.04) return { status: "Rejected", parts: 0, partly: false }
  const parts = random.pick(1, 1, 2, 2, 2, 3, 3, 4, 5)
  return { status: draw < 0.08 ? "Cancelled" : "Filled", parts, partly: draw < 0.08 }
}
