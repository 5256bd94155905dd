/** Which wallet a posting changes if its record does not name it, and the changes of balances that follow. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import type { Change, Kind } from "./Books.js"
import { zero } from "../accounts/fields.js"
import type * as Flows from "../accounts/flows.js"
import * as Postings from "../accounts/postings.js"
import type * as Statement from "../accounts/statement.js"

/** How one coin of an account is booked, as its statement shows. */
export interface Rule {
  /** Deposits change the trading wallet. */
  readonly deposits: boolean
  /** Transfers with sub-accounts change the trading wallet; of a sub-account their sign is the opposite. */
  readonly subAccounts: { readonly isSub: boolean } | undefined
}

export const unsettled: Rule = { deposits: false, subAccounts: undefined }

/** The rule of a coin that follows from its statement. */
export const ruleOf = ({ entries }: Statement.Statement, amounts: Flows.Amounts = {}): Rule => {
  const transfers = entries.find(({ label }) => label === "subAccounts")
  return {
    deposits: entries.some(({ label }) => label === "deposits"),
    subAccounts:
      transfers === undefined ? undefined : { isSub: !BigDecimal.equals(transfers.amount, amounts.subAccounts ?? zero) }
  }
}

const changing: Readonly<Record<Postings.PostingKind, Kind | undefined>> = {
  transfersIn: "transfer",
  transfersOut: "transfer",
  pnl: undefined,
  gross: "realisedPnl",
  contractFees: "fee",
  spotTrades: "trade",
  spotFees: "fee",
  funding: "funding",
  coupons: "bonus",
  bonusUsed: undefined,
  deposits: "deposit",
  subAccounts: "transfer"
}

/** Whether a posting changes a balance. */
export const isChange = ({ amount, kind }: Postings.Posting): boolean =>
  changing[kind] !== undefined && !BigDecimal.isZero(amount)

/** A change of one balance, without the balance after it. */
export type Booked = Omit<Change, "balance">

/** Whether a transfer is one of the sub-account. `uid`: of the account, if it is known. */
export const isSubOf = (rule: Rule, between: Postings.BookedRow["between"], uid: string | null): boolean =>
  rule.subAccounts?.isSub ?? (uid !== null && between?.sub === uid)

/** The changes of a row. `uid`: of the account, if it is known. */
export const changesOf = (
  { between, isLiquidation, postings }: Pick<Postings.BookedRow, "between" | "isLiquidation" | "postings">,
  ruleOf: (coin: string) => Rule,
  uid: string | null
): ReadonlyArray<Booked> =>
  postings.filter(isChange).map(({ amount, coin, kind, wallet }): Booked => {
    const rule = ruleOf(coin)
    const isSub = isSubOf(rule, between, uid)
    const isHere = kind === "deposits" ? rule.deposits : rule.subAccounts !== undefined
    return {
      wallet: wallet ?? (isHere ? Postings.trading : Postings.funding),
      currency: coin,
      kind: isLiquidation ? "liquidation" : (changing[kind] ?? "unexplained"),
      amount: kind === "subAccounts" && isSub ? BigDecimal.negate(amount) : amount
    }
  })

/** The change of the trading wallet by some sums. */
export const change = (amounts: Flows.Amounts, { deposits, subAccounts }: Rule): BigDecimal.BigDecimal => {
  const sums = Postings.kinds.flatMap((kind) => {
    const amount = amounts[kind]
    if (amount === undefined || changing[kind] === undefined) return []
    if (kind === "deposits") return deposits ? [amount] : []
    if (kind !== "subAccounts") return [amount]
    return subAccounts === undefined ? [] : [subAccounts.isSub ? BigDecimal.negate(amount) : amount]
  })
  return sums.reduce((sum, amount) => BigDecimal.sum(sum, amount), zero)
}
