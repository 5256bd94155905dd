import * as BigDecimal from "effect/BigDecimal"
import * as OnDemand from "../state/onDemand.js"
import type * as Exchange from "../state/Exchange.js"
import * as Money from "./money.js"

const add = (wallet: Map<string, BigDecimal.BigDecimal>, coin: string, amount: BigDecimal.BigDecimal): void => {
  wallet.set(coin, BigDecimal.sum(wallet.get(coin) ?? Money.zero, amount))
}

/** The amounts that an account received from the market maker, by coin: its wallets minus deposits plus withdrawals. */
export const taken = OnDemand.perObject((account: Exchange.Account): Exchange.Wallet => {
  const net = new Map<string, BigDecimal.BigDecimal>()
  for (const wallet of Object.values(account.wallets)) {
    for (const [coin, amount] of wallet) add(net, coin, amount)
  }
  for (const { amount, coin, status } of account.deposits) {
    if (status === "1") add(net, coin, BigDecimal.negate(amount))
  }
  for (const { amount, coin } of account.withdrawals) add(net, coin, amount)
  // Transfers between a master account and its sub-accounts are booked on both sides and cancel out in the sums.
  return net
})

/** The sum over accounts, by coin. */
export const takenByAll = (accounts: Iterable<Exchange.Account>): Exchange.Wallet => {
  const total = new Map<string, BigDecimal.BigDecimal>()
  for (const account of accounts) for (const [coin, amount] of taken(account)) add(total, coin, amount)
  return total
}

/** The market maker of a seeded world, the counterparty of its accounts. */
export const opening = (accounts: Iterable<Exchange.Account>): Exchange.Wallet =>
  new Map(Array.from(takenByAll(accounts), ([coin, amount]) => [coin, BigDecimal.negate(amount)]))

/** Books an amount for the market maker; negative if it pays. */
export const post = (state: Exchange.State, coin: string, amount: BigDecimal.BigDecimal): Exchange.State => ({
  ...state,
  marketMaker: {
    balances: new Map(state.marketMaker.balances).set(
      coin,
      BigDecimal.sum(state.marketMaker.balances.get(coin) ?? Money.zero, amount)
    )
  }
})
