import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import type * as Random from "../state/random.js"
import type * as Market from "./market.js"

// The simulated trading of an account, in whole numbers, which an engine adds about twenty times faster than decimals, and in milliseconds
// relative to the opening, so that worlds of the same seed with different openings share it.

/** An amount of a coin: `units` count 1e-8. `scale` is the number of decimals in its record. */
export interface Amount {
  units: number
  scale: number
}

/** The closing part of an execution, with its cost. */
export interface Closed {
  readonly entry: Readonly<Amount>
  readonly openFee: Readonly<Amount>
}

/** The data of an id: a count, and four random hex digits. */
export interface Ticket {
  readonly count: number
  readonly digits: string
}

/** An execution of a trade. */
export interface PastFill {
  readonly trade: Trade
  readonly at: number
  readonly ticket: Ticket
  readonly steps: number
  /** The remaining steps of the order after the execution. */
  readonly leaves: number
  /** In units of the last digit of the price. */
  readonly price: number
  readonly isMaker: boolean
  /** With the decimals of `Market.valueScale`. */
  readonly value: number
  /** In units. */
  readonly fee: number
  readonly closed: Closed | undefined
}

/** A past order with its executions. Immutable after it was placed. */
export interface Trade {
  readonly market: Market.Market
  readonly at: number
  closedAt: number
  readonly ticket: Ticket
  readonly side: "Buy" | "Sell"
  readonly closing: boolean
  readonly status: "Filled" | "Cancelled" | "Rejected"
  readonly isLimit: boolean
  readonly price: number
  /** The worst price, in units of the last digit; `undefined` for spot market orders. */
  readonly limit: number | undefined
  readonly steps: number
  readonly stop: "TakeProfit" | "StopLoss" | undefined
  readonly createType: Enumerations.CreateType
  /** Random digits of the caller's order id. */
  link: string | undefined
  readonly fills: Array<PastFill>
}

/** The position in a contract. `size` is in steps. */
export interface Holding {
  readonly market: Market.Market
  size: number
  readonly entry: Amount
  readonly openFee: Amount
  /** Since the position was opened. */
  realised: Amount
  /** Of all earlier positions. */
  readonly earlier: Amount
  createdAt: number
  updatedAt: number
  /** The index of the opening trade. */
  since: number
}

/** Amounts by coin, in order of the first booking. */
export type Wallet = Map<string, Amount>

/** The books of an account during the simulation. */
export interface Books {
  readonly random: Random.Random
  readonly wallets: { readonly [T in Exchange.WalletType]: Wallet }
  readonly holdings: Map<Market.Market, Holding>
  readonly trades: Array<Trade>
  /** The number of ids issued. */
  issued: number
}

/** Returns the next ticket. */
export const ticket = (books: Pick<Books, "issued" | "random">): Ticket => ({
  count: books.issued++,
  digits: books.random.hex(4)
})

export const balance = (books: Books, wallet: Exchange.WalletType, coin: string): number =>
  books.wallets[wallet].get(coin)?.units ?? 0

const zero = (): Amount => ({ units: 0, scale: 0 })

/** Adds like `BigDecimal.sum`; adding zero does not change the number of decimals. */
export const add = (amount: Amount, units: number, scale: number): void => {
  if (units === 0) return
  amount.scale = amount.units === 0 ? scale : Math.max(amount.scale, scale)
  amount.units += units
}

/** Books an amount; negative if it leaves. */
export const post = (
  books: Pick<Books, "wallets">,
  wallet: Exchange.WalletType,
  coin: string,
  units: number,
  scale: number
): void => {
  const known = books.wallets[wallet].get(coin)
  const amount = known ?? zero()
  if (known === undefined) books.wallets[wallet].set(coin, amount)
  add(amount, units, scale)
}

/** Computes `a * b / c` of positive amounts, rounded half away from zero. Exact even if the product is not a safe integer. */
export const shareOf = (a: number, b: number, c: number): number => {
  const rest = a % c
  const product = rest * b * 2 + c
  const whole = ((a - rest) / c) * b
  return Number.isSafeInteger(product)
    ? whole + Math.floor(product / (c * 2))
    : whole + Number((BigInt(rest) * BigInt(b) * 2n + BigInt(c)) / (BigInt(c) * 2n))
}

/** An execution of a contract in the books, in steps and units. */
export interface ContractFill {
  readonly buys: boolean
  readonly steps: number
  readonly value: number
  readonly valueScale: number
  readonly fee: number
}

const holdingOf = (books: Books, market: Market.Market): Holding => {
  const known = books.holdings.get(market)
  if (known !== undefined) return known
  const empty = {
    market,
    size: 0,
    entry: zero(),
    openFee: zero(),
    realised: zero(),
    earlier: zero(),
    createdAt: 0,
    updatedAt: 0,
    since: 0
  }
  books.holdings.set(market, empty)
  return empty
}

const partOf = ({ scale, units }: Amount, steps: number, size: number): Amount =>
  steps === size ? { units, scale } : { units: shareOf(units, steps, size), scale: Money.coinScale }

/**
 * Books an execution of a contract with its profit and fee, and returns the closed part. Like `Holding.apply` with whole numbers; the
 * seed's orders never reverse a position.
 */
export const fillContract = (
  books: Books,
  wallet: Exchange.WalletType,
  at: number,
  market: Market.Market,
  { buys, fee, steps, value, valueScale }: ContractFill
): Closed | undefined => {
  const holding = holdingOf(books, market)
  if (holding.size === 0) {
    holding.createdAt = at
    holding.since = books.trades.length
    add(holding.earlier, holding.realised.units, holding.realised.scale)
    holding.realised = zero()
  }
  holding.updatedAt = at
  add(holding.realised, -fee, Money.coinScale)
  const size = Math.abs(holding.size)
  const wasLong = holding.size > 0
  holding.size += buys ? steps : -steps
  if (size === 0 || wasLong === buys) {
    add(holding.entry, value, valueScale)
    add(holding.openFee, fee, Money.coinScale)
    post(books, wallet, market.settle, -fee, Money.coinScale)
    return undefined
  }
  const entry = partOf(holding.entry, steps, size)
  const openFee = partOf(holding.openFee, steps, size)
  const rise = value - entry.units
  const profit = wasLong === (market.category === "linear") ? rise : -rise
  const profitScale = Math.max(valueScale, entry.scale)
  add(holding.entry, -entry.units, entry.scale)
  add(holding.openFee, -openFee.units, openFee.scale)
  add(holding.realised, profit, profitScale)
  post(books, wallet, market.settle, profit - fee, fee === 0 ? profitScale : Money.coinScale)
  return { entry, openFee }
}
