/** The changes of balances that follow from the postings of a row, once the open questions of its account are settled. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import type { Change } from "./Books.js"
import { total, zero } from "../accounts/fields.js"
import type * as Flows from "../accounts/flows.js"
import { fundingWallet, type Lack, trading } from "../accounts/Kinds.js"
import type * as Postings from "../accounts/postings.js"
import type * as Settle from "../accounts/settle.js"

/** In which coin of a trade a rebate is paid; `undefined` if the balances do not decide it. */
export type RebateCoin = "received" | "paid" | undefined

/** A change of one balance, without the balance after it. */
export type Booked = Omit<Change, "balance" | "derivedBalance">

/** The parts of a row that follow from it alone. */
export type Row = Pick<Postings.BookedRow, "between" | "lacks" | "postings" | "rebate">

/** Whether a row is in the log. */
export const isLogged = ({ lacks, postings, rebate }: Row): boolean =>
  rebate !== undefined || lacks.length > 0 || postings.some(({ amount }) => !BigDecimal.isZero(amount))

/** Whether a transfer is one of the sub-account. `uid`: of the account, if it is known. */
export const isSubOf = (rule: Settle.Rule, between: Postings.BookedRow["between"], uid: string | null): boolean =>
  rule.subAccounts?.isSub ?? (uid !== null && between?.sub === uid)

/** How an account books what its records leave open. `uid`: of the account, if it is known. */
export interface Rules {
  readonly ruleOf: (coin: string) => Settle.Rule
  readonly rebates: RebateCoin
  readonly uid: string | null
}

/** The changes of a row. */
export const changesOf = (
  { between, postings, rebate }: Row,
  { rebates, ruleOf, uid }: Rules
): ReadonlyArray<Booked> => [
  ...postings
    .filter(({ amount }) => !BigDecimal.isZero(amount))
    .map(({ amount, coin, kind, wallet }): Booked => {
      const rule = ruleOf(coin)
      const isTransfer = wallet === undefined && between !== undefined
      const isHere = isTransfer ? rule.subAccounts !== undefined : rule.deposits
      return {
        wallet: wallet ?? (isHere ? trading : fundingWallet),
        currency: coin,
        kind,
        amount: isTransfer && isSubOf(rule, between, uid) ? BigDecimal.negate(amount) : amount
      }
    }),
  ...(rebate === undefined || rebates === undefined
    ? []
    : [{ wallet: rebate.wallet, currency: rebate[rebates], kind: "fee" as const, amount: rebate.amount }])
]

/** What a row has that is not booked. */
export const lacksOf = ({ lacks, rebate }: Row, rebates: RebateCoin): ReadonlyArray<Lack> =>
  rebate === undefined || rebates !== undefined
    ? lacks
    : [
        ...lacks,
        ...[rebate.received, rebate.paid].map((currency): Lack => ({
          kind: "fee",
          currency,
          because: "rebates of spot trades, whose coin the balances do not decide"
        }))
      ]

/** The rebates of a coin. */
export const rebatesOf = (
  { rebatesPaid, rebatesReceived }: Flows.CoinSums,
  rebates: RebateCoin
): BigDecimal.BigDecimal => (rebates === undefined ? zero : rebates === "received" ? rebatesReceived : rebatesPaid)

/** The change of the trading wallet by some sums. */
export const change = (
  sums: Flows.CoinSums,
  { deposits, subAccounts }: Settle.Rule,
  rebates: RebateCoin
): BigDecimal.BigDecimal =>
  total([
    sums.changes,
    deposits ? sums.deposits : zero,
    subAccounts === undefined ? zero : subAccounts.isSub ? BigDecimal.negate(sums.subAccounts) : sums.subAccounts,
    rebatesOf(sums, rebates)
  ])
