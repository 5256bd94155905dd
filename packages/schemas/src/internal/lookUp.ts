import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Decimal from "../Decimal.js"

type Parameters = Readonly<Record<string, unknown>>

/** A parameter that was sent as text. */
export const text = (parameters: Parameters, name: string): string => {
  const value = parameters[name]
  return typeof value === "string" ? value : ""
}

/** A parameter that is a contract's category; others are none of an operation on contracts. */
export const contract = (parameters: Parameters): "linear" | "inverse" =>
  parameters.category === "inverse" ? "inverse" : "linear"

/** Whether a record says of each decimal that was sent what was sent: true, false, or nothing to compare. */
export const says = (
  parameters: Parameters,
  record: Readonly<Record<string, unknown>>,
  fields: ReadonlyArray<string>
): Option.Option<boolean> => {
  const compared = fields
    .filter((field) => parameters[field] !== undefined)
    .map((field) => {
      const sent = Decimal.parse(text(parameters, field))
      const found = record[field]
      const value = Option.isOption(found) ? Option.getOrUndefined(found) : found
      // A stop of 0 is one that is cancelled: afterwards there is none.
      const now = BigDecimal.isBigDecimal(value) ? value : BigDecimal.fromBigInt(0n)
      return Option.exists(sent, (decimal) => BigDecimal.equals(decimal, now))
    })
  return compared.length === 0 ? Option.none() : Option.some(compared.every((same) => same))
}
