import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Accounts from "../state/accounts.js"
import type * as Exchange from "../state/Exchange.js"
import * as Holding from "../trading/holding.js"
import * as Collateral from "../trading/collateral.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Refusal from "../handling/refusal.js"
import type * as Checks from "./checks.js"
import type * as Liquidity from "../book/liquidity.js"
import * as Matching from "./matching.js"

// The quantity that a contract order adds to its position after closing the opposite one.
const opening = (account: Exchange.Account, order: Exchange.Order): BigDecimal.BigDecimal => {
  if (order.reduceOnly) return Money.zero
  const left = Option.getOrElse(order.leavesQty, () => order.qty)
  return BigDecimal.max(Money.zero, BigDecimal.subtract(left, Matching.reducible(account, order)))
}

/**
 * Checks that the position, with this order and the open orders of its side, stays within the limit of its tier. In the settle coin of the
 * contract.
 */
const checkTier = (
  account: Exchange.Account,
  listing: Exchange.Listing,
  order: Exchange.Order,
  opens: BigDecimal.BigDecimal,
  price: BigDecimal.BigDecimal
): Checks.Checked => {
  const position = Accounts.findPosition(account, order)
  const tier = Margin.tier(listing, position?.riskId ?? listing.riskTiers[0]?.riskId ?? 0)
  if (tier === undefined || BigDecimal.isZero(opens)) return Either.void
  const holding =
    position === undefined || BigDecimal.isPositive(position.size) !== (order.side === "Buy")
      ? Money.zero
      : Margin.positionValue(listing, position)
  const others = account.openOrders
    .filter(
      (candidate) =>
        Accounts.isSamePosition(candidate, order) &&
        candidate.side === order.side &&
        candidate.orderId !== order.orderId &&
        !candidate.reduceOnly &&
        !OrderRecord.isConditional(candidate)
    )
    .map((candidate) => Option.getOrElse(candidate.leavesValue, () => Money.zero))
  const total = Money.sum(holding, ...others, Holding.value(order.category, price, opens))
  return BigDecimal.greaterThan(total, tier.limit)
    ? Refusal.left(110090, "The position value would exceed the current risk limit.")
    : Either.void
}

/** Checks an order of contracts against the tier of its position. */
export const risk = (account: Exchange.Account, listing: Exchange.Listing, order: Exchange.Order): Checks.Checked =>
  order.category === "spot" || OrderRecord.isConditional(order)
    ? Either.void
    : checkTier(
        account,
        listing,
        order,
        opening(account, order),
        Option.getOrElse(order.price, () => listing.lastPrice)
      )

// Checks that an account can pay the margin of the opened quantity and the fees of the fills.
const contract = (
  account: Exchange.Account,
  listing: Exchange.Listing,
  order: Exchange.Order,
  levels: ReadonlyArray<Liquidity.Level>
): BigDecimal.BigDecimal => {
  const opens = opening(account, order)
  if (BigDecimal.isZero(opens)) return Money.zero
  const at = Option.getOrElse(order.price, () => listing.lastPrice)
  const value =
    order.orderType === "Market"
      ? Holding.share(Matching.valueOf(order.category, levels), opens, order.qty)
      : Holding.value(order.category, at, opens)
  const fee = BigDecimal.multiply(Matching.valueOf(order.category, levels), Money.feeRate(order.category, false))
  return BigDecimal.sum(Money.divide(value, Margin.leverageOf(account, order)), Money.round(fee))
}

// Checks that an account can pay for a spot order: the cost of its fills and of the resting part.
const spot = (
  listing: Exchange.Listing,
  order: Exchange.Order,
  levels: ReadonlyArray<Liquidity.Level>
): { readonly coin: string; readonly amount: BigDecimal.BigDecimal } => {
  const { baseCoin, quoteCoin } = listing.instrument
  const byQuote = Option.contains(order.marketUnit, "quoteCoin")
  if (order.side === "Sell") {
    return { coin: baseCoin, amount: byQuote ? Money.sum(...levels.map((level) => level.qty)) : order.qty }
  }
  if (byQuote) return { coin: quoteCoin, amount: order.qty }
  return {
    coin: quoteCoin,
    amount: Option.match(order.price, {
      onNone: () => Matching.valueOf("spot", levels),
      onSome: (price) => Holding.value("spot", price, order.qty)
    })
  }
}

/** Checks that an account can pay for an order. A conditional contract order reserves nothing. */
export const check = (
  state: Exchange.State,
  account: Exchange.Account,
  listing: Exchange.Listing,
  order: Exchange.Order,
  worst: Option.Option<BigDecimal.BigDecimal>
): Checks.Checked =>
  Either.gen(function* () {
    if (order.category === "spot") {
      // A waiting order without a price costs its trigger price.
      const levels = OrderRecord.isConditional(order) ? [] : Matching.plan(state, account, listing, order, worst)
      const { amount, coin } = spot(
        listing,
        OrderRecord.isConditional(order)
          ? { ...order, price: Option.orElse(order.price, () => order.triggerPrice) }
          : order,
        levels
      )
      const free = Collateral.available(state, account, Margin.spotWallet(account), coin)
      return yield* BigDecimal.greaterThan(amount, free) ? Refusal.left(170131, "Insufficient balance.") : Either.void
    }
    if (OrderRecord.isConditional(order)) return
    const price =
      order.orderType === "Limit" ? Option.getOrElse(order.price, () => listing.lastPrice) : listing.lastPrice
    yield* checkTier(account, listing, order, opening(account, order), price)
    const needed = contract(account, listing, order, Matching.plan(state, account, listing, order, worst))
    const tradable = Collateral.tradable(state, account, listing.settleCoin, Margin.tradeModeOf(account, order))
    if (BigDecimal.greaterThan(needed, tradable)) {
      return yield* Refusal.left(110007, "ab not enough for new order")
    }
  })
