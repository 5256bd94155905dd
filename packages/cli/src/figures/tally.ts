import * as Books from "@effect-venue/books/siblings/BookParts"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as BigDecimal from "effect/BigDecimal"
import * as money from "./money.js"
import { untraded } from "./monthly.js"
import type { Period } from "./period.js"

/** Amounts of one currency over time. */
export interface Series {
  readonly currency: string
  /** The sums: fees of trades, funding, closed profit. */
  readonly kind: string
  readonly steps: ReadonlyMap<number, Sum>
  readonly total: Sum
}

export interface Sum {
  readonly amount: BigDecimal.BigDecimal
  readonly rows: number
}

/** The trades of a symbol. */
export interface Volume {
  readonly symbol: string
  readonly value: BigDecimal.BigDecimal
  readonly fills: number
  readonly makerValue: BigDecimal.BigDecimal
  readonly makerFills: number
}

/** The trades of a category, for symbols whose values are in one currency. */
export interface Market {
  readonly category: string
  readonly currency: string
  readonly symbols: ReadonlyArray<Volume>
  readonly total: Volume
}

export interface Executed {
  readonly fees: ReadonlyArray<Series>
  readonly markets: ReadonlyArray<Market>
  readonly notes: ReadonlyArray<string>
}

export interface Closed {
  readonly pnl: ReadonlyArray<Series>
  readonly notes: ReadonlyArray<string>
}

/** Adds rows of one kind one after the other, in constant memory. */
export interface Tally<A> {
  readonly add: (category: string, row: Dataset.Row) => void
  readonly result: () => A
}

/** The number of currencies or symbols that are tallied by name; rows of further ones are only counted. A service has some hundreds. */
const mostKeys = 5000

class Notes {
  private readonly counts = new Map<string, number>()

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  all(): ReadonlyArray<string> {
    return Array.from(this.counts, ([what, rows]) => `${rows} ${rows === 1 ? "row" : "rows"}: ${what}`)
  }
}

interface Building {
  readonly currency: string
  readonly kind: string
  readonly steps: Map<number, Sum>
  total: Sum
}

const nothing: Sum = { amount: money.zero, rows: 0 }

const plus = (sum: Sum, amount: BigDecimal.BigDecimal): Sum => ({
  amount: BigDecimal.sum(sum.amount, amount),
  rows: sum.rows + 1
})

class Sums {
  private readonly series = new Map<string, Building>()

  constructor(
    private readonly period: Period,
    private readonly notes: Notes
  ) {}

  add(kind: string, currency: string, at: number, amount: BigDecimal.BigDecimal): void {
    const key = `${kind}\n${currency}`
    const series = this.series.get(key) ?? { currency, kind, steps: new Map<number, Sum>(), total: nothing }
    if (!this.series.has(key)) {
      if (this.series.size >= mostKeys) {
        this.notes.count("left out, since there are too many currencies")
        return
      }
      this.series.set(key, series)
    }
    const step = this.period.indexOf(at)
    series.steps.set(step, plus(series.steps.get(step) ?? nothing, amount))
    series.total = plus(series.total, amount)
  }

  all(): ReadonlyArray<Series> {
    return [...this.series.values()].sort((left, right) => right.total.rows - left.total.rows)
  }
}

/** The instant of a row. Counts unreadable instants and instants outside the period. */
const instantOf = (row: Dataset.Row, field: string, period: Period, notes: Notes, of: string): number | undefined => {
  const at = Books.fieldInstant(row, field)
  if (at === undefined) notes.count(`no ${field} that can be read, left out of the ${of}`)
  else if (period.isOutside(at)) notes.count(`${field} lies outside the period, drawn at its border`)
  return at
}

/** Closed profit and loss. */
export const closed = (period: Period, instant: "createdTime" | "updatedTime"): Tally<Closed> => {
  const notes = new Notes()
  const sums = new Sums(period, notes)
  return {
    add: (category, row) => {
      const amount = Books.fieldDecimal(row, "closedPnl")
      if (amount === undefined) {
        notes.count("no closedPnl that can be read, left out")
        return
      }
      const at = instantOf(row, instant, period, notes, "profit and loss")
      if (at !== undefined)
        sums.add("", Books.currencyOfValue(category, Books.fieldText(row, "symbol")).name, at, amount)
    },
    result: () => ({ pnl: sums.all(), notes: notes.all() })
  }
}

export const tradingFees = "Trading fees"

const none = (symbol: string): Volume => ({
  symbol,
  value: money.zero,
  fills: 0,
  makerValue: money.zero,
  makerFills: 0
})

const addTrade = (sum: Volume, value: BigDecimal.BigDecimal, isMaker: boolean): Volume => ({
  symbol: sum.symbol,
  value: BigDecimal.sum(sum.value, value),
  fills: sum.fills + 1,
  makerValue: isMaker ? BigDecimal.sum(sum.makerValue, value) : sum.makerValue,
  makerFills: sum.makerFills + (isMaker ? 1 : 0)
})

interface BuildingMarket {
  readonly category: string
  readonly currency: string
  readonly symbols: Map<string, Volume>
  total: Volume
}

/** Fees, volume and maker share of executions. */
export const executed = (period: Period): Tally<Executed> => {
  const notes = new Notes()
  const fees = new Sums(period, notes)
  const markets = new Map<string, BuildingMarket>()
  let keys = 0

  const trade = (category: string, row: Dataset.Row): void => {
    const symbol = Books.fieldText(row, "symbol")
    const value = Books.fieldDecimal(row, "execValue")
    if (value === undefined) {
      notes.count("no execValue, left out of volume and maker share")
      return
    }
    // Text if a table was read.
    const isMaker = row.isMaker === true || row.isMaker === "true"
    if (!isMaker && row.isMaker !== false && row.isMaker !== "false") {
      notes.count("no isMaker, taken for taker trades")
    }
    const currency = Books.currencyOfValue(category, symbol).name
    const key = `${category}\n${currency}`
    const market = markets.get(key) ?? { category, currency, symbols: new Map<string, Volume>(), total: none("") }
    const before = market.symbols.get(symbol)
    if (before === undefined) {
      if (keys >= mostKeys) {
        notes.count("left out of volume and maker share, since there are too many symbols")
        return
      }
      keys++
      markets.set(key, market)
    }
    market.symbols.set(symbol, addTrade(before ?? none(symbol), value, isMaker))
    market.total = addTrade(market.total, value, isMaker)
  }

  return {
    add: (category, row) => {
      const type = Books.fieldText(row, "execType")
      const isTrade = !untraded.has(type)
      if (isTrade) trade(category, row)
      const fee = Books.fieldDecimal(row, "execFee")
      if (fee === undefined) {
        notes.count("no execFee that can be read, left out of the fees")
        return
      }
      const at = instantOf(row, "execTime", period, notes, "fees")
      if (at === undefined) return
      const currency = Books.currencyOfFee(category, Books.fieldText(row, "symbol"), row.side).name
      fees.add(isTrade ? tradingFees : type, currency, at, fee)
    },
    result: () => ({
      fees: fees.all(),
      markets: [...markets.values()]
        .map((market) => ({
          ...market,
          symbols: [...market.symbols.values()].sort((left, right) => BigDecimal.Order(right.value, left.value))
        }))
        .sort((left, right) => right.total.fills - left.total.fills),
      notes: notes.all()
    })
  }
}
