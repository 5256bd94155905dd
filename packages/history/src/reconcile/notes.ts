import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import { sideLine } from "../read/collect.js"
import { reasons } from "../read/missing.js"

/** The number of conflicts of a window that its manifest lists. */
const maxConflicts = 100

const shownConflicts = 3

const conflicting = (conflicts: ReadonlyArray<Manifest.Conflict>, all: number): string => {
  const shown = conflicts.slice(0, shownConflicts).map(({ id }) => JSON.stringify(id.slice(0, 64)))
  const more = all > shown.length ? ` and ${all - shown.length} more` : ""
  return `${reasons.conflictingRows}: ${shown.join(", ")}${more}`
}

/** Anomalies of a window that are noticed while its rows are reconciled. */
export class Notes {
  readonly #anomalies: Map<string, number>
  readonly #conflicts: Array<Manifest.Conflict> = []
  #aside: Array<string> = []
  #isFiledElsewhere = false

  constructor(fetched: ReadonlyMap<string, number>) {
    this.#anomalies = new Map(fetched)
  }

  get conflicts(): ReadonlyArray<Manifest.Conflict> {
    return this.#conflicts
  }

  /** The number of each anomaly, in the order of their names. */
  get anomalies(): Record<string, number> {
    return Object.fromEntries([...this.#anomalies].sort(([left], [right]) => (left < right ? -1 : 1)))
  }

  count(anomaly: string): void {
    this.#anomalies.set(anomaly, (this.#anomalies.get(anomaly) ?? 0) + 1)
  }

  conflict(id: string, at: number | undefined): void {
    this.count("conflictingRow")
    if (this.#conflicts.length < maxConflicts) this.#conflicts.push({ id, at: at ?? null })
  }

  setAside(problem: string, text: string): void {
    this.#aside.push(sideLine(problem, text))
  }

  /** Lines of the side file for the rows that were set aside since the last call. */
  takeAside(): ReadonlyArray<string> {
    const taken = this.#aside
    this.#aside = []
    return taken
  }

  /** Notes that the service filed a row of the window outside of the range that was requested. */
  fileElsewhere(): void {
    this.#isFiledElsewhere = true
  }

  /** Why rows of the window can be missing or wrong. */
  reasons({ filedBy }: Dataset.Dataset<never, unknown>): ReadonlyArray<string> {
    return [
      ...(this.#anomalies.has("outsideWindow") ? [reasons.outsideRows] : []),
      ...(this.#isFiledElsewhere && Option.isSome(filedBy)
        ? [`the service files these records by ${filedBy.value.name}: some of here may be in other windows`]
        : []),
      ...(this.#conflicts.length > 0 ? [conflicting(this.#conflicts, this.#anomalies.get("conflictingRow") ?? 0)] : [])
    ]
  }
}
