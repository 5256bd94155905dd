import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"

const isPlain = (value: object): value is Readonly<Record<string, unknown>> =>
  Object.getPrototypeOf(value) === Object.prototype

const recordOf = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const known = memory.get(value)
  if (known !== undefined) return known
  const spelt = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spell(item)]))
  memory.set(value, spelt)
  return spelt
}

// Records are never changed, only replaced, and most are answered more than once.
const memory = new WeakMap<object, Readonly<Record<string, unknown>>>()

const isSpelt = (value: unknown): boolean => typeof value === "object" && value !== null

const spell = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (BigDecimal.isBigDecimal(value)) return BigDecimal.normalize(value)
  // One that says how it is to be spelt says so by its identity.
  if (Option.isOption(value))
    return Option.isSome(value) && isSpelt(value.value) ? Option.some(spell(value.value)) : value
  if (Array.isArray(value)) return value.map(spell)
  return isPlain(value) ? recordOf(value) : value
}

/**
 * A result whose decimals are spelt in one way: without trailing zeros, whatever the books keep them with. (docs/decisions/0041)
 */
export const ofResult = <A>(result: A): A =>
  // The same result: a decimal without trailing zeros is equal to the one with them.
  spell(result) as A
