/** Fills the target of a proxy at the first look. Afterwards the proxy has no traps: looks go straight to the target. */
const filledOnce = <T extends object>(target: T, fill: () => void, read: ProxyHandler<T>["get"]): T => {
  const handler: ProxyHandler<T> = {}
  const looked = <A extends ReadonlyArray<unknown>, B>(look: (...input: A) => B) => {
    return (...input: A): B => {
      if (pending.delete(proxy)) {
        fill()
        delete handler.has
        delete handler.ownKeys
        delete handler.getOwnPropertyDescriptor
        delete handler.get
        if (read !== undefined) handler.get = read
      }
      return look(...input)
    }
  }
  handler.has = looked(Reflect.has)
  handler.ownKeys = looked(Reflect.ownKeys)
  handler.getOwnPropertyDescriptor = looked(Reflect.getOwnPropertyDescriptor)
  handler.get = looked(read ?? Reflect.get)
  const proxy = new Proxy(target, handler)
  pending.add(proxy)
  return proxy
}

const pending = new WeakSet()

/** Whether a value of this module was looked at; `true` for every other value. */
export const isMade = (value: object): boolean => !pending.has(value)

/**
 * An array that is made when it is first looked at. It is passed on, spread with its owner and put into other worlds without being
 * looked at.
 */
export const list = <A>(make: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  const target: Array<A> = []
  return filledOnce<Array<A>>(
    target,
    () => {
      for (const item of make()) target.push(item)
    },
    undefined
  )
}

/** A plain object that is made when it is first looked at. */
export const record = <A extends object>(make: () => A): A => {
  // Empty until `fill` has run, which is before anything is read from it.
  const target = {} as A
  return filledOnce(target, () => Object.assign(target, make()), undefined)
}

/** A map that is made when it is first looked at. */
export const map = <K, V>(make: () => ReadonlyMap<K, V>): ReadonlyMap<K, V> => {
  const target = new Map<K, V>()
  return filledOnce(
    target,
    () => {
      for (const [key, value] of make()) target.set(key, value)
    },
    // A map's methods work on a map, not on its proxy.
    (_, property) => {
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === "function" && property !== "constructor" ? value.bind(target) : value
    }
  )
}

/** A value that is made when it is first asked for, and kept. */
export const value = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
