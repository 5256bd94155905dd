import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as State from "../../shared/State.js"
import * as Margin from "./margin.js"
import * as Money from "./money.js"

const isLong = (position: State.Position): boolean => BigDecimal.isPositive(position.size)

/** Rounds to a tick, up or down, but never to zero. */
const onTick = (listing: State.Listing, price: BigDecimal.BigDecimal, up: boolean): BigDecimal.BigDecimal => {
  const { tickSize } = listing.instrument.priceFilter
  const ticks = Money.truncate(Money.divide(price, tickSize, 12), 0)
  const whole = BigDecimal.multiply(ticks, tickSize)
  const rounded = up && BigDecimal.lessThan(whole, price) ? BigDecimal.sum(whole, tickSize) : whole
  return BigDecimal.max(rounded, tickSize)
}

/** The value of a position after losing a cushion: the maximum for a short, the minimum for a long. */
const worthAfter = (position: State.Position, cushion: BigDecimal.BigDecimal): BigDecimal.BigDecimal =>
  isLong(position) === (position.category === "linear")
    ? BigDecimal.subtract(position.entryValue, cushion)
    : BigDecimal.sum(position.entryValue, cushion)

const priceOf = (position: State.Position, worth: BigDecimal.BigDecimal): BigDecimal.BigDecimal => {
  const size = BigDecimal.abs(position.size)
  return position.category === "inverse" ? Money.divide(size, worth, 18) : Money.divide(worth, size, 18)
}

/** Returns the bankruptcy price of a position, rounded in its favour. */
export const bankruptcy = (
  listing: State.Listing,
  position: State.Position,
  backing: BigDecimal.BigDecimal
): BigDecimal.BigDecimal => {
  const worth = worthAfter(position, BigDecimal.max(backing, Money.zero))
  const { maxPrice, tickSize } = listing.instrument.priceFilter
  const price = BigDecimal.isPositive(worth)
    ? priceOf(position, worth)
    : position.category === "inverse"
      ? Option.getOrElse(maxPrice, () => listing.markPrice)
      : tickSize
  return onTick(listing, price, isLong(position))
}

const crossOthers = (state: State.State, account: State.Account, listing: State.Listing, position: State.Position) =>
  account.positions.flatMap((candidate) => {
    const its = State.listing(state, candidate.category, candidate.symbol)
    const isNeighbour =
      candidate !== position && candidate.tradeMode === "cross" && its?.settleCoin === listing.settleCoin
    return its !== undefined && isNeighbour && !BigDecimal.isZero(candidate.size)
      ? [{ listing: its, position: candidate }]
      : []
  })

/**
 * The amount that a position can lose before it is taken over: its margin if isolated, otherwise the balance behind the cross positions of
 * its coin.
 */
export const backing = (
  state: State.State,
  account: State.Account,
  listing: State.Listing,
  position: State.Position
): BigDecimal.BigDecimal =>
  position.tradeMode === "isolated"
    ? Margin.isolatedMargin(position)
    : Margin.crossBacking(state, account, listing.settleCoin)

/**
 * The value at which a position is liquidated. An isolated position needs maintenance margin by its entry value. A cross position needs
 * that of the liquidation price, plus the maintenance margin and losses of the other positions at current prices, so it is an estimate
 * unless the position is alone.
 */
const liquidationWorth = (
  state: State.State,
  account: State.Account,
  listing: State.Listing,
  position: State.Position
): BigDecimal.BigDecimal => {
  const cushion = backing(state, account, listing, position)
  if (position.tradeMode === "isolated") {
    return worthAfter(position, BigDecimal.subtract(cushion, Margin.isolatedMaintenance(listing, position)))
  }
  const others = crossOthers(state, account, listing, position)
  const lost = Money.sum(...others.map((candidate) => Margin.unrealisedPnl(candidate.listing, candidate.position)))
  const needed = Money.sum(
    ...others.map((candidate) => Margin.maintenanceMargin(candidate.listing, candidate.position))
  )
  const rate = Margin.tier(listing, position.riskId)?.maintenanceRate ?? Money.zero
  const gainsWithWorth = isLong(position) === (position.category === "linear")
  const factor = gainsWithWorth ? BigDecimal.subtract(Money.one, rate) : BigDecimal.sum(Money.one, rate)
  const worth = worthAfter(position, BigDecimal.subtract(BigDecimal.sum(cushion, lost), needed))
  return Money.divide(worth, factor, 18)
}

const within = (listing: State.Listing, price: BigDecimal.BigDecimal): Option.Option<BigDecimal.BigDecimal> => {
  const { maxPrice, minPrice } = listing.instrument.priceFilter
  return Option.some(price).pipe(
    Option.filter((at) => !Option.exists(minPrice, (least) => BigDecimal.lessThanOrEqualTo(at, least))),
    Option.filter((at) => !Option.exists(maxPrice, (most) => BigDecimal.greaterThanOrEqualTo(at, most)))
  )
}

/** Returns the first price, on a tick, at which a position is liquidated; `none` if it is outside the instrument's price range. */
export const liquidation = (
  state: State.State,
  account: State.Account,
  listing: State.Listing,
  position: State.Position
): Option.Option<BigDecimal.BigDecimal> => {
  const worth = liquidationWorth(state, account, listing, position)
  return BigDecimal.isPositive(worth)
    ? within(listing, onTick(listing, priceOf(position, worth), !isLong(position)))
    : Option.none()
}

/** Returns the price at which a position would be taken over; `none` if it is outside the instrument's price range. */
export const bust = (
  state: State.State,
  account: State.Account,
  listing: State.Listing,
  position: State.Position
): Option.Option<BigDecimal.BigDecimal> =>
  within(listing, bankruptcy(listing, position, backing(state, account, listing, position)))
