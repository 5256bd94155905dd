import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The result of a workload: `problems` are broken guarantees, `figures` show how often each was tried. */
export interface Report {
  readonly problems: ReadonlyArray<string>
  readonly figures: Readonly<Record<string, unknown>>
}

/** A run of the library over real sockets, files and processes, and the judgement of its result. */
export interface Workload {
  readonly title: string
  /** Its options, whole numbers, each with its default. All but `seed` are at least 1. */
  readonly defaults: Readonly<Record<string, number>>
  readonly run: (option: (name: string) => number) => Effect.Effect<Report, never, Scope.Scope>
}

/** How often each name occurs. */
export const countNames = (names: Iterable<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(counts)
}
