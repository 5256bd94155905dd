import * as BigDecimal from "effect/BigDecimal"
import * as Exchange from "../state/Exchange.js"
import * as Random from "../state/random.js"

/** The prices of a listing as numbers, in ticks. */
export interface Quote {
  readonly last: number
  readonly mark: number
  readonly index: number
}

const day = 86_400_000

// One noise component per time scale, from seconds to a quarter of a year, each four times as long as the previous one.
const octaves = Array.from({ length: 12 }, (_, index) => {
  const period = 4_000 * 4 ** index
  return { period, size: Math.sqrt(period / day) }
})

// The deviation of a contract's last and mark price from the index, as a fraction.
const basis = { period: 45_000, size: 0.0003 }

/** Returns a value between -1 and 1 that only depends on the arguments, on every machine. */
const noise = (stream: number, cell: number): number => {
  let hash = (stream ^ Math.imul(cell | 0, 0x9e3779b1) ^ Math.imul(Math.floor(cell / 2 ** 32) | 0, 0x85ebca6b)) | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 31 - 1
}

/** Interpolates `noise` linearly. */
const smooth = (stream: number, period: number, at: number): number => {
  const cell = Math.floor(at / period)
  const part = at / period - cell
  const left = noise(stream, cell)
  return left + (noise(stream, cell + 1) - left) * part
}

interface Streams {
  readonly octaves: ReadonlyArray<{ readonly stream: number; readonly atOpening: number }>
  readonly basis: { readonly stream: number; readonly atOpening: number }
}

const streamsOf = (seed: number, openedAt: number, base: string): Streams => {
  const make = (name: string, period: number) => {
    const stream = Random.hash32(`${seed} ${name} ${base}`) | 0
    return { stream, atOpening: smooth(stream, period, openedAt) }
  }
  return {
    octaves: octaves.map(({ period }, index) => make(`octave ${index}`, period)),
    basis: make("basis", basis.period)
  }
}

// Computed once per world, from its seed and opening instant.
const memory = new WeakMap<Exchange.State["drifts"], Map<string, Streams>>()

const streams = (state: Exchange.State, base: string): Streams => {
  const known = memory.get(state.drifts) ?? new Map<string, Streams>()
  memory.set(state.drifts, known)
  const found = known.get(base) ?? streamsOf(state.seed, state.openedAt, base)
  known.set(base, found)
  return found
}

/**
 * Returns the price of a base coin at an instant: a stateless function of time that continues from the seed's last price. It only uses
 * sums, products, quotients and square roots, which give the same digits on every machine.
 */
export const baseAt = (state: Exchange.State, base: string, at: number): number => {
  const drift = state.drifts.get(base)
  if (drift === undefined) return 1
  if (state.prices === "still") return drift.opening
  let change = 0
  const moment = at - state.pausedFor
  streams(state, base).octaves.forEach(({ atOpening, stream }, index) => {
    const octave = octaves[index]
    if (octave !== undefined) change += octave.size * (smooth(stream, octave.period, moment) - atOpening)
  })
  // Reverts towards the mean; without it prices would drift without bound.
  const factor = 1 + drift.dailyChange * change
  return drift.opening * Math.min(Math.max(factor, 0.25), 4)
}

const basisAt = (state: Exchange.State, base: string, at: number): number => {
  if (state.prices === "still") return 0
  const { atOpening, stream } = streams(state, base).basis
  return basis.size * (smooth(stream, basis.period, at - state.pausedFor) - atOpening)
}

/** Converts a price to ticks, at least one. */
const ticks = (listing: Exchange.Listing, price: number): number =>
  Math.max(1, Math.round((price * 10 ** scaleOf(listing)) / tickOf(listing)))

const scaleOf = (listing: Exchange.Listing): number => listing.instrument.priceFilter.tickSize.scale
const tickOf = (listing: Exchange.Listing): number => Number(listing.instrument.priceFilter.tickSize.value)

const decimal = (listing: Exchange.Listing, price: number): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(ticks(listing, price) * tickOf(listing)), scaleOf(listing))

const number = (listing: Exchange.Listing, price: number): number =>
  (ticks(listing, price) * tickOf(listing)) / 10 ** scaleOf(listing)

/** Converts a decimal to a number, for comparisons and sizes, never for bookings. */
export const toNumber = (amount: BigDecimal.BigDecimal): number => Number(amount.value) / 10 ** amount.scale

const raw = (state: Exchange.State, listing: Exchange.Listing, at: number): Quote => {
  const base = listing.instrument.baseCoin
  const index = baseAt(state, base, at)
  if (listing.category === "spot") return { last: index, mark: index, index }
  const off = basisAt(state, base, at)
  return { last: index * (1 + off), mark: index * (1 + off / 2), index }
}

/** Returns the prices of a listing at an instant, without creating decimals. */
export const quote = (state: Exchange.State, listing: Exchange.Listing, at: number): Quote => {
  const pinned = state.pinned.get(Exchange.listingKey(listing.category, listing.instrument.symbol))
  if (pinned !== undefined) {
    const price = toNumber(pinned)
    return { last: price, mark: price, index: price }
  }
  const { index, last, mark } = raw(state, listing, at)
  return { last: number(listing, last), mark: number(listing, mark), index: number(listing, index) }
}

const move = (state: Exchange.State, listing: Exchange.Listing, at: number): Exchange.Listing => {
  const pinned = state.pinned.get(Exchange.listingKey(listing.category, listing.instrument.symbol))
  if (pinned !== undefined) return { ...listing, lastPrice: pinned, markPrice: pinned, indexPrice: pinned }
  const { index, last, mark } = raw(state, listing, at)
  return {
    ...listing,
    lastPrice: decimal(listing, last),
    markPrice: decimal(listing, mark),
    indexPrice: decimal(listing, index)
  }
}

/** Returns the state with the prices of every listing at an instant. */
export const at = (state: Exchange.State, at: number): Exchange.State => ({
  ...state,
  listings: state.listings.map((listing) => move(state, listing, at))
})
