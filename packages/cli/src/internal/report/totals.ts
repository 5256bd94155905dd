import * as BigDecimal from "effect/BigDecimal"
import * as money from "./money.js"
import type { Line } from "./monthly.js"

/** What an export comes to in one currency. What was paid is over zero. */
export interface Total {
  readonly currency: string
  readonly pnl: BigDecimal.BigDecimal
  readonly contractFees: BigDecimal.BigDecimal
  readonly spotFees: BigDecimal.BigDecimal
  readonly funding: BigDecimal.BigDecimal
}

const none = (currency: string): Total => ({
  currency,
  pnl: money.zero,
  contractFees: money.zero,
  spotFees: money.zero,
  funding: money.zero
})

const plus = (sum: BigDecimal.BigDecimal, amount: BigDecimal.BigDecimal = money.zero) => BigDecimal.sum(sum, amount)

/** The totals of every currency, in the order of their names; amounts of different currencies are never added up. */
export const of = (lines: ReadonlyArray<Line>): ReadonlyArray<Total> => {
  const totals = new Map<string, Total>()
  for (const { category, currency, fees, funding, pnl, volume } of lines) {
    // Volume alone is no money of the account.
    if (volume !== undefined && fees === undefined && funding === undefined && pnl === undefined) continue
    const before = totals.get(currency) ?? none(currency)
    const isSpot = category === "spot"
    totals.set(currency, {
      currency,
      pnl: plus(before.pnl, pnl),
      contractFees: plus(before.contractFees, isSpot ? undefined : fees),
      spotFees: plus(before.spotFees, isSpot ? fees : undefined),
      funding: plus(before.funding, funding)
    })
  }
  return [...totals.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1))
}
