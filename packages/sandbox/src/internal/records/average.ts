import * as BigDecimal from "effect/BigDecimal"
import type * as State from "../../State.js"
import * as Money from "../trading/money.js"

/** So much, at a mean price. */
export interface Average {
  readonly size: BigDecimal.BigDecimal
  readonly price: BigDecimal.BigDecimal
}

/** Nothing, at no price. */
export const none: Average = { size: Money.zero, price: Money.zero }

// A mean price is kept with many more decimals than are shown: what rounding leaves out never reaches a digit that is shown. The
// value in coins would not do, for it is money and rounded: 10,000 dollars at 39999.5 are 0.25000313, and those are dollars at 39999.4992.
const keptScale = 36
const sureScale = 24

/**
 * The mean price of more. Linear and spot weigh prices by quantity, inverse by what the quantity is worth: its contracts are dollars.
 * Taking some out leaves the mean as it is.
 */
export const add = (category: State.Category, before: Average, more: Average): Average => {
  if (BigDecimal.isZero(before.size)) return more
  const size = BigDecimal.sum(before.size, more.size)
  if (BigDecimal.equals(before.price, more.price)) return { size, price: before.price }
  const price =
    category === "inverse"
      ? Money.divide(
          BigDecimal.multiply(size, BigDecimal.multiply(before.price, more.price)),
          BigDecimal.sum(BigDecimal.multiply(before.size, more.price), BigDecimal.multiply(more.size, before.price)),
          keptScale
        )
      : Money.divide(
          BigDecimal.sum(BigDecimal.multiply(before.size, before.price), BigDecimal.multiply(more.size, more.price)),
          size,
          keptScale
        )
  return { size, price }
}

/** As records show it. Rounded twice: half of a last digit is half again once the kept decimals have lost their noise. */
export const shown = (price: BigDecimal.BigDecimal): BigDecimal.BigDecimal =>
  Money.round(price.scale > sureScale ? Money.round(price, sureScale) : price)
