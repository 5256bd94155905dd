/** Ids of one table: when it is full, the one before it is dropped. */
const mostInTable = 2 ** 20

/** Two checksums of 32 bits (cyrb53 without its last step). */
export const sumsOf = (text: string): readonly [number, number] => {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 0x9e3779b1)
    low = Math.imul(low ^ code, 0x5f356495)
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  // Zero marks an empty slot.
  return [high >>> 0, low >>> 0 || 1]
}

/** A hash table with open addressing: two numbers for a slot. */
const makeTable = (most: number) => {
  let slots = new Uint32Array(2 * 64)
  let size = 0

  const slotOf = (high: number, low: number): number => {
    const mask = slots.length / 2 - 1
    let slot = high & mask
    while (slots[2 * slot + 1] !== 0 && (slots[2 * slot + 1] !== low || slots[2 * slot] !== high)) {
      slot = (slot + 1) & mask
    }
    return 2 * slot
  }

  const put = (high: number, low: number): void => {
    const at = slotOf(high, low)
    slots[at] = high
    slots[at + 1] = low
  }

  const grow = (): void => {
    const before = slots
    slots = new Uint32Array(2 * before.length)
    for (let at = 0; at < before.length; at += 2) {
      const low = before[at + 1] ?? 0
      if (low !== 0) put(before[at] ?? 0, low)
    }
  }

  return {
    has: (high: number, low: number): boolean => slots[slotOf(high, low) + 1] !== 0,
    add: (high: number, low: number): void => {
      if (4 * ++size > 3 * (slots.length / 2)) grow()
      put(high, low)
    },
    isFull: (): boolean => size >= most
  }
}

/** Ids that were seen. */
export interface SeenIds {
  /** Adds an id. Returns whether it was there before. */
  readonly add: (id: string) => boolean
  readonly has: (id: string) => boolean
}

/** Remembers ids by checksums of 64 bits: at least the last `most` ones, by default a million. */
export const make = (most = mostInTable): SeenIds => {
  let before = makeTable(most)
  let current = makeTable(most)
  return {
    has: (id) => {
      const [high, low] = sumsOf(id)
      return current.has(high, low) || before.has(high, low)
    },
    add: (id: string): boolean => {
      const [high, low] = sumsOf(id)
      if (current.has(high, low)) return true
      const wasThere = before.has(high, low)
      if (current.isFull()) {
        before = current
        current = makeTable(most)
      }
      current.add(high, low)
      return wasThere
    }
  }
}
