import type * as State from "../../State.js"
import * as Money from "../money.js"
import type * as Random from "../random.js"
import type * as Market from "./market.js"

// An account's trading as the seed simulates it: in whole numbers, which an engine adds up some twenty times faster than decimals,
// and in milliseconds since the opening, so that worlds of one seed that open at different instants share it.

/** An amount of a coin: `units` are whole 1e-8. `scale` is how many decimals its record shows. */
export interface Amount {
  units: number
  scale: number
}

/** The part of an execution that closed something: what that part had cost. */
export interface Closed {
  readonly entry: Readonly<Amount>
  readonly openFee: Readonly<Amount>
}

/** One execution of a trade. */
export interface Fill {
  readonly at: number
  readonly ticket: number
  readonly steps: number
  /** In the last digit of the market's price. */
  readonly price: number
  readonly isMaker: boolean
  /** With the decimals of `Market.valueScale`. */
  readonly value: number
  /** In units. */
  readonly fee: number
  readonly closed: Closed | undefined
}

/** An order of the past with its executions. Never changed once it is placed. */
export interface Trade {
  readonly market: Market.Market
  readonly at: number
  closedAt: number
  readonly ticket: number
  readonly side: "Buy" | "Sell"
  readonly closing: boolean
  readonly status: "Filled" | "Cancelled" | "Rejected"
  readonly partly: boolean
  readonly isLimit: boolean
  readonly price: number
  /** What it may cost at worst, in the last digit of the market's price; `undefined` for spot market orders. */
  readonly limit: number | undefined
  readonly steps: number
  readonly stop: "TakeProfit" | "StopLoss" | undefined
  readonly createType: string
  /** Random digits of a client's own id. */
  link: string | undefined
  readonly fills: Array<Fill>
}

/** What is held of a contract. `size` is in steps. */
export interface Holding {
  readonly market: Market.Market
  size: number
  readonly entry: Amount
  readonly openFee: Amount
  readonly realised: Amount
  createdAt: number
  updatedAt: number
}

/** Amounts by coin, in the order in which they were first booked. */
export type Wallet = Map<string, Amount>

/** An account's books while its past is simulated. */
export interface Books {
  readonly random: Random.Random
  readonly wallets: { readonly [T in State.WalletType]: Wallet }
  readonly held: Map<Market.Market, Holding>
  readonly trades: Array<Trade>
  /** How many ids were given out. */
  issued: number
}

const tails = 2 ** 16

/** What the next id is made from: a count and four random hex digits. */
export const ticket = (books: Pick<Books, "issued" | "random">): number => {
  const count = books.issued++
  const { next } = books.random
  let tail = 0
  for (let digit = 0; digit < 4; digit++) tail = tail * 16 + Math.floor(next() * 16)
  return count * tails + tail
}

/** The parts of a ticket: the count, and the digits as text. */
export const ticketParts = (ticket: number): { readonly count: number; readonly tail: string } => ({
  count: Math.floor(ticket / tails),
  tail: (ticket % tails).toString(16).padStart(4, "0")
})

export const balance = (books: Books, wallet: State.WalletType, coin: string): number =>
  books.wallets[wallet].get(coin)?.units ?? 0

const zero = (): Amount => ({ units: 0, scale: 0 })

/** Adds as `BigDecimal.sum` does: zero has no say in how many decimals there are. */
const add = (amount: Amount, units: number, scale: number): void => {
  if (units === 0) return
  amount.scale = amount.units === 0 ? scale : Math.max(amount.scale, scale)
  amount.units += units
}

/** Books an amount. Minus for what leaves. */
export const post = (books: Books, wallet: State.WalletType, coin: string, units: number, scale: number): void => {
  const known = books.wallets[wallet].get(coin)
  const amount = known ?? zero()
  if (known === undefined) books.wallets[wallet].set(coin, amount)
  add(amount, units, scale)
}

/** `a * b / c` of amounts over 0, rounded half away from zero: exact also where the product is no safe integer. */
export const shareOf = (a: number, b: number, c: number): number => {
  const product = a * b * 2 + c
  return Number.isSafeInteger(product)
    ? Math.floor(product / (c * 2))
    : Number((BigInt(a) * BigInt(b) * 2n + BigInt(c)) / (BigInt(c) * 2n))
}

/** One execution of a contract as the books see it, in steps and units. */
export interface ContractFill {
  readonly buys: boolean
  readonly steps: number
  readonly value: number
  readonly valueScale: number
  readonly fee: number
}

const holdingOf = (books: Books, market: Market.Market): Holding => {
  const known = books.held.get(market)
  if (known !== undefined) return known
  const empty = { market, size: 0, entry: zero(), openFee: zero(), realised: zero(), createdAt: 0, updatedAt: 0 }
  books.held.set(market, empty)
  return empty
}

const partOf = ({ scale, units }: Amount, steps: number, size: number): Amount =>
  steps === size ? { units, scale } : { units: shareOf(units, steps, size), scale: Money.coinScale }

/**
 * Books one execution of a contract, its profit and its fee; returns what it closed. What `Book.apply` does with decimals: the seed's
 * orders never turn a position over.
 */
export const fillContract = (
  books: Books,
  wallet: State.WalletType,
  at: number,
  market: Market.Market,
  { buys, fee, steps, value, valueScale }: ContractFill
): Closed | undefined => {
  const holding = holdingOf(books, market)
  if (holding.size === 0) holding.createdAt = at
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
