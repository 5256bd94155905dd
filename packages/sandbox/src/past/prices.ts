import * as Random from "../state/random.js"
import * as Market from "./market.js"

/** The past prices, by milliseconds relative to the opening: one path per base coin, the same in every category and for every account. */
export interface Prices {
  readonly at: (base: string, offset: number) => number
}

const stride = 21_600_000

/** The start of the paths, in milliseconds relative to the opening. */
const start = -910 * 86_400_000

const nodes = Math.ceil(-start / stride) + 1

/** A random walk. It only uses sums, products and square roots, which give the same digits on every machine. */
const pathOf = (seed: number, { base, dailyChange, startPrice }: Market.Market): ReadonlyArray<number> => {
  const random = Random.make(seed, `price ${base}`)
  // A coin without account history needs only a price, not a path.
  const steps = Market.traded.some((market) => market.base === base) ? nodes : 1
  const path: Array<number> = []
  let price = startPrice * (0.8 + 0.4 * random.next())
  for (let index = 0; index < steps; index++) {
    path.push(price)
    const moved = price * (1 + dailyChange * Math.sqrt(stride / 86_400_000) * random.bell())
    // Clamped to a plausible range.
    price = Math.min(Math.max(moved, startPrice / 3), startPrice * 3)
  }
  return path
}

/** Returns the prices of a seed. The path of a coin is generated on first use. */
export const make = (seed: number): Prices => {
  const paths = new Map<string, ReadonlyArray<number>>()
  const path = (base: string): ReadonlyArray<number> => {
    const known = paths.get(base)
    if (known !== undefined) return known
    const market = Market.markets.find((candidate) => candidate.base === base)
    const made = market === undefined ? [] : pathOf(seed, market)
    paths.set(base, made)
    return made
  }
  return {
    at: (base, offset) => {
      const prices = path(base)
      const position = Math.min(Math.max((offset - start) / stride, 0), prices.length - 1)
      const index = Math.floor(position)
      const left = prices[index] ?? 1
      const right = prices[index + 1] ?? left
      return left + (right - left) * (position - index)
    }
  }
}
