import * as BigDecimal from "effect/BigDecimal"
import * as Exchange from "../state/Exchange.js"
import * as Margin from "./margin.js"
import * as Money from "./money.js"

// What backs the contracts of an account. All coins of a unified account back its positions in cross margin together, valued in USD by
// their index prices; in a classic account, each coin backs those that it settles. (rule exchange/collateral)

const nonNegative = (amount: BigDecimal.BigDecimal): BigDecimal.BigDecimal => BigDecimal.max(amount, Money.zero)

/** The value of a coin in USD. Coins without a market are dollars. */
export const usdPrice = (state: Exchange.State, coin: string): BigDecimal.BigDecimal =>
  Exchange.usdListing(state, coin)?.indexPrice ?? Money.one

/** The coins that back the same cross positions as a coin. */
export const coins = (state: Exchange.State, account: Exchange.Account, coin: string): ReadonlyArray<string> =>
  account.unified ? Margin.coins(state, account, Margin.contractWallet(account)) : [coin]

/** The price of a coin in the unit of its collateral: USD in a unified account, the coin itself in a classic one. */
export const price = (state: Exchange.State, account: Exchange.Account, coin: string): BigDecimal.BigDecimal =>
  account.unified ? usdPrice(state, coin) : Money.one

type Amount = (margins: Margin.Margins, balance: BigDecimal.BigDecimal) => BigDecimal.BigDecimal

/** Sums an amount of every coin that backs the same positions as `coin`, in the unit of the collateral. */
const total = (
  state: Exchange.State,
  account: Exchange.Account,
  coin: string,
  amount: Amount
): BigDecimal.BigDecimal => {
  const wallet = Margin.contractWallet(account)
  return Money.sum(
    ...coins(state, account, coin).map((candidate) =>
      BigDecimal.multiply(
        price(state, account, candidate),
        amount(Margin.margins(state, account, wallet, candidate), Margin.balance(account, wallet, candidate))
      )
    )
  )
}

/** The balance behind the cross positions of a coin, with their profit and loss: wallets without the margin of isolated positions. */
export const crossEquity = (state: Exchange.State, account: Exchange.Account, coin: string): BigDecimal.BigDecimal =>
  total(state, account, coin, ({ crossPnl, isolated }, balance) =>
    BigDecimal.sum(BigDecimal.subtract(balance, isolated), crossPnl)
  )

/** The maintenance margin of the cross positions that `crossEquity` backs. */
export const crossMaintenance = (
  state: Exchange.State,
  account: Exchange.Account,
  coin: string
): BigDecimal.BigDecimal => total(state, account, coin, ({ crossMM }) => crossMM)

/** The sums of a wallet, in USD. */
export interface Totals {
  readonly walletBalance: BigDecimal.BigDecimal
  readonly perpUPL: BigDecimal.BigDecimal
  readonly marginBalance: BigDecimal.BigDecimal
  readonly initialMargin: BigDecimal.BigDecimal
  readonly maintenanceMargin: BigDecimal.BigDecimal
  readonly availableBalance: BigDecimal.BigDecimal
}

/** Converts an amount to USD, as records show it. */
export const usd = (state: Exchange.State, coin: string, amount: BigDecimal.BigDecimal): BigDecimal.BigDecimal =>
  Money.round(BigDecimal.multiply(usdPrice(state, coin), amount))

/** Returns the sums of a wallet over all of its coins. (rules records/wallet.total…) */
export const totals = (state: Exchange.State, account: Exchange.Account, wallet: Exchange.WalletType): Totals => {
  const sum = (amount: Amount) =>
    Money.sum(
      ...Margin.coins(state, account, wallet).map((coin) =>
        usd(state, coin, amount(Margin.margins(state, account, wallet, coin), Margin.balance(account, wallet, coin)))
      )
    )
  const walletBalance = sum((_, balance) => balance)
  const perpUPL = sum(({ unrealisedPnl }) => unrealisedPnl)
  const initialMargin = sum(({ orderIM, positionIM }) => BigDecimal.sum(orderIM, positionIM))
  const marginBalance = BigDecimal.sum(walletBalance, perpUPL)
  return {
    walletBalance,
    perpUPL,
    marginBalance,
    initialMargin,
    maintenanceMargin: sum(({ positionMM }) => positionMM),
    availableBalance: BigDecimal.subtract(marginBalance, initialMargin)
  }
}

/** Whether totalAvailableBalance is the collateral of an account. */
const isPooled = (account: Exchange.Account, wallet: Exchange.WalletType): boolean =>
  account.unified && wallet === Margin.contractWallet(account) && Margin.accountMode(account) === "cross"

/** totalAvailableBalance in a coin, rounded down. */
const convertAvailable = (state: Exchange.State, account: Exchange.Account, coin: string): BigDecimal.BigDecimal => {
  const { availableBalance } = totals(state, account, Margin.contractWallet(account))
  return Money.truncate(Money.divide(availableBalance, usdPrice(state, coin), 2 * Money.coinScale), Money.coinScale)
}

