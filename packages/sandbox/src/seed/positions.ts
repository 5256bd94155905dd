import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import * as PositionRecord from "../records/positionRecord.js"
import * as Averages from "../past/averages.js"
import type * as Ledger from "../past/ledger.js"
import * as Market from "../past/market.js"
import type * as PastTrading from "../past/pastTrading.js"
import type * as Prices from "../past/prices.js"
import * as Records from "../past/records.js"

/** Returns the positions that result from an account's executions. */
export const fromLedger = ({ holdings, trades }: Ledger.Ledger): Records.Dated<ReadonlyArray<Exchange.Position>> => {
  const positions = holdings.flatMap((holding) => {
    const { category, symbol } = holding.market
    const { createdAt, updatedAt } = holding
    return category === "spot"
      ? []
      : [{ category, symbol, createdAt, updatedAt, amounts: amountsOf(holding, trades.current) }]
  })
  return (openedAt) =>
    positions.map(({ amounts, category, createdAt, symbol, updatedAt }) => ({
      ...PositionRecord.makeEmpty(category, symbol, 0, openedAt + createdAt),
      ...amounts,
      updatedTime: openedAt + updatedAt
    }))
}

const amountsOf = (
  { earlier, entry, market, openFee, realised, since, size }: Readonly<PastTrading.Holding>,
  trades: ReadonlyArray<PastTrading.Trade>
): Exchange.Holding => ({
  size: BigDecimal.make(BigInt(size), market.qtyScale),
  entryValue: Records.decimal(entry),
  entryPrice: size === 0 ? Money.zero : Averages.open(trades, market, since),
  openFee: Records.decimal(openFee),
  cumRealisedPnl: Records.decimal(realised),
  earlierRealisedPnl: Records.decimal(earlier)
})

/** Adds the settings of the main account: stops on one position, a trailing stop on another, and a third isolated with added margin. */
export const adorn = (
  positions: ReadonlyArray<Exchange.Position>,
  prices: Prices.Prices
): ReadonlyArray<Exchange.Position> =>
  positions.map((position) => {
    const market = Market.traded.find(
      (candidate) => candidate.category === position.category && candidate.symbol === position.symbol
    )
    if (market === undefined || BigDecimal.isZero(position.size)) return position
    const at = (factor: number) => Market.price(market, prices.at(market.base, 0) * factor)
    const long = BigDecimal.isPositive(position.size)
    switch (`${position.category} ${position.symbol}`) {
      case "linear BTCUSDT":
        return {
          ...position,
          takeProfit: Option.some(at(long ? 1.3 : 0.7)),
          stopLoss: Option.some(at(long ? 0.7 : 1.3))
        }
      case "inverse BTCUSD":
        return {
          ...position,
          trailingStop: Option.some(at(0.05)),
          activePrice: Option.some(at(long ? 1.1 : 0.9))
        }
      case "linear ETHUSDT":
        return {
          ...position,
          tradeMode: "isolated",
          leverage: BigDecimal.make(5n, 0),
          addedMargin: BigDecimal.make(25n, 0)
        }
      default:
        return position
    }
  })
