/** What the records of a coin leave open, decided by two balances of its wallet. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import { total, zero } from "./fields.js"
import * as Flows from "./flows.js"
import type { Kind } from "./Kinds.js"
import type * as Wallets from "./wallets.js"

/** How one coin of an account is booked. */
export interface Rule {
  /** Deposits change the trading wallet. */
  readonly deposits: boolean
  /** Transfers with sub-accounts change the trading wallet; of a sub-account their sign is the opposite. */
  readonly subAccounts: { readonly isSub: boolean } | undefined
}

export const unsettled: Rule = { deposits: false, subAccounts: undefined }

/** A change between two balances that no row has. */
export interface Rest {
  readonly kind: Kind
  readonly amount: BigDecimal.BigDecimal
}

export interface Settlement {
  readonly rule: Rule
  /** Without zeros. */
  readonly rest: ReadonlyArray<Rest>
  /** Part of the rest. */
  readonly unexplained: BigDecimal.BigDecimal
}

type Question = "deposits" | "master" | "sub" | "funding"

interface Answer {
  readonly question: Question
  readonly amount: BigDecimal.BigDecimal
}

const subsets = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  [
    ...all.reduce<ReadonlyArray<ReadonlyArray<A>>>(
      (sets, item) => [...sets, ...sets.map((set) => [...set, item])],
      [[]]
    )
  ]
    // The simplest explanation first.
    .sort((fewer, more) => fewer.length - more.length)

const sumOf = (answers: ReadonlyArray<Answer>): BigDecimal.BigDecimal => total(answers.map(({ amount }) => amount))

const nothing: Wallets.Balance = { wallet: zero, bonus: zero }

/**
 * Settles whether deposits and transfers with sub-accounts are booked in this wallet, and whether funding was charged beside the profit. An answer
 * counts only if the balances add up to the last digit. `rebates`: those of spot trades in this coin.
 */
export const settle = (
  opening: Wallets.Balance = nothing,
  closing: Wallets.Balance = nothing,
  sums: Flows.CoinSums = Flows.empty,
  rebates: BigDecimal.BigDecimal = zero
): Settlement => {
  // A bonus is in the balance from the day of its grant, which is not listed; its uses are.
  const bonus = BigDecimal.sum(BigDecimal.subtract(closing.bonus, opening.bonus), sums.bonusUsed)
  const change = BigDecimal.subtract(closing.wallet, opening.wallet)
  const rest = BigDecimal.subtract(change, total([sums.changes, bonus, rebates]))
  const questions: ReadonlyArray<Answer> = [
    { question: "deposits", amount: sums.deposits },
    { question: "master", amount: sums.subAccounts },
    // Both accounts have the same record, which does not tell them apart.
    { question: "sub", amount: BigDecimal.negate(sums.subAccounts) },
    { question: "funding", amount: BigDecimal.negate(sums.funding) }
  ]
  const open = questions.filter(({ amount }) => !BigDecimal.isZero(amount))
  const answers = BigDecimal.isZero(rest)
    ? []
    : (subsets(open).find((set) => BigDecimal.equals(sumOf(set), rest)) ?? [])
  const isAnswered = (question: Question) => answers.some((answer) => answer.question === question)
  const unexplained = BigDecimal.subtract(rest, sumOf(answers))
  const changes: ReadonlyArray<Rest> = [
    { kind: "bonus", amount: bonus },
    { kind: "funding", amount: isAnswered("funding") ? BigDecimal.negate(sums.funding) : zero },
    { kind: "unexplained", amount: unexplained }
  ]
  return {
    rule: {
      deposits: isAnswered("deposits"),
      subAccounts: isAnswered("master") || isAnswered("sub") ? { isSub: isAnswered("sub") } : undefined
    },
    rest: changes.filter(({ amount }) => !BigDecimal.isZero(amount)),
    unexplained
  }
}
