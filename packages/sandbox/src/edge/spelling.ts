import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"

const isPlain = (value: object): value is Readonly<Record<string, unknown>> =>
  Object.getPrototypeOf(value) === Object.prototype

/** Returns the same record if its spelling does not change. */
const recordOf = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  let changed: Map<string, unknown> | undefined
  for (const name in value) {
    const item = value[name]
    const spelt = spell(item)
    if (spelt === item) continue
    changed ??= new Map(Object.entries(value))
    changed.set(name, spelt)
  }
  return changed === undefined ? value : Object.fromEntries(changed)
}

const optionOf = (option: Option.Option<unknown>): Option.Option<unknown> => {
  // The identity of a none determines its spelling.
  if (Option.isNone(option)) return option
  const spelt = spell(option.value)
  return spelt === option.value ? option : Option.some(spelt)
}

const spell = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (BigDecimal.isBigDecimal(value)) return BigDecimal.normalize(value)
  if (Option.isOption(value)) return optionOf(value)
  if (Array.isArray(value)) return value.map(spell)
  return isPlain(value) ? recordOf(value) : value
}

/** Removes trailing zeros from the decimals of a result, because stored decimals have different scales. */
export const ofResult = <A>(result: A): A =>
  // A decimal without trailing zeros equals the original.
  spell(result) as A
