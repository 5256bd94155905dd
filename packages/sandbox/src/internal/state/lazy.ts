/** How what was made gets into the target of a proxy, and what is read from there. */
interface Kind<T extends object, A> {
  readonly fill: (target: T, made: A) => void
  /** Methods work on the collection itself: those of a map work on nothing else, and those of an array are ten times faster on it. */
  readonly hasMethods: boolean
}

/** Fills the target of a proxy at the first look. */
class FilledOnce<T extends object, A> implements ProxyHandler<T> {
  /** Gone once the target is filled. */
  make: (() => A) | undefined

  constructor(
    readonly target: T,
    make: () => A,
    readonly kind: Kind<T, A>,
    readonly known: Partial<T> | undefined
  ) {
    this.make = make
  }

  private look(): T {
    const { make } = this
    if (make !== undefined) {
      this.make = undefined
      this.kind.fill(this.target, make())
    }
    return this.target
  }

  get(_: T, property: PropertyKey): unknown {
    const { known } = this
    if (known !== undefined && this.make !== undefined && Object.hasOwn(known, property)) {
      return Reflect.get(known, property)
    }
    const target = this.look()
    const value: unknown = Reflect.get(target, property, target)
    if (!this.kind.hasMethods || typeof value !== "function" || property === "constructor") return value
    const bound: unknown = value.bind(target)
    return bound
  }

  has(_: T, property: PropertyKey): boolean {
    return Reflect.has(this.look(), property)
  }

  ownKeys(): Array<string | symbol> {
    return Reflect.ownKeys(this.look())
  }

  getOwnPropertyDescriptor(_: T, property: PropertyKey): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.look(), property)
  }
}

const handlers = new WeakMap<object, { readonly make: unknown }>()

const filledOnce = <T extends object, A>(target: T, make: () => A, kind: Kind<T, A>, known?: Partial<T>): T => {
  const handler = new FilledOnce(target, make, kind, known)
  const proxy = new Proxy(target, handler)
  handlers.set(proxy, handler)
  return proxy
}

/** Whether a value of this module was looked at; `true` for every other value. */
export const isMade = (value: object): boolean => handlers.get(value)?.make === undefined

const ofList = {
  fill: (target: Array<unknown>, items: ReadonlyArray<unknown>) => {
    for (const item of items) target.push(item)
  },
  hasMethods: true
}

const ofRecord = { fill: (target: object, made: object) => void Object.assign(target, made), hasMethods: false }

const ofMap = {
  fill: (target: Map<unknown, unknown>, made: ReadonlyMap<unknown, unknown>) => {
    for (const [key, value] of made) target.set(key, value)
  },
  hasMethods: true
}

/**
 * An array that is made when it is first looked at. It is passed on, spread with its owner and put into other worlds without being
 * looked at.
 */
export const list = <A>(make: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  const target: Array<A> = []
  return filledOnce<Array<A>, ReadonlyArray<A>>(target, make, ofList)
}

/** A plain object that is made when it is first looked at, but for fields that are known without making it. */
export const record = <A extends object>(make: () => A, known?: Partial<A>): A =>
  // Empty until it is filled, which is before anything is read from it.
  filledOnce<A, A>({} as A, make, ofRecord, known)

/** A map that is made when it is first looked at. */
export const map = <K, V>(make: () => ReadonlyMap<K, V>): ReadonlyMap<K, V> =>
  filledOnce<Map<K, V>, ReadonlyMap<K, V>>(new Map<K, V>(), make, ofMap)

/** A value that is made when it is first asked for, and kept. */
export const value = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
