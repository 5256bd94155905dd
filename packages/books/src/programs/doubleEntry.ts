import * as BigDecimal from "effect/BigDecimal"
import type * as Books from "../log/Books.js"
import { type Group, Sums } from "./groups.js"

// Double entry: every change of a balance has a counter-posting, so that the postings of a transaction add up to zero in each currency.

/** A line of a ledger: an amount on one of its accounts. */
export interface LedgerLine {
  readonly account: string
  readonly amount: BigDecimal.BigDecimal
  readonly currency: string
  /** The total price of a trade. */
  readonly price?: { readonly amount: BigDecimal.BigDecimal; readonly currency: string } | undefined
}

const contras: Readonly<Record<Exclude<Books.Kind, "trade">, string>> = {
  opening: "Equity:Opening-Balances",
  fee: "Expenses:Fees",
  funding: "Income:Funding",
  realisedPnl: "Income:Realised-PnL",
  liquidation: "Income:Liquidations",
  transfer: "Equity:Transfers",
  deposit: "Equity:Deposits",
  bonus: "Income:Bonuses",
  unexplained: "Equity:Unexplained"
}

/** Letters and digits with an upper-case first letter, which every program accepts in names of accounts. */
const component = (name: string): string => {
  const plain = name.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")
  return plain === "" ? "X" : plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** Distinct names for the accounts of an export. */
export const componentsOf = (accounts: ReadonlyArray<string | null>): ReadonlyMap<string | null, string> => {
  const names = new Map<string | null, string>([[null, ""]])
  const taken = new Set<string>()
  for (const account of accounts.filter((name) => name !== null)) {
    const plain = component(account)
    let name = plain
    for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`
    taken.add(name)
    names.set(account, `:${name}`)
  }
  return names
}

export const walletName = (wallet: string): string => component(wallet.toLowerCase())

/** The two sides of a trade. The price is that of the first. */
const sidesOf = (changes: ReadonlyArray<Books.Change>) => {
  const [base, quote, ...others] = changes.filter(({ kind }) => kind === "trade")
  return base !== undefined &&
    quote !== undefined &&
    others.length === 0 &&
    base.currency !== quote.currency &&
    BigDecimal.isPositive(base.amount) !== BigDecimal.isPositive(quote.amount)
    ? { base, quote }
    : undefined
}

/** The postings of a group: the balances that change, and those against them. */
export const postingsOf = (
  group: Group,
  accountOf: (account: string | null, wallet: string) => string
): ReadonlyArray<LedgerLine> => {
  const contra = new Sums()
  const own = group.flatMap(({ account, changes }) => {
    const { base, quote } = sidesOf(changes) ?? {}
    return changes.map((change): LedgerLine => {
      const { amount, currency, kind, wallet } = change
      if (kind !== "trade") contra.add(contras[kind], currency, BigDecimal.negate(amount))
      else if (quote === undefined) contra.add("Equity:Conversions", currency, BigDecimal.negate(amount))
      const price =
        quote === undefined || change !== base
          ? undefined
          : { amount: BigDecimal.abs(quote.amount), currency: quote.currency }
      return { account: accountOf(account, wallet), amount, currency, price }
    })
  })
  return [...own, ...contra.all().map(({ amount, currency, name }) => ({ account: name, amount, currency }))]
}
