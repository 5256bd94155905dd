/** Records that are created when they are first read. */
export interface Source<A> {
  readonly length: number
  readonly at: (index: number) => A
  /** Whether a record with this key can be present. */
  readonly mayHave: (key: string) => boolean
}

/** Records that are read by their index: an array, or a list of records. */
export interface Records<A> {
  readonly length: number
  readonly at: (index: number) => A | undefined
}

interface Index<A> {
  readonly keyOf: (item: A) => string | undefined
  /** The keys of the records since the source, and of others. */
  readonly keys: Set<string>
}

const chunkSize = 1024

/** Records in chunks: appending copies the last one, and the list of chunks once per chunk. */
interface Chunks<A> {
  readonly full: ReadonlyArray<ReadonlyArray<A>>
  readonly tail: ReadonlyArray<A>
}

const toChunks = <A>(full: Chunks<A>["full"], rest: ReadonlyArray<A>): Chunks<A> => {
  const count = Math.floor(rest.length / chunkSize)
  const more = Array.from({ length: count }, (_, index) => rest.slice(index * chunkSize, (index + 1) * chunkSize))
  return count === 0 ? { full, tail: rest } : { full: [...full, ...more], tail: rest.slice(count * chunkSize) }
}

const noSource: Source<never> = {
  length: 0,
  at: () => {
    throw new RangeError("there is no source")
  },
  mayHave: () => false
}

/**
 * The records of an account, oldest first: its closed orders, executions or closed profits. Immutable; successive lists share their records, so
 * that a record costs the same after a million others.
 */
export class RecordList<A> implements Iterable<A> {
  readonly #source: () => Source<A>
  readonly #since: Chunks<A>
  #index: Index<A> | undefined

  private constructor(source: () => Source<A>, since: Chunks<A>, index: Index<A> | undefined) {
    this.#source = source
    this.#since = since
    this.#index = index
  }

  static from<A>(items: Iterable<A> = []): RecordList<A> {
    return new RecordList<A>(() => noSource, toChunks([], Array.from(items)), undefined)
  }

  /** Creates each record when it is first read, and keeps it. */
  static onDemand<A>(make: () => Source<A>): RecordList<A> {
    let source: Source<A> | undefined
    const read = (): Source<A> => {
      if (source === undefined) {
        const { at, length, mayHave } = make()
        const made: Array<A> = []
        source = { length, mayHave, at: (index) => (made[index] ??= at(index)) }
      }
      return source
    }
    return new RecordList<A>(read, toChunks([], []), undefined)
  }

  get length(): number {
    return this.#source().length + this.#since.full.length * chunkSize + this.#since.tail.length
  }

  /** Returns the record at an index; a negative one counts from the end. */
  at(index: number): A | undefined {
    const position = index < 0 ? this.length + index : index
    if (position < 0 || position >= this.length) return undefined
    const source = this.#source()
    if (position < source.length) return source.at(position)
    const { full, tail } = this.#since
    const since = position - source.length
    return (full[Math.floor(since / chunkSize)] ?? tail)[since % chunkSize]
  }

  *[Symbol.iterator](): IterableIterator<A> {
    const source = this.#source()
    for (let index = 0; index < source.length; index++) yield source.at(index)
    for (const chunk of this.#since.full) yield* chunk
    yield* this.#since.tail
  }

  /** Returns the records in a range of indices. */
  slice(start: number, end: number = this.length): ReadonlyArray<A> {
    const slice: Array<A> = []
    for (let index = start; index < end; index++) {
      const item = this.at(index)
      if (item !== undefined) slice.push(item)
    }
    return slice
  }

  /** Returns the records that satisfy a condition. */
  filter(isWanted: (item: A, index: number) => boolean): ReadonlyArray<A> {
    return Array.from(this).filter(isWanted)
  }

  /** Returns the last record that satisfies a condition. */
  findLast(isWanted: (item: A) => boolean): A | undefined {
    for (let index = this.length - 1; index >= 0; index--) {
      const item = this.at(index)
      if (item !== undefined && isWanted(item)) return item
    }
    return undefined
  }

  /** Appends records. */
  append(items: ReadonlyArray<A>): RecordList<A> {
    const { full, tail } = this.#since
    return items.length === 0 ? this : this.#derive(this.#source, toChunks(full, [...tail, ...items]), items)
  }

  /** Removes a record and appends another. The cost depends on the distance from the end. */
  moveToEnd(index: number, item: A): RecordList<A> {
    const source = this.#source()
    const since = index - source.length
    if (since < 0) {
      const after = toChunks([], [...this.slice(index + 1), item])
      return this.#derive(() => ({ ...source, length: index }), after, [item])
    }
    const full = this.#since.full.slice(0, Math.floor(since / chunkSize))
    const rest = this.slice(source.length + full.length * chunkSize).toSpliced(since % chunkSize, 1)
    return this.#derive(this.#source, toChunks(full, [...rest, item]), [item])
  }

  #derive(source: () => Source<A>, since: Chunks<A>, added: ReadonlyArray<A>): RecordList<A> {
    for (const item of added) note(this.#index, item)
    return new RecordList<A>(source, since, this.#index)
  }

  /** Whether a record with this key can be in the list; `false` is certain. The lists that are derived from this one share an index of `keyOf`. */
  mayHave(keyOf: (item: A) => string | undefined, key: string): boolean {
    if (this.#index?.keyOf !== keyOf) {
      this.#index = { keyOf, keys: new Set() }
      for (const item of this.slice(this.#source().length)) note(this.#index, item)
    }
    return this.#index.keys.has(key) || this.#source().mayHave(key)
  }
}

const note = <A>(index: Index<A> | undefined, item: A): void => {
  const key = index?.keyOf(item)
  if (key !== undefined) index?.keys.add(key)
}
