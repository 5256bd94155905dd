import * as BigDecimal from "effect/BigDecimal"
import type * as Exchange from "../state/Exchange.js"
import * as Money from "./money.js"

/** A size at an average price. */
export interface Average {
  readonly size: BigDecimal.BigDecimal
  readonly price: BigDecimal.BigDecimal
}

/** No size, no price. */
export const none: Average = { size: Money.zero, price: Money.zero }

// Average prices are stored with many more decimals than are shown, so that rounding never reaches a visible digit. The value in coins is
// unsuitable, because it is rounded: 10,000 dollars at 39999.5 are 0.25000313 coins, which are dollars at 39999.4992.
const keptScale = 36
const sureScale = 24

/**
 * Adds to an average. Linear and spot weigh prices by quantity; inverse weighs them by the value of the quantity, because its contracts are
 * dollars. Removing a part does not change the average.
 */
export const add = (category: Exchange.Category, before: Average, more: Average): Average => {
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

/**
 * Rounds a price for records. It is rounded twice, so that half of a last digit is exactly half after the extra decimals have lost their
 * noise.
 */
export const roundShown = (price: BigDecimal.BigDecimal): BigDecimal.BigDecimal =>
  Money.round(price.scale > sureScale ? Money.round(price, sureScale) : price)
