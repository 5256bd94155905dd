/**
 * The statement of a period: openings, changes and closings by coin.
 *
 * @sibling
 */
import * as BigDecimal from "effect/BigDecimal"
import { zero } from "../accounts/fields.js"
import { trading } from "../accounts/Kinds.js"
import type { AccountLog, Basis, Change, Kind, Lack, Log, Transaction } from "../log/Books.js"
import { formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as Sum from "./Sum.js"

/** The groups of kinds of changes that a statement has a line for. */
export const labels = [
  "transfersIn",
  "transfersOut",
  "subAccounts",
  "deposits",
  "realisedPnl",
  "liquidations",
  "fees",
  "funding",
  "fundingInPnl",
  "spotTrades",
  "bonuses"
] as const

export type StatementLabel = (typeof labels)[number]

export interface StatementEntry {
  readonly label: StatementLabel
  readonly sum: Sum.Sum
}

/**
 * Whether the rows explain how a balance changed between two that the service reported.
 *
 * - `Passed`: to the last digit.
 * - `Failed`: but for an amount.
 * - `NotMade`: opening or closing is computed from the rows, so there is nothing to compare. `because` has no final point.
 */
export type BalanceCheck =
  | { readonly _tag: "Passed" }
  | { readonly _tag: "Failed"; readonly unexplained: BigDecimal.BigDecimal }
  | { readonly _tag: "NotMade"; readonly because: string }

/** The statement of the trading wallet in one coin. Opening, entries and the unexplained amount of the check add up to closing. */
export interface Statement {
  readonly coin: string
  readonly opening: Sum.Sum
  /** Without those that are zero and lack nothing. */
  readonly entries: ReadonlyArray<StatementEntry>
  readonly check: BalanceCheck
  readonly closing: Sum.Sum
  /** Deposits and transfers with sub-accounts of the time which belong to another wallet of the account. */
  readonly aside: ReadonlyArray<StatementEntry>
}

/** The statements of an account. */
export interface AccountStatement {
  readonly account: string | null
  readonly from: number
  readonly to: number
  /** Whether the service reported the balances of begin and end; otherwise they are computed back from a balance at another time. */
  readonly computedFrom: number | undefined
  /** Why there are none; `undefined` if there are. */
  readonly because: string | undefined
  /** In the order of coins. */
  readonly coins: ReadonlyArray<Statement>
}

const labelOfKind: Readonly<Record<Exclude<Kind, "opening" | "transfer" | "unexplained">, StatementLabel>> = {
  trade: "spotTrades",
  fee: "fees",
  funding: "funding",
  realisedPnl: "realisedPnl",
  liquidation: "liquidations",
  deposit: "deposits",
  bonus: "bonuses"
}

/** The label of a change; `undefined` for those that are no entry. */
const labelOf = (record: string, kind: Kind, isNegative: boolean): StatementLabel | undefined => {
  if (kind === "opening" || kind === "unexplained") return undefined
  if (kind === "transfer") {
    return record === "sub-account-transfers" ? "subAccounts" : isNegative ? "transfersOut" : "transfersIn"
  }
  return record === "wallet" && kind === "funding" ? "fundingInPnl" : labelOfKind[kind]
}

interface Coin {
  opening: BigDecimal.BigDecimal
  change: BigDecimal.BigDecimal
  /** Changes that are known only at the closing snapshot. */
  later: BigDecimal.BigDecimal
  unexplained: BigDecimal.BigDecimal
  readonly entries: Map<StatementLabel, Sum.Sum>
  readonly aside: Map<StatementLabel, Sum.Sum>
}

const emptyCoin = (): Coin => ({
  ...{ opening: zero, change: zero, later: zero, unexplained: zero },
  entries: new Map(),
  aside: new Map()
})

/** The time of a statement. */
interface Span {
  readonly from: number
  readonly to: number
  /** The statement ends with the changes that no row has. */
  readonly isBetween: boolean
}

interface OfAccount extends Span {
  readonly account: AccountLog
  readonly coins: Map<string, Coin>
  /** What can be of any coin. */
  readonly unassigned: Map<StatementLabel, Sum.Sum>
  /** What computed balances lack, by coin: rows between them and the balance that they are computed from. */
  readonly lacking: Readonly<Record<End, Map<string, Sum.Sum>>>
}

/** A balance of a statement. */
type End = "closing" | "opening"

/** The coin of rows whose coin is not known. */
const anyCoin = ""

const addSum = (sums: Map<StatementLabel, Sum.Sum>, label: StatementLabel, sum: Sum.Sum): void => {
  sums.set(label, Sum.addAll([sums.get(label) ?? Sum.zero, sum]))
}

const coinOf = ({ coins }: OfAccount, name: string): Coin => {
  const coin = coins.get(name) ?? emptyCoin()
  coins.set(name, coin)
  return coin
}

const addTrading = (of: OfAccount, { at, record }: Transaction, { amount, currency, kind }: Change): void => {
  const coin = coinOf(of, currency)
  const isRest = record === "wallet" && kind !== "opening"
  if (isRest && !of.isBetween) {
    coin.later = BigDecimal.sum(coin.later, amount)
    return
  }
  if (kind === "opening" || (!isRest && at < of.from)) {
    coin.opening = BigDecimal.sum(coin.opening, amount)
    return
  }
  if (!isRest && at >= of.to) return
  coin.change = BigDecimal.sum(coin.change, amount)
  const label = labelOf(record, kind, BigDecimal.isNegative(amount))
  if (label === undefined) coin.unexplained = BigDecimal.sum(coin.unexplained, amount)
  else addSum(coin.entries, label, Sum.of(amount))
}

const addAside = (of: OfAccount, { at, record }: Transaction, { amount, currency, kind }: Change): void => {
  if (at < of.from || at >= of.to || (record !== "deposits" && record !== "sub-account-transfers")) return
  const label = labelOf(record, kind, false)
  if (label !== undefined) addSum(coinOf(of, currency).aside, label, Sum.of(amount))
}

/** The time of the reported balance that the balance of a time is computed from. */
const anchorOf = (basis: Basis, at: number): number =>
  basis._tag === "Between" ? (at >= basis.to ? basis.to : basis.from) : basis._tag === "Closing" ? basis.at : at

/** Notes which computed balances lack a row. One without a time can be missing in each. */
const addBalanceLack = (
  of: OfAccount,
  record: string,
  { because, currency, kind }: Lack,
  { at, rows }: { readonly at: number | undefined; readonly rows: number }
): void => {
  if (of.isBetween || labelOf(record, kind, false) === undefined || record.startsWith("pre-upgrade-")) return
  for (const [end, time] of [
    ["opening", of.from],
    ["closing", of.to]
  ] as const) {
    const anchor = anchorOf(of.account.basis, time)
    if (at !== undefined && (at < Math.min(time, anchor) || at >= Math.max(time, anchor))) continue
    if (currency !== undefined) coinOf(of, currency)
    const sums = of.lacking[end]
    sums.set(currency ?? anyCoin, Sum.addAll([sums.get(currency ?? anyCoin) ?? Sum.zero, Sum.lacking(because, rows)]))
  }
}

const addLack = (of: OfAccount, record: string, { because, currency, kind }: Lack, rows: number): void => {
  const label = labelOf(record, kind, false)
  if (label === undefined || record.startsWith("pre-upgrade-")) return
  const sum = Sum.lacking(because, rows)
  addSum(currency === undefined ? of.unassigned : coinOf(of, currency).entries, label, sum)
}

const add = (of: OfAccount, transaction: Transaction): void => {
  for (const change of transaction.changes) {
    if (change.wallet === trading) addTrading(of, transaction, change)
    else addAside(of, transaction, change)
  }
  for (const lack of transaction.lacks) addBalanceLack(of, transaction.record, lack, { at: transaction.at, rows: 1 })
  if (transaction.at < of.from || transaction.at >= of.to) return
  for (const lack of transaction.lacks) addLack(of, transaction.record, lack, 1)
}

/** Whether a time and the time between two snapshots have a part in common. */
const overlaps = (basis: Basis, { from, to }: Span): boolean =>
  basis._tag === "Between" && from < basis.to && to > basis.from

const lackOfRest = "changes that no row has, at an unknown time between the snapshots"

/** Compares what the rows explain with two balances, if both were read. */
const checkBalances = ({ account: { basis }, from, isBetween, to }: OfAccount, { unexplained }: Coin): BalanceCheck => {
  if (isBetween) return BigDecimal.isZero(unexplained) ? { _tag: "Passed" } : { _tag: "Failed", unexplained }
  if (basis._tag !== "Between") return { _tag: "NotMade", because: basis.because }
  const around = from >= basis.from && to <= basis.to ? ", before and after it" : ""
  return {
    _tag: "NotMade",
    because: `no balance was read at its begin and its end, only at ${formatInstant(basis.from)} and ${formatInstant(basis.to)} UTC${around}`
  }
}

const toEntries = (sums: ReadonlyMap<StatementLabel, Sum.Sum>): ReadonlyArray<StatementEntry> =>
  labels.map((label) => ({ label, sum: sums.get(label) ?? Sum.zero })).filter(({ sum }) => !Sum.isNothing(sum))

const conclude = (of: OfAccount, name: string, coin: Coin): Statement => {
  const { account, unassigned } = of
  const entries = new Map(coin.entries)
  for (const [label, sum] of unassigned) addSum(entries, label, sum)
  const lacksRest = !BigDecimal.isZero(coin.later) && overlaps(account.basis, of)
  const withRest = (value: BigDecimal.BigDecimal): Sum.Sum =>
    lacksRest ? Sum.addAll([Sum.of(value), Sum.lacking(lackOfRest, undefined)]) : Sum.of(value)
  // After the snapshots the changes that no row has are in every balance.
  const isAfter = account.basis._tag === "Between" && of.from >= account.basis.to
  const opening = isAfter ? BigDecimal.sum(coin.opening, coin.later) : coin.opening
  const balanceAt = (end: End, value: BigDecimal.BigDecimal): Sum.Sum =>
    Sum.addAll([withRest(value), ...[name, anyCoin].map((currency) => of.lacking[end].get(currency) ?? Sum.zero)])
  return {
    coin: name,
    opening: balanceAt("opening", opening),
    entries: toEntries(entries),
    check: checkBalances(of, coin),
    closing: balanceAt("closing", BigDecimal.sum(opening, coin.change)),
    aside: toEntries(coin.aside)
  }
}

const spanOf = ({ basis }: AccountLog, period: Omit<Span, "isBetween">, isWhole: boolean): Span =>
  isWhole && basis._tag === "Between"
    ? { from: basis.from, to: basis.to, isBetween: true }
    : { ...period, isBetween: false }

/** Folds transactions into the statements of the accounts. */
export const make = (
  { accounts, undated }: Pick<Log<unknown>, "accounts" | "undated">,
  { isWhole, period }: { readonly isWhole: boolean; readonly period: { readonly from: number; readonly to: number } }
) => {
  const all = accounts.map((account): OfAccount => ({
    account,
    ...spanOf(account, period, isWhole),
    coins: new Map(),
    unassigned: new Map(),
    lacking: { opening: new Map(), closing: new Map() }
  }))
  return {
    add: (transaction: Transaction) => {
      const of = all.find(({ account }) => account.name === transaction.account)
      if (of !== undefined) add(of, transaction)
    },
    result: (): ReadonlyArray<AccountStatement> =>
      all.map((of) => {
        const { account, coins, from, isBetween, to } = of
        const { basis } = account
        for (const { account: name, lack, record, rows } of undated) {
          if (name !== account.name) continue
          addLack(of, record, lack, rows)
          addBalanceLack(of, record, lack, { at: undefined, rows })
        }
        return {
          ...{ account: account.name, from, to },
          computedFrom: isBetween || basis._tag === "None" ? undefined : basis._tag === "Closing" ? basis.at : basis.to,
          because: basis._tag === "None" ? basis.because : undefined,
          coins:
            basis._tag === "None"
              ? []
              : [...coins]
                  .sort(([left], [right]) => (left < right ? -1 : 1))
                  .map(([name, coin]) => conclude(of, name, coin))
        }
      })
  }
}
