import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Holding from "../trading/holding.js"
import * as Money from "../trading/money.js"
import * as Random from "../state/random.js"
import * as Prices from "./prices.js"
import * as RestingOrders from "./restingOrders.js"

/** A quantity available at a price, from a resting order of a caller or from the market maker. */
export interface Level {
  readonly price: BigDecimal.BigDecimal
  readonly qty: BigDecimal.BigDecimal
  readonly maker?: RestingOrders.Resting
}

/** The approximate value of a level, in dollars. */
const typicalDepth = 20_000
/** The distance between levels, as a fraction of the price. */
const gap = 0.0005
/** The maximum number of levels that an order can reach. */
const maxLevels = 120

/** Returns the quantity step of a listing. */
export const qtyStep = (listing: Exchange.Listing): BigDecimal.BigDecimal => {
  const { basePrecision, minOrderQty, qtyStep } = listing.instrument.lotSizeFilter
  if (qtyStep._tag === "Some") return qtyStep.value
  return basePrecision._tag === "Some" ? basePrecision.value : minOrderQty
}

/** Rounds a quantity down to whole steps. */
export const wholeSteps = (listing: Exchange.Listing, qty: BigDecimal.BigDecimal): BigDecimal.BigDecimal => {
  const step = qtyStep(listing)
  const scaled = Money.truncate(qty, step.scale)
  const units = scaled.value * 10n ** BigInt(step.scale - scaled.scale)
  return BigDecimal.make(units - (units % step.value), step.scale)
}

// The depth of a level, which is always the same for the same symbol and level.
const depth = (
  state: Exchange.State,
  listing: Exchange.Listing,
  side: string,
  level: number
): BigDecimal.BigDecimal => {
  const { baseCoin, symbol } = listing.instrument
  const draw = Random.hash32(`${state.seed} depth ${listing.category} ${symbol} ${side} ${level}`) / 2 ** 32
  const worth = typicalDepth * (0.5 + draw)
  const price = state.drifts.get(baseCoin)?.opening ?? Prices.toNumber(listing.lastPrice)
  const step = qtyStep(listing)
  const units = (listing.category === "inverse" ? worth : worth / price) / Prices.toNumber(step)
  return BigDecimal.make(BigInt(Math.max(1, Math.floor(units))) * step.value, step.scale)
}

const tick = (listing: Exchange.Listing): BigDecimal.BigDecimal => listing.instrument.priceFilter.tickSize

const levelPrice = (listing: Exchange.Listing, side: Enumerations.Side, level: number): BigDecimal.BigDecimal => {
  const size = tick(listing)
  const apart = Math.max(1, Math.round((Prices.toNumber(listing.lastPrice) * gap) / Prices.toNumber(size)))
  const distance = BigDecimal.make(BigInt(1 + apart * level) * size.value, size.scale)
  return side === "Buy" ? BigDecimal.sum(listing.lastPrice, distance) : BigDecimal.subtract(listing.lastPrice, distance)
}

/** Returns the best price at which an order of this side fills at once. */
export const best = (listing: Exchange.Listing, side: Enumerations.Side): BigDecimal.BigDecimal =>
  levelPrice(listing, side, 0)

/** Iterates over the levels of the venue's book for an order of this side, best first, around the last price. */
export function* levels(state: Exchange.State, listing: Exchange.Listing, side: "Buy" | "Sell"): Iterable<Level> {
  for (let level = 0; level < maxLevels; level++) {
    const price = levelPrice(listing, side, level)
    if (!BigDecimal.isPositive(price)) return
    yield { price, qty: depth(state, listing, side, level) }
  }
}

/** The maximum fill of a resting order in one step of the market. */
export const perStep = (
  state: Exchange.State,
  listing: Exchange.Listing,
  side: "Buy" | "Sell"
): BigDecimal.BigDecimal => depth(state, listing, side, 0)

/** Whether an order of this side can trade at a price, according to its worst price. */
export const within = (
  side: "Buy" | "Sell",
  price: BigDecimal.BigDecimal,
  worst: BigDecimal.BigDecimal | undefined
): boolean =>
  worst === undefined ||
  (side === "Buy" ? BigDecimal.lessThanOrEqualTo(price, worst) : BigDecimal.greaterThanOrEqualTo(price, worst))

/** The quantity of an order: an amount of the base coin or of contracts, or as much as an amount of the quote coin buys. */
export type Wanted =
  | { readonly unit: "base"; readonly qty: BigDecimal.BigDecimal }
  | { readonly unit: "quote"; readonly amount: BigDecimal.BigDecimal }

/** Merges levels, best price first; at the same price, callers before the market maker. */
function* mergeLevels(side: "Buy" | "Sell", callers: ReadonlyArray<Level>, levels: Iterable<Level>): Iterable<Level> {
  const isBefore = (a: Level, b: Level) =>
    side === "Buy" ? BigDecimal.lessThanOrEqualTo(a.price, b.price) : BigDecimal.greaterThanOrEqualTo(a.price, b.price)
  let next = 0
  for (const level of levels) {
    for (let caller = callers[next]; caller !== undefined && isBefore(caller, level); caller = callers[++next])
      yield caller
    yield level
  }
  yield* callers.slice(next)
}

/** The levels at which an order fills at once: resting orders of callers, and the market maker. */
export interface Offer {
  readonly callers: ReadonlyArray<RestingOrders.Resting>
  /** Whether the market maker's book is available: not while another caller waits at the same or a better price. */
  readonly marketMaker: boolean
}

const opposite = { Buy: "Sell", Sell: "Buy" } as const

/** Returns the levels for an order of this side, down to its worst price. */
export const offer = (
  state: Exchange.State,
  listing: Exchange.Listing,
  side: "Buy" | "Sell",
  worst: BigDecimal.BigDecimal | undefined,
  orderId: string
): Offer => {
  const price = best(listing, side)
  const crosses = within(side, price, worst)
  return {
    callers: RestingOrders.queue(state, listing, opposite[side], worst),
    marketMaker: crosses && !isBehind(state, listing, side, worst, price, orderId)
  }
}

// Whether the market has passed the price of a waiting order, which then has priority at the market maker.
const isBehind = (
  state: Exchange.State,
  listing: Exchange.Listing,
  side: "Buy" | "Sell",
  worst: BigDecimal.BigDecimal | undefined,
  price: BigDecimal.BigDecimal,
  orderId: string
): boolean =>
  worst !== undefined &&
  within(side, price, worst) &&
  RestingOrders.queue(state, listing, side, worst).some(({ order }) => order.orderId !== orderId)

/**
 * Walks the book for an order. `take` returns how much of a level was really traded, by default all; `undefined` if the order needs no
 * more.
 */
export const walk = (
  state: Exchange.State,
  listing: Exchange.Listing,
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
  for (const level of mergeLevels(side, resting, marketMaker ? levels(state, listing, side) : [])) {
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
