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
  /** Where the stream stands. */
  readonly position: () => Position
  /** Continues from a position of the same stream. */
  readonly seek: (position: Position) => void
}

/** A position within a stream: the generator's 64 bits. */
export interface Position {
  readonly high: number
  readonly low: number
}

/** 32 bits of FNV-1a: gives every part of the world a stream of its own. */
export const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash
}

const incrementHigh = 0x14057b7e
const incrementLow = 0xf767814f

/**
 * The numbers of `PCGRandom` of `effect/Utils`, in about a third of its time: a world is a few hundred thousand of them. All of it is
 * arithmetic on 32-bit integers.
 */
class Generator {
  readonly state = new Int32Array(2)

  constructor(high: number, low: number) {
    this.next32()
    this.add(high, low)
    this.next32()
  }

  add(high: number, low: number): void {
    const sum = ((this.state[1] ?? 0) + low) | 0
    this.state[1] = sum
    this.state[0] = (this.state[0] ?? 0) + high + (sum >>> 0 < low >>> 0 ? 1 : 0)
  }

  next32(): number {
    const high = this.state[0] ?? 0
    const low = this.state[1] ?? 0
    // The lower 64 bits of the product with 0x5851f42d4c957f2d, by halves of 16 bits.
    const right = low & 0xffff
    const left = low >>> 16
    const lowest = Math.imul(right, 0x7f2d)
    const cross = Math.imul(right, 0x4c95)
    const crossed = Math.imul(left, 0x7f2d)
    const middle = (lowest >>> 16) + (cross & 0xffff) + (crossed & 0xffff)
    this.state[1] = (middle << 16) | (lowest & 0xffff)
    this.state[0] =
      Math.imul(left, 0x4c95) +
      (cross >>> 16) +
      (crossed >>> 16) +
      (middle >>> 16) +
      Math.imul(high, 0x4c957f2d) +
      Math.imul(low, 0x5851f42d)
    this.add(incrementHigh, incrementLow)
    const shiftedHigh = (high >>> 18) ^ high
    const shiftedLow = ((low >>> 18) | (high << 14)) ^ low
    const bits = (shiftedLow >>> 27) | (shiftedHigh << 5)
    const rotation = high >>> 27
    return (bits >>> rotation) | (bits << (-rotation & 31))
  }

  /** 53 bits, as a part of 1. */
  next(): number {
    const high = this.next32() & 0x03ffffff
    return (high * 2 ** 27 + (this.next32() & 0x07ffffff)) / 2 ** 53
  }
}

const digits = "0123456789abcdef"

export const make = (seed: number, stream: string): Random => {
  const generator = new Generator(seed | 0, hash32(stream) | 0)
  const next = () => generator.next()
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    bell: () => (next() + next() + next() + next() - 2) * Math.sqrt(3),
    hex: (count) => {
      let text = ""
      for (let index = 0; index < count; index++) text += digits.charAt(Math.floor(next() * 16))
      return text
    },
    pick: (first, ...others) => {
      const index = between(0, others.length)
      return index === 0 ? first : (others[index - 1] ?? first)
    },
    position: () => ({ high: generator.state[0] ?? 0, low: generator.state[1] ?? 0 }),
    seek: ({ high, low }) => {
      generator.state[0] = high
      generator.state[1] = low
    }
  }
}
