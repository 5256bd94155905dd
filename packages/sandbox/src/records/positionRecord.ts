import type * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Average from "../trading/average.js"
import * as Holding from "../trading/holding.js"
import * as Ids from "../trading/ids.js"
import * as LossPrices from "../trading/lossPrices.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"

/** Creates an empty position with the settings of a new account, except for its trade mode. */
export const makeEmpty = (
  category: Exchange.Contract,
  symbol: string,
  positionIdx: 0 | 1 | 2,
  at: number,
  tradeMode: Exchange.Position["tradeMode"] = "cross"
): Exchange.Position => ({
  category,
  symbol,
  positionIdx,
  ...Holding.empty,
  tradeMode,
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

/** Returns the record of a position at the current prices. */
export const make = (
  state: Exchange.State,
  account: Exchange.Account,
  listing: Exchange.Listing,
  position: Exchange.Position
): Positions.Position => {
  const isOpen = !BigDecimal.isZero(position.size)
  const size = BigDecimal.abs(position.size)
  const isolated = position.tradeMode === "isolated"
  const maintenance = Margin.maintenanceMargin(listing, position)
  const tier = Margin.tier(listing, position.riskId)
  const whenOpen = <A>(value: () => A): Option.Option<A> => (isOpen ? Option.some(value()) : Option.none())
  return {
    positionIdx: position.positionIdx,
    riskId: Option.some(position.riskId),
    riskLimitValue: Option.fromNullable(tier?.limit),
    symbol: Ids.Symbol(position.symbol),
    side: whenOpen(() => (BigDecimal.isPositive(position.size) ? "Buy" : "Sell")),
    size,
    avgPrice: Option.some(isOpen ? Average.roundShown(position.entryPrice) : Money.zero),
    positionValue: whenOpen(() => position.entryValue),
    positionStatus: position.status,
    leverage: Option.some(position.leverage),
    markPrice: Option.some(listing.markPrice),
    liqPrice: isOpen ? LossPrices.liquidation(state, account, listing, position) : Option.none(),
    bustPrice: isOpen ? LossPrices.bust(state, account, listing, position) : Option.none(),
    positionIM: Option.some(Margin.positionMargin(listing, position)),
    positionMM: Option.some(maintenance),
    takeProfit: position.takeProfit,
    stopLoss: position.stopLoss,
    trailingStop: position.trailingStop,
    unrealisedPnl: whenOpen(() => Margin.computeUnrealisedPnl(listing, position)),
    cumRealisedPnl: Option.some(position.cumRealisedPnl),
    isReduceOnly: position.isReduceOnly,
    mmrSysUpdatedTime: Option.map(position.mmrSysUpdatedTime, DateTime.unsafeMake),
    leverageSysUpdatedTime: Option.none(),
    adlRankIndicator: Option.some(isOpen ? 2 : 0),
    autoAddMargin: Option.some(position.autoAddMargin),
    tpslMode: Option.some(position.tpslMode),
    tradeMode: Option.some(isolated ? 1 : 0),
    positionBalance: Option.some(isolated ? Margin.computeIsolatedMargin(position) : Money.zero),
    createdTime: Option.some(DateTime.unsafeMake(position.createdTime)),
    updatedTime: Option.some(DateTime.unsafeMake(position.updatedTime))
  }
}
