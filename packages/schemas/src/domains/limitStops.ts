import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Decimal from "../scalars/Decimal.js"
import type * as Enumerations from "../scalars/Enumerations.js"
import * as Rule from "../rules/rule.js"

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
