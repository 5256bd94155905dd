import * as Recent from "../recent.js"
import type * as Random from "../random.js"
import type * as State from "../../State.js"
import type * as PastTrading from "./pastTrading.js"
import * as Prices from "./prices.js"

/** A stretch of an account's trading, and where it left the account. Never changed once it is made. */
export interface Chapter {
  readonly trades: ReadonlyArray<Readonly<PastTrading.Trade>>
  readonly wallets: Readonly<Record<State.WalletType, ReadonlyMap<string, Readonly<PastTrading.Amount>>>>
  readonly held: ReadonlyArray<Readonly<PastTrading.Holding>>
  readonly issued: number
  readonly position: Random.Position
}

/** What every world of a seed has in common: prices and trading in milliseconds since the opening, whenever that is. */
export interface Chronicle {
  readonly seed: number
  readonly prices: Prices.Prices
  /** The chapter of a name, made when it is first asked for. */
  readonly chapter: (name: string, make: () => Chapter) => Chapter
}

const make = (seed: number): Chronicle => {
  const chapters = new Map<string, Chapter>()
  return {
    seed,
    prices: Prices.make(seed),
    chapter: (name, write) => {
      const known = chapters.get(name)
      if (known !== undefined) return known
      const written = write()
      chapters.set(name, written)
      return written
    }
  }
}

/** The chronicle of a seed. The latest few are kept, of some megabytes each. */
export const of: (seed: number) => Chronicle = Recent.memoize(4, (seed) => seed, make)
