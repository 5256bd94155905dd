import * as Books from "@effect-venue/books/siblings/BookParts"
import type * as Dataset from "@effect-venue/history/Dataset"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import * as BigDecimal from "effect/BigDecimal"
import * as money from "./money.js"

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

/** Volume and maker share of executions. */
export interface Executed {
  readonly markets: ReadonlyArray<Market>
  readonly notes: ReadonlyArray<string>
}

/** Adds rows of one kind one after the other, in constant memory. */
export interface Tally<A> {
  readonly add: (category: string, row: Dataset.Row) => void
  readonly result: () => A
}

/** The number of symbols that are tallied by name; rows of further ones are only counted. A service has some hundreds. */
const mostKeys = 5000

class Notes {
  private readonly counts = new Map<string, number>()

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  all(): ReadonlyArray<string> {
    return Array.from(this.counts, ([what, rows]) => `${countNoun(rows, "row")}: ${what}`)
  }
}

/** Executions that are no trades: their values are no volume. */
export const untraded: ReadonlySet<string> = new Set([
  "Funding",
  "Settle",
  "Delivery",
  "MovePosition",
  "CorporateAction"
])

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

/** Volume and maker share of executions. */
export const executed = (coins: Books.Coins): Tally<Executed> => {
  const notes = new Notes()
  const markets = new Map<string, BuildingMarket>()
  let keys = 0

  const trade = (category: string, row: Dataset.Row): void => {
    const symbol = Books.fieldText(row, "symbol")
    const value = Books.fieldDecimal(row, "execValue")
    const found = coins.find(category, symbol)
    if (found._tag === "Unknown" || value === undefined) {
      notes.count(
        `left out of volume and maker share: ${found._tag === "Unknown" ? found.because : "no execValue that can be read"}`
      )
      return
    }
    // Text if a table was read.
    const isMaker = row.isMaker === true || row.isMaker === "true"
    if (!isMaker && row.isMaker !== false && row.isMaker !== "false") {
      notes.count("no isMaker, taken for taker trades")
    }
    const currency = found.coins.settle
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
      if (!untraded.has(Books.fieldText(row, "execType"))) trade(category, row)
    },
    result: () => ({
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
