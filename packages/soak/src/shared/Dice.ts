import * as Utils from "effect/Utils"

/** Choices that follow from a seed. */
export interface Dice {
  /** Whole, at least 0 and less than `sides`. */
  readonly roll: (sides: number) => number
  readonly pick: <A>(from: readonly [A, ...ReadonlyArray<A>]) => A
  /** Each in proportion to its weight. */
  readonly weighed: <A>(from: readonly [readonly [number, A], ...ReadonlyArray<readonly [number, A]>]) => A
  readonly hex: (digits: number) => string
}

export const make = (seed: number): Dice => {
  const generator = new Utils.PCGRandom(seed >>> 0)
  const roll = (sides: number) => Math.floor(generator.number() * sides)
  return {
    roll,
    pick: (from) => from[roll(from.length)] ?? from[0],
    weighed: (from) => {
      let left = roll(from.reduce((sum, [weight]) => sum + weight, 0))
      for (const [weight, item] of from) {
        if (left < weight) return item
        left -= weight
      }
      return from[0][1]
    },
    hex: (digits) => Array.from({ length: digits }, () => roll(16).toString(16)).join("")
  }
}