const bonus = (account: Exchange.Account, wallet: Exchange.WalletType, coin: string): BigDecimal.BigDecimal =>
  wallet === Margin.contractWallet(account) ? Margin.bonus(account, coin) : Money.zero

// By the margins at the mark price. A classic account locks the losses of its cross positions as well.
const byCoin = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  coin: string
): BigDecimal.BigDecimal => {
  const { crossPnl, orderIM, positionIM } = Margin.margins(state, account, wallet, coin)
  const lost = account.unified ? Money.zero : nonNegative(BigDecimal.negate(crossPnl))
  return BigDecimal.subtract(
    Margin.balance(account, wallet, coin),
    Money.sum(orderIM, positionIM, lost, bonus(account, wallet, coin))
  )
}

/**
 * The balance of a coin that is available for contracts, by the service's equations: in cross margin totalAvailableBalance, converted by
 * the index price; in isolated margin, and in a classic account, the balance without the margins and the bonus. Never negative.
 * (rule records/wallet.available)
 */
export const availableForContracts = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  coin: string
): BigDecimal.BigDecimal =>
  nonNegative(isPooled(account, wallet) ? convertAvailable(state, account, coin) : byCoin(state, account, wallet, coin))

/** The part of a coin's balance that nothing holds but cross positions and their orders; negative if others hold more. */
const computeOwn = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  coin: string
): BigDecimal.BigDecimal => {
  const { crossIM, crossPnl, isolated, orderIM, ownOrderIM } = Margin.margins(state, account, wallet, coin)
  const reserved = account.unified ? ownOrderIM : Money.sum(orderIM, crossIM, nonNegative(BigDecimal.negate(crossPnl)))
  return BigDecimal.subtract(Margin.balance(account, wallet, coin), BigDecimal.sum(isolated, reserved))
}

/** The amount of a coin that the collateral of a unified account can still back; negative if it backs too much. */
const computePooled = (state: Exchange.State, account: Exchange.Account, coin: string): BigDecimal.BigDecimal => {
  const free = total(state, account, coin, ({ crossIM, crossPnl, isolated, orderIM }, balance) =>
    BigDecimal.subtract(BigDecimal.sum(balance, crossPnl), Money.sum(isolated, crossIM, orderIM))
  )
  return Money.divide(free, usdPrice(state, coin), 2 * Money.coinScale)
}

/**
 * The amount of a coin that contracts in a margin mode can still use, with the bonus; negative if they use too much. In cross margin a
 * unified account uses its collateral: at most totalAvailableBalance, and never the margin or the profit of isolated positions. The margin
 * of an isolated position is taken from its own coin.
 */
const computeUnused = (
  state: Exchange.State,
  account: Exchange.Account,
  coin: string,
  tradeMode: Exchange.Modes["tradeMode"]
): BigDecimal.BigDecimal => {
  const wallet = Margin.contractWallet(account)
  if (!account.unified) return computeOwn(state, account, wallet, coin)
  const backed = computePooled(state, account, coin)
  if (tradeMode === "isolated") return BigDecimal.min(computeOwn(state, account, wallet, coin), backed)
  return isPooled(account, wallet) ? BigDecimal.min(convertAvailable(state, account, coin), backed) : backed
}

/** The amount of a coin that a new order of contracts can use. */
export const tradable = (
  state: Exchange.State,
  account: Exchange.Account,
  coin: string,
  tradeMode: Exchange.Modes["tradeMode"]
): BigDecimal.BigDecimal => nonNegative(computeUnused(state, account, coin, tradeMode))

/** Whether an account has the margin for a change of its positions: the change needs no more, or no more than is available. */
export const isCovered = (
  state: Exchange.State,
  before: Exchange.Account,
  after: Exchange.Account,
  coin: string,
  tradeMode: Exchange.Modes["tradeMode"]
): boolean => {
  const left = computeUnused(state, after, coin, tradeMode)
  return (
    !BigDecimal.isNegative(left) || BigDecimal.greaterThanOrEqualTo(left, computeUnused(state, before, coin, tradeMode))
  )
}

/**
 * The amount that can leave a wallet or pay for a spot order: of the coin's balance, without the bonus, what no isolated position and no
 * other order holds, as far as the collateral does not need it.
 */
export const available = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  coin: string
): BigDecimal.BigDecimal => {
  const left = BigDecimal.subtract(computeOwn(state, account, wallet, coin), bonus(account, wallet, coin))
  const isBacking = account.unified && wallet === Margin.contractWallet(account)
  const limits = [
    left,
    ...(isBacking ? [computePooled(state, account, coin)] : []),
    isPooled(account, wallet) ? convertAvailable(state, account, coin) : byCoin(state, account, wallet, coin)
  ]
  return nonNegative(limits.reduce((least, limit) => BigDecimal.min(least, limit)))
}
