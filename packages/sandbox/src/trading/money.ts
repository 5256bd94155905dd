import * as BigDecimal from "effect/BigDecimal"
import type * as Exchange from "../state/Exchange.js"

/** The decimals of stored amounts. Every rounding in the books is to this scale, once, half away from zero. */
export const coinScale = 8

export const zero = BigDecimal.make(0n, 0)
export const one = BigDecimal.make(1n, 0)

const powersOfTen = Array.from({ length: 20 }, (_, exponent) => 10 ** exponent)

/** Looks up a power of ten; `10 ** exponent` is computed each time. */
export const tenTo = (exponent: number): number => powersOfTen[exponent] ?? 10 ** exponent

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent)

const divideRounded = (numerator: bigint, denominator: bigint): bigint => {
  const negative = numerator < 0n !== denominator < 0n
  const top = numerator < 0n ? -numerator : numerator
  const bottom = denominator < 0n ? -denominator : denominator
  const rounded = (top * 2n + bottom) / (bottom * 2n)
  return negative ? -rounded : rounded
}

/** Divides with `scale` decimals, rounded half away from zero. Division by zero returns zero. */
export const divide = (
  a: BigDecimal.BigDecimal,
  b: BigDecimal.BigDecimal,
  scale: number = coinScale
): BigDecimal.BigDecimal => {
  if (b.value === 0n) return BigDecimal.make(0n, scale)
  const shift = scale + b.scale - a.scale
  return BigDecimal.make(
    shift >= 0
      ? divideRounded(a.value * powerOfTen(shift), b.value)
      : divideRounded(a.value, b.value * powerOfTen(-shift)),
    scale
  )
}

/** Rounds to exactly `scale` decimals, half away from zero. */
export const round = (a: BigDecimal.BigDecimal, scale: number = coinScale): BigDecimal.BigDecimal =>
  a.scale === scale ? a : divide(a, one, scale)

/** Truncates to at most `scale` decimals. */
export const truncate = (a: BigDecimal.BigDecimal, scale: number): BigDecimal.BigDecimal =>
  a.scale <= scale ? a : BigDecimal.make(a.value / powerOfTen(a.scale - scale), scale)

export const sum = (...amounts: ReadonlyArray<BigDecimal.BigDecimal>): BigDecimal.BigDecimal =>
  amounts.reduce(BigDecimal.sum, zero)

/** Whether `a` is a whole multiple of `step`. */
export const isMultiple = (a: BigDecimal.BigDecimal, step: BigDecimal.BigDecimal): boolean => {
  const scale = Math.max(a.scale, step.scale)
  const unit = step.value * powerOfTen(scale - step.scale)
  return unit === 0n || (a.value * powerOfTen(scale - a.scale)) % unit === 0n
}

const contractFees = { maker: BigDecimal.unsafeFromString("0.0002"), taker: BigDecimal.unsafeFromString("0.00055") }
const spotFees = { maker: BigDecimal.unsafeFromString("0.001"), taker: BigDecimal.unsafeFromString("0.001") }

/** The fee rates of an execution, charged on its value for contracts and on the received coin for spot. */
export const feeRates = (
  category: Exchange.Category
): { readonly maker: BigDecimal.BigDecimal; readonly taker: BigDecimal.BigDecimal } =>
  category === "spot" ? spotFees : contractFees

export const feeRate = (category: Exchange.Category, isMaker: boolean): BigDecimal.BigDecimal =>
  feeRates(category)[isMaker ? "maker" : "taker"]
