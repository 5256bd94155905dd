import * as Books from "@effect-venue/books/siblings/BookParts"
import * as Figures from "@effect-venue/books/Figures"
import * as Sum from "@effect-venue/books/Sum"
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import { readTrade } from "./tally.js"

// The volume of months. It is in no log, because the value of a contract changes no balance.

type LineKey = Pick<Figures.Line, "account" | "category" | "currency" | "month" | "symbol">

type MonthKey = Pick<Figures.MonthTotal, "currency" | "month">

interface Traded {
  /** The value of trades. */
  readonly volume: Sum.Sum
}

/** The results of months with their volume. */
export interface Months {
  /** By account, category and symbol, too. */
  readonly lines: ReadonlyArray<Figures.Line & Traded>
  readonly totals: ReadonlyArray<Figures.MonthTotal & Traded>
}

const lineKey = ({ account, category, currency, month, symbol }: LineKey): LineKey => ({
  month,
  account,
  category,
  symbol,
  currency
})

const monthKey = ({ currency, month }: MonthKey): MonthKey => ({ month, currency })

/** Volumes by key. */
class Table<K extends object> {
  readonly #volumes = new Map<string, K & Traded>()

  add(key: K, volume: Sum.Sum): void {
    const name = JSON.stringify(Object.values(key))
    const before = this.#volumes.get(name)
    this.#volumes.set(name, {
      ...key,
      volume: before === undefined ? volume : Sum.addAll([before.volume, volume])
    })
  }

  /** Results with their volumes. A month can have trades and no result. */
  join(results: ReadonlyArray<K & Figures.Result>, keyOf: (row: K) => K): ReadonlyArray<K & Figures.Result & Traded> {
    const rows = new Map<string, K & Figures.Result & Traded>()
    for (const [name, { volume, ...key }] of this.#volumes)
      rows.set(name, { ...(key as K), ...Figures.nothing, volume }) // only `volume` was taken out of it
    for (const result of results) {
      const name = JSON.stringify(Object.values(keyOf(result)))
      rows.set(name, { ...result, volume: rows.get(name)?.volume ?? Sum.zero })
    }
    return [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)
  }
}

/** Adds up the values of trades by month, in memory that does not depend on their number. */
export const tally = (coins: Books.Coins, monthOf: (at: number) => string) => {
  const [lines, totals] = [new Table<LineKey>(), new Table<MonthKey>()]
  /** What can be of any coin, by month; without one of all months. */
  const unassigned = new Map<string | undefined, Sum.Sum>()
  const addWithoutCoin = (month: string | undefined, sum: Sum.Sum): void => {
    unassigned.set(month, Sum.addAll([unassigned.get(month) ?? Sum.zero, sum]))
  }
  return {
    add: ({ account, parameters }: Pick<Manifest.Subject, "account" | "parameters">, row: Dataset.Row): void => {
      const category = parameters.category ?? ""
      const trade = readTrade(coins, category, row)
      if (trade === undefined) return
      const at = Books.fieldInstant(row, "execTime")
      if (at === undefined) {
        addWithoutCoin(undefined, Sum.lacking("no time that can be read", 1))
        return
      }
      const [month, { currency = Figures.unknownCoin, symbol }] = [monthOf(at), trade]
      const volume = trade._tag === "Trade" ? Sum.of(trade.value) : Sum.lacking(trade.because, 1)
      if (currency === Figures.unknownCoin) addWithoutCoin(month, volume)
      lines.add({ month, account, category, symbol, currency }, volume)
      totals.add({ month, currency }, volume)
    },
    /** `unread`: why rows of executions could not be read. */
    join: (figures: Pick<Figures.Figures, "lines" | "months">, unread: ReadonlyArray<string>): Months => {
      const missing = unread.map((because) => [undefined, Sum.lacking(because, undefined)] as const)
      const lackOf = ({ currency, month }: MonthKey): ReadonlyArray<Sum.Sum> =>
        [...(currency === Figures.unknownCoin ? [] : unassigned), ...missing]
          .filter(([of]) => of === undefined || of === month)
          .map(([, sum]) => sum)
      return {
        lines: lines.join(figures.lines, lineKey),
        totals: totals
          .join(figures.months, monthKey)
          .map((total) => ({ ...total, volume: Sum.addAll([total.volume, ...lackOf(total)]) }))
      }
    }
  }
}
