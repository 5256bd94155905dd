import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"

export const zero = BigDecimal.fromBigInt(0n)

/** An amount, exactly, with its thousands apart: `-12,345.6`. */
export const text = (amount: BigDecimal.BigDecimal): string => {
  const [whole = "", ...fraction] = Decimal.format(BigDecimal.normalize(amount)).split(".")
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".").replace(/^-/, "\u2212")
}

export const negate = BigDecimal.negate

/** How far along an axis an amount lies. For the place of a mark, never for a sum. */
export const position = (amount: BigDecimal.BigDecimal): number => BigDecimal.unsafeToNumber(amount)

/** A share in tenths of a percent, rounded down; `undefined` if the whole is zero. */
const permille = (part: BigDecimal.BigDecimal, whole: BigDecimal.BigDecimal): bigint | undefined => {
  if (whole.value === 0n) return undefined
  const scale = Math.max(part.scale, whole.scale)
  return (BigDecimal.scale(part, scale).value * 1000n) / BigDecimal.scale(whole, scale).value
}

/** A percentage, such as `37.5 %`; `undefined` if the whole is zero. */
export const share = (part: BigDecimal.BigDecimal, whole: BigDecimal.BigDecimal): string | undefined => {
  const tenths = permille(part, whole)
  return tenths === undefined ? undefined : `${tenths / 10n}.${tenths % 10n} %`
}
