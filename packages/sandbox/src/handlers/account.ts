/** The wallet and the fee rates. (docs/reference/account.md) */
import type * as Endpoints from "@effect-venue/schemas/Account"
import { listAlternatives } from "@effect-venue/schemas/siblings/Words"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Collateral from "../trading/collateral.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as Refusal from "../handling/refusal.js"
import type * as Exchange from "../state/Exchange.js"

const walletTypes = (account: Exchange.Account): ReadonlyArray<Exchange.WalletType> =>
  account.unified ? ["UNIFIED"] : ["CONTRACT", "SPOT"]

/** Requested coins are returned even without a balance; without `coin`, only those with a balance. */
export const walletBalance: Handler.Handler<typeof Endpoints.walletBalance> = ({ accountType, coin }, context) => {
  const { account, state } = context
  const wallet = walletTypes(account).find((type) => type === accountType)
  if (wallet === undefined) {
    return Refusal.parameter(`accountType only support ${listAlternatives(walletTypes(account))}`)
  }
  if (coin?.some((candidate) => !Margin.isCoin(state, account, candidate))) return Refusal.parameter("coin invalid")
  const coins =
    coin ??
    Array.from(account.wallets[wallet])
      .filter(([, amount]) => !BigDecimal.isZero(amount))
      .map(([candidate]) => candidate)

  const balances = coins.map((candidate): Endpoints.CoinBalance => {
    const walletBalance = Margin.balance(account, wallet, candidate)
    const margins = Margin.margins(state, account, wallet, candidate)
    const equity = BigDecimal.sum(walletBalance, margins.unrealisedPnl)
    return {
      coin: Ids.Coin(candidate),
      equity,
      usdValue: Option.some(Collateral.usd(state, candidate, equity)),
      walletBalance,
      availableToWithdraw: Option.some(Collateral.availableForContracts(state, account, wallet, candidate)),
      totalOrderIM: Option.some(margins.orderIM),
      totalPositionIM: Option.some(margins.positionIM),
      totalPositionMM: Option.some(margins.positionMM),
      unrealisedPnl: Option.some(margins.unrealisedPnl),
      cumRealisedPnl: Option.some(margins.cumRealisedPnl),
      bonus: Option.some(wallet === Margin.contractWallet(account) ? Margin.bonus(account, candidate) : Money.zero),
      borrowAmount: Option.some(Money.zero),
      availableToBorrow: Option.none(),
      accruedInterest: Option.some(Money.zero)
    }
  })

  // The account-wide amounts include every coin, also those that were not requested.
  const totals = Collateral.totals(state, account, wallet)
  return Handler.read(context, {
    list: [
      {
        accountType: wallet,
        accountIMRate: Option.some(Money.divide(totals.initialMargin, totals.marginBalance, 4)),
        accountMMRate: Option.some(Money.divide(totals.maintenanceMargin, totals.marginBalance, 4)),
        totalEquity: Option.some(totals.marginBalance),
        totalWalletBalance: Option.some(totals.walletBalance),
        totalMarginBalance: Option.some(totals.marginBalance),
        totalAvailableBalance: Option.some(totals.availableBalance),
        totalPerpUPL: Option.some(totals.perpUPL),
        totalInitialMargin: Option.some(totals.initialMargin),
        totalMaintenanceMargin: Option.some(totals.maintenanceMargin),
        accountLTV: Option.some(Money.zero),
        coin: balances
      }
    ]
  })
}

/** Returns one symbol, or all of a category. */
export const feeRate: Handler.Handler<typeof Endpoints.feeRate> = ({ category, symbol }, context) => {
  const wanted = context.state.listings.filter(
    (listing) => listing.category === category && (symbol === undefined || listing.instrument.symbol === symbol)
  )
  if (wanted.length === 0) return Refusal.parameter("symbol invalid")
  const { maker, taker } = Money.feeRates(category)
  return Handler.read(context, {
    category: Option.some(category),
    list: wanted.map((candidate) => ({
      symbol: Option.some(candidate.instrument.symbol),
      takerFeeRate: taker,
      makerFeeRate: maker
    }))
  })
}
