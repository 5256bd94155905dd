import type * as BigDecimal from "effect/BigDecimal"
import * as OnDemand from "../state/onDemand.js"
import * as Average from "../trading/average.js"
import * as Money from "../trading/money.js"
import type * as PastTrading from "./pastTrading.js"
import * as Market from "./market.js"

interface Open {
  /** In steps, negative for short. */
  readonly steps: number
  readonly average: Average.Average
}

const flat: Open = { steps: 0, average: Average.none }

const after = (market: Market.Market, side: "Buy" | "Sell", before: Open, fill: PastTrading.PastFill): Open => {
  const steps = before.steps + (side === "Buy" ? fill.steps : -fill.steps)
  if (steps === 0) return flat
  if (fill.closed !== undefined)
    return { steps, average: { ...before.average, size: Market.qty(market, Math.abs(steps)) } }
  const more = { size: Market.qty(market, fill.steps), price: Market.priceOf(market, fill.price) }
  return { steps, average: Average.add(market.category, before.average, more) }
}

/** Returns the average entry price of the part that each closing execution closed. Worlds of the same seed share their trading. */
export const entryPricesOf = OnDemand.perObject((trades: ReadonlyArray<PastTrading.Trade>) => {
  const open = new Map<Market.Market, Open>()
  const prices = new Map<PastTrading.PastFill, BigDecimal.BigDecimal>()
  for (const { fills, market, side } of trades) {
    if (market.category === "spot") continue
    for (const fill of fills) {
      const before = open.get(market) ?? flat
      if (fill.closed !== undefined) prices.set(fill, before.average.price)
      open.set(market, after(market, side, before, fill))
    }
  }
  return prices
})

/** Returns the average entry price of the open position, from the trade that opened it. */
export const open = (
  trades: ReadonlyArray<PastTrading.Trade>,
  market: Market.Market,
  since: number
): BigDecimal.BigDecimal => {
  let holding = flat
  for (let index = since; index < trades.length; index++) {
    const trade = trades[index]
    if (trade?.market !== market) continue
    for (const fill of trade.fills) holding = after(market, trade.side, holding, fill)
  }
  return holding.steps === 0 ? Money.zero : holding.average.price
}
