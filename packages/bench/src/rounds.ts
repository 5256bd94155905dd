/** The middle of some figures, and how far they lie apart. */
export const summary = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, min: at(0), max: at(sorted.length - 1) }
}

/** What one measurement gives: a figure a round. */
export type Measure = () => number | Promise<number>

/**
 * Measures all of them in each round, each round beginning with another: what else happens on the machine meanwhile falls on all
 * alike, and what comes first has no advantage.
 */
export const interleaved = async <K extends string>(
  rounds: number,
  measures: Readonly<Record<K, Measure>>
): Promise<Readonly<Record<K, ReadonlyArray<number>>>> => {
  const entries = Object.entries<Measure>(measures)
  const figures = new Map<string, Array<number>>(entries.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const [name, measure] = entries[(round + turn) % entries.length] ?? []
      if (name !== undefined && measure !== undefined) figures.get(name)?.push(await measure())
    }
  }
  // The keys are those that came in.
  return Object.fromEntries(figures) as unknown as Readonly<Record<K, ReadonlyArray<number>>>
}

/** Microseconds that one of `count` repetitions takes, by processor time: other programs on the machine are no part of it. */
export const microsEach = (count: number, once: (index: number) => unknown): number => {
  const start = process.cpuUsage()
  for (let index = 0; index < count; index++) once(index)
  const { system, user } = process.cpuUsage(start)
  return (user + system) / count
}
