/**
 * Append-only lists of records: an account's closed orders, executions and closed profits. States are immutable, and copying a list for
 * every record would make each order more expensive than the previous one. A long list consists of chunks that successive lists share,
 * after a past whose records are created when they are read. A proxy makes it look like an array.
 */

const chunkSize = 1024

/** Items that are created on demand. */
export interface Source<A> {
  readonly length: number
  readonly at: (index: number) => A
  /** Whether an item with this key can be present. Absent: any key can be. */
  readonly mayHave?: (key: string) => boolean
}

/** The items before the chunks. */
interface Past<A> {
  readonly length: number
  readonly at: (index: number) => A
  readonly mayHave: (key: string) => boolean
}

/** State shared by lists that were derived from each other. */
interface Lineage {
  /** The keys of all items added to any of them, on every branch. */
  readonly keys: Set<string>
}

interface Chunks<A> {
  readonly past: Past<A>
  /** Full chunks. Appending changes them only once per chunk. */
  readonly chunks: ReadonlyArray<ReadonlyArray<A>>
  readonly tail: ReadonlyArray<A>
  readonly length: number
  readonly lineage: Lineage
}

const chunksKey = Symbol("chunks")

const noPast: Past<never> = {
  length: 0,
  at: () => {
    throw new RangeError("there is no past")
  },
  mayHave: () => false
}

const at = <A>({ chunks, past, tail }: Chunks<A>, index: number): A | undefined => {
  if (index < past.length) return index >= 0 && Number.isInteger(index) ? past.at(index) : undefined
  const since = index - past.length
  const chunk = Math.floor(since / chunkSize)
  return (chunk === chunks.length ? tail : chunks[chunk])?.[since % chunkSize]
}

function* items<A>({ chunks, past, tail }: Chunks<A>): IterableIterator<A> {
  for (let index = 0; index < past.length; index++) yield past.at(index)
  for (const chunk of chunks) yield* chunk
  yield* tail
}

/** Some items after a past and full chunks. */
const cut = <A>(
  past: Past<A>,
  full: ReadonlyArray<ReadonlyArray<A>>,
  rest: ReadonlyArray<A>,
  lineage: Lineage
): Chunks<A> => {
  const count = Math.floor(rest.length / chunkSize)
  const more = Array.from({ length: count }, (_, index) => rest.slice(index * chunkSize, (index + 1) * chunkSize))
  return {
    past,
    chunks: count === 0 ? full : [...full, ...more],
    tail: count === 0 ? rest : rest.slice(count * chunkSize),
    length: past.length + full.length * chunkSize + rest.length,
    lineage
  }
}

const indexOf = (property: string): number => {
  const code = property.charCodeAt(0)
  // A digit, or the minus sign of an invalid index.
  return (code >= 48 && code <= 57) || code === 45 ? Number(property) : Number.NaN
}

/** Converts an index of `slice` to an offset from the start. */
const fromStart = (index: number, length: number): number => Math.max(0, index < 0 ? length + index : index)

/** Reads single items without building the array. Any other access builds the array once and delegates to it. */
class View<A> implements ProxyHandler<Array<A>> {
  private laidOut = false
  private known: Chunks<A> | undefined

  constructor(
    private readonly target: Array<A>,
    private readonly make: () => Chunks<A>
  ) {}

  private source(): Chunks<A> {
    return (this.known ??= this.make())
  }

  private layOut(): Array<A> {
    if (!this.laidOut) {
      this.laidOut = true
      for (const item of items(this.source())) this.target.push(item)
    }
    return this.target
  }

  get(_: Array<A>, property: PropertyKey): unknown {
    const source = this.source()
    switch (property) {
      case chunksKey:
        return source
      case "length":
        return source.length
      case Symbol.iterator:
        return () => items(source)
      case "at":
        return (index: number) => at(source, index < 0 ? source.length + index : index)
      case "findLast":
        return findLast(source)
      case "slice":
        return slice(source)
    }
    const index = typeof property === "string" ? indexOf(property) : Number.NaN
    if (!Number.isNaN(index)) return at(source, index)
    const target = this.layOut()
    const value: unknown = Reflect.get(target, property, target)
    if (typeof value !== "function" || property === "constructor") return value
    const bound: unknown = value.bind(target)
    return bound
  }

