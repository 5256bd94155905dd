/**
 * Lists of records that only grow: an account's closed orders, executions and closed profits. A state is never changed, only replaced,
 * and copying a list for every record would make each order dearer than the one before. A long list is kept in chunks that successive
 * lists share, behind a proxy that reads as the array does.
 */

const chunkSize = 1024

/** What lists that grew out of one another have in common. */
interface Lineage {
  /** The keys of all items that any of them has: never fewer, on whichever branch. */
  readonly keys: Set<string>
}

interface Chunks<A> {
  /** All of them full. Adding an item leaves them alone but for once in a chunk. */
  readonly chunks: ReadonlyArray<ReadonlyArray<A>>
  readonly tail: ReadonlyArray<A>
  readonly length: number
  readonly lineage: Lineage
}

const chunksKey = Symbol("chunks")

const at = <A>({ chunks, tail }: Chunks<A>, index: number): A | undefined => {
  const chunk = Math.floor(index / chunkSize)
  return (chunk === chunks.length ? tail : chunks[chunk])?.[index % chunkSize]
}

function* items<A>({ chunks, tail }: Chunks<A>): IterableIterator<A> {
  for (const chunk of chunks) yield* chunk
  yield* tail
}

/** Some items after full chunks. */
const cut = <A>(full: ReadonlyArray<ReadonlyArray<A>>, rest: ReadonlyArray<A>, lineage: Lineage): Chunks<A> => {
  const count = Math.floor(rest.length / chunkSize)
  const more = Array.from({ length: count }, (_, index) => rest.slice(index * chunkSize, (index + 1) * chunkSize))
  return {
    chunks: count === 0 ? full : [...full, ...more],
    tail: count === 0 ? rest : rest.slice(count * chunkSize),
    length: full.length * chunkSize + rest.length,
    lineage
  }
}

const indexOf = (property: string): number => {
  const code = property.charCodeAt(0)
  // A digit, or the minus of an index that nothing has.
  return (code >= 48 && code <= 57) || code === 45 ? Number(property) : Number.NaN
}

/** Reads the items one by one without laying them out; everything else lays them out once, and asks the array. */
class View<A> implements ProxyHandler<Array<A>> {
  private laidOut = false

  constructor(
    private readonly target: Array<A>,
    private readonly source: Chunks<A>
  ) {}

  private layOut(): Array<A> {
    if (!this.laidOut) {
      this.laidOut = true
      for (const item of items(this.source)) this.target.push(item)
    }
    return this.target
  }

  get(_: Array<A>, property: PropertyKey): unknown {
    const { source } = this
    if (property === chunksKey) return source
    if (property === "length") return source.length
    if (property === Symbol.iterator) return () => items(source)
    if (property === "at") return (index: number) => at(source, index < 0 ? source.length + index : index)
    if (property === "findLast") {
      return (isWanted: (item: A | undefined) => boolean) => {
        for (let index = source.length - 1; index >= 0; index--) {
          const item = at(source, index)
          if (isWanted(item)) return item
        }
        return undefined
      }
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

const view = <A>(source: Chunks<A>): ReadonlyArray<A> => {
  const target: Array<A> = []
  return new Proxy(target, new View(target, source))
}

const chunksOf = <A>(list: ReadonlyArray<A>): Chunks<A> | undefined =>
  // The key leads to nothing but the chunks of a view of the same items.
  Reflect.get(list, chunksKey) as Chunks<A> | undefined

const chunked = <A>(list: ReadonlyArray<A>, keyOf: (item: A) => string | undefined): Chunks<A> => {
  const known = chunksOf(list)
  if (known !== undefined) return known
  const lineage = { keys: new Set<string>() }
  for (const item of list) note(lineage, keyOf(item))
  return cut([], [...list], lineage)
}

const note = ({ keys }: Lineage, key: string | undefined): void => {
  if (key !== undefined) keys.add(key)
}

const noKey = (): undefined => undefined

/** The list with more items at its end. `keyOf` says by what `mayHave` finds an item. */
export const append = <A>(
  list: ReadonlyArray<A>,
  added: ReadonlyArray<A>,
  keyOf: (item: A) => string | undefined = noKey
): ReadonlyArray<A> => {
  if (added.length === 0) return list
  if (list.length + added.length <= chunkSize) return [...list, ...added]
  const before = chunked(list, keyOf)
  for (const item of added) note(before.lineage, keyOf(item))
  return view(cut(before.chunks, [...before.tail, ...added], before.lineage))
}

/** The list with an item taken out and another at its end. What it costs depends on how far from the end that is. */
export const moveToEnd = <A>(
  list: ReadonlyArray<A>,
  index: number,
  item: A,
  keyOf: (item: A) => string | undefined = noKey
): ReadonlyArray<A> => {
  const known = chunksOf(list)
  if (known === undefined) return [...list.slice(0, index), ...list.slice(index + 1), item]
  const first = Math.min(Math.floor(index / chunkSize), known.chunks.length)
  const later = [...known.chunks.slice(first).flat(), ...known.tail].toSpliced(index - first * chunkSize, 1)
  const full = first === known.chunks.length ? known.chunks : known.chunks.slice(0, first)
  note(known.lineage, keyOf(item))
  return view(cut(full, [...later, item], known.lineage))
}

/** Whether an item of this key may be in the list: `false` is certain. */
export const mayHave = (list: ReadonlyArray<unknown>, key: string): boolean =>
  chunksOf(list)?.lineage.keys.has(key) ?? true
