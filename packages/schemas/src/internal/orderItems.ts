import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Decimal from "../Decimal.js"
import * as Enumerations from "../Enumerations.js"
import * as Rule from "../Rule.js"
import * as LimitStops from "./limitStops.js"

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
  symbol: Rule.nonEmpty,
  side: Rule.oneOf("Buy", "Sell"),
  orderType: Rule.oneOf("Market", "Limit"),
  qty: Rule.positive,
  price: Rule.optional(Rule.orEmpty(Rule.positive)),
  timeInForce: Rule.optional(Rule.given(Enumerations.TimeInForce)),
  orderLinkId: Rule.optional(orderLinkId),
  slippageToleranceType: Rule.optional(Rule.oneOf("TickSize", "Percent")),
  slippageTolerance: Rule.optional(Rule.positive),
  triggerPrice: Rule.optional(Rule.positive),
  takeProfit: Rule.optional(Rule.positive),
  stopLoss: Rule.optional(Rule.positive),
  tpLimitPrice: Rule.optional(Rule.positive),
  slLimitPrice: Rule.optional(Rule.positive),
  tpOrderType: stopOrderType,
  slOrderType: stopOrderType,
  smpType: Rule.optional(Rule.given(Enumerations.SmpType))
}

const createSpot = {
  ...createCommon,
  marketUnit: Rule.optional(Rule.oneOf("baseCoin", "quoteCoin")),
  orderFilter: Rule.optional(Rule.oneOf("Order", "tpslOrder", "StopOrder"))
}

const createContract = {
  ...createCommon,
  triggerDirection: Rule.optional(Rule.bodyOneOf(1, 2)),
  triggerBy: Rule.optional(Rule.known(Enumerations.TriggerBy)),
  positionIdx: Rule.optional(Rule.bodyOneOf(0, 1, 2)),
  reduceOnly: Rule.optional(Rule.flag),
  closeOnTrigger: Rule.optional(Rule.flag),
  tpslMode: Rule.optional(Rule.oneOf("Full", "Partial")),
  tpTriggerBy: Rule.optional(Rule.known(Enumerations.TriggerBy)),
  slTriggerBy: Rule.optional(Rule.known(Enumerations.TriggerBy))
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
  symbol: Rule.nonEmpty,
  orderId: Rule.optional(Rule.nonEmpty),
  orderLinkId: Rule.optional(Rule.nonEmpty),
  orderIv: Rule.optional(Rule.positive),
  triggerPrice: Rule.optional(Rule.positive),
  qty: Rule.optional(Rule.positive),
  price: Rule.optional(Rule.positive),
  takeProfit: Rule.optional(Rule.notNegative),
  stopLoss: Rule.optional(Rule.notNegative),
  tpTriggerBy: Rule.optional(Rule.known(Enumerations.TriggerBy)),
  slTriggerBy: Rule.optional(Rule.known(Enumerations.TriggerBy)),
  tpLimitPrice: Rule.optional(Rule.positive),
  slLimitPrice: Rule.optional(Rule.positive)
}

const amendContract = {
  ...amendCommon,
  tpslMode: Rule.optional(Rule.oneOf("Full", "Partial")),
  tpOrderType: stopOrderType,
  slOrderType: stopOrderType,
  triggerBy: Rule.optional(Rule.known(Enumerations.TriggerBy))
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
  symbol: Rule.nonEmpty,
  orderId: Rule.optional(Rule.nonEmpty),
  orderLinkId: Rule.optional(Rule.nonEmpty)
}

const cancelSpot = { ...cancelContract, orderFilter: Rule.optional(Rule.oneOf("Order", "tpslOrder")) }

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
  Rule.forCategory(category, { request: orders(item) })
