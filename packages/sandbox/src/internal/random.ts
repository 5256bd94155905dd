import * as Utils from "effect/Utils"

/** Numbers that look random and are the same for the same seed, on every machine. */
export interface Random {
  /** At least 0 and under 1. */
  readonly next: () => number
  /** At least `min` and at most `max`, whole. */
  readonly between: (min: number, max: number) => number
  readonly chance: (probability: number) => boolean
  /** About as a bell curve is, with a variance of 1: made of sums, because the last digits of `Math.log` differ by engine. */
  readonly bell: () => number
  readonly hex: (digits: number) => string
  readonly pick: <A>(first: A, ...others: ReadonlyArray<A>) => A
}

/** 32 bits of FNV-1a: gives every part of the world a stream of its own. */
export const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash
}

export const make = (seed: number, stream: string): Random => {
  const generator = new Utils.PCGRandom(seed >>> 0, hash32(stream))
  const next = () => generator.number()
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    bell: () => (next() + next() + next() + next() - 2) * Math.sqrt(3),
    hex: (digits) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join(""),
    pick: (first, ...others) => {
      const index = between(0, others.length)
      return index === 0 ? first : (others[index - 1] ?? first)
    }
  }
}
