import * as Arr from "effect/Array"
import * as BigDecimal from "effect/BigDecimal"
import * as money from "./money.js"
import type { Line } from "./monthly.js"

/** Lines, and the categories whose closed profits and executions were all summed up. */
export interface Summed {
  readonly lines: ReadonlyArray<Line>
  readonly categories: { readonly closed: ReadonlySet<string>; readonly executed: ReadonlySet<string> }
}

type Sum = BigDecimal.BigDecimal | undefined

/** The totals of an export in one currency. Payments are positive. A sum is undefined if the export lacks the rows of a category. */
export interface Total {
  readonly currency: string
  readonly pnl: Sum
  readonly contractFees: Sum
  readonly spotFees: Sum
  readonly funding: Sum
}

/** The totals of a month in one currency. */
export interface MonthTotal extends Total {
  readonly month: string
}

const sumUp = (sums: ReadonlyArray<Sum>): Sum =>
  sums.reduce((total, sum) => (total === undefined || sum === undefined ? undefined : BigDecimal.sum(total, sum)))

/** All fees of a total. */
export const feesOf = ({ contractFees, spotFees }: Total): Sum => sumUp([contractFees, spotFees])

/** Realised PnL less funding and spot fees. Contract fees are in the realised PnL. */
export const netOf = ({ funding, pnl, spotFees }: Total): Sum => {
  const paid = sumUp([funding, spotFees])
  return pnl === undefined || paid === undefined ? undefined : BigDecimal.subtract(pnl, paid)
}

const totalOf = (currency: string, lines: ReadonlyArray<Line>, { closed, executed }: Summed["categories"]): Total => {
  const contracts = lines.filter(({ category }) => category !== "spot")
  const spot = lines.filter(({ category }) => category === "spot")
  const sum = (of: ReadonlyArray<Line>, amount: "pnl" | "fees" | "funding", known: ReadonlySet<string>): Sum =>
    of.every(({ category }) => known.has(category))
      ? sumUp([money.zero, ...of.map((line) => line[amount] ?? money.zero)])
      : undefined
  return {
    currency,
    pnl: sum(contracts, "pnl", closed),
    contractFees: sum(contracts, "fees", executed),
    spotFees: sum(spot, "fees", executed),
    funding: sum(contracts, "funding", executed)
  }
}

/** Groups by a key, in the order of the keys. */
const groupBy = (lines: ReadonlyArray<Line>, key: "currency" | "month") =>
  Object.entries(Arr.groupBy(lines, (line) => line[key])).sort(([left], [right]) => (left < right ? -1 : 1))

/** The totals of every currency, in the order of their names; amounts of different currencies are never added up. */
export const of = ({ categories, lines }: Summed): ReadonlyArray<Total> => {
  // Volume alone is not money of the account.
  const paid = lines.filter(({ fees, funding, pnl }) => [fees, funding, pnl].some((amount) => amount !== undefined))
  return groupBy(paid, "currency").map(([currency, all]) => totalOf(currency, all, categories))
}

/** The totals of every month that lines are of, in the order of the months. */
export const byMonth = ({ categories, lines }: Summed): ReadonlyArray<MonthTotal> =>
  groupBy(lines, "month").flatMap(([month, all]) =>
    of({ lines: all, categories }).map((total) => ({ month, ...total }))
  )
