import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Collateral from "./collateral.js"
import * as Holding from "./holding.js"
import * as Margin from "./margin.js"
import * as Money from "./money.js"

/** Positions that are liquidated together: an isolated position, or the cross positions of a symbol, in hedge mode both sides. */
export interface Exposure {
  readonly listing: Exchange.Listing
  readonly category: Exchange.Contract
  readonly tradeMode: Exchange.Position["tradeMode"]
  readonly positions: ReadonlyArray<Exchange.Position>
}

/** Returns the open positions that are liquidated together with an open position. */
export const exposureOf = (
  account: Exchange.Account,
  listing: Exchange.Listing,
  position: Exchange.Position
): Exposure => {
  const { category, tradeMode } = position
  const isBeside = (candidate: Exchange.Position): boolean =>
    candidate.category === category &&
    candidate.symbol === position.symbol &&
    candidate.tradeMode === "cross" &&
    Holding.isOpen(candidate)
  const positions = tradeMode === "cross" ? account.positions.filter(isBeside) : [position]
  return { listing, category, tradeMode, positions }
}

/** Returns the exposures in cross margin that the same coins back as `coin`. */
export const crossExposures = (
  state: Exchange.State,
  account: Exchange.Account,
  coin: string
): ReadonlyArray<Exposure> => {
  const backed = new Set(Collateral.coins(state, account, coin))
  const found = new Map<string, Exposure>()
  for (const position of account.positions) {
    const listing = Exchange.listing(state, position.category, position.symbol)
    if (listing === undefined || !Holding.isOpen(position) || position.tradeMode === "isolated") continue
    if (!backed.has(listing.settleCoin)) continue
    found.set(Exchange.listingKey(position.category, position.symbol), exposureOf(account, listing, position))
  }
  return Array.from(found.values())
}

const sumOf = ({ positions }: Exposure, amount: (position: Exchange.Position) => BigDecimal.BigDecimal) =>
  Money.sum(...positions.map(amount))

/** The profit of an exposure at the mark price, in its settle coin. */
export const sumUnrealisedPnl = (exposure: Exposure): BigDecimal.BigDecimal =>
  sumOf(exposure, (position) => Margin.computeUnrealisedPnl(exposure.listing, position))

/** What an exposure can lose, in its settle coin, and the part of it that is not its to lose. */
interface Standing {
  readonly behind: BigDecimal.BigDecimal
  readonly needed: BigDecimal.BigDecimal
}

/**
 * What stands behind an exposure, without its own profit and loss. For an isolated position its margin, of which it needs the maintenance
 * margin. In cross margin the wallets that back it with the profit and loss of the other cross positions, negative if those owe more than
 * the wallets hold, of which the others need their maintenance margin.
 */
const standingOf = (state: Exchange.State, account: Exchange.Account, exposure: Exposure): Standing => {
  const { listing, tradeMode } = exposure
  if (tradeMode === "isolated") {
    return {
      behind: sumOf(exposure, Margin.computeIsolatedMargin),
      needed: sumOf(exposure, (position) => Margin.computeIsolatedMaintenance(listing, position))
    }
  }
  const coin = listing.settleCoin
  const inCoin = (amount: BigDecimal.BigDecimal) => Money.divide(amount, Collateral.price(state, account, coin), 18)
  const maintenance = sumOf(exposure, (position) => Margin.maintenanceMargin(listing, position))
  return {
    behind: BigDecimal.subtract(inCoin(Collateral.crossEquity(state, account, coin)), sumUnrealisedPnl(exposure)),
    needed: BigDecimal.subtract(inCoin(Collateral.crossMaintenance(state, account, coin)), maintenance)
  }
}

const isLong = (position: Exchange.Position): boolean => BigDecimal.isPositive(position.size)

/** The size of an exposure: long less short. */
const netSize = (exposure: Exposure): BigDecimal.BigDecimal => sumOf(exposure, ({ size }) => size)

/** The entry value of an exposure: long less short. */
const netEntry = (exposure: Exposure): BigDecimal.BigDecimal =>
  sumOf(exposure, (position) => (isLong(position) ? position.entryValue : BigDecimal.negate(position.entryValue)))

// The contracts whose value must remain as maintenance margin. An isolated position needs an amount instead, which is constant.
const computeKeptSize = (exposure: Exposure): BigDecimal.BigDecimal =>
  exposure.tradeMode === "isolated"
    ? Money.zero
    : sumOf(exposure, (position) =>
        BigDecimal.multiply(
          BigDecimal.abs(position.size),
          Margin.tier(exposure.listing, position.riskId)?.maintenanceRate ?? Money.zero
        )
      )

/** Of prices: the one at which `left` and the profit of an exposure equal the value of `kept` contracts, and whether less is left below it. */
interface Threshold {
  readonly price: BigDecimal.BigDecimal
  readonly isFall: boolean
}

