/** The amounts that a write puts at risk: the notional of orders by currency, transfers by coin. Pure functions of its parameters. */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Amount } from "../attempt/callState.js"
import { textOf } from "../journal/batchParts.js"

type Parameters = Readonly<Record<string, unknown>>

/** Why the amount of a write is unknown. */
export interface Unmeasured {
  readonly index: number
  readonly detail: string
}

/** The units of the caps of a guard, and the market prices. */
export interface Measures {
  /** The currencies of the caps of orders; `undefined` if orders have no caps. */
  readonly currencies: ReadonlyArray<string> | undefined
  /** The coins of the caps of transfers; `undefined` if transfers have no caps. */
  readonly coins: ReadonlyArray<string> | undefined
  /** Quote coin per base coin, for orders without a price. */
  readonly marketPrice: (symbol: string, category: string) => BigDecimal.BigDecimal | undefined
}

/** A write as the transport has it. */
export interface Write {
  readonly operation: string
  readonly parameters: Parameters
  readonly movesFunds: boolean
}

type Measured = Either.Either<ReadonlyArray<Amount>, Unmeasured>

/** The orders of a batch, or the write itself. */
const ordersOf = (parameters: Parameters): ReadonlyArray<unknown> =>
  Array.isArray(parameters.request) ? parameters.request : [parameters]

const decimalOf = (parameters: Parameters, name: string): BigDecimal.BigDecimal | undefined => {
  const value = parameters[name]
  const text = typeof value === "number" ? String(value) : textOf(parameters, name)
  return text === undefined ? undefined : Option.getOrUndefined(Decimal.parse(text))
}

const times = (
  quantity: BigDecimal.BigDecimal | undefined,
  price: BigDecimal.BigDecimal | undefined
): BigDecimal.BigDecimal | undefined =>
  quantity === undefined || price === undefined ? undefined : BigDecimal.multiply(quantity, price)

/** The currency of the notional of an order: USD for inverse contracts, otherwise the longest cap that the symbol ends with. */
const currencyOf = (category: string, symbol: string, currencies: ReadonlyArray<string>): string | undefined =>
  category === "inverse"
    ? currencies.find((currency) => currency === "USD")
    : currencies
        .filter((currency) => symbol.endsWith(currency) && symbol !== currency)
        .reduce<string | undefined>(
          (longest, currency) => (longest === undefined || currency.length > longest.length ? currency : longest),
          undefined
        )

/** Whether `qty` of a new order is counted in the quote coin. (docs/reference/listed-operations.md#orderscreate) */
const isInQuote = (category: string, order: Parameters): boolean =>
  category === "spot" &&
  order.orderType === "Market" &&
  (order.marketUnit === "quoteCoin" || (order.marketUnit === undefined && order.side === "Buy"))

/** The notional of a new order, or a text that explains why it is unknown. */
const notionalOf = (category: string, order: Parameters, { marketPrice }: Measures): BigDecimal.BigDecimal | string => {
  const quantity = decimalOf(order, "qty")
  if (category === "inverse" || isInQuote(category, order)) return quantity ?? "its qty is not a number"
  const price =
    decimalOf(order, "price") ??
    decimalOf(order, "triggerPrice") ??
    marketPrice(textOf(order, "symbol") ?? "", category)
  return (
    times(quantity, price) ??
    "an order without a price has no notional: give the guard a marketPrice, or the order a price"
  )
}

/** The notional after an amendment; `undefined` if it does not change. */
const computeAmendedNotional = (category: string, order: Parameters): BigDecimal.BigDecimal | string | undefined => {
  const quantity = decimalOf(order, "qty")
  const price = decimalOf(order, "price") ?? decimalOf(order, "triggerPrice")
  // The quantity of inverse contracts is their notional, at any price.
  if (category === "inverse") return quantity
  if (quantity === undefined && price === undefined) return undefined
  return times(quantity, price) ?? "the guard does not know the rest of the order: amend qty and price together"
}

const orderAmounts = (
  { operation, parameters }: Write,
  measures: Measures,
  currencies: ReadonlyArray<string>
): Measured => {
  const category = textOf(parameters, "category") ?? ""
  const isNew = operation === "orders.create" || operation === "orders.createBatch"
  const amounts: Array<Amount> = []
  for (const [index, order] of ordersOf(parameters).entries()) {
    if (!Predicate.isReadonlyRecord(order))
      return Either.left({ index, detail: "it is not an object with the fields of an order" })
    const value = isNew ? notionalOf(category, order, measures) : computeAmendedNotional(category, order)
    if (value === undefined) continue
    if (typeof value === "string") return Either.left({ index, detail: value })
    const symbol = textOf(order, "symbol") ?? ""
    const unit = currencyOf(category, symbol, currencies)
    if (unit === undefined) return Either.left({ index, detail: `no cap of orders is for the quote coin of ${symbol}` })
    amounts.push({ kind: "orders", unit, value, index })
  }
  return Either.right(amounts)
}

const transferAmounts = ({ parameters }: Write, coins: ReadonlyArray<string>): Measured => {
  const coin = textOf(parameters, "coin")
  const value = decimalOf(parameters, "amount")
  if (coin === undefined || value === undefined) {
    return Either.left({ index: 0, detail: "it has no coin and amount in decimal text" })
  }
  return coins.includes(coin)
    ? Either.right([{ kind: "transfers", unit: coin, value, index: 0 }])
    : Either.left({ index: 0, detail: `no cap of transfers is for ${coin}` })
}

const none: Measured = Either.right([])

const placesOrders = new Set(["orders.create", "orders.createBatch", "orders.amend", "orders.amendBatch"])

/** The amounts of a write, or why they are unknown. A write without a cap has none. */
export const amountsOf = (write: Write, measures: Measures): Measured => {
  if (placesOrders.has(write.operation)) {
    return measures.currencies === undefined ? none : orderAmounts(write, measures, measures.currencies)
  }
  return write.movesFunds && measures.coins !== undefined ? transferAmounts(write, measures.coins) : none
}

/** The symbols that a write names; a write on all symbols names none. */
export const symbolsOf = ({ parameters }: Write): ReadonlyArray<string> =>
  ordersOf(parameters).flatMap((order) => {
    const symbol = textOf(order, "symbol")
    return symbol === undefined ? [] : [symbol]
  })
