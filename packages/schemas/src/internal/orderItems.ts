import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Decimal from "../Decimal.js"
import * as Enumerations from "../Enumerations.js"
import * as Rule from "../Rule.js"
import * as LimitStops from "./limitStops.js"
import { base, described, price } from "./meaning.js"

// What is said of one order in a request, without its category: alone, or as one of a batch.

type May<K extends string> = { readonly [P in K]?: unknown }

type Contract = "linear" | "inverse"

// Creating ----------------------------------------------------------------------------------------------------------

const orderLinkId = Rule.text(
  "must be 1 to 36 letters, digits, - or _",
  (id) => /^[A-Za-z0-9_-]{1,36}$/.test(id),
  /^[A-Za-z0-9_-]{1,36}$/,
  { minLength: 1, maxLength: 36, pattern: "^[A-Za-z0-9_-]*$" }
)

const stopOrderType = Rule.optional(Rule.oneOf("Market", "Limit"))

const createCommon = {
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
  /** Buy or Sell. */
  side: described(Rule.oneOf("Buy", "Sell"), "Buy or Sell"),
  /** Limit or Market. */
  orderType: described(Rule.oneOf("Market", "Limit"), "Limit or Market"),
  /** Quantity to order. Unit: base coin; of inverse contracts USD; of a spot market order by `marketUnit`. */
  qty: described(Rule.positive, "quantity to order", `${base}; of a spot market order by \`marketUnit\``),
  /** Limit price. Unit: quote coin per base coin. */
  price: described(Rule.optional(Rule.orEmpty(Rule.positive)), "limit price", price),
  /** How long it stays open; a market order is always immediate or cancelled. */
  timeInForce: described(
    Rule.optional(Rule.given(Enumerations.TimeInForce)),
    "how long it stays open; a market order is always immediate or cancelled"
  ),
  /** The caller's id of the order. */
  orderLinkId: described(Rule.optional(orderLinkId), "the caller's id of the order"),
  /** What `slippageTolerance` counts: ticks, or percent of the best price of the other side. */
  slippageToleranceType: described(
    Rule.optional(Rule.oneOf("TickSize", "Percent")),
    "what `slippageTolerance` counts: ticks, or percent of the best price of the other side"
  ),
  /** How far from the best price a market order may be filled. Unit: ticks or percent. */
  slippageTolerance: described(
    Rule.optional(Rule.positive),
    "how far from the best price a market order may be filled",
    "ticks or percent"
  ),
  /** Price that triggers a conditional order; a contract's is above the market to trigger on a rise. Unit: quote coin per base coin. */
  triggerPrice: described(
    Rule.optional(Rule.positive),
    "price that triggers a conditional order; a contract's is above the market to trigger on a rise",
    price
  ),
  /** Price that triggers the take profit. Unit: quote coin per base coin. */
  takeProfit: described(Rule.optional(Rule.positive), "price that triggers the take profit", price),
  /** Price that triggers the stop loss. Unit: quote coin per base coin. */
  stopLoss: described(Rule.optional(Rule.positive), "price that triggers the stop loss", price),
  /** Limit price of the take profit once triggered. Unit: quote coin per base coin. */
  tpLimitPrice: described(Rule.optional(Rule.positive), "limit price of the take profit once triggered", price),
  /** Limit price of the stop loss once triggered. Unit: quote coin per base coin. */
  slLimitPrice: described(Rule.optional(Rule.positive), "limit price of the stop loss once triggered", price),
  /** What the take profit places once triggered. */
  tpOrderType: described(stopOrderType, "what the take profit places once triggered"),
  /** What the stop loss places once triggered. */
  slOrderType: described(stopOrderType, "what the stop loss places once triggered"),
  /** What happens when it would trade with an order of the same owner. */
  smpType: described(
    Rule.optional(Rule.given(Enumerations.SmpType)),
    "what happens when it would trade with an order of the same owner"
  )
}

const createSpot = {
  ...createCommon,
  /** What `qty` of a spot market order counts: by default quote coin to buy, base coin to sell. */
  marketUnit: described(
    Rule.optional(Rule.oneOf("baseCoin", "quoteCoin")),
    "what `qty` of a spot market order counts: by default quote coin to buy, base coin to sell"
  ),
  /** Order: active; tpslOrder: take profit or stop loss of spot; StopOrder: conditional. */
  orderFilter: described(
    Rule.optional(Rule.oneOf("Order", "tpslOrder", "StopOrder")),
    "Order: active; tpslOrder: take profit or stop loss of spot; StopOrder: conditional"
  )
}

