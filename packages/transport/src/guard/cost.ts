/** The most that a write can cost: the notional of orders by currency, transfers by coin. Pure functions of its parameters and the market price. */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Amount, Kind } from "../attempt/callState.js"
import { textOf } from "../journal/batchParts.js"

type Parameters = Readonly<Record<string, unknown>>

/** Why the cost of a write is unknown. */
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
  /** Quote coin per base coin. */
  readonly marketPrice: (symbol: string, category: string) => BigDecimal.BigDecimal | undefined
  /** The operations that the guard names, which can be sent without a measure. */
  readonly named: ReadonlySet<string> | undefined
}

/** A write as the transport has it. */
export interface Write {
  readonly endpoint: Pick<Endpoint.Properties, "movesFunds" | "name" | "spends">
  readonly parameters: Parameters
}

/** The cost of a write by order of a batch. */
export type Cost = ReadonlyArray<Omit<Amount, "id">>

type Measured = Either.Either<Cost, Unmeasured>

/** A cost, `undefined` for none, or a text that explains why it is unknown. */
type Notional = BigDecimal.BigDecimal | string | undefined

/** The orders of a batch, or the write itself. */
export const ordersOf = (parameters: Parameters): ReadonlyArray<unknown> =>
  Array.isArray(parameters.request) ? parameters.request : [parameters]

const positive = (parameters: Parameters, name: string): BigDecimal.BigDecimal | undefined => {
  const value = parameters[name]
  const text = typeof value === "number" ? String(value) : textOf(parameters, name)
  const decimal = text === undefined ? undefined : Option.getOrUndefined(Decimal.parse(text))
  return decimal === undefined || decimal.value <= 0n ? undefined : decimal
}

const highest = (...values: ReadonlyArray<BigDecimal.BigDecimal | undefined>): BigDecimal.BigDecimal | undefined =>
  values.reduce(
    (high, value) =>
      high === undefined || (value !== undefined && BigDecimal.greaterThan(value, high)) ? value : high,
    undefined
  )

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

const noQuantity = "its qty is not a number above 0"
const noPrice = "an order without a price has no notional: give the guard a marketPrice, or the order a price"
const noMarket = "a sell is filled at the market if that is higher: give the guard a marketPrice"
const noRest = "the guard does not know the rest of the order: amend qty and price together"

/** The highest price at which an order can be filled, or why it is unknown. `market` is its market price, if known. */
const highestPrice = (order: Parameters, market: BigDecimal.BigDecimal | undefined): BigDecimal.BigDecimal | string => {
  const price = positive(order, "price")
  const trigger = positive(order, "triggerPrice")
  switch (order.orderType) {
    case "Limit":
      if (price === undefined) return noPrice
      // A sell is filled at its limit or better, also when a trigger above the limit starts it.
      if (order.side === "Buy") return price
      return market === undefined ? noMarket : (highest(price, market, trigger) ?? noMarket)
    case "Market":
      // It is filled at the market when it triggers, or at once if the market is already past the trigger.
      return market === undefined ? noPrice : (highest(market, trigger) ?? noPrice)
    default:
      return "its orderType is neither Limit nor Market"
  }
}

/** Which coin `qty` of a spot order counts; `either` where the document is silent. (docs/reference/listed-operations.md#orderscreate) */
const spotUnit = ({ marketUnit, orderFilter, orderType, side }: Parameters): "base" | "quote" | "either" => {
  if (orderType !== "Market") return marketUnit === "quoteCoin" ? "either" : "base"
  if (marketUnit === "quoteCoin") return "quote"
  if (marketUnit === "baseCoin") return "base"
  if (side !== "Buy") return "base"
  return orderFilter === undefined || orderFilter === "Order" ? "quote" : "either"
}

/** The highest price of the orders that a spot order leaves behind: they sell what it has bought. */
const attachedPrice = (order: Parameters): BigDecimal.BigDecimal | undefined =>
  highest(...["takeProfit", "stopLoss", "tpLimitPrice", "slLimitPrice"].map((name) => positive(order, name)))

const placedSpot = (
  order: Parameters,
  quantity: BigDecimal.BigDecimal,
  market: BigDecimal.BigDecimal | undefined
): Notional => {
  const attached = attachedPrice(order)
  const unit = spotUnit(order)
  if (unit === "quote") {
    return attached === undefined ? quantity : "the guard does not know how much its take profit or stop loss sells"
  }
  const price = highestPrice(order, market)
  if (typeof price === "string") return price
  const notional = BigDecimal.multiply(quantity, price)
  const larger = unit === "either" ? highest(notional, quantity) : notional
  return attached === undefined || larger === undefined
    ? larger
    : BigDecimal.sum(larger, BigDecimal.multiply(quantity, attached))
}

/** A new order. */
const placed = (category: string, order: Parameters, market: BigDecimal.BigDecimal | undefined): Notional => {
  const quantity = positive(order, "qty")
  if (quantity === undefined) return noQuantity
  switch (category) {
    // The quantity of inverse contracts is their notional, at any price.
    case "inverse":
      return quantity
    case "spot":
      return placedSpot(order, quantity, market)
    case "linear": {
      const price = highestPrice(order, market)
      return typeof price === "string" ? price : BigDecimal.multiply(quantity, price)
    }
    default:
      return `its category is not spot, linear or inverse`
  }
}

