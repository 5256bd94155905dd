/** The sums of postings in the trading wallet of an account between two instants. */
import * as BigDecimal from "effect/BigDecimal"
import { plain, zero } from "./fields.js"
import { trading } from "./Kinds.js"
import type * as Postings from "./postings.js"

/** The sums of one coin. */
export interface CoinSums {
  /** Changes whose wallet is named. */
  readonly changes: BigDecimal.BigDecimal
  /** Part of the changes. */
  readonly funding: BigDecimal.BigDecimal
  readonly deposits: BigDecimal.BigDecimal
  /** Signed as for the master account. */
  readonly subAccounts: BigDecimal.BigDecimal
  readonly bonusUsed: BigDecimal.BigDecimal
  /** Rebates of spot trades that received this coin, and of those that paid it. */
  readonly rebatesReceived: BigDecimal.BigDecimal
  readonly rebatesPaid: BigDecimal.BigDecimal
}

export const empty: CoinSums = {
  changes: zero,
  funding: zero,
  deposits: zero,
  subAccounts: zero,
  bonusUsed: zero,
  rebatesReceived: zero,
  rebatesPaid: zero
}

/** The time between two snapshots: half-open, milliseconds. */
export interface Between {
  readonly from: number
  readonly to: number
}

export interface Flows {
  readonly coins: ReadonlyMap<string, CoinSums>
  /** What can keep the balances from adding up, with the number of rows. */
  readonly doubts: ReadonlyMap<string, number>
  /** Closed profits that are not of this time, or are not there, in words. */
  readonly unmatched: ReadonlyArray<string>
}

export interface Tally {
  readonly add: (row: Postings.BookedRow) => void
  readonly result: () => Flows
}

/** A row this close to a snapshot can belong to its other side: clocks differ, and some instants are whole seconds. */
const closest = 1000

const closeToSnapshot = "rows within a second of a snapshot, which may belong to its other side"

/** Closed profits and executions of a symbol that do not close the same size. */
const findUnmatched = ([symbol, size]: readonly [string, BigDecimal.BigDecimal]): ReadonlyArray<string> =>
  BigDecimal.isZero(size)
    ? []
    : BigDecimal.isPositive(size)
      ? [
          `${symbol}: closed profits of ${plain(size)} more than was executed between the balances. An order that was filled before the opening balance too is counted whole.`
        ]
      : [
          `${symbol}: executions closed ${plain(BigDecimal.negate(size))} whose closed profits are not in this export. The service lists them when the order was placed, before the rows of this export begin.`
        ]

type Field = keyof CoinSums

/** The sums that a row adds to. */
const partsOf = ({
  between,
  bonusUsed,
  postings,
  rebate
}: Postings.BookedRow): ReadonlyArray<readonly [string, Field, BigDecimal.BigDecimal]> => [
  ...postings.flatMap(({ amount, coin, kind, wallet }): ReadonlyArray<readonly [string, Field, typeof amount]> => {
    if (wallet === undefined) return [[coin, between === undefined ? "deposits" : "subAccounts", amount]]
    if (wallet !== trading) return []
    return [[coin, "changes", amount], ...(kind === "funding" ? [[coin, "funding", amount] as const] : [])]
  }),
  ...(bonusUsed === undefined ? [] : [[bonusUsed.coin, "bonusUsed", bonusUsed.amount] as const]),
  ...(rebate?.wallet !== trading
    ? []
    : [
        [rebate.received, "rebatesReceived", rebate.amount] as const,
        [rebate.paid, "rebatesPaid", rebate.amount] as const
      ])
]

/** Adds up the postings of one account in its trading wallet, those whose record names no wallet too. */
export const make = (between: Between): Tally => {
  const coins = new Map<string, CoinSums>()
  const doubts = new Map<string, number>()
  const sizes = new Map<string, BigDecimal.BigDecimal>()
  const doubt = (what: string) => void doubts.set(what, (doubts.get(what) ?? 0) + 1)
  const isClose = (at: number) =>
    Math.abs(at - between.from) < closest || (Math.abs(at - between.to) < closest && between.to > between.from)
  return {
    add: (row) => {
      const { at, closed, symbol } = row
      if (at === undefined) return
      if (isClose(at)) doubt(closeToSnapshot)
      if (at < between.from || at >= between.to) return
      row.doubts.forEach(doubt)
      for (const [coin, field, amount] of partsOf(row)) {
        const sums = coins.get(coin) ?? empty
        coins.set(coin, { ...sums, [field]: BigDecimal.sum(sums[field], amount) })
      }
      if (closed !== undefined) sizes.set(symbol, BigDecimal.sum(sizes.get(symbol) ?? zero, closed))
    },
    result: () => ({ coins, doubts, unmatched: Array.from(sizes).flatMap(findUnmatched) })
  }
}
