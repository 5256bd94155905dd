/** How a created value is stored in the target of a proxy, and read from it. */
interface LazyKind<T extends object, A> {
  readonly fill: (target: T, made: A) => void
  /** Methods are bound to the collection: map methods require it, and array methods are ten times faster on it. */
  readonly hasMethods: boolean
}

/** Fills the target of a proxy on first access. */
class FilledOnce<T extends object, A> implements ProxyHandler<T> {
  /** `undefined` after the target was filled. */
  make: (() => A) | undefined

  constructor(
    readonly target: T,
    make: () => A,
    readonly kind: LazyKind<T, A>,
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

const fillOnce = <T extends object, A>(target: T, make: () => A, kind: LazyKind<T, A>, known?: Partial<T>): T => {
  const handler = new FilledOnce(target, make, kind, known)
  const proxy = new Proxy(target, handler)
  handlers.set(proxy, handler)
  return proxy
}

/** Whether a lazy value was created; `true` for every other value. */
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

/** An array that is created on first access. It can be passed on and spread with its owner without being created. */
export const list = <A>(make: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  const target: Array<A> = []
  return fillOnce<Array<A>, ReadonlyArray<A>>(target, make, ofList)
}

/** A plain object that is created on first access, except for the known fields. */
export const record = <A extends object>(make: () => A, known?: Partial<A>): A =>
  // The target is filled before anything is read from it.
  fillOnce<A, A>({} as A, make, ofRecord, known)

/** A map that is created on first access. */
export const map = <K, V>(make: () => ReadonlyMap<K, V>): ReadonlyMap<K, V> =>
  fillOnce<Map<K, V>, ReadonlyMap<K, V>>(new Map<K, V>(), make, ofMap)

/** A value that is created on first use, and kept. */
export const value = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