// Linear: left + size * price - entry = kept * price. Inverse: left + entry - size / price = kept / price.
const thresholdOf = (
  exposure: Exposure,
  left: BigDecimal.BigDecimal,
  kept: BigDecimal.BigDecimal
): Option.Option<Threshold> => {
  const [size, entry] = [netSize(exposure), netEntry(exposure)]
  const isInverse = exposure.category === "inverse"
  const slope = isInverse ? BigDecimal.sum(size, kept) : BigDecimal.subtract(size, kept)
  const price = isInverse
    ? Money.divide(slope, BigDecimal.sum(entry, left), 18)
    : Money.divide(BigDecimal.subtract(entry, left), slope, 18)
  return BigDecimal.isPositive(price) ? Option.some({ price, isFall: BigDecimal.isPositive(slope) }) : Option.none()
}

/** Rounds to a tick, up or down, but never to zero. */
const onTick = (listing: Exchange.Listing, price: BigDecimal.BigDecimal, up: boolean): BigDecimal.BigDecimal => {
  const { tickSize } = listing.instrument.priceFilter
  const ticks = Money.truncate(Money.divide(price, tickSize, 12), 0)
  const whole = BigDecimal.multiply(ticks, tickSize)
  const rounded = up && BigDecimal.lessThan(whole, price) ? BigDecimal.sum(whole, tickSize) : whole
  return BigDecimal.max(rounded, tickSize)
}

/** The prices of an exposure, on ticks; `none` for what happens at no price. */
interface LossPrices {
  /** The first price at which the exposure is liquidated. */
  readonly liquidation: Option.Option<BigDecimal.BigDecimal>
  /** The price at which nothing is left behind it, rounded in favour of the account, but not beyond the price of the liquidation. */
  readonly bankruptcy: Option.Option<BigDecimal.BigDecimal>
}

const lossPricesOf = (state: Exchange.State, account: Exchange.Account, exposure: Exposure): LossPrices => {
  const { behind, needed } = standingOf(state, account, exposure)
  const onFirst = ({ isFall, price }: Threshold) => onTick(exposure.listing, price, !isFall)
  const liquidation = thresholdOf(exposure, BigDecimal.subtract(behind, needed), computeKeptSize(exposure))
  const bankruptcy = Option.map(thresholdOf(exposure, behind, Money.zero), ({ isFall, price }) => {
    const favourable = onTick(exposure.listing, price, isFall)
    const bound = Option.filter(liquidation, (threshold) => threshold.isFall === isFall)
    return Option.match(bound, {
      onNone: () => favourable,
      onSome: (threshold) => (isFall ? BigDecimal.min : BigDecimal.max)(favourable, onFirst(threshold))
    })
  })
  return { liquidation: Option.map(liquidation, onFirst), bankruptcy }
}

/**
 * Returns the price at which an exposure is taken over: the bankruptcy price. An exposure that cannot lose everything is taken over at the
 * last price of the range, and a hedge of equal sides, which loses at no price, at the mark price.
 */
export const takeOver = (
  state: Exchange.State,
  account: Exchange.Account,
  exposure: Exposure
): BigDecimal.BigDecimal => {
  const { category, listing } = exposure
  const { maxPrice, tickSize } = listing.instrument.priceFilter
  if (BigDecimal.isZero(netSize(exposure))) return listing.markPrice
  const most = Option.getOrElse(maxPrice, () => listing.markPrice)
  const { bankruptcy } = lossPricesOf(state, account, exposure)
  const last = category === "inverse" ? most : tickSize
  return BigDecimal.min(
    most,
    Option.getOrElse(bankruptcy, () => last)
  )
}

const within = (listing: Exchange.Listing, price: BigDecimal.BigDecimal): Option.Option<BigDecimal.BigDecimal> => {
  const { maxPrice, minPrice } = listing.instrument.priceFilter
  return Option.some(price).pipe(
    Option.filter((at) => !Option.exists(minPrice, (least) => BigDecimal.lessThanOrEqualTo(at, least))),
    Option.filter((at) => !Option.exists(maxPrice, (most) => BigDecimal.greaterThanOrEqualTo(at, most)))
  )
}

/**
 * Returns the first price, on a tick, at which a position is liquidated; `none` if it is outside the instrument's price range. Both sides
 * of a hedge in cross margin have the same. It is an estimate if other symbols or other coins stand behind the position, because it takes
 * their current prices.
 */
export const liquidation = (
  state: Exchange.State,
  account: Exchange.Account,
  listing: Exchange.Listing,
  position: Exchange.Position
): Option.Option<BigDecimal.BigDecimal> =>
  Option.flatMap(lossPricesOf(state, account, exposureOf(account, listing, position)).liquidation, (price) =>
    within(listing, price)
  )

/**
 * Returns the bankruptcy price of a position; `none` if it is outside the instrument's price range. The smaller side of a hedge in cross
 * margin has none: it gains while the larger side loses.
 */
export const bust = (
  state: Exchange.State,
  account: Exchange.Account,
  listing: Exchange.Listing,
  position: Exchange.Position
): Option.Option<BigDecimal.BigDecimal> => {
  const exposure = exposureOf(account, listing, position)
  const net = netSize(exposure)
  if (BigDecimal.isZero(net) || BigDecimal.isPositive(net) !== isLong(position)) return Option.none()
  return Option.flatMap(lossPricesOf(state, account, exposure).bankruptcy, (price) => within(listing, price))
}