const createContract = {
  ...createCommon,
  /** 1: triggered by a rise to `triggerPrice`; 2: by a fall. */
  triggerDirection: described(
    Rule.optional(Rule.bodyOneOf(1, 2)),
    "1: triggered by a rise to `triggerPrice`; 2: by a fall"
  ),
  /** The price that is compared with `triggerPrice`. */
  triggerBy: described(
    Rule.optional(Rule.known(Enumerations.TriggerBy)),
    "the price that is compared with `triggerPrice`"
  ),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required. */
  positionIdx: described(
    Rule.optional(Rule.bodyOneOf(0, 1, 2)),
    "the position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required"
  ),
  /** It can only reduce a position. */
  reduceOnly: described(Rule.optional(Rule.flag), "it can only reduce a position"),
  /** It only reduces a position when triggered, and may cancel other orders to free margin. */
  closeOnTrigger: described(
    Rule.optional(Rule.flag),
    "it only reduces a position when triggered, and may cancel other orders to free margin"
  ),
  /** Full: take profit and stop loss of the whole position, at the market; Partial: of a part, at the market or a limit. */
  tpslMode: described(
    Rule.optional(Rule.oneOf("Full", "Partial")),
    "Full: take profit and stop loss of the whole position, at the market; Partial: of a part, at the market or a limit"
  ),
  /** The price that triggers the take profit. */
  tpTriggerBy: described(Rule.optional(Rule.known(Enumerations.TriggerBy)), "the price that triggers the take profit"),
  /** The price that triggers the stop loss. */
  slTriggerBy: described(Rule.optional(Rule.known(Enumerations.TriggerBy)), "the price that triggers the stop loss")
}

interface Slippage extends May<"takeProfit" | "stopLoss" | "triggerPrice"> {
  readonly orderType: "Market" | "Limit"
  readonly slippageToleranceType?: "TickSize" | "Percent" | undefined
  readonly slippageTolerance?: Decimal.Input | undefined
}

const isWithin = (
  input: Decimal.Input,
  bounds: { readonly min: string; readonly max: string; readonly decimals: number }
): boolean =>
  Option.exists(
    Decimal.fromInput(input),
    (value) =>
      BigDecimal.between(value, {
        minimum: BigDecimal.unsafeFromString(bounds.min),
        maximum: BigDecimal.unsafeFromString(bounds.max)
      }) && Decimal.decimals(value) <= bounds.decimals
  )

const isPlain = (request: May<"takeProfit" | "stopLoss" | "triggerPrice" | "orderFilter">): boolean =>
  request.takeProfit === undefined &&
  request.stopLoss === undefined &&
  request.triggerPrice === undefined &&
  (request.orderFilter === undefined || request.orderFilter === "Order")

const slippageRules: ReadonlyArray<Rule.Rule<Slippage>> = [
  Rule.onlyWhen<Slippage>(
    "slippageToleranceType",
    "orderType=Market, without takeProfit, stopLoss or triggerPrice",
    (request) => request.orderType === "Market" && isPlain(request)
  ),
  Rule.requiredWhen<Slippage>("slippageToleranceType", "slippageTolerance is given", (request) =>
    Rule.has(request, "slippageTolerance")
  ),
  Rule.requiredWhen<Slippage>("slippageTolerance", "slippageToleranceType is given", (request) =>
    Rule.has(request, "slippageToleranceType")
  ),
  Rule.make<Slippage>(
    "slippageTolerance",
    "must be a whole number from 1 to 10000 with slippageToleranceType=TickSize",
    ({ slippageTolerance, slippageToleranceType }) =>
      slippageToleranceType !== "TickSize" ||
      slippageTolerance === undefined ||
      isWithin(slippageTolerance, { min: "1", max: "10000", decimals: 0 })
  ),
  Rule.make<Slippage>(
    "slippageTolerance",
    "must be from 0.01 to 10 with at most 2 decimals with slippageToleranceType=Percent",
    ({ slippageTolerance, slippageToleranceType }) =>
      slippageToleranceType !== "Percent" ||
      slippageTolerance === undefined ||
      isWithin(slippageTolerance, { min: "0.01", max: "10", decimals: 2 })
  )
]

interface Priced extends May<"price"> {
  readonly orderType: "Market" | "Limit"
}

const priceRules: ReadonlyArray<Rule.Rule<Priced>> = [
  Rule.requiredWhen<Priced>("price", "orderType=Limit", ({ orderType }) => orderType === "Limit"),
  Rule.onlyWhen<Priced>("price", "orderType=Limit", ({ orderType }) => orderType === "Limit")
]

/** The rule on prices in the type as well: a Limit order has one. */
const priced = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<Rule.PricedByType<A>, I> =>
  // The rules just above are what the narrower type says.
  schema as unknown as Schema.Schema<Rule.PricedByType<A>, I>

type Spot = LimitStops.Stops &
  May<"marketUnit" | "orderFilter" | "triggerPrice"> & { readonly orderType: "Market" | "Limit" }

