/** Memoises the latest results of a pure function, by a key of its argument. */
export const memoize = <A, B>(
  size: number,
  keyOf: (argument: A) => string | number,
  make: (argument: A) => B
): ((argument: A) => B) => {
  const results = new Map<string | number, B>()
  return (argument) => {
    const key = keyOf(argument)
    const result = results.get(key) ?? make(argument)
    results.delete(key)
    results.set(key, result)
    for (const oldest of results.keys()) {
      if (results.size <= size) break
      results.delete(oldest)
    }
    return result
  }
}
