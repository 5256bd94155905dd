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
  return [high >>> 0, low >>> 0]
}

/** The longest id in the shared bytes. A longer one, which no service has, is stored as text. */
const longest = 1024

/** The value of a lower-case hexadecimal digit; -1 for another character. */
const digitOf = (code: number): number =>
  code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1

/** Writes a UUID as 17 bytes. Returns 0 if the text is none. */
const packUuid = (id: string, into: Uint8Array): number => {
  if (id.length !== 36) return 0
  into[0] = 2
  let length = 1
  for (let index = 0; index < 36; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) if (id.charCodeAt(index++) !== 45) return 0
    const high = digitOf(id.charCodeAt(index))
    const low = digitOf(id.charCodeAt(index + 1))
    if (high < 0 || low < 0) return 0
    into[length++] = 16 * high + low
  }
  return length
}

/** Writes a text: its width and length, then one byte for a character of Latin-1, or two for any. */
const packText = (id: string, into: Uint8Array): number => {
  into[0] = 0
  into[1] = id.length >> 8
  into[2] = id.length
  let length = 3
  for (let index = 0; index < id.length; index++) {
    const code = id.charCodeAt(index)
    if (code > 255) return packWide(id, into)
    into[length++] = code
  }
  return length
}

const packWide = (id: string, into: Uint8Array): number => {
  into[0] = 1
  let length = 3
  for (let index = 0; index < id.length; index++) {
    const code = id.charCodeAt(index)
    into[length++] = code >> 8
    into[length++] = code
  }
  return length
}

/** The length of packed bytes, which depends on the first ones. */
const lengthOf = (bytes: Uint8Array, start: number): number =>
  bytes[start] === 2 ? 17 : 3 + (1 + (bytes[start] ?? 0)) * (256 * (bytes[start + 1] ?? 0) + (bytes[start + 2] ?? 0))

const hashOf = (bytes: Uint8Array, start: number, length: number): number => {
  let hash = 0x811c9dc5
  for (let index = start; index < start + length; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

const pageBits = 18
const pageSize = 2 ** pageBits
const nothing = new Uint8Array(0)

/** Packed ids, one after the other, by the place of their first byte. */
const makePages = () => {
  const pages: Array<Uint8Array> = []
  let end = pageSize
  const pageAt = (place: number): Uint8Array => pages[place >>> pageBits] ?? nothing
  const startAt = (place: number): number => place & (pageSize - 1)
  return {
    isAt: (place: number, packed: Uint8Array, length: number): boolean => {
      const [page, start] = [pageAt(place), startAt(place)]
      for (let index = 0; index < length; index++) if (page[start + index] !== packed[index]) return false
      return true
    },
    hashAt: (place: number): number => {
      const [page, start] = [pageAt(place), startAt(place)]
      return hashOf(page, start, lengthOf(page, start))
    },
    store: (packed: Uint8Array, length: number): number => {
      if (end + length > pageSize) {
        pages.push(new Uint8Array(pageSize))
        end = 0
      }
      pages.at(-1)?.set(packed.subarray(0, length), end)
      const place = (pages.length - 1) * pageSize + end
      end += length
      return place
    }
  }
}

/** A set of ids: a hash table with open addressing of the places of their bytes. */
const makeTable = (most: number) => {
  const pages = makePages()
  const long = new Set<string>()
  const packed = new Uint8Array(2 * longest + 3)
  /** The places of ids, counted from 1; 0 is empty. */
  let slots = new Uint32Array(64)
  let size = 0

  /** The slot of the id that is packed, or the empty one where it belongs. */
  const slotOf = (length: number): number => {
    const mask = slots.length - 1
    for (let slot = hashOf(packed, 0, length) & mask; ; slot = (slot + 1) & mask) {
      const place = slots[slot] ?? 0
      if (place === 0 || pages.isAt(place - 1, packed, length)) return slot
    }
  }

  const grow = (): void => {
    const before = slots
    slots = new Uint32Array(2 * before.length)
    const mask = slots.length - 1
    for (const place of before) {
      if (place === 0) continue
      let slot = pages.hashAt(place - 1) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = place
    }
  }

  const pack = (id: string): number => packUuid(id, packed) || packText(id, packed)

  return {
    has: (id: string): boolean => (id.length > longest ? long.has(id) : slots[slotOf(pack(id))] !== 0),
    /** Adds an id. Returns whether it was there. */
    add: (id: string): boolean => {
      const before = long.size
      if (id.length > longest) return long.add(id).size === before
      const length = pack(id)
      const slot = slotOf(length)
      if (slots[slot] !== 0) return true
      slots[slot] = pages.store(packed, length) + 1
      if (4 * ++size > 3 * slots.length) grow()
      return false
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

/** Remembers ids as they are, in about 25 bytes each: at least the last `most` ones, by default a million. */
export const make = (most = mostInTable): SeenIds => {
  let before: ReturnType<typeof makeTable> | undefined
  let current = makeTable(most)
  return {
    has: (id) => current.has(id) || before?.has(id) === true,
    add: (id: string): boolean => {
      if (before === undefined && !current.isFull()) return current.add(id)
      if (current.has(id)) return true
      const wasThere = before?.has(id) === true
      if (current.isFull()) {
        before = current
        current = makeTable(most)
      }
      current.add(id)
      return wasThere
    }
  }
}
