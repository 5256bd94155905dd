/** A position in a stream: the 64 bits of the generator. */
export interface Position {
  readonly high: number
  readonly low: number
}

/** 32 bits of FNV-1a, for a separate stream per part of the world. */
export const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash
}

/** A jump of the generator: its state times a factor plus an increment, both of 64 bits. */
interface Step {
  readonly factorHigh: number
  readonly factorLow: number
  /** The halves of `factorLow`, of 16 bits. */
  readonly factorLeft: number
  readonly factorRight: number
  readonly incrementHigh: number
  readonly incrementLow: number
}

/** The jump over a count of numbers. */
const stepOver = (count: number): Step => {
  let factor = 1n
  let increment = 0n
  for (let index = 0; index < count; index++) {
    factor = BigInt.asUintN(64, factor * 0x5851f42d4c957f2dn)
    increment = BigInt.asUintN(64, increment * 0x5851f42d4c957f2dn + 0x14057b7ef767814fn)
  }
  const high = (bits: bigint) => Number(BigInt.asIntN(32, bits >> 32n))
  const low = (bits: bigint) => Number(BigInt.asIntN(32, bits))
  const factorLow = low(factor)
  return {
    factorHigh: high(factor),
    factorLow,
    factorLeft: factorLow >>> 16,
    factorRight: factorLow & 0xffff,
    incrementHigh: high(increment),
    incrementLow: low(increment)
  }
}

const oneStep = stepOver(1)
const eight = stepOver(8)

const digits = "0123456789abcdef"

/**
 * Pseudo-random numbers that are the same for the same seed on every machine. Equal to `PCGRandom` of `effect/Utils` in about a third of
 * its time, with 32-bit integer arithmetic only.
 */
export class Random {
  private high = 0
  private low = 0

  constructor(high: number, low: number) {
    this.move(oneStep)
    this.add(high, low)
    this.move(oneStep)
  }

  private add(high: number, low: number): void {
    const sum = (this.low + low) | 0
    this.high = (this.high + high + (sum >>> 0 < low >>> 0 ? 1 : 0)) | 0
    this.low = sum
  }

  private move(step: Step): void {
    const { high, low } = this
    // The lower 64 bits of the product, computed in halves of 16 bits.
    const right = low & 0xffff
    const left = low >>> 16
    const lowest = Math.imul(right, step.factorRight)
    const cross = Math.imul(right, step.factorLeft)
    const crossed = Math.imul(left, step.factorRight)
    const middle = (lowest >>> 16) + (cross & 0xffff) + (crossed & 0xffff)
    this.low = (middle << 16) | (lowest & 0xffff)
    this.high =
      (Math.imul(left, step.factorLeft) +
        (cross >>> 16) +
        (crossed >>> 16) +
        (middle >>> 16) +
        Math.imul(high, step.factorLow) +
        Math.imul(low, step.factorHigh)) |
      0
    this.add(step.incrementHigh, step.incrementLow)
  }

  /** Returns the next 32 bits. One function, because a world draws hundreds of thousands of numbers before an engine optimises anything. */
  private next32(): number {
    const { high, low } = this
    const right = low & 0xffff
    const left = low >>> 16
    const lowest = Math.imul(right, 0x7f2d)
    const cross = Math.imul(right, 0x4c95)
    const crossed = Math.imul(left, 0x7f2d)
    const middle = (lowest >>> 16) + (cross & 0xffff) + (crossed & 0xffff)
    const product = (middle << 16) | (lowest & 0xffff)
    const sum = (product + 0xf767814f) | 0
    this.low = sum
    this.high =
      (Math.imul(left, 0x4c95) +
        (cross >>> 16) +
        (crossed >>> 16) +
        (middle >>> 16) +
        Math.imul(high, 0x4c957f2d) +
        Math.imul(low, 0x5851f42d) +
        0x14057b7e +
        (sum >>> 0 < 0xf767814f ? 1 : 0)) |
      0
    const shiftedHigh = (high >>> 18) ^ high
    const shiftedLow = ((low >>> 18) | (high << 14)) ^ low
    const bits = (shiftedLow >>> 27) | (shiftedHigh << 5)
    const rotation = high >>> 27
    return (bits >>> rotation) | (bits << (-rotation & 31))
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive), with 53 bits. */
  next(): number {
    const high = this.next32() & 0x03ffffff
    return (high * 2 ** 27 + (this.next32() & 0x07ffffff)) / 2 ** 53
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

  /** Returns hex digits, each from the first four bits of `next`. */
  hex(count: number): string {
    let text = ""
    for (let index = 0; index < count; index++) {
      text += digits.charAt((this.next32() & 0x03ffffff) >>> 22)
      this.move(oneStep)
    }
    return text
  }

  /** Skips four hex digits. */
  skipFourDigits(): void {
    this.move(eight)
  }

  pick<A>(first: A, ...others: ReadonlyArray<A>): A {
    const index = this.between(0, others.length)
    return index === 0 ? first : (others[index - 1] ?? first)
  }

  /** Returns the position in the stream. */
  position(): Position {
    return { high: this.high, low: this.low }
  }

  /** Continues from a position of the same stream. */
  seek({ high, low }: Position): void {
    this.high = high
    this.low = low
  }
}

/** Creates the generator of a seed's stream. */
export const make = (seed: number, stream: string): Random => new Random(seed | 0, hash32(stream) | 0)

/** Creates a generator at a position of a stream. */
export const at = (position: Position): Random => {
  const random = new Random(0, 0)
  random.seek(position)
  return random
}
