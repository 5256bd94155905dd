import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "./ids.js"
import * as Margin from "./margin.js"

/** The wallets of an account, by account type. A unified account trades only from UNIFIED and keeps the other wallets. */
export const walletTypes = (account: Pick<Exchange.Account, "unified">): ReadonlyArray<Exchange.WalletType> =>
  account.unified ? ["UNIFIED", "FUND", "SPOT", "CONTRACT"] : ["CONTRACT", "SPOT", "FUND"]

/** Returns the wallet of a requested account type; `undefined` if the account does not have it. */
export const walletOf = (account: Exchange.Account, accountType: string): Exchange.WalletType | undefined =>
  walletTypes(account).find((type) => type === accountType)

/** The amount to move, and its wallets. */
export interface Move {
  readonly transferId: string
  readonly coin: string
  readonly amount: BigDecimal.BigDecimal
  readonly from: Exchange.WalletType
  readonly to: Exchange.WalletType
}

/** Moves coins between wallets of an account and records the transfer. */
export const move = (
  account: Exchange.Account,
  { amount, coin, from, to, transferId }: Move,
  now: number
): Exchange.Account => {
  const moved = Margin.post(Margin.post(account, from, coin, BigDecimal.negate(amount)), to, coin, amount)
  return {
    ...moved,
    transfers: [
      ...account.transfers,
      {
        transferId: Ids.TransferId(transferId),
        coin: Ids.Coin(coin),
        amount,
        fromAccountType: from,
        toAccountType: to,
        status: "SUCCESS",
        timestamp: DateTime.unsafeMake(Math.floor(now / 1000) * 1000)
      }
    ]
  }
}
