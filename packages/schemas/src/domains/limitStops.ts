import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Decimal from "../scalars/Decimal.js"
import * as Enumerations from "../scalars/Enumerations.js"
import * as Rule from "../rules/rule.js"

/** The kinds of prices of stops, in a request. */
export const triggerKinds = {
  /** The kind of price that triggers the take profit. */
  tpTriggerBy: Rule.optional(Rule.nonEmptyOf(Enumerations.TriggerBy)),
  /** The kind of price that triggers the stop loss. */
  slTriggerBy: Rule.optional(Rule.nonEmptyOf(Enumerations.TriggerBy))
}

const orderType = Rule.optional(Rule.oneOfKnown("document", Enumerations.OrderType, "Market", "Limit"))

/** The types of the orders that stops trigger, in a request. */
export const orderTypes = {
  /** Order type of the triggered take profit. */
  tpOrderType: orderType,
  /** Order type of the triggered stop loss. */
  slOrderType: orderType
}

/** The orders that stops trigger, in a request. */
export const triggeredOrders = {
  /** Limit price of the take profit after it triggers. Unit: quote coin per base coin. */
  tpLimitPrice: Rule.optional(Rule.positive("ours")),
  /** Limit price of the stop loss after it triggers. Unit: quote coin per base coin. */
  slLimitPrice: Rule.optional(Rule.positive("ours")),
  ...orderTypes
}

/** The stops of an order or of a position. */
export interface Stops {
  readonly tpslMode?: Enumerations.TpslMode | undefined
  readonly takeProfit?: Decimal.Input | undefined
  readonly stopLoss?: Decimal.Input | undefined
  readonly tpOrderType?: Enumerations.OrderType | undefined
  readonly slOrderType?: Enumerations.OrderType | undefined
  readonly tpLimitPrice?: Decimal.Input | undefined
  readonly slLimitPrice?: Decimal.Input | undefined
}

// 0 cancels a stop.
const isSet = (price: Decimal.Input | undefined): boolean =>
  price !== undefined && !Option.exists(Decimal.fromInput(price), BigDecimal.isZero)

/** A stop without a limit price triggers a market order, even with `tpOrderType: "Limit"`. */
export const priceRequired = (stop: "tp" | "sl"): Rule.Rule<Stops> => {
  const price = stop === "tp" ? "takeProfit" : "stopLoss"
  return Rule.requireWhen<Stops>(
    "ours",
    `${stop}LimitPrice`,
    `${price} is set with ${stop}OrderType=Limit`,
    (request) => request[`${stop}OrderType`] === "Limit" && isSet(request[price])
  )
}

/** Stops of the whole position trigger market orders. */
export const marketForFull = (source: Rule.Source, stop: "tp" | "sl"): Rule.Rule<Stops> =>
  Rule.make<Stops>(
    source,
    `${stop}OrderType`,
    "must be Market with tpslMode=Full",
    (request) => request.tpslMode !== "Full" || request[`${stop}OrderType`] !== "Limit"
  )
