/** A statement of a trading wallet between two snapshots: opening balance, entries, the unexplained rest, closing balance. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import { total, zero } from "./fields.js"
import type * as Flows from "./flows.js"
import type * as Postings from "./postings.js"
import type * as Wallets from "./wallets.js"

export type Label =
  | "transfersIn"
  | "transfersOut"
  | "pnl"
  | "feesOutsidePnl"
  | "spotTrades"
  | "spotFees"
  | "funding"
  | "coupons"
  | "bonuses"
  | "deposits"
  | "subAccounts"
  | "fundingInPnl"

export interface Entry {
  readonly label: Label
  readonly amount: BigDecimal.BigDecimal
}

export interface Statement {
  readonly coin: string
  readonly opening: BigDecimal.BigDecimal
  /** Without zeros. */
  readonly entries: ReadonlyArray<Entry>
  /** The closing balance less the opening one and all entries. */
  readonly unexplained: BigDecimal.BigDecimal
  readonly closing: BigDecimal.BigDecimal
  /** Deposits and transfers with sub-accounts of the time which are no entries: they belong to another wallet of the account. */
  readonly aside: ReadonlyArray<Entry>
}

const nothing: Wallets.Balance = { wallet: zero, bonus: zero }

const entriesOf = (
  opening: Wallets.Balance,
  closing: Wallets.Balance,
  amounts: Flows.Amounts
): ReadonlyArray<Entry> => {
  const of = (kind: Postings.PostingKind) => amounts[kind] ?? zero
  return [
    { label: "transfersIn", amount: of("transfersIn") },
    { label: "transfersOut", amount: of("transfersOut") },
    { label: "pnl", amount: of("pnl") },
    // The fees of an opening are paid when it happens, and deducted from the profit when the position is closed.
    {
      label: "feesOutsidePnl",
      amount: BigDecimal.sum(BigDecimal.subtract(of("gross"), of("pnl")), of("contractFees"))
    },
    { label: "spotTrades", amount: of("spotTrades") },
    { label: "spotFees", amount: of("spotFees") },
    { label: "funding", amount: of("funding") },
    { label: "coupons", amount: of("coupons") },
    // A bonus is in the balance from the day of its grant, which is not listed; its uses are.
    { label: "bonuses", amount: BigDecimal.sum(BigDecimal.subtract(closing.bonus, opening.bonus), of("bonusUsed")) }
  ]
}

const isSome = ({ amount }: Entry): boolean => !BigDecimal.isZero(amount)

const sumOf = (entries: ReadonlyArray<Entry>): BigDecimal.BigDecimal => total(entries.map(({ amount }) => amount))

const subsets = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  [
    ...all.reduce<ReadonlyArray<ReadonlyArray<A>>>(
      (sets, item) => [...sets, ...sets.map((set) => [...set, item])],
      [[]]
    )
  ]
    // The simplest explanation first.
    .sort((fewer, more) => fewer.length - more.length)

/**
 * Questions that the records leave open and the balances decide: whether deposits and transfers with sub-accounts are booked in this wallet,
 * and whether a closed profit is after funding as well as after fees. An answer counts only if the statement adds up to the last digit.
 */
const settleRest = (rest: BigDecimal.BigDecimal, open: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  subsets(open.filter(isSome)).find((set) => BigDecimal.equals(sumOf(set), rest)) ?? []

/** The statement of a coin. Sums are exact. */
export const make = (
  coin: string,
  opening: Wallets.Balance = nothing,
  closing: Wallets.Balance = nothing,
  amounts: Flows.Amounts = {}
): Statement => {
  const entries = entriesOf(opening, closing, amounts)
  const rest = BigDecimal.subtract(BigDecimal.subtract(closing.wallet, opening.wallet), sumOf(entries))
  const elsewhere: ReadonlyArray<Entry> = [
    { label: "deposits", amount: amounts.deposits ?? zero },
    { label: "subAccounts", amount: amounts.subAccounts ?? zero }
  ]
  const open: ReadonlyArray<Entry> = [
    ...elsewhere,
    // Both accounts have the same record, which does not tell them apart.
    { label: "subAccounts", amount: BigDecimal.negate(amounts.subAccounts ?? zero) },
    { label: "fundingInPnl", amount: BigDecimal.negate(amounts.funding ?? zero) }
  ]
  const counted = BigDecimal.isZero(rest) ? [] : settleRest(rest, open)
  return {
    coin,
    opening: opening.wallet,
    entries: [...entries, ...counted].filter(isSome),
    unexplained: BigDecimal.subtract(rest, sumOf(counted)),
    closing: closing.wallet,
    aside: elsewhere.filter((entry) => isSome(entry) && !counted.some(({ label }) => label === entry.label))
  }
}

/** A statement for each coin that a snapshot or an entry has, in the order of their names. */
export const all = (
  opening: Wallets.Balances,
  closing: Wallets.Balances,
  flows: Pick<Flows.Flows, "coins">
): ReadonlyArray<Statement> =>
  [...new Set([...opening.keys(), ...closing.keys(), ...flows.coins.keys()])]
    .sort()
    .map((coin) => make(coin, opening.get(coin), closing.get(coin), flows.coins.get(coin)))
