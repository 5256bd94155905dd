import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import type * as State from "../../../State.js"
import * as Holding from "../../records/holding.js"
import * as Money from "../../trading/money.js"
import * as Random from "../../state/random.js"
import * as Prices from "./prices.js"
import * as RestingOrders from "./restingOrders.js"

/** What can be had at a price: from a caller whose order rests there, or else from the market maker. */
export interface Level {
  readonly price: BigDecimal.BigDecimal
  readonly qty: BigDecimal.BigDecimal
  readonly maker?: RestingOrders.Resting
}

/** What one level is worth about, in dollars. */
const typicalDepth = 20_000
/** From one level to the next, of the price. */
const gap = 0.0005
/** No order walks further. */
const maxLevels = 120

/** The steps of a listing's quantities. */
export const qtyStep = (listing: State.Listing): BigDecimal.BigDecimal => {
  const { basePrecision, minOrderQty, qtyStep } = listing.instrument.lotSizeFilter
  if (qtyStep._tag === "Some") return qtyStep.value
  return basePrecision._tag === "Some" ? basePrecision.value : minOrderQty
}

/** As many whole steps as fit. */
export const wholeSteps = (listing: State.Listing, qty: BigDecimal.BigDecimal): BigDecimal.BigDecimal => {
  const step = qtyStep(listing)
  const scaled = Money.truncate(qty, step.scale)
  const units = scaled.value * 10n ** BigInt(step.scale - scaled.scale)
  return BigDecimal.make(units - (units % step.value), step.scale)
}

// The same level of a symbol always has the same depth.
const depth = (state: State.State, listing: State.Listing, side: string, level: number): BigDecimal.BigDecimal => {
  const { baseCoin, symbol } = listing.instrument
  const draw = Random.hash32(`${state.seed} depth ${listing.category} ${symbol} ${side} ${level}`) / 2 ** 32
  const worth = typicalDepth * (0.5 + draw)
  const price = state.drifts.get(baseCoin)?.opening ?? Prices.toNumber(listing.lastPrice)
  const step = qtyStep(listing)
  const units = (listing.category === "inverse" ? worth : worth / price) / Prices.toNumber(step)
  return BigDecimal.make(BigInt(Math.max(1, Math.floor(units))) * step.value, step.scale)
}

const tick = (listing: State.Listing): BigDecimal.BigDecimal => listing.instrument.priceFilter.tickSize

const levelPrice = (listing: State.Listing, side: "Buy" | "Sell", level: number): BigDecimal.BigDecimal => {
  const size = tick(listing)
  const apart = Math.max(1, Math.round((Prices.toNumber(listing.lastPrice) * gap) / Prices.toNumber(size)))
  const distance = BigDecimal.make(BigInt(1 + apart * level) * size.value, size.scale)
  return side === "Buy" ? BigDecimal.sum(listing.lastPrice, distance) : BigDecimal.subtract(listing.lastPrice, distance)
}

/** The best price that an order of this side gets at once. */
export const best = (listing: State.Listing, side: "Buy" | "Sell"): BigDecimal.BigDecimal =>
  levelPrice(listing, side, 0)

/** What is there for an order of this side, best first: the book of the venue itself, around the last price. */
export function* levels(state: State.State, listing: State.Listing, side: "Buy" | "Sell"): Iterable<Level> {
  for (let level = 0; level < maxLevels; level++) {
    const price = levelPrice(listing, side, level)
    if (!BigDecimal.isPositive(price)) return
    yield { price, qty: depth(state, listing, side, level) }
  }
}

/** How much of a resting order is filled in one step of the market. */
export const perStep = (state: State.State, listing: State.Listing, side: "Buy" | "Sell"): BigDecimal.BigDecimal =>
  depth(state, listing, side, 0)

/** Whether an order of this side may trade at a price, given the worst it takes. */
export const within = (
  side: "Buy" | "Sell",
  price: BigDecimal.BigDecimal,
  worst: BigDecimal.BigDecimal | undefined
): boolean =>
  worst === undefined ||
  (side === "Buy" ? BigDecimal.lessThanOrEqualTo(price, worst) : BigDecimal.greaterThanOrEqualTo(price, worst))

