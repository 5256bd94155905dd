import * as Random from "../state/random.js"
import * as Market from "./market.js"

/** Where prices were, in milliseconds since the opening: one path per base coin, the same in every category and for every account. */
export interface Prices {
  readonly at: (base: string, offset: number) => number
}

const stride = 21_600_000

/** Where the paths begin, in milliseconds since the opening. */
const start = -910 * 86_400_000

const nodes = Math.ceil(-start / stride) + 1

/** A random walk. Only sums, products and square roots: they give the same digits on every machine. */
const pathOf = (seed: number, { base, dailyChange, startPrice }: Market.Market): ReadonlyArray<number> => {
  const random = Random.make(seed, `price ${base}`)
  // A coin that no account has a history in needs a price, not a past.
  const steps = Market.traded.some((market) => market.base === base) ? nodes : 1
  const path: Array<number> = []
  let price = startPrice * (0.8 + 0.4 * random.next())
  for (let index = 0; index < steps; index++) {
    path.push(price)
    const moved = price * (1 + dailyChange * Math.sqrt(stride / 86_400_000) * random.bell())
    // Turned back at the borders of what is plausible.
    price = Math.min(Math.max(moved, startPrice / 3), startPrice * 3)
  }
  return path
}

/** The prices of a seed. A coin's path is made when its price is first asked for. */
export const make = (seed: number): Prices => {
  const paths = new Map<string, ReadonlyArray<number>>()
  const path = (base: string): ReadonlyArray<number> => {
    const known = paths.get(base)
    if (known !== undefined) return known
    const market = Market.markets.find((one) => one.base === base)
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
