/**
 * The currency of an amount. The rows of an export do not contain it: it follows from the category and the name of the symbol. If it does
 * not, only amounts of the same symbol are added up.
 */

/** A currency, or a text in its place. */
export interface Currency {
  readonly name: string
  readonly isKnown: boolean
}

/** The quote currencies that a spot symbol's name can end with. */
const quotes = ["USDT", "USDC", "USDE", "FDUSD", "DAI", "BTC", "ETH", "EUR", "GBP", "BRL", "TRY", "PLN", "USD"]

const toKnown = (name: string): Currency => ({ name, isKnown: true })
const unknown = (symbol: string): Currency => ({ name: `currency of ${symbol}`, isKnown: false })

/** The coins of a spot symbol; `undefined` if its name does not end with a quote currency. */
export const market = (symbol: string): { readonly base: string; readonly quote: string } | undefined => {
  const quote = quotes.find((name) => symbol.length > name.length && symbol.endsWith(name))
  return quote === undefined ? undefined : { base: symbol.slice(0, -quote.length), quote }
}

/** The settlement coin of a contract: the symbol of a linear one ends with it, that of an inverse one begins with it. */
const settlement = (category: string, symbol: string): Currency => {
  const linear = /^[A-Z0-9]+?(?<coin>USDT|USDC)(-\d{1,2}[A-Z]{3}\d{2})?$/.exec(symbol)
  if (category === "linear") {
    if (linear?.groups?.coin !== undefined) return toKnown(linear.groups.coin)
    return /^[A-Z0-9]+(PERP|-\d{1,2}[A-Z]{3}\d{2})$/.test(symbol) ? toKnown("USDC") : unknown(symbol)
  }
  const inverse = /^(?<coin>[A-Z0-9]+?)USD([FGHJKMNQUVXZ]\d{2})?$/.exec(symbol)
  return category === "inverse" && inverse?.groups?.coin !== undefined ? toKnown(inverse.groups.coin) : unknown(symbol)
}

/** The currency of `execValue` and of `closedPnl`. */
export const ofValue = (category: string, symbol: string): Currency => {
  if (category !== "spot") return settlement(category, symbol)
  const coins = market(symbol)
  return coins === undefined ? unknown(symbol) : toKnown(coins.quote)
}

/** The currency of `execFee`: of spot the one that was bought. */
export const ofFee = (category: string, symbol: string, side: unknown): Currency => {
  if (category !== "spot") return settlement(category, symbol)
  const coins = market(symbol)
  if (coins === undefined || (side !== "Buy" && side !== "Sell")) {
    return side === "Buy" || side === "Sell"
      ? unknown(`${symbol}, ${side === "Buy" ? "bought" : "sold"}`)
      : unknown(symbol)
  }
  return toKnown(side === "Buy" ? coins.base : coins.quote)
}
