/** The sums of postings in the trading wallet of an account between two instants: the entries of its statement. */
import * as BigDecimal from "effect/BigDecimal"
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import { plain, zero } from "./fields.js"
import * as Postings from "./postings.js"

export type Amounts = Readonly<Partial<Record<Postings.PostingKind, BigDecimal.BigDecimal>>>

/** The time between two snapshots: half-open, milliseconds. */
export interface Between {
  readonly from: number
  readonly to: number
}

export interface Flows {
  readonly coins: ReadonlyMap<string, Amounts>
  /** Reasons why the statement cannot add up, with the number of rows. */
  readonly doubts: ReadonlyMap<string, number>
  /** Closed profits that are not of this time, or are not there, in words. */
  readonly unmatched: ReadonlyArray<string>
}

export interface Tally {
  readonly add: (part: Manifest.Subject, row: Dataset.Row) => void
  /** Adds a row that was read. */
  readonly addReading: (reading: Postings.BookedRow) => void
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

/** Adds up the postings of one account in its trading wallet, those whose record names no wallet too. */
export const make = (between: Between): Tally => {
  const coins = new Map<string, Partial<Record<Postings.PostingKind, BigDecimal.BigDecimal>>>()
  const doubts = new Map<string, number>()
  const sizes = new Map<string, BigDecimal.BigDecimal>()
  const doubt = (what: string) => void doubts.set(what, (doubts.get(what) ?? 0) + 1)
  const post = ({ amount, coin, kind, wallet }: Postings.Posting) => {
    if (wallet !== undefined && wallet !== Postings.trading) return
    const amounts = coins.get(coin) ?? {}
    amounts[kind] = BigDecimal.sum(amounts[kind] ?? zero, amount)
    coins.set(coin, amounts)
  }
  const isClose = (at: number) =>
    Math.abs(at - between.from) < closest || (Math.abs(at - between.to) < closest && between.to > between.from)
  const addReading = ({ at, closed, doubts, postings, symbol }: Postings.BookedRow) => {
    if (at === undefined) return
    if (isClose(at)) doubt(closeToSnapshot)
    if (at < between.from || at >= between.to) return
    doubts.forEach(doubt)
    postings.forEach(post)
    if (closed !== undefined) sizes.set(symbol, BigDecimal.sum(sizes.get(symbol) ?? zero, closed))
  }
  return {
    add: (part, row) => {
      const reading = Postings.isPreUpgrade(part) ? undefined : Postings.read(part, row)
      if (reading !== undefined) addReading(reading)
    },
    addReading,
    result: () => ({ coins, doubts, unmatched: Array.from(sizes).flatMap(findUnmatched) })
  }
}
