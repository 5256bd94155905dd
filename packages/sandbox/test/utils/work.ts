/** Methods that look at no more than an item or two. */
const brief = new Set<PropertyKey>(["constructor", "at", "push", "pop", "get", "set", "has", "add", "delete"])

interface Sized {
  readonly length?: number
  readonly size?: number
}

/**
 * The number of items that lists, maps and sets walk through or copy while something runs: the same on any machine and under any load,
 * which processor time is not. Loops over an index are not seen; `watched` sees what such a loop reads.
 */
export const walked = (run: () => void): number => {
  let count = 0
  const undo: Array<() => void> = []
  for (const prototype of [Array.prototype, Map.prototype, Set.prototype]) {
    for (const name of Reflect.ownKeys(prototype)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(prototype, name)
      if (descriptor === undefined || brief.has(name) || typeof descriptor.value !== "function") continue
      const { value } = descriptor
      Reflect.defineProperty(prototype, name, {
        ...descriptor,
        value(this: Sized, ...parameters: ReadonlyArray<unknown>): unknown {
          count += this.length ?? this.size ?? 0
          return Reflect.apply(value, this, parameters)
        }
      })
      undo.push(() => Reflect.defineProperty(prototype, name, descriptor))
    }
  }
  try {
    run()
  } finally {
    for (const restore of undo) restore()
  }
  return count
}

/** A record that reports each time that a field of it is read. */
export const watched = <A extends object>(record: A, onRead: () => void): A =>
  new Proxy(record, {
    get: (target, property) => {
      onRead()
      return Reflect.get(target, property)
    }
  })
