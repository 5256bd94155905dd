import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Decimal from "../scalars/Decimal.js"
import type * as Enumerations from "../scalars/Enumerations.js"
import * as Rule from "../rules/rule.js"
import * as LimitStops from "./limitStops.js"

// The rules for an order in a request, alone or in a batch.

type May<K extends string> = { readonly [P in K]?: unknown }

// Creating ----------------------------------------------------------------------------------------------------------

interface Slippage extends May<"takeProfit" | "stopLoss" | "triggerPrice"> {
  readonly orderType: Enumerations.OrderType
  readonly slippageToleranceType?: Enumerations.SlippageToleranceType | undefined
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
    "public",
    "slippageToleranceType",
    "orderType=Market, without takeProfit, stopLoss or triggerPrice",
    (request) => request.orderType === "Market" && isPlain(request)
  ),
  Rule.requireWhen<Slippage>("public", "slippageToleranceType", "slippageTolerance is given", (request) =>
    Rule.has(request, "slippageTolerance")
  ),
  Rule.requireWhen<Slippage>("public", "slippageTolerance", "slippageToleranceType is given", (request) =>
    Rule.has(request, "slippageToleranceType")
  ),
  Rule.make<Slippage>(
    "public",
    "slippageTolerance",
    "must be a whole number from 1 to 10000 with slippageToleranceType=TickSize",
    ({ slippageTolerance, slippageToleranceType }) =>
      slippageToleranceType !== "TickSize" ||
      slippageTolerance === undefined ||
      isWithin(slippageTolerance, { min: "1", max: "10000", decimals: 0 })
  ),
  Rule.make<Slippage>(
    "public",
    "slippageTolerance",
    "must be from 0.01 to 10 with at most 2 decimals with slippageToleranceType=Percent",
    ({ slippageTolerance, slippageToleranceType }) =>
      slippageToleranceType !== "Percent" ||
      slippageTolerance === undefined ||
      isWithin(slippageTolerance, { min: "0.01", max: "10", decimals: 2 })
  )
]

interface Priced extends May<"price"> {
  readonly orderType: Enumerations.OrderType
}

const priceRules: ReadonlyArray<Rule.Rule<Priced>> = [
  Rule.requireWhen<Priced>("public", "price", "orderType is Limit", ({ orderType }) => orderType === "Limit"),
  Rule.onlyWhen<Priced>("public", "price", "orderType=Limit", ({ orderType }) => orderType === "Limit")
]

type Spot = LimitStops.Stops &
  May<"marketUnit" | "orderFilter" | "triggerPrice"> & { readonly orderType: Enumerations.OrderType }

const isSpotStop = ({ orderFilter }: May<"orderFilter">): boolean => orderFilter === "tpslOrder"

const spotRules: ReadonlyArray<Rule.Rule<Spot>> = [
  Rule.onlyWhen<Spot>(
    "public",
    "marketUnit",
    "orderType=Market and orderFilter=Order",
    (request) => request.orderType === "Market" && !isSpotStop(request)
  ),
  Rule.requireWhen<Spot>("public", "triggerPrice", "orderFilter is tpslOrder", isSpotStop),
  // An order with a trigger price must not be sent as one that fills at once.
  Rule.onlyWhen<Spot>("ours", "triggerPrice", "orderFilter=tpslOrder", isSpotStop),
  ...(["tp", "sl"] as const).flatMap((stop): ReadonlyArray<Rule.Rule<Spot>> => [
    Rule.onlyWhen<Spot>(
      "public",
      `${stop}LimitPrice`,
      `${stop}OrderType=Limit`,
      (request) => request[`${stop}OrderType`] === "Limit"
    ),
    LimitStops.priceRequired(stop)
  ])
]

type ContractItem = LimitStops.Stops & May<"triggerPrice" | "triggerDirection" | "triggerBy" | "reduceOnly">

const contractRules: ReadonlyArray<Rule.Rule<ContractItem>> = [
  // As for spot: parameters of a trigger show that the order must wait for one.
  Rule.onlyWhen<ContractItem>("ours", "triggerDirection", "triggerPrice", (request) =>
    Rule.has(request, "triggerPrice")
  ),
  Rule.onlyWhen<ContractItem>("ours", "triggerBy", "triggerPrice", (request) => Rule.has(request, "triggerPrice")),
  Rule.make<ContractItem>(
    "public",
    "reduceOnly",
    "must not be true with takeProfit or stopLoss",
    (request) => request.reduceOnly !== true || (request.takeProfit === undefined && request.stopLoss === undefined)
  ),
  ...(["tp", "sl"] as const).flatMap((stop): ReadonlyArray<Rule.Rule<ContractItem>> => [
    Rule.onlyWhen<ContractItem>(
      "public",
      `${stop}LimitPrice`,
      `tpslMode=Partial and ${stop}OrderType=Limit`,
      (request) => request.tpslMode === "Partial" && request[`${stop}OrderType`] === "Limit"
    ),
    LimitStops.priceRequired(stop),
    LimitStops.marketForFull("public", stop)
  ])
]

/** The rules for a new order. (docs/reference/listed-operations.md#orderscreate) */
export const create = {
  spot: [...priceRules, ...slippageRules, ...spotRules],
  contract: [...priceRules, ...slippageRules, ...contractRules]
}

// Amending ----------------------------------------------------------------------------------------------------------

const partialForLimit = (
  field: "tpLimitPrice" | "slLimitPrice"
): Rule.Rule<Pick<LimitStops.Stops, "tpslMode"> & { readonly [K in typeof field]?: unknown }> =>
  Rule.onlyWhen("document", field, "tpslMode=Partial", (request) => request.tpslMode !== "Full")

/** The rules for changing a contract order. (docs/reference/orders/amend.md) */
export const amend = [
  partialForLimit("tpLimitPrice"),
  partialForLimit("slLimitPrice"),
  LimitStops.marketForFull("document", "tp"),
  LimitStops.marketForFull("document", "sl")
]

// Batches -----------------------------------------------------------------------------------------------------------

/** 1 to 20 orders. (rule limits/batch.size) */
export const orders = <A, I>(item: Schema.Schema<A, I>): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>> =>
  Rule.listOf({ source: "document", min: 1, max: 20 }, "must be 1 to 20 orders", item)
