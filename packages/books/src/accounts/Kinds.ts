/**
 * The kinds of changes, and why a row is in no sum.
 *
 * @sibling
 */
import type * as BigDecimal from "effect/BigDecimal"

/** The kind of a change of a balance. */
export const kinds = [
  "opening",
  "trade",
  "fee",
  "funding",
  "realisedPnl",
  "liquidation",
  "transfer",
  "deposit",
  "bonus",
  "unexplained"
] as const

export type Kind = (typeof kinds)[number]

/** The wallet of the trading account. An export has snapshots of it. */
export const trading = "UNIFIED"

/** The wallet of deposits and of transfers with sub-accounts, unless balances show that it is the trading wallet. */
export const fundingWallet = "FUND"

/** A change of a balance by a row. */
export interface Posting {
  /** The account type; `undefined` if the record does not name it. */
  readonly wallet: string | undefined
  readonly coin: string
  readonly kind: Kind
  readonly amount: BigDecimal.BigDecimal
}

/** An amount of a row that is in no change, and so in no sum. */
export interface Lack {
  /** The kind of the sums that lack it. */
  readonly kind: Kind
  /** The coin of the sums that lack it; `undefined` if it can be any. */
  readonly currency: string | undefined
  /** The reason, in words that follow "1 row:". */
  readonly because: string
}

/** The coins of a symbol. The settle coin of a spot pair is its quote coin. */
export interface SymbolCoins {
  readonly base: string
  readonly quote: string
  readonly settle: string
}

/** The coins of a symbol that the service does not list. */
export interface SymbolEntry extends SymbolCoins {
  readonly category: string
  readonly symbol: string
}
