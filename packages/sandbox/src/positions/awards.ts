import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "../trading/ids.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as MarketMaker from "../trading/marketMaker.js"

/** The reason of a use: a loss or a fee of a trade, or funding, which has no order. (rule records/bonus.type) */
export interface Cause {
  readonly symbol: Exchange.Order["symbol"]
  readonly orderId: Option.Option<Exchange.Order["orderId"]>
  readonly type: 1 | 2 | 3
}

/** A loss or a fee in a coin that awards can pay, and when. */
export interface Use {
  readonly cause: Cause
  readonly coin: string
  readonly amount: BigDecimal.BigDecimal
  readonly at: number
}

const record = ({ amount, at, cause, coin }: Use, awardType: 1 | 2): Exchange.Account["bonusUsage"][number] => ({
  awardType: Option.some(awardType),
  symbol: Option.some(cause.symbol),
  time: DateTime.unsafeMake(Math.floor(at / 1000) * 1000),
  type: Option.some(cause.type),
  coin: Ids.Coin(coin),
  amount,
  orderId: cause.orderId
})

/** Takes an amount from the bonus as far as that lasts. The bonus is already in the wallet, so no money moves. A coupon pays fees only. (rule exchange/bonus) */
export const payFromBonus = (account: Exchange.Account, use: Use): Exchange.Account => {
  const amount = BigDecimal.min(use.amount, Margin.bonus(account, use.coin))
  return BigDecimal.isPositive(amount)
    ? { ...account, bonusUsage: [...account.bonusUsage, record({ ...use, amount }, 1)] }
    : account
}

/** An account after a fee, and the part of it that a coupon refunded. */
export interface Award {
  readonly account: Exchange.Account
  readonly coupon: BigDecimal.BigDecimal
}

/**
 * Pays a fee of a trading wallet from awards. A coupon refunds it while its amount lasts; the rest is taken from the bonus, which is
 * already in the wallet.
 */
export const awardOf = (account: Exchange.Account, wallet: Exchange.WalletType, fee: Use): Award => {
  const { amount, coin } = fee
  if (!BigDecimal.isPositive(amount) || wallet !== Margin.contractWallet(account))
    return { account, coupon: Money.zero }
  const held = account.coupons.get(coin) ?? Money.zero
  const coupon = BigDecimal.min(amount, held)
  let next = account
  if (BigDecimal.isPositive(coupon)) {
    next = Margin.post(next, wallet, coin, coupon)
    next = {
      ...next,
      coupons: new Map(next.coupons).set(coin, BigDecimal.subtract(held, coupon)),
      bonusUsage: [...next.bonusUsage, record({ ...fee, amount: coupon }, 2)]
    }
  }
  return { account: payFromBonus(next, { ...fee, amount: BigDecimal.subtract(amount, coupon) }), coupon }
}

/** Pays a fee from awards, and books the market maker's side. */
export const payFee = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  fee: Use
): readonly [state: Exchange.State, account: Exchange.Account] => {
  const award = awardOf(account, wallet, fee)
  return BigDecimal.isZero(award.coupon)
    ? [state, award.account]
    : [MarketMaker.post(state, fee.coin, BigDecimal.negate(award.coupon)), award.account]
}
