import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Decimal from "../Decimal.js"

export type Parameters = Readonly<Record<string, unknown>>

/** Returns a parameter that was sent as text. */
export const text = (parameters: Parameters, name: string): string => {
  const value = parameters[name]
  return typeof value === "string" ? value : ""
}

/** The category of an operation on contracts. */
export const contract = (parameters: Parameters): "linear" | "inverse" =>
  parameters.category === "inverse" ? "inverse" : "linear"

/** Whether a page belongs to the requested category. A page without a category does. */
export const isOfCategory = (page: { readonly category: Option.Option<string> }, category: string): boolean =>
  Option.isNone(page.category) || page.category.value === category

const zero = BigDecimal.fromBigInt(0n)

/**
 * Whether a field of a record equals a parameter; `undefined` if one of them has no value. A missing decimal counts as zero, because
 * cancelling a stop with 0 leaves it empty.
 */
const isSame = (sent: unknown, field: unknown): boolean | undefined => {
  if (sent === undefined || field === undefined) return undefined
  const value = Option.isOption(field) ? Option.getOrUndefined(field) : field
  if (value === undefined || BigDecimal.isBigDecimal(value)) {
    const decimal = typeof sent === "string" ? Decimal.parse(sent) : Option.none()
    if (Option.isSome(decimal)) return BigDecimal.equals(decimal.value, value ?? zero)
    return value === undefined ? undefined : false
  }
  return sent === value
}

/**
 * Compares a record with the parameters of a write, in every field that both have. Returns false if one differs, true if all are equal, and
 * `undefined` if there is nothing to compare.
 */
export const agrees = (
  parameters: Parameters,
  record: object,
  isCompared: (field: string) => boolean = () => true
): boolean | undefined => {
  const results = Object.entries(record).flatMap(([field, value]) => {
    const same = isCompared(field) ? isSame(parameters[field], value) : undefined
    return same === undefined ? [] : [same]
  })
  return results.length === 0 ? undefined : results.every((same) => same)
}
