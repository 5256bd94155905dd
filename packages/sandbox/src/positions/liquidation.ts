import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as BigDecimal from "effect/BigDecimal"
import * as Exchange from "../state/Exchange.js"
import * as Collateral from "../trading/collateral.js"
import * as Holding from "../trading/holding.js"
import * as LossPrices from "../trading/lossPrices.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as PositionOf from "../records/positionOf.js"
import * as Accounts from "../state/accounts.js"
import * as Closing from "./closing.js"
import * as Forced from "./forced.js"

/** Returns the current version of a position. */
export const current = (
  state: Exchange.State,
  uid: string,
  position: Exchange.Position
): Exchange.Position | undefined =>
  state.accounts.get(uid)?.positions.find((candidate) => Accounts.isSamePosition(candidate, position))

/** How a position is force-closed. */
export interface Force extends Forced.Part {
  readonly kind: "Liq" | "Adl"
}

/** Closes a quantity of a position at a price with an order of the venue, without a fee. */
export const force = (
  state: Exchange.State,
  uid: string,
  position: Exchange.Position,
  { kind, price, qty }: Force,
  now: number
): Exchange.State => {
  const closed = Forced.close(
    state,
    uid,
    position,
    { price, qty },
    {
      execType: kind === "Liq" ? "BustTrade" : "AdlTrade",
      createType: kind === "Liq" ? "CreateByTakeOver_PassThrough" : "CreateByAdl_PassThrough",
      feeRate: Money.zero
    },
    now
  )
  const after = current(closed, uid, position)
  return after === undefined
    ? closed
    : Accounts.update(closed, uid, (account) => PositionOf.put(account, { ...after, status: kind }))
}

/** Cancels the open orders of an account that satisfy a condition. */
export const cancelOpen = (
  state: Exchange.State,
  uid: string,
  isGone: (order: Exchange.Order) => boolean,
  now: number,
  cancelType: Enumerations.CancelType
): Exchange.State =>
  Accounts.update(state, uid, (account) =>
    Closing.cancelOrders(account, account.openOrders.filter(isGone), now, { cancelType })
  )

/**
 * Takes over a position at its bankruptcy price, after cancelling the orders of its symbol. In cross margin both sides of a hedge are taken
 * over together.
 */
export const liquidate = (
  state: Exchange.State,
  uid: string,
  position: Exchange.Position,
  now: number
): Exchange.State => {
  const listing = Exchange.listing(state, position.category, position.symbol)
  const account = state.accounts.get(uid)
  if (listing === undefined || account === undefined || !Holding.isOpen(position)) return state
  const cleared = cancelOpen(
    state,
    uid,
    (order) => order.category === position.category && order.symbol === position.symbol,
    now,
    "CancelAllBeforeLiq"
  )
  const exposure = LossPrices.exposureOf(account, listing, position)
  const price = LossPrices.takeOver(state, account, exposure)
  return exposure.positions.reduce(
    (next, side) =>
      force(next, uid, current(next, uid, side) ?? side, { kind: "Liq", qty: BigDecimal.abs(side.size), price }, now),
    cleared
  )
}

/** Whether an isolated position must be liquidated. */
export const isIsolatedDue = (listing: Exchange.Listing, position: Exchange.Position): boolean =>
  Holding.isOpen(position) &&
  position.tradeMode === "isolated" &&
  BigDecimal.lessThanOrEqualTo(
    BigDecimal.sum(Margin.computeIsolatedMargin(position), Margin.computeUnrealisedPnl(listing, position)),
    Margin.computeIsolatedMaintenance(listing, position)
  )

// Whether what backs the cross positions of a coin is below their maintenance margin.
const isCrossDue = (state: Exchange.State, account: Exchange.Account, coin: string): boolean =>
  BigDecimal.lessThanOrEqualTo(
    Collateral.crossEquity(state, account, coin),
    Collateral.crossMaintenance(state, account, coin)
  )

/** The exposure with the largest loss. */
const worst = (
  state: Exchange.State,
  account: Exchange.Account,
  exposures: ReadonlyArray<LossPrices.Exposure>
): LossPrices.Exposure | undefined => {
  const profits = exposures.map((exposure) => ({
    exposure,
    profit: BigDecimal.multiply(
      LossPrices.sumUnrealisedPnl(exposure),
      Collateral.price(state, account, exposure.listing.settleCoin)
    )
  }))
  const [first, ...others] = profits
  return others.reduce(
    (found, candidate) =>
      found !== undefined && BigDecimal.lessThan(candidate.profit, found.profit) ? candidate : found,
    first
  )?.exposure
}

// Liquidates the exposure with the largest loss first. Nothing is left behind the others, so they follow, at about the mark price.
const settleCross = (state: Exchange.State, uid: string, coin: string, now: number): Exchange.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const [position] = worst(state, account, LossPrices.crossExposures(state, account, coin))?.positions ?? []
  if (position === undefined || !isCrossDue(state, account, coin)) return state
  const backed = new Set(Collateral.coins(state, account, coin))
  const cleared = cancelOpen(
    state,
    uid,
    (order) =>
      order.category !== "spot" && backed.has(Exchange.listing(state, order.category, order.symbol)?.settleCoin ?? ""),
    now,
    "CancelAllBeforeLiq"
  )
  const going = current(cleared, uid, position)
  return going === undefined ? cleared : settleCross(liquidate(cleared, uid, going, now), uid, coin, now)
}

/** Liquidates the positions that an account can no longer hold. */
export const settle = (state: Exchange.State, uid: string, now: number): Exchange.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const open = account.positions.filter(Holding.isOpen)
  const isolated = open.reduce((next, position) => {
    const listing = Exchange.listing(next, position.category, position.symbol)
    return listing !== undefined && isIsolatedDue(listing, position) ? liquidate(next, uid, position, now) : next
  }, state)
  const coins = new Set(
    open.flatMap((position) => {
      const listing = Exchange.listing(state, position.category, position.symbol)
      return position.tradeMode === "cross" && listing !== undefined ? [listing.settleCoin] : []
    })
  )
  return Array.from(coins).reduce((next, coin) => settleCross(next, uid, coin, now), isolated)
}