const isSpotStop = ({ orderFilter }: May<"orderFilter">): boolean =>
  orderFilter === "tpslOrder" || orderFilter === "StopOrder"

const spotRules: ReadonlyArray<Rule.Rule<Spot>> = [
  Rule.onlyWhen<Spot>(
    "marketUnit",
    "orderType=Market and orderFilter=Order",
    (request) => request.orderType === "Market" && !isSpotStop(request)
  ),
  Rule.requiredWhen<Spot>("triggerPrice", "orderFilter is tpslOrder or StopOrder", isSpotStop),
  // An order that is meant to wait for its trigger must not be taken for one that fills at once.
  Rule.onlyWhen<Spot>("triggerPrice", "orderFilter=tpslOrder or StopOrder", isSpotStop),
  ...(["tp", "sl"] as const).flatMap((stop): ReadonlyArray<Rule.Rule<Spot>> => [
    Rule.onlyWhen<Spot>(
      `${stop}LimitPrice`,
      `${stop}OrderType=Limit`,
      (request) => request[`${stop}OrderType`] === "Limit"
    ),
    LimitStops.priceRequired(stop)
  ])
]

type ContractItem = LimitStops.Stops & May<"triggerPrice" | "triggerDirection" | "triggerBy" | "reduceOnly">

const contractRules: ReadonlyArray<Rule.Rule<ContractItem>> = [
  // As on spot: what says how an order is triggered says that it is meant to wait.
  Rule.onlyWhen<ContractItem>("triggerDirection", "triggerPrice", (request) => Rule.has(request, "triggerPrice")),
  Rule.onlyWhen<ContractItem>("triggerBy", "triggerPrice", (request) => Rule.has(request, "triggerPrice")),
  Rule.make<ContractItem>(
    "reduceOnly",
    "must not be true with takeProfit or stopLoss",
    (request) => request.reduceOnly !== true || (request.takeProfit === undefined && request.stopLoss === undefined)
  ),
  ...(["tp", "sl"] as const).flatMap((stop): ReadonlyArray<Rule.Rule<ContractItem>> => [
    Rule.onlyWhen<ContractItem>(
      `${stop}LimitPrice`,
      `tpslMode=Partial and ${stop}OrderType=Limit`,
      (request) => request.tpslMode === "Partial" && request[`${stop}OrderType`] === "Limit"
    ),
    LimitStops.priceRequired(stop),
    LimitStops.marketForFull(stop)
  ])
]

/** An order to be placed. (docs/reference/listed-operations.md#orderscreate) */
export const create = {
  spot: priced(Rule.all(Rule.forCategory("spot", createSpot), ...priceRules, ...slippageRules, ...spotRules)),
  contract: (category: Contract) =>
    priced(Rule.all(Rule.forCategory(category, createContract), ...priceRules, ...slippageRules, ...contractRules)),
  spotItem: priced(Rule.all(Schema.Struct(createSpot), ...priceRules, ...slippageRules, ...spotRules)),
  contractItem: priced(Rule.all(Schema.Struct(createContract), ...priceRules, ...slippageRules, ...contractRules))
}

// Amending ----------------------------------------------------------------------------------------------------------

const amendCommon = {
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
  /** The service's id of the order. */
  orderId: described(Rule.optional(Rule.nonEmpty), "the service's id of the order"),
  /** The caller's id of the order. */
  orderLinkId: described(Rule.optional(Rule.nonEmpty), "the caller's id of the order"),
  /** Implied volatility. */
  orderIv: described(Rule.optional(Rule.positive), "implied volatility"),
  /** The new price that triggers it. Unit: quote coin per base coin. */
  triggerPrice: described(Rule.optional(Rule.positive), "the new price that triggers it", price),
  /** The new quantity, with what is executed already. Unit: base coin; of inverse contracts USD; of a spot market order by `marketUnit`. */
  qty: described(
    Rule.optional(Rule.positive),
    "the new quantity, with what is executed already",
    `${base}; of a spot market order by \`marketUnit\``
  ),
  /** The new limit price. Unit: quote coin per base coin. */
  price: described(Rule.optional(Rule.positive), "the new limit price", price),
  /** The new price of the take profit; 0 cancels it. Unit: quote coin per base coin. */
  takeProfit: described(Rule.optional(Rule.notNegative), "the new price of the take profit; 0 cancels it", price),
  /** The new price of the stop loss; 0 cancels it. Unit: quote coin per base coin. */
  stopLoss: described(Rule.optional(Rule.notNegative), "the new price of the stop loss; 0 cancels it", price),
  /** The price that triggers the take profit; required where the order has none yet. */
  tpTriggerBy: described(
    Rule.optional(Rule.known(Enumerations.TriggerBy)),
    "the price that triggers the take profit; required where the order has none yet"
  ),
  /** The price that triggers the stop loss; required where the order has none yet. */
  slTriggerBy: described(
    Rule.optional(Rule.known(Enumerations.TriggerBy)),
    "the price that triggers the stop loss; required where the order has none yet"
  ),
  /** The new limit price of the take profit, of an order that has one. Unit: quote coin per base coin. */
  tpLimitPrice: described(
    Rule.optional(Rule.positive),
    "the new limit price of the take profit, of an order that has one",
    price
  ),
  /** The new limit price of the stop loss, of an order that has one. Unit: quote coin per base coin. */
  slLimitPrice: described(
    Rule.optional(Rule.positive),
    "the new limit price of the stop loss, of an order that has one",
    price
  )
}

