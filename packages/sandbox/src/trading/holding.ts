import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Average from "./average.js"
import * as Money from "./money.js"

/** An execution in the books: `value` and `fee` are in the settle coin. */
export interface Fill {
  readonly side: "Buy" | "Sell"
  readonly qty: BigDecimal.BigDecimal
  readonly price: BigDecimal.BigDecimal
  readonly value: BigDecimal.BigDecimal
  readonly fee: BigDecimal.BigDecimal
}

/** The closing part of an execution. `pnl` is before fees. */
export interface Closed {
  readonly size: BigDecimal.BigDecimal
  readonly entryPrice: BigDecimal.BigDecimal
  readonly entryValue: BigDecimal.BigDecimal
  readonly exitValue: BigDecimal.BigDecimal
  readonly openFee: BigDecimal.BigDecimal
  readonly closeFee: BigDecimal.BigDecimal
  readonly pnl: BigDecimal.BigDecimal
}

export const empty: Exchange.Holding = {
  size: Money.zero,
  entryValue: Money.zero,
  entryPrice: Money.zero,
  openFee: Money.zero,
  cumRealisedPnl: Money.zero,
  earlierRealisedPnl: Money.zero
}

export const isOpen = ({ size }: Exchange.Holding): boolean => !BigDecimal.isZero(size)

/** The realised profit of a holding and of all before it. */
export const allRealisedPnl = ({ cumRealisedPnl, earlierRealisedPnl }: Exchange.Holding): BigDecimal.BigDecimal =>
  BigDecimal.sum(earlierRealisedPnl, cumRealisedPnl)

/** The value of an execution in the settle coin: linear contracts count coins, inverse contracts one dollar each. */
export const value = (
  category: Exchange.Category,
  price: BigDecimal.BigDecimal,
  qty: BigDecimal.BigDecimal
): BigDecimal.BigDecimal => (category === "inverse" ? Money.divide(qty, price) : BigDecimal.multiply(price, qty))

/** The profit from an entry and an exit value. An inverse contract is worth less coin as its price rises. */
export const profit = (
  category: Exchange.Contract,
  long: boolean,
  entryValue: BigDecimal.BigDecimal,
  exitValue: BigDecimal.BigDecimal
): BigDecimal.BigDecimal => {
  const rise = BigDecimal.subtract(exitValue, entryValue)
  return long === (category === "linear") ? rise : BigDecimal.negate(rise)
}

/** A part of an amount, rounded if it is not all of it. */
export const share = (amount: BigDecimal.BigDecimal, part: BigDecimal.BigDecimal, whole: BigDecimal.BigDecimal) =>
  BigDecimal.equals(part, whole) ? amount : Money.divide(BigDecimal.multiply(amount, part), whole)

/**
 * Applies an execution to a holding. The closed part takes its share of entry value and opening fees, rounded once; the rest stays, so
 * nothing is lost. An execution larger than the holding closes it and opens the other side.
 */
export const apply = (
  category: Exchange.Contract,
  holding: Exchange.Holding,
  fill: Fill
): { readonly holding: Exchange.Holding; readonly closed: Option.Option<Closed> } => {
  const signed = fill.side === "Buy" ? fill.qty : BigDecimal.negate(fill.qty)
  const kept = BigDecimal.abs(holding.size)
  const opens = BigDecimal.isZero(holding.size) || BigDecimal.isNegative(holding.size) === BigDecimal.isNegative(signed)
  if (opens) {
    const isNew = BigDecimal.isZero(holding.size)
    const cumRealisedPnl = isNew ? Money.zero : holding.cumRealisedPnl
    return {
      holding: {
        size: BigDecimal.sum(holding.size, signed),
        entryValue: BigDecimal.sum(holding.entryValue, fill.value),
        entryPrice: Average.add(
          category,
          { size: kept, price: holding.entryPrice },
          { size: fill.qty, price: fill.price }
        ).price,
        openFee: BigDecimal.sum(holding.openFee, fill.fee),
        cumRealisedPnl: BigDecimal.subtract(cumRealisedPnl, fill.fee),
        earlierRealisedPnl: isNew ? allRealisedPnl(holding) : holding.earlierRealisedPnl
      },
      closed: Option.none()
    }
  }
  const size = BigDecimal.min(fill.qty, kept)
  const entryValue = share(holding.entryValue, size, kept)
  const openFee = share(holding.openFee, size, kept)
  const exitValue = share(fill.value, size, fill.qty)
  const closeFee = share(fill.fee, size, fill.qty)
  const pnl = profit(category, BigDecimal.isPositive(holding.size), entryValue, exitValue)
  const openingFee = BigDecimal.subtract(fill.fee, closeFee)
  const cumRealisedPnl = BigDecimal.sum(BigDecimal.subtract(holding.cumRealisedPnl, closeFee), pnl)
  const flips = BigDecimal.greaterThan(fill.qty, kept)
  const { entryPrice } = holding
  const isClosed = BigDecimal.equals(fill.qty, kept)
  return {
    holding: {
      size: BigDecimal.sum(holding.size, signed),
      entryValue: flips
        ? BigDecimal.subtract(fill.value, exitValue)
        : BigDecimal.subtract(holding.entryValue, entryValue),
      entryPrice: flips ? fill.price : isClosed ? Money.zero : entryPrice,
      openFee: flips ? openingFee : BigDecimal.subtract(holding.openFee, openFee),
      cumRealisedPnl: flips ? BigDecimal.negate(openingFee) : cumRealisedPnl,
      earlierRealisedPnl: flips
        ? BigDecimal.sum(holding.earlierRealisedPnl, cumRealisedPnl)
        : holding.earlierRealisedPnl
    },
    closed: Option.some({ size, entryPrice, entryValue, exitValue, openFee, closeFee, pnl })
  }
}
