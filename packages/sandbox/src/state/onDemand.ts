/** Returns a function that makes a value on its first call, and keeps it. */
export const value = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** Creates an object with these fields, which is filled when a field is first read that is not known. */
export const record = <A extends object>(
  fields: ReadonlyArray<string & keyof A>,
  make: () => A,
  known: Partial<A> = {}
): A => {
  const target = { ...known }
  const fill = (): A => {
    const made = make()
    for (const field of fields) Object.defineProperty(target, field, { value: made[field], enumerable: true })
    return made
  }
  for (const field of fields) {
    if (!(field in known)) {
      Object.defineProperty(target, field, { get: () => fill()[field], enumerable: true, configurable: true })
    }
  }
  // Every field is known or has a getter.
  return target as A
}

/** Returns a function that keeps its result for each argument, as long as the argument lives. Arguments are immutable. */
export const perObject = <A extends object, B>(make: (argument: A) => B): ((argument: A) => B) => {
  const results = new WeakMap<A, B>()
  return (argument) => {
    const known = results.get(argument)
    if (known !== undefined) return known
    const made = make(argument)
    results.set(argument, made)
    return made
  }
}
