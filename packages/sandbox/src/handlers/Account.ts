/** The wallet and the fee rates. (docs/reference/account.md) */
import type * as Endpoints from "@effect-venue/schemas/Account"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Fees from "../internal/trading/fees.js"
import * as Handler from "../internal/handling/handler.js"
import * as Ids from "../internal/records/ids.js"
import * as Margin from "../internal/trading/margin.js"
import * as Money from "../internal/trading/money.js"
import * as Refusal from "../internal/edge/refusal.js"
import * as State from "../shared/State.js"

const walletTypes = (account: State.Account): ReadonlyArray<State.WalletType> =>
  account.unified ? ["UNIFIED"] : ["CONTRACT", "SPOT"]

const usd = (state: State.State, coin: string, amount: BigDecimal.BigDecimal): BigDecimal.BigDecimal => {
  const price = State.usdPrice(state, coin)
  return Money.round(price === undefined ? amount : BigDecimal.multiply(price, amount))
}

/** Requested coins are returned even without a balance; without `coin`, only those with a balance. */
export const walletBalance: Handler.Handler<typeof Endpoints.walletBalance> = ({ accountType, coin }, context) => {
  const { account, state } = context
  const wallet = walletTypes(account).find((type) => type === accountType)
  if (wallet === undefined) {
    return Refusal.parameter(`accountType only support ${walletTypes(account).join(" or ")}`)
  }
  if (coin?.some((candidate) => !Margin.isCoin(state, account, candidate))) return Refusal.parameter("coin invalid")
  const holding = Array.from(account.wallets[wallet])
  const coins = coin ?? holding.filter(([, amount]) => !BigDecimal.isZero(amount)).map(([candidate]) => candidate)

  // Computed once per coin and used by every amount below.
  const margins = new Map(
    [...holding.map(([candidate]) => candidate), ...coins].map((candidate) => [
      candidate,
      Margin.margins(state, account, wallet, candidate)
    ])
  )
  const marginsOf = (candidate: string): Margin.Margins => margins.get(candidate) ?? Margin.none

  const balances = coins.map((candidate): Endpoints.CoinBalance => {
    const walletBalance = Margin.balance(account, wallet, candidate)
    const margins = marginsOf(candidate)
    const equity = BigDecimal.sum(walletBalance, margins.unrealisedPnl)
    return {
      coin: Ids.Coin(candidate),
      equity,
      usdValue: Option.some(usd(state, candidate, equity)),
      walletBalance,
      availableToWithdraw: Option.some(Margin.withdrawable(account, wallet, candidate, margins)),
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
  const total = (amount: (coin: string) => BigDecimal.BigDecimal) =>
    Money.sum(...holding.map(([candidate]) => usd(state, candidate, amount(candidate))))
  const margin = (pick: (margins: Margin.Margins) => BigDecimal.BigDecimal) =>
    total((candidate) => pick(marginsOf(candidate)))
  const totalWalletBalance = total((candidate) => Margin.balance(account, wallet, candidate))
  const totalPerpUPL = margin((margins) => margins.unrealisedPnl)
  const totalMarginBalance = BigDecimal.sum(totalWalletBalance, totalPerpUPL)
  const totalInitialMargin = margin((margins) => BigDecimal.sum(margins.orderIM, margins.positionIM))
  const totalMaintenanceMargin = margin((margins) => margins.positionMM)
  return Handler.read(context, {
    list: [
      {
        accountType: wallet,
        accountIMRate: Option.some(Money.divide(totalInitialMargin, totalMarginBalance, 4)),
        accountMMRate: Option.some(Money.divide(totalMaintenanceMargin, totalMarginBalance, 4)),
        totalEquity: Option.some(totalMarginBalance),
        totalWalletBalance: Option.some(totalWalletBalance),
        totalMarginBalance: Option.some(totalMarginBalance),
        totalAvailableBalance: Option.some(BigDecimal.subtract(totalMarginBalance, totalInitialMargin)),
        totalPerpUPL: Option.some(totalPerpUPL),
        totalInitialMargin: Option.some(totalInitialMargin),
        totalMaintenanceMargin: Option.some(totalMaintenanceMargin),
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
  const { maker, taker } = Fees.rates(category)
  return Handler.read(context, {
    category: Option.some(category),
    list: wanted.map((candidate) => ({
      symbol: Option.some(candidate.instrument.symbol),
      takerFeeRate: taker,
      makerFeeRate: maker
    }))
  })
}