/** An amended order, whose type and side the guard does not know. Without a market price it has let no sell through. */
const amended = (category: string, order: Parameters, market: BigDecimal.BigDecimal | undefined): Notional => {
  const [quantity, price] = [positive(order, "qty"), positive(order, "price")]
  const attached = category === "spot" ? attachedPrice(order) : undefined
  const changes = (...names: ReadonlyArray<string>) => names.some((name) => order[name] !== undefined)
  if (category === "inverse") return changes("qty") ? (quantity ?? noQuantity) : undefined
  if (!changes("qty", "price", "triggerPrice") && attached === undefined) return undefined
  if (quantity === undefined || price === undefined) return noRest
  const highestFill = highest(price, market, positive(order, "triggerPrice")) ?? price
  const notional = BigDecimal.multiply(quantity, highestFill)
  if (category === "linear") return notional
  const larger = highest(notional, quantity) ?? notional
  return attached === undefined ? larger : BigDecimal.sum(larger, BigDecimal.multiply(quantity, attached))
}

const sumOrders = (
  { parameters }: Write,
  { currencies, marketPrice }: Measures,
  notionalOf: typeof placed
): Measured => {
  if (currencies === undefined) return none
  const category = textOf(parameters, "category") ?? ""
  const amounts: Array<Cost[number]> = []
  for (const [index, order] of ordersOf(parameters).entries()) {
    if (!Predicate.isReadonlyRecord(order))
      return Either.left({ index, detail: "it is not an object with the fields of an order" })
    const symbol = textOf(order, "symbol") ?? ""
    const value = notionalOf(category, order, marketPrice(symbol, category))
    if (value === undefined) continue
    if (typeof value === "string") return Either.left({ index, detail: value })
    const unit = currencyOf(category, symbol, currencies)
    if (unit === undefined) return Either.left({ index, detail: `no cap of orders is for the quote coin of ${symbol}` })
    amounts.push({ kind: "orders", unit, value, index })
  }
  return Either.right(amounts)
}

/** The amount of a coin or currency, if its kind has caps. */
const spend = (
  { coins, currencies }: Measures,
  kind: Kind,
  unit: string,
  value: BigDecimal.BigDecimal | undefined
): Measured => {
  const capped = kind === "orders" ? currencies : coins
  if (capped === undefined) return none
  if (value === undefined) return Either.left({ index: 0, detail: "it has no coin and amount in decimal text" })
  return capped.includes(unit)
    ? Either.right([{ kind, unit, value, index: 0 }])
    : Either.left({ index: 0, detail: `no cap of ${kind} is for ${unit}` })
}

const measureTransfer = ({ parameters }: Write, measures: Measures): Measured =>
  spend(measures, "transfers", textOf(parameters, "coin") ?? "", positive(parameters, "amount"))

const none: Measured = Either.right([])
const measureNothing = () => none

/** The writes of this library. Stops of contracts only reduce a position. */
const measured = {
  "orders.create": (write, measures) => sumOrders(write, measures, placed),
  "orders.createBatch": (write, measures) => sumOrders(write, measures, placed),
  "orders.amend": (write, measures) => sumOrders(write, measures, amended),
  "orders.amendBatch": (write, measures) => sumOrders(write, measures, amended),
  "orders.cancel": measureNothing,
  "orders.cancelBatch": measureNothing,
  "orders.cancelAll": measureNothing,
  "positions.setTradingStop": measureNothing,
  "positions.setLeverage": measureNothing,
  "positions.setRiskLimit": measureNothing,
  "positions.setTpslMode": measureNothing,
  "positions.confirmNewRiskLimit": measureNothing,
  "assets.transfer": measureTransfer,
  "assets.withdrawInternal": measureTransfer,
  "apiLimits.set": measureNothing
} satisfies Readonly<Record<string, (write: Write, measures: Measures) => Measured>>

const measureOf = new Map<string, (write: Write, measures: Measures) => Measured>(Object.entries(measured))

/** An operation of the application, by what its endpoint declares. */
const measureDeclared = (write: Write, measures: Measures): Measured => {
  const { endpoint, parameters } = write
  if (endpoint.spends !== undefined) {
    const parts = endpoint.spends(parameters).map(({ amount, kind, unit }) => {
      const value = Option.getOrUndefined(Decimal.parse(amount))
      return spend(measures, kind, unit, value === undefined || value.value < 0n ? undefined : value)
    })
    return Either.map(Either.all(parts), (amounts) => amounts.flat())
  }
  if (endpoint.movesFunds === true) return measureTransfer(write, measures)
  const isCapped = measures.currencies !== undefined || measures.coins !== undefined
  return isCapped && measures.named?.has(endpoint.name) !== true
    ? Either.left({
        index: 0,
        detail: `the guard does not know what it costs: name ${endpoint.name} in operations to allow it without a cap`
      })
    : none
}

/** The most that a write can cost, or why that is unknown. Without caps it costs nothing. */
export const costOf = (write: Write, measures: Measures): Measured =>
  (measureOf.get(write.endpoint.name) ?? measureDeclared)(write, measures)

/** The symbols that a write names; a write on all symbols names none. */
export const symbolsOf = ({ parameters }: Write): ReadonlyArray<string> =>
  ordersOf(parameters).flatMap((order) => {
    const symbol = textOf(order, "symbol")
    return symbol === undefined ? [] : [symbol]
  })
