/** Fills the target of a proxy at the first look. Afterwards the proxy has one trap, `read`, or none. */
const filledOnce = <T extends object>(
  target: T,
  fill: () => void,
  read?: ProxyHandler<T>["get"],
  known?: Partial<T>
): T => {
  const handler: ProxyHandler<T> = {}
  const make = (): void => {
    if (!pending.delete(proxy)) return
    fill()
    delete handler.has
    delete handler.ownKeys
    delete handler.getOwnPropertyDescriptor
    delete handler.get
    if (read !== undefined) handler.get = read
  }
  const looked =
    <A extends ReadonlyArray<unknown>, B>(look: (...input: A) => B) =>
    (...input: A): B => {
      make()
      return look(...input)
    }
  handler.has = looked(Reflect.has)
  handler.ownKeys = looked(Reflect.ownKeys)
  handler.getOwnPropertyDescriptor = looked(Reflect.getOwnPropertyDescriptor)
  handler.get =
    known === undefined
      ? looked(read ?? Reflect.get)
      : (target, property, receiver): unknown => {
          if (pending.has(proxy) && Object.hasOwn(known, property)) return Reflect.get(known, property)
          make()
          return Reflect.get(target, property, receiver)
        }
  const proxy = new Proxy(target, handler)
  pending.add(proxy)
  return proxy
}

const pending = new WeakSet()

/**
 * Reads from a collection behind a proxy, with methods that work on the collection itself: those of a map work on nothing else, and those
 * of an array go through its items ten times faster than through a proxy.
 */
const withMethodsOf =
  (target: object) =>
  (_: object, property: PropertyKey): unknown => {
    const value: unknown = Reflect.get(target, property, target)
    if (typeof value !== "function" || property === "constructor") return value
    const bound: unknown = value.bind(target)
    return bound
  }

/** Whether a value of this module was looked at; `true` for every other value. */
export const isMade = (value: object): boolean => !pending.has(value)

/**
 * An array that is made when it is first looked at. It is passed on, spread with its owner and put into other worlds without being
 * looked at.
 */
export const list = <A>(make: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  const target: Array<A> = []
  const fill = () => {
    for (const item of make()) target.push(item)
  }
  return filledOnce<Array<A>>(target, fill, withMethodsOf(target))
}

/** A plain object that is made when it is first looked at, but for fields that are known without making it. */
export const record = <A extends object>(make: () => A, known?: Partial<A>): A => {
  // Empty until `fill` has run, which is before anything is read from it.
  const target = {} as A
  return filledOnce(target, () => Object.assign(target, make()), undefined, known)
}

/** A map that is made when it is first looked at. */
export const map = <K, V>(make: () => ReadonlyMap<K, V>): ReadonlyMap<K, V> => {
  const target = new Map<K, V>()
  const fill = () => {
    for (const [key, value] of make()) target.set(key, value)
  }
  return filledOnce<Map<K, V>>(target, fill, withMethodsOf(target))
}

/** A value that is made when it is first asked for, and kept. */
export const value = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
