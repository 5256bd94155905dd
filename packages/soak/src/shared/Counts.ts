/** How often each name occurs. */
export const of = (names: Iterable<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** The sums of several counts. */
export const sum = (all: ReadonlyArray<Readonly<Record<string, number>>>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const [name, count] of all.flatMap((one) => Object.entries(one))) {
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return Object.fromEntries(counts)
}
