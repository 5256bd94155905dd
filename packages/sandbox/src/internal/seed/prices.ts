import * as Random from "../random.js"
import * as Market from "./market.js"

/** Where prices were: one path per base coin, so that a coin costs the same in every category and for every account. */
export interface Prices {
  readonly at: (base: string, millis: number) => number
}

const stride = 21_600_000

/**
 * Random walks from `start` to `end`. Only sums, products and square roots: they give the same digits on every machine.
 */
export const make = (seed: number, start: number, end: number): Prices => {
  const nodes = Math.ceil((end - start) / stride) + 1
  const paths = new Map<string, ReadonlyArray<number>>()
  for (const { base, dailyChange, startPrice } of Market.markets) {
    if (paths.has(base)) continue
    const random = Random.make(seed, `price ${base}`)
    // A coin that nobody has a history in needs a price, not a past.
    const steps = Market.traded.some((one) => one.base === base) ? nodes : 1
    const path: Array<number> = []
    let price = startPrice * (0.8 + 0.4 * random.next())
    for (let index = 0; index < steps; index++) {
      path.push(price)
      const moved = price * (1 + dailyChange * Math.sqrt(stride / 86_400_000) * random.bell())
      // Turned back at the borders of what is plausible.
      price = Math.min(Math.max(moved, startPrice / 3), startPrice * 3)
    }
    paths.set(base, path)
  }
  return {
    at: (base, millis) => {
      const path = paths.get(base) ?? []
      const position = Math.min(Math.max((millis - start) / stride, 0), path.length - 1)
      const index = Math.floor(position)
      const left = path[index] ?? 1
      const right = path[index + 1] ?? left
      return left + (right - left) * (position - index)
    }
  }
}
