import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import { mostListed } from "./conflicts.js"
import type * as Manifest from "../model/Manifest.js"
import { sideLine } from "../read/collect.js"
import { lostGap, openGap, reasons } from "../read/missing.js"

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
    if (this.#conflicts.length < mostListed) this.#conflicts.push({ id, at: at ?? null })
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

  /** The gaps of a window that its rows show. */
  missing({ filedBy }: Dataset.Dataset<never, unknown>, window: Dataset.Window): ReadonlyArray<Manifest.Missing> {
    return [
      ...(this.#anomalies.has("outsideWindow") ? [openGap(window, reasons.outsideRows)] : []),
      ...(this.#isFiledElsewhere && Option.isSome(filedBy)
        ? [lostGap(window, reasons.filedElsewhere(filedBy.value.name))]
        : [])
    ]
  }
}