/** What an order wants: a quantity of the base coin (or of contracts), or as much as an amount of the quote coin buys. */
export type Wanted =
  | { readonly unit: "base"; readonly qty: BigDecimal.BigDecimal }
  | { readonly unit: "quote"; readonly amount: BigDecimal.BigDecimal }

/** Best price first; at one price callers before the market maker. */
function* merged(side: "Buy" | "Sell", callers: ReadonlyArray<Level>, levels: Iterable<Level>): Iterable<Level> {
  const isBefore = (one: Level, other: Level) =>
    side === "Buy"
      ? BigDecimal.lessThanOrEqualTo(one.price, other.price)
      : BigDecimal.greaterThanOrEqualTo(one.price, other.price)
  let next = 0
  for (const level of levels) {
    for (let caller = callers[next]; caller !== undefined && isBefore(caller, level); caller = callers[++next])
      yield caller
    yield level
  }
  yield* callers.slice(next)
}

/** What an order gets at once: from callers whose orders rest, and from the market maker. */
export interface Offer {
  readonly callers: ReadonlyArray<RestingOrders.Resting>
  /** Whether the market maker's book is there for it too: not while another caller waits for the same at as good a price. */
  readonly marketMaker: boolean
}

const other = { Buy: "Sell", Sell: "Buy" } as const

/** What is there for an order of this side that takes `worst` at worst. */
export const offer = (
  state: State.State,
  listing: State.Listing,
  side: "Buy" | "Sell",
  worst: BigDecimal.BigDecimal | undefined,
  orderId: string
): Offer => {
  const price = best(listing, side)
  const crosses = within(side, price, worst)
  return {
    callers: RestingOrders.queue(state, listing, other[side], worst),
    marketMaker: crosses && !isBehind(state, listing, side, worst, price, orderId)
  }
}

// The market has passed the price of an order that waits: what the market maker has there is for that order first.
const isBehind = (
  state: State.State,
  listing: State.Listing,
  side: "Buy" | "Sell",
  worst: BigDecimal.BigDecimal | undefined,
  price: BigDecimal.BigDecimal,
  orderId: string
): boolean =>
  worst !== undefined &&
  within(side, price, worst) &&
  RestingOrders.queue(state, listing, side, worst).some(({ order }) => order.orderId !== orderId)

/**
 * What an order gets from the book at once. `take` says how much of a level was really traded, all of it by default; `undefined` when the
 * order wants no more.
 */
export const walk = (
  state: State.State,
  listing: State.Listing,
  side: "Buy" | "Sell",
  wanted: Wanted,
  worst: BigDecimal.BigDecimal | undefined,
  { callers, marketMaker }: Offer,
  take: (level: Level) => BigDecimal.BigDecimal | undefined = (level) => level.qty
): ReadonlyArray<Level> => {
  const taken: Array<Level> = []
  let left = wanted.unit === "base" ? wanted.qty : wanted.amount
  const resting = callers.map((maker): Level => ({
    price: maker.price,
    qty: Option.getOrElse(maker.order.leavesQty, () => Money.zero),
    maker
  }))
  for (const level of merged(side, resting, marketMaker ? levels(state, listing, side) : [])) {
    if (!BigDecimal.isPositive(left) || !within(side, level.price, worst)) break
    const room = wanted.unit === "base" ? left : wholeSteps(listing, Money.divide(left, level.price, 18))
    const most = BigDecimal.min(level.qty, room)
    if (!BigDecimal.isPositive(most)) break
    const qty = take({ ...level, qty: most })
    if (qty === undefined) break
    if (!BigDecimal.isPositive(qty)) continue
    taken.push({ ...level, qty })
    left = BigDecimal.subtract(left, wanted.unit === "base" ? qty : Holding.value(listing.category, level.price, qty))
  }
  return taken
}
