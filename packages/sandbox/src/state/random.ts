import { PCGRandom } from "effect/Utils"

/** Returns 32 bits of FNV-1a, for a separate stream per part of the world. */
export const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash
}

/** Pseudo-random numbers that are the same for the same seed on every machine. */
export class Random {
  private readonly stream: PCGRandom

  constructor(seed: number, stream: string) {
    this.stream = new PCGRandom(seed, hash32(stream))
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive), with 53 bits. */
  next(): number {
    return this.stream.number()
  }

  /** Returns a whole number from `min` to `max`, inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Returns an approximately normal number with variance 1. Built from sums, because the last digits of `Math.log` differ between engines. */
  bell(): number {
    return (this.next() + this.next() + this.next() + this.next() - 2) * Math.sqrt(3)
  }

  /** Returns hex digits. */
  hex(count: number): string {
    let text = ""
    for (let index = 0; index < count; index++) text += Math.floor(this.next() * 16).toString(16)
    return text
  }

  pick<A>(first: A, ...others: ReadonlyArray<A>): A {
    const index = this.between(0, others.length)
    return index === 0 ? first : (others[index - 1] ?? first)
  }
}

/** Creates the generator of a seed's stream. */
export const make = (seed: number, stream: string): Random => new Random(seed, stream)
