import * as BigDecimal from "effect/BigDecimal"
import type * as State from "../../../State.js"
import * as Money from "../../trading/money.js"

const add = (wallet: Map<string, BigDecimal.BigDecimal>, coin: string, amount: BigDecimal.BigDecimal): void => {
  wallet.set(coin, BigDecimal.sum(wallet.get(coin) ?? Money.zero, amount))
}

/** What an account's wallets hold beyond what it deposited less what it withdrew, by coin: what it has from the market maker. */
export const taken = (account: State.Account): State.Wallet => {
  const known = memory.get(account)
  if (known !== undefined) return known
  const net = new Map<string, BigDecimal.BigDecimal>()
  for (const wallet of Object.values(account.wallets)) {
    for (const [coin, amount] of wallet) add(net, coin, amount)
  }
  for (const { amount, coin, status } of account.deposits) {
    if (status === "1") add(net, coin, BigDecimal.negate(amount))
  }
  for (const { amount, coin } of account.withdrawals) add(net, coin, amount)
  // What moves between a master account and its sub-accounts is on both their books: the sums below cancel it.
  memory.set(account, net)
  return net
}

// Accounts are never changed, only replaced.
const memory = new WeakMap<State.Account, State.Wallet>()

/** All that accounts have from the market maker, by coin. */
export const takenByAll = (accounts: Iterable<State.Account>): State.Wallet => {
  const total = new Map<string, BigDecimal.BigDecimal>()
  for (const account of accounts) for (const [coin, amount] of taken(account)) add(total, coin, amount)
  return total
}

/** The market maker of a seeded world: the other side of its accounts. */
export const opening = (accounts: Iterable<State.Account>): State.Wallet =>
  new Map(Array.from(takenByAll(accounts), ([coin, amount]) => [coin, BigDecimal.negate(amount)]))

/** The state with an amount booked for the market maker; minus for what it gives. */
export const post = (state: State.State, coin: string, amount: BigDecimal.BigDecimal): State.State => ({
  ...state,
  marketMaker: new Map(state.marketMaker).set(coin, BigDecimal.sum(state.marketMaker.get(coin) ?? Money.zero, amount))
})
