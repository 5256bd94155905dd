/**
 * The wallet, and what trading costs. (docs/reference/account.md)
 *
 * @since 0.1.0
 */
import * as Absent from "@effect-venue/schemas/Absent"
import type * as Endpoints from "@effect-venue/schemas/Account"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Fees from "../internal/trading/fees.js"
import * as Handler from "../internal/handling/handler.js"
import * as Ids from "../internal/records/ids.js"
import * as Margin from "../internal/trading/margin.js"
import * as Money from "../internal/trading/money.js"
import * as Refusal from "../internal/edge/refusal.js"
import * as State from "../State.js"

const walletTypes = (account: State.Account): ReadonlyArray<State.WalletType> =>
  account.unified ? ["UNIFIED"] : ["CONTRACT", "SPOT"]

const usd = (state: State.State, coin: string, amount: BigDecimal.BigDecimal): BigDecimal.BigDecimal => {
  const price = State.usdPrice(state, coin)
  return Money.round(price === undefined ? amount : BigDecimal.multiply(price, amount))
}

/**
 * Coins that are asked for are given even when there is nothing of them; without `coin`, only those with a balance.
 *
 * @since 0.1.0
 * @category handlers
 */
export const walletBalance: Handler.Handler<typeof Endpoints.walletBalance> = ({ accountType, coin }, context) => {
  const { account, state } = context
  const wallet = walletTypes(account).find((type) => type === accountType)
  if (wallet === undefined) {
    return Refusal.parameter(`accountType only support ${walletTypes(account).join(" or ")}`)
  }
  if (coin?.some((one) => !Margin.isCoin(state, account, one))) return Refusal.parameter("coin invalid")
  const held = Array.from(account.wallets[wallet])
  const coins = coin ?? held.filter(([, amount]) => !BigDecimal.isZero(amount)).map(([one]) => one)

  // Worked out once for each coin: every figure below goes by them.
  const margins = new Map(
    [...held.map(([one]) => one), ...coins].map((one) => [one, Margin.margins(state, account, wallet, one)])
  )
  const marginsOf = (one: string): Margin.Margins => margins.get(one) ?? Margin.none

  const balances = coins.map((one): Endpoints.CoinBalance => {
    const walletBalance = Margin.balance(account, wallet, one)
    const margins = marginsOf(one)
    const equity = BigDecimal.sum(walletBalance, margins.unrealisedPnl)
    return {
      coin: Ids.Coin(one),
      equity,
      usdValue: Option.some(usd(state, one, equity)),
      walletBalance,
      availableToWithdraw: Option.some(Margin.withdrawable(account, wallet, one, margins)),
      totalOrderIM: Option.some(margins.orderIM),
      totalPositionIM: Option.some(margins.positionIM),
      totalPositionMM: Option.some(margins.positionMM),
      unrealisedPnl: Option.some(margins.unrealisedPnl),
      cumRealisedPnl: Option.some(margins.cumRealisedPnl),
      bonus: Option.some(wallet === Margin.contractWallet(account) ? Margin.bonus(account, one) : Money.zero),
      borrowAmount: Option.some(Money.zero),
      availableToBorrow: Absent.spelledAs({ text: "" }),
      accruedInterest: Option.some(Money.zero)
    }
  })

  // The account-wide figures are over everything that is held, whichever coins were asked for.
  const total = (amount: (coin: string) => BigDecimal.BigDecimal) =>
    Money.sum(...held.map(([one]) => usd(state, one, amount(one))))
  const margin = (pick: (margins: Margin.Margins) => BigDecimal.BigDecimal) => total((one) => pick(marginsOf(one)))
  const totalWalletBalance = total((one) => Margin.balance(account, wallet, one))
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

/**
 * One symbol, or all of a category.
 *
 * @since 0.1.0
 * @category handlers
 */
export const feeRate: Handler.Handler<typeof Endpoints.feeRate> = ({ category, symbol }, context) => {
  const wanted = context.state.listings.filter(
    (one) => one.category === category && (symbol === undefined || one.instrument.symbol === symbol)
  )
  if (wanted.length === 0) return Refusal.parameter("symbol invalid")
  const { maker, taker } = Fees.rates(category)
  return Handler.read(context, {
    category: Option.some(category),
    list: wanted.map((one) => ({
      symbol: Option.some(one.instrument.symbol),
      takerFeeRate: taker,
      makerFeeRate: maker
    }))
  })
}
