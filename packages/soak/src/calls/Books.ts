import type * as State from "@effect-venue/sandbox/State"
import * as BigDecimal from "effect/BigDecimal"

const zero = BigDecimal.make(0n, 0)

const wallets = ["UNIFIED", "FUND", "SPOT", "CONTRACT"] as const

type Sums = Map<string, BigDecimal.BigDecimal>

const add = (sums: Sums, place: string, amount: BigDecimal.BigDecimal): void => {
  sums.set(place, BigDecimal.sum(sums.get(place) ?? zero, amount))
}

const negate = BigDecimal.negate

const balances = (state: State.State): Sums => {
  const sums: Sums = new Map()
  for (const account of state.accounts.values()) {
    for (const wallet of wallets) {
      for (const [coin, amount] of account.wallets[wallet]) add(sums, `${account.uid} ${wallet} ${coin}`, amount)
    }
  }
  return sums
}

/** What was added to a list since: lists only grow at their end. */
const since = <A>(before: ReadonlyArray<A> | undefined, after: ReadonlyArray<A>): ReadonlyArray<A> =>
  after.slice(before?.length ?? 0)

/** Every wallet is what it was, and what was booked since; no coin came from nowhere or went there. */
export const check = (before: State.State, after: State.State): ReadonlyArray<string> => {
  const expected = balances(before)
  for (const account of after.accounts.values()) {
    const then = before.accounts.get(account.uid)
    for (const { amount, coin, fromAccountType, toAccountType } of since(then?.transfers, account.transfers)) {
      add(expected, `${account.uid} ${fromAccountType} ${coin}`, negate(amount))
      add(expected, `${account.uid} ${toAccountType} ${coin}`, amount)
    }
    for (const { amount, coin } of since(then?.withdrawals, account.withdrawals)) {
      add(expected, `${account.uid} FUND ${coin}`, negate(amount))
    }
    for (const { amount, coin } of since(then?.deposits, account.deposits)) {
      add(expected, `${account.uid} FUND ${coin}`, amount)
    }
  }
  const found = balances(after)
  const total = (sums: Sums): Sums => {
    const totals: Sums = new Map()
    for (const [place, amount] of sums) add(totals, place.split(" ")[2] ?? "", amount)
    return totals
  }
  const differences = (what: string, wanted: Sums, has: Sums): ReadonlyArray<string> =>
    Array.from(new Set([...wanted.keys(), ...has.keys()])).flatMap((place) =>
      BigDecimal.equals(wanted.get(place) ?? zero, has.get(place) ?? zero)
        ? []
        : [
            `${what} ${place}: ${BigDecimal.format(has.get(place) ?? zero)} instead of ${BigDecimal.format(wanted.get(place) ?? zero)}`
          ]
    )
  return [
    ...differences("wallet", expected, found),
    ...differences("all there is of", total(balances(before)), total(found))
  ]
}