  has(_: Array<A>, property: PropertyKey): boolean {
    return Reflect.has(this.layOut(), property)
  }

  ownKeys(): Array<string | symbol> {
    return Reflect.ownKeys(this.layOut())
  }

  getOwnPropertyDescriptor(_: Array<A>, property: PropertyKey): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.layOut(), property)
  }
}

const findLast =
  <A>(source: Chunks<A>) =>
  (isWanted: (item: A | undefined) => boolean): A | undefined => {
    for (let index = source.length - 1; index >= 0; index--) {
      const item = at(source, index)
      if (isWanted(item)) return item
    }
    return undefined
  }

const slice =
  <A>(source: Chunks<A>) =>
  (from = 0, to = source.length): ReadonlyArray<A | undefined> => {
    const start = fromStart(from, source.length)
    const end = Math.min(fromStart(to, source.length), source.length)
    return Array.from({ length: Math.max(0, end - start) }, (_, index) => at(source, start + index))
  }

const view = <A>(make: () => Chunks<A>): ReadonlyArray<A> => {
  const target: Array<A> = []
  return new Proxy(target, new View(target, make))
}

/** A list whose items are created when they are first read, and then kept. */
export const virtual = <A>(source: () => Source<A>): ReadonlyArray<A> =>
  view(() => {
    const { at, length, mayHave = () => true } = source()
    const made: Array<A> = []
    const past: Past<A> = { length, at: (index) => (made[index] ??= at(index)), mayHave }
    return { past, chunks: [], tail: [], length, lineage: { keys: new Set() } }
  })

const chunksOf = <A>(list: ReadonlyArray<A>): Chunks<A> | undefined =>
  // The key always leads to the chunks of a view of the same items.
  Reflect.get(list, chunksKey) as Chunks<A> | undefined

const toChunks = <A>(list: ReadonlyArray<A>, keyOf: (item: A) => string | undefined): Chunks<A> => {
  const known = chunksOf(list)
  if (known !== undefined) return known
  const lineage = { keys: new Set<string>() }
  for (const item of list) note(lineage, keyOf(item))
  return cut(noPast, [], [...list], lineage)
}

const note = ({ keys }: Lineage, key: string | undefined): void => {
  if (key !== undefined) keys.add(key)
}

const noKey = (): undefined => undefined

/** Appends items to a list. `keyOf` is the key by which `mayHave` finds an item. */
export const append = <A>(
  list: ReadonlyArray<A>,
  added: ReadonlyArray<A>,
  keyOf: (item: A) => string | undefined = noKey
): ReadonlyArray<A> => {
  if (added.length === 0) return list
  if (chunksOf(list) === undefined && list.length + added.length <= chunkSize) return [...list, ...added]
  const before = toChunks(list, keyOf)
  for (const item of added) note(before.lineage, keyOf(item))
  const after = cut(before.past, before.chunks, [...before.tail, ...added], before.lineage)
  return view(() => after)
}

/** Removes an item and appends another. The cost depends on the distance from the end. */
export const moveToEnd = <A>(
  list: ReadonlyArray<A>,
  index: number,
  item: A,
  keyOf: (item: A) => string | undefined = noKey
): ReadonlyArray<A> => {
  const known = chunksOf(list)
  if (known === undefined) return [...list.slice(0, index), ...list.slice(index + 1), item]
  note(known.lineage, keyOf(item))
  const { chunks, lineage, past, tail } = known
  if (index < past.length) {
    // The chunks contain the items of this list, but not their type.
    const rest = [...slice(known)(index + 1), item] as ReadonlyArray<A>
    const after = cut({ ...past, length: index }, [], rest, lineage)
    return view(() => after)
  }
  const since = index - past.length
  const first = Math.min(Math.floor(since / chunkSize), chunks.length)
  const later = [...chunks.slice(first).flat(), ...tail].toSpliced(since - first * chunkSize, 1)
  const full = first === chunks.length ? chunks : chunks.slice(0, first)
  const after = cut(past, full, [...later, item], lineage)
  return view(() => after)
}

/** Whether an item with this key can be in the list; `false` is certain. */
export const mayHave = (list: ReadonlyArray<unknown>, key: string): boolean => {
  const known = chunksOf(list)
  return known === undefined || known.lineage.keys.has(key) || known.past.mayHave(key)
}
