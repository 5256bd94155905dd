import * as Draws from "@effect-venue/simulation/kernel/Draws"

/** The next of the whole numbers that follow from a seed, from 0 up to `sides`. */
export type Roll = (sides: number) => number

export const make = (seed: number): Roll => {
  const next = Draws.make(seed).sequence()
  return (sides) => Math.floor(next() * sides)
}
