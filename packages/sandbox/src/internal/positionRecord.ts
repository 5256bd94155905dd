import type * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as State from "../State.js"
import * as Book from "./book.js"
import * as Ids from "./ids.js"
import * as Margin from "./margin.js"
import * as Money from "./money.js"

/** A position that was never opened, with the settings of a new account. */
export const untouched = (
  category: State.Contract,
  symbol: string,
  positionIdx: 0 | 1 | 2,
  at: number
): State.Position => ({
  category,
  symbol,
  positionIdx,
  ...Book.empty,
  tradeMode: "cross",
  leverage: BigDecimal.make(10n, 0),
  addedMargin: Money.zero,
  autoAddMargin: false,
  riskId: category === "inverse" ? 101 : 1,
  tpslMode: "Full",
  takeProfit: Option.none(),
  stopLoss: Option.none(),
  trailingStop: Option.none(),
  activePrice: Option.none(),
  isReduceOnly: false,
  newRiskLimit: Option.none(),
  mmrSysUpdatedTime: Option.none(),
  status: "Normal",
  createdTime: at,
  updatedTime: at
})

/** The price at which a loss eats a cushion up. `none` where the instrument has no such price. (interface.md, liqPrice) */
export const priceAfterLoss = (
  listing: State.Listing,
  position: State.Position,
  cushion: BigDecimal.BigDecimal
): Option.Option<BigDecimal.BigDecimal> => {
  const size = BigDecimal.abs(position.size)
  const long = BigDecimal.isPositive(position.size)
  const scale = listing.instrument.priceFilter.tickSize.scale
  const worth =
    long === (position.category === "linear")
      ? BigDecimal.subtract(position.entryValue, cushion)
      : BigDecimal.sum(position.entryValue, cushion)
  if (!BigDecimal.isPositive(worth)) return Option.none()
  const price = Book.meanPrice(position.category, size, worth, scale)
  const { maxPrice, minPrice } = listing.instrument.priceFilter
  return Option.some(price).pipe(
    Option.filter((at) => !Option.exists(minPrice, (least) => BigDecimal.lessThanOrEqualTo(at, least))),
    Option.filter((at) => !Option.exists(maxPrice, (most) => BigDecimal.greaterThanOrEqualTo(at, most)))
  )
}

/** What a cross position may lose, as the market stands: all that is behind it and its neighbours, and what must remain. */
export const crossCushion = (
  state: State.State,
  account: State.Account,
  listing: State.Listing,
  position: State.Position
): { readonly cushion: BigDecimal.BigDecimal; readonly floor: BigDecimal.BigDecimal } => {
  const coin = listing.settleCoin
  const { positionMM } = Margin.margins(state, account, Margin.contractWallet(account), coin)
  const others = account.positions.flatMap((one) => {
    const its = State.listing(state, one.category, one.symbol)
    const counts = one !== position && one.tradeMode === "cross" && its?.settleCoin === coin
    return its !== undefined && counts ? [Margin.unrealisedPnl(its, one)] : []
  })
  return { cushion: BigDecimal.sum(Margin.crossBacking(state, account, coin), Money.sum(...others)), floor: positionMM }
}

/** The record of a position, as the market stands. */
export const make = (
  state: State.State,
  account: State.Account,
  listing: State.Listing,
  position: State.Position
): Positions.Position => {
  const isOpen = !BigDecimal.isZero(position.size)
  const size = BigDecimal.abs(position.size)
  const isolated = position.tradeMode === "isolated"
  const maintenance = Margin.maintenanceMargin(listing, position)
  const { cushion, floor } = isolated
    ? { cushion: Margin.isolatedMargin(position), floor: Margin.isolatedMaintenance(listing, position) }
    : crossCushion(state, account, listing, position)
  const tier = Margin.tier(listing, position.riskId)
  const whenOpen = <A>(value: () => A): Option.Option<A> => (isOpen ? Option.some(value()) : Option.none())
  return {
    positionIdx: position.positionIdx,
    riskId: position.riskId,
    riskLimitValue: Option.fromNullable(tier?.limit),
    symbol: Ids.Symbol(position.symbol),
    side: whenOpen(() => (BigDecimal.isPositive(position.size) ? "Buy" : "Sell")),
    size,
    avgPrice: Option.some(isOpen ? Book.meanPrice(position.category, size, position.entryValue) : Money.zero),
    positionValue: whenOpen(() => position.entryValue),
    positionStatus: position.status,
    leverage: Option.some(position.leverage),
    markPrice: Option.some(listing.markPrice),
    liqPrice: isOpen ? priceAfterLoss(listing, position, BigDecimal.subtract(cushion, floor)) : Option.none(),
    bustPrice: isOpen ? priceAfterLoss(listing, position, cushion) : Option.none(),
    positionIM: Option.some(Margin.positionMargin(listing, position)),
    positionMM: Option.some(maintenance),
    takeProfit: position.takeProfit,
    stopLoss: position.stopLoss,
    trailingStop: position.trailingStop,
    unrealisedPnl: whenOpen(() => Margin.unrealisedPnl(listing, position)),
    cumRealisedPnl: Option.some(position.cumRealisedPnl),
    isReduceOnly: position.isReduceOnly,
    mmrSysUpdatedTime: Option.map(position.mmrSysUpdatedTime, DateTime.unsafeMake),
    leverageSysUpdatedTime: Option.none(),
    adlRankIndicator: isOpen ? 2 : 0,
    autoAddMargin: Option.some(position.autoAddMargin),
    tpslMode: Option.some(position.tpslMode),
    tradeMode: Option.some(isolated ? 1 : 0),
    positionBalance: Option.some(isolated ? cushion : Money.zero),
    createdTime: DateTime.unsafeMake(position.createdTime),
    updatedTime: DateTime.unsafeMake(position.updatedTime)
  }
}
