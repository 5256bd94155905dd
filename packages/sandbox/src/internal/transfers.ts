import type * as State from "../State.js"

/** The wallets of an account, by account type. */
export const walletTypes = (account: State.Account): ReadonlyArray<State.WalletType> =>
  account.unified ? ["UNIFIED", "FUND"] : ["CONTRACT", "SPOT", "FUND"]

/** The wallet of an account type as a request spells it; `undefined` for one that this account does not have. */
export const walletOf = (account: State.Account, accountType: string): State.WalletType | undefined =>
  walletTypes(account).find((type) => type === accountType)
