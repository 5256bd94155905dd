/** The coins of symbols. Rows do not name them: the service lists them, and a table of the user has those that are not listed. */
import type * as Manifest from "@effect-venue/history/Manifest"
import { listAlternatives } from "@effect-venue/schemas/siblings/Words"
import type { SymbolCoins, SymbolEntry } from "./Kinds.js"

/** The coins of a symbol, or why they are not known. */
export type Found =
  | { readonly _tag: "Known"; readonly coins: SymbolCoins; readonly source: "listed" | "table" | "derived" }
  | { readonly _tag: "Unknown"; readonly because: string }

export interface Coins {
  readonly find: (category: string, symbol: string) => Found
  /** What is doubtful about the symbols that were looked up, in words. */
  readonly notes: () => ReadonlyArray<string>
}

const lineOf = ({ base, category, quote, settle, symbol }: SymbolEntry): string =>
  [category, symbol, base, quote, settle].join(",")

/** The instrument of a line of a listing. A symbol can contain spaces, a coin cannot. */
const entryOf = (category: string, line: string): SymbolEntry => {
  const words = line.split(" ")
  const coins = words.splice(category === "spot" ? -2 : -3)
  const [base = "", quote = "", settle = quote] = coins
  return { category, symbol: words.join(" "), base, quote, settle }
}

const keyOf = (category: string, symbol: string): string => `${category} ${symbol}`

/** The end of a dated contract's symbol. */
const delivery = /-\d{1,2}[A-Z]{3}\d{2}$|(?<=USD)[FGHJKMNQUVXZ]\d{2}$/

/** The ways to cut a symbol into two coins that the service lists. */
const splitsOf = (category: string, symbol: string, coins: ReadonlySet<string>): ReadonlyArray<SymbolEntry> => {
  const name = category === "spot" ? symbol : symbol.replace(delivery, "")
  return Array.from({ length: Math.max(name.length - 1, 0) }, (_, index) => {
    const [base, quote] = [name.slice(0, index + 1), name.slice(index + 1)]
    return { category, symbol, base, quote, settle: category === "inverse" ? base : quote }
  }).filter(({ base, quote }) => coins.has(base) && coins.has(quote))
}

const isSame = (left: SymbolEntry, right: SymbolEntry): boolean => lineOf(left) === lineOf(right)

/** The instruments of listings by category and symbol, and their coins. */
const readListings = (listings: ReadonlyArray<Manifest.Listing>) => {
  const listed = new Map<string, Array<SymbolEntry>>()
  const coins = new Set<string>()
  for (const { category, list } of listings) {
    for (const line of list) {
      const entry = entryOf(category, line)
      const key = keyOf(category, entry.symbol)
      listed.set(key, [...(listed.get(key) ?? []), entry])
      for (const coin of [entry.base, entry.quote, entry.settle]) coins.add(coin)
    }
  }
  return { listed, coins }
}

/** What is found, and what is doubtful about it, in words. */
type Doubted = readonly [found: Found, note?: string]

/** The coins of a symbol that neither the service nor the user lists. */
const derive = (category: string, symbol: string, coins: ReadonlySet<string>): Doubted => {
  const splits = splitsOf(category, symbol, coins)
  const [only, ...others] = splits
  if (only !== undefined && others.length === 0) {
    return [
      { _tag: "Known", coins: only, source: "derived" },
      `${symbol} of ${category} is not listed: its coins are derived from its name. Confirm them in the table of symbols: ${lineOf(only)}`
    ]
  }
  const lines = splits.length === 0 ? [`${category},${symbol},BASE,QUOTE,SETTLE`] : splits.map(lineOf)
  return [
    { _tag: "Unknown", because: `the coins of ${symbol} are not known` },
    `The coins of ${symbol} of ${category} are not known: its rows are in no sum. Add its line to the table of symbols: ${listAlternatives(lines)}`
  ]
}

/** The coins of a symbol by its listings, and by the table of the user. */
const choose = (listed: ReadonlyArray<SymbolEntry>, entry: SymbolEntry | undefined): Doubted | undefined => {
  const [first, ...others] = listed
  if (first !== undefined && others.length === 0) {
    const found = { _tag: "Known", coins: first, source: "listed" } as const
    return entry === undefined || isSame(first, entry)
      ? [found]
      : [
          found,
          `${first.symbol} of ${first.category}: the service lists ${lineOf(first)}, so the line of the table of symbols is not used.`
        ]
  }
  if (entry !== undefined) return [{ _tag: "Known", coins: entry, source: "table" }]
  if (first === undefined) return undefined
  return [
    { _tag: "Unknown", because: `${first.symbol} was listed with different coins` },
    `${first.symbol} of ${first.category} was listed with different coins: its rows are in no sum. Add its line to the table of symbols: ${listAlternatives(listed.map(lineOf))}`
  ]
}

/** Finds coins by the listings of an export, then by the table of the user, then by the only split of a symbol into two listed coins. */
export const make = (listings: ReadonlyArray<Manifest.Listing>, table: ReadonlyArray<SymbolEntry>): Coins => {
  const { coins, listed } = readListings(listings)
  const added = new Map(table.map((entry) => [keyOf(entry.category, entry.symbol), entry]))
  const cache = new Map<string, Doubted>()
  return {
    find: (category, symbol) => {
      const key = keyOf(category, symbol)
      const doubted = cache.get(key) ?? choose(listed.get(key) ?? [], added.get(key)) ?? derive(category, symbol, coins)
      cache.set(key, doubted)
      return doubted[0]
    },
    notes: () => [
      ...listings.flatMap(({ because, category }) =>
        because === null ? [] : [`The instruments of ${category} could not be read: ${because}`]
      ),
      ...Array.from(cache.values()).flatMap(([, note]) => (note === undefined ? [] : [note]))
    ]
  }
}
