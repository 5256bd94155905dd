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

/** Adds rows of one kind one after the other, in memory that grows with their symbols alone. */
export interface Tally<A> {
  readonly add: (category: string, row: Dataset.Row) => void
  readonly result: () => A
}

/** Executions that are no trades: their values are no volume. */
const untraded: ReadonlySet<string> = new Set(["Funding", "Settle", "Delivery", "MovePosition", "CorporateAction"])

const valueOf = (category: string, row: Dataset.Row): BigDecimal.BigDecimal | undefined => {
  const value = Books.fieldDecimal(row, "execValue")
  if (value !== undefined || category !== "spot") return value
  // Spot executions from before a unified account have no value.
  const [price, size] = [Books.fieldDecimal(row, "execPrice"), Books.fieldDecimal(row, "execQty")]
  return price === undefined || size === undefined ? undefined : BigDecimal.multiply(price, size)
}

/** The value of a trade and its coin, or why they are not known; `undefined` if the row is no trade. */
export const readTrade = (coins: Books.Coins, category: string, row: Dataset.Row) => {
  if (untraded.has(Books.fieldText(row, "execType"))) return undefined
  const symbol = Books.fieldText(row, "symbol")
  const found = coins.find(category, symbol)
  if (found._tag === "Unknown") return { _tag: "Lacking", symbol, currency: undefined, because: found.because } as const
  const [currency, value] = [found.coins.settle, valueOf(category, row)]
  return value === undefined
    ? ({ _tag: "Lacking", symbol, currency, because: "executions whose value cannot be read" } as const)
    : ({ _tag: "Trade", symbol, currency, value } as const)
}

const none = (symbol: string): Volume => ({
  ...{ symbol, value: money.zero, fills: 0 },
  ...{ makerValue: money.zero, makerFills: 0 }
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
  const notes = new Map<string, number>()
  const note = (words: string): void => void notes.set(words, (notes.get(words) ?? 0) + 1)
  const markets = new Map<string, BuildingMarket>()
  return {
    add: (category, row) => {
      const trade = readTrade(coins, category, row)
      if (trade === undefined) return
      if (trade._tag === "Lacking") {
        note(`left out of volume and maker share: ${trade.because}`)
        return
      }
      const { currency, symbol, value } = trade
      // Text if a table was read.
      const isMaker = String(row.isMaker) === "true"
      if (!isMaker && String(row.isMaker) !== "false") note("no isMaker, taken for taker trades")
      const key = `${category}\n${currency}`
      const market = markets.get(key) ?? { category, currency, symbols: new Map<string, Volume>(), total: none("") }
      markets.set(key, market)
      market.symbols.set(symbol, addTrade(market.symbols.get(symbol) ?? none(symbol), value, isMaker))
      market.total = addTrade(market.total, value, isMaker)
    },
    result: () => ({
      markets: [...markets.values()]
        .map((market) => ({
          ...market,
          symbols: [...market.symbols.values()].sort((left, right) => BigDecimal.Order(right.value, left.value))
        }))
        .sort((left, right) => right.total.fills - left.total.fills),
      notes: Array.from(notes, ([words, rows]) => `${countNoun(rows, "row")}: ${words}`)
    })
  }
}
