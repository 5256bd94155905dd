import * as BigDecimal from "effect/BigDecimal"
import * as State from "../../../shared/State.js"
import * as LossPrices from "../../trading/lossPrices.js"
import * as Margin from "../../trading/margin.js"
import * as Money from "../../trading/money.js"
import * as PositionOf from "../../records/positionOf.js"
import * as Accounts from "../accounts.js"
import * as Closing from "./closing.js"
import * as Forced from "./forced.js"

const same = (a: State.Position, b: State.Position): boolean =>
  a.category === b.category && a.symbol === b.symbol && a.positionIdx === b.positionIdx

const isOpen = (position: State.Position): boolean => !BigDecimal.isZero(position.size)

/** Returns the current version of a position. */
export const current = (state: State.State, uid: string, position: State.Position): State.Position | undefined =>
  state.accounts.get(uid)?.positions.find((candidate) => same(candidate, position))

/** How a position is force-closed. */
export interface Force extends Forced.Part {
  readonly kind: "Liq" | "Adl"
}

/** Closes a quantity of a position at a price with an order of the venue, without a fee. */
export const force = (
  state: State.State,
  uid: string,
  position: State.Position,
  { kind, price, qty }: Force,
  now: number
): State.State => {
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

const cancelOpen = (
  state: State.State,
  uid: string,
  isGone: (order: State.Order) => boolean,
  now: number,
  cancelType: string
): State.State =>
  Accounts.update(state, uid, (account) =>
    Closing.cancelOrders(account, account.openOrders.filter(isGone), now, { cancelType })
  )

/** Takes over a position at its bankruptcy price, after cancelling the orders of its symbol. */
export const liquidate = (state: State.State, uid: string, position: State.Position, now: number): State.State => {
  const listing = State.listing(state, position.category, position.symbol)
  const account = state.accounts.get(uid)
  if (listing === undefined || account === undefined || !isOpen(position)) return state
  const cleared = cancelOpen(
    state,
    uid,
    (order) => order.category === position.category && order.symbol === position.symbol,
    now,
    "CancelAllBeforeLiq"
  )
  const backing = LossPrices.backing(state, account, listing, position)
  return force(
    cleared,
    uid,
    position,
    { kind: "Liq", qty: BigDecimal.abs(position.size), price: LossPrices.bankruptcy(listing, position, backing) },
    now
  )
}

/** Whether an isolated position must be liquidated. */
export const isIsolatedDue = (listing: State.Listing, position: State.Position): boolean =>
  isOpen(position) &&
  position.tradeMode === "isolated" &&
  BigDecimal.lessThanOrEqualTo(
    BigDecimal.sum(Margin.isolatedMargin(position), Margin.unrealisedPnl(listing, position)),
    Margin.isolatedMaintenance(listing, position)
  )

interface Cross {
  readonly position: State.Position
  readonly listing: State.Listing
}

const crossOf = (state: State.State, account: State.Account, coin: string): ReadonlyArray<Cross> =>
  account.positions.flatMap((position) => {
    const listing = State.listing(state, position.category, position.symbol)
    return isOpen(position) && position.tradeMode === "cross" && listing?.settleCoin === coin
      ? [{ position, listing }]
      : []
  })

// Whether the margin balance of a coin's cross positions is below their maintenance margin.
const isCrossDue = (state: State.State, account: State.Account, coin: string, cross: ReadonlyArray<Cross>): boolean => {
  const profits = cross.map(({ listing, position }) => Margin.unrealisedPnl(listing, position))
  const needed = cross.map(({ listing, position }) => Margin.maintenanceMargin(listing, position))
  return BigDecimal.lessThanOrEqualTo(
    BigDecimal.sum(Margin.crossBacking(state, account, coin), Money.sum(...profits)),
    Money.sum(...needed)
  )
}

const worst = (cross: ReadonlyArray<Cross>): Cross | undefined =>
  cross.reduce<Cross | undefined>((found, candidate) => {
    if (found === undefined) return candidate
    const isWorse = BigDecimal.lessThan(
      Margin.unrealisedPnl(candidate.listing, candidate.position),
      Margin.unrealisedPnl(found.listing, found.position)
    )
    return isWorse ? candidate : found
  }, undefined)

// Liquidates the worst position first, until the margin covers the others.
const settleCross = (state: State.State, uid: string, coin: string, now: number): State.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const cross = crossOf(state, account, coin)
  const going = worst(cross)
  if (going === undefined || !isCrossDue(state, account, coin, cross)) return state
  const cleared = cancelOpen(
    state,
    uid,
    (order) => order.category !== "spot" && State.listing(state, order.category, order.symbol)?.settleCoin === coin,
    now,
    "CancelAllBeforeLiq"
  )
  const position = current(cleared, uid, going.position)
  return position === undefined ? cleared : settleCross(liquidate(cleared, uid, position, now), uid, coin, now)
}

/** Liquidates the positions that an account can no longer hold. */
export const settle = (state: State.State, uid: string, now: number): State.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const open = account.positions.filter(isOpen)
  const isolated = open.reduce((next, position) => {
    const listing = State.listing(next, position.category, position.symbol)
    return listing !== undefined && isIsolatedDue(listing, position) ? liquidate(next, uid, position, now) : next
  }, state)
  const coins = new Set(
    open.flatMap((position) => {
      const listing = State.listing(state, position.category, position.symbol)
      return position.tradeMode === "cross" && listing !== undefined ? [listing.settleCoin] : []
    })
  )
  return Array.from(coins).reduce((next, coin) => settleCross(next, uid, coin, now), isolated)
}
