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

const record = (
  cause: Cause,
  awardType: 1 | 2,
  coin: string,
  amount: BigDecimal.BigDecimal,
  at: number
): Exchange.Account["bonusUsage"][number] => ({
  awardType: Option.some(awardType),
  symbol: Option.some(cause.symbol),
  time: DateTime.unsafeMake(Math.floor(at / 1000) * 1000),
  type: Option.some(cause.type),
  coin: Ids.Coin(coin),
  amount,
  orderId: cause.orderId
})

/** Takes an amount from the bonus as far as that lasts. The bonus is already in the wallet, so no money moves. */
const fromBonus = (
  account: Exchange.Account,
  cause: Cause,
  coin: string,
  amount: BigDecimal.BigDecimal,
  at: number
): Exchange.Account => {
  const used = BigDecimal.min(amount, Margin.bonus(account, coin))
  return BigDecimal.isPositive(used)
    ? { ...account, bonusUsage: [...account.bonusUsage, record(cause, 1, coin, used, at)] }
    : account
}

/** Takes the realised loss of a contract from the bonus first. A coupon pays fees only. (rule exchange/bonus) */
export const payLoss = (
  account: Exchange.Account,
  cause: Omit<Cause, "type">,
  coin: string,
  loss: BigDecimal.BigDecimal,
  at: number
): Exchange.Account => fromBonus(account, { ...cause, type: 1 }, coin, loss, at)

/** An account after a fee, and the part of it that a coupon refunded. */
export interface Award {
  readonly account: Exchange.Account
  readonly coupon: BigDecimal.BigDecimal
}

/**
 * Pays a fee of a trading wallet from awards. A coupon refunds it while its amount lasts; the rest is taken from the bonus, which is
 * already in the wallet.
 */
export const awardOf = (
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  cause: Cause,
  coin: string,
  fee: BigDecimal.BigDecimal,
  at: number
): Award => {
  if (!BigDecimal.isPositive(fee) || wallet !== Margin.contractWallet(account)) return { account, coupon: Money.zero }
  const coupon = BigDecimal.min(fee, account.coupons.get(coin) ?? Money.zero)
  let next = account
  if (BigDecimal.isPositive(coupon)) {
    const left = BigDecimal.subtract(account.coupons.get(coin) ?? Money.zero, coupon)
    next = Margin.post(next, wallet, coin, coupon)
    next = {
      ...next,
      coupons: new Map(next.coupons).set(coin, left),
      bonusUsage: [...next.bonusUsage, record(cause, 2, coin, coupon, at)]
    }
  }
  return { account: fromBonus(next, cause, coin, BigDecimal.subtract(fee, coupon), at), coupon }
}

/** Pays a fee from awards, and books the market maker's side. */
export const payFee = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  cause: Cause,
  coin: string,
  fee: BigDecimal.BigDecimal,
  at: number
): readonly [state: Exchange.State, account: Exchange.Account] => {
  const award = awardOf(account, wallet, cause, coin, fee, at)
  return BigDecimal.isZero(award.coupon)
    ? [state, award.account]
    : [MarketMaker.post(state, coin, BigDecimal.negate(award.coupon)), award.account]
}