const amendContract = {
  ...amendCommon,
  /** Full: take profit and stop loss of the whole position, at the market; Partial: of a part, at the market or a limit. */
  tpslMode: described(
    Rule.optional(Rule.oneOf("Full", "Partial")),
    "Full: take profit and stop loss of the whole position, at the market; Partial: of a part, at the market or a limit"
  ),
  /** What the take profit places once triggered. */
  tpOrderType: described(stopOrderType, "what the take profit places once triggered"),
  /** What the stop loss places once triggered. */
  slOrderType: described(stopOrderType, "what the stop loss places once triggered"),
  /** The price that is compared with `triggerPrice`. */
  triggerBy: described(
    Rule.optional(Rule.known(Enumerations.TriggerBy)),
    "the price that is compared with `triggerPrice`"
  )
}

const partialForLimit = (
  field: "tpLimitPrice" | "slLimitPrice"
): Rule.Rule<Pick<LimitStops.Stops, "tpslMode"> & { readonly [K in typeof field]?: unknown }> =>
  Rule.onlyWhen(field, "tpslMode=Partial", (request) => request.tpslMode !== "Full")

const amendRules = [
  partialForLimit("tpLimitPrice"),
  partialForLimit("slLimitPrice"),
  LimitStops.marketForFull("tp"),
  LimitStops.marketForFull("sl")
]

/** A change of an order. (docs/reference/orders.md#amend) */
export const amend = {
  spot: Rule.atLeastOne(Rule.forCategory("spot", amendCommon), "orderId", "orderLinkId"),
  contract: (category: Contract) =>
    Rule.all(Rule.atLeastOne(Rule.forCategory(category, amendContract), "orderId", "orderLinkId"), ...amendRules),
  spotItem: Rule.atLeastOne(Schema.Struct(amendCommon), "orderId", "orderLinkId"),
  contractItem: Rule.all(Rule.atLeastOne(Schema.Struct(amendContract), "orderId", "orderLinkId"), ...amendRules)
}

// Cancelling --------------------------------------------------------------------------------------------------------

const cancelContract = {
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
  /** The service's id of the order. */
  orderId: described(Rule.optional(Rule.nonEmpty), "the service's id of the order"),
  /** The caller's id of the order. */
  orderLinkId: described(Rule.optional(Rule.nonEmpty), "the caller's id of the order")
}

const cancelSpot = {
  ...cancelContract,
  /** Order: active; tpslOrder: take profit or stop loss of spot; StopOrder: conditional. */
  orderFilter: described(
    Rule.optional(Rule.oneOf("Order", "tpslOrder")),
    "Order: active; tpslOrder: take profit or stop loss of spot; StopOrder: conditional"
  )
}

/** The order to be cancelled. (docs/reference/listed-operations.md#orderscancel) */
export const cancel = {
  spot: Rule.atLeastOne(Rule.forCategory("spot", cancelSpot), "orderId", "orderLinkId"),
  contract: (category: Contract) =>
    Rule.atLeastOne(Rule.forCategory(category, cancelContract), "orderId", "orderLinkId"),
  item: Rule.atLeastOne(Schema.Struct(cancelContract), "orderId", "orderLinkId")
}

// Batches -----------------------------------------------------------------------------------------------------------

/** 1 to 20 orders. (rule limits/batch.size) */
const orders = <A, I>(item: Schema.Schema<A, I>): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>> =>
  Rule.list(item).pipe(
    Schema.filter((items) => items.length >= 1 && items.length <= 20, {
      message: () => "must be 1 to 20 orders",
      jsonSchema: { minItems: 1, maxItems: 20 }
    })
  )

/** A batch of orders of one category. */
export const batch = <const C extends "spot" | Contract, A, I>(category: C, item: Schema.Schema<A, I>) =>
  Rule.forCategory(category, {
    /** The orders, which succeed or fail each for itself. */
    request: described(orders(item), "the orders, which succeed or fail each for itself")
  })
