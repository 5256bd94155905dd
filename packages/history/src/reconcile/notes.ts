import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import { type ReportedConflicts, problems } from "./conflicts.js"
import type * as Manifest from "../model/Manifest.js"
import * as Rows from "../formats/Rows.js"
import type { Arrival } from "../read/arrivals.js"
import { sideLine } from "../read/collect.js"
import { lostGap, openGap, reasons } from "../read/missing.js"

/** Anomalies of a window that are noticed while its rows are reconciled. */
export class Notes {
  readonly #anomalies: Map<string, number>
  readonly #conflicts: Array<Manifest.Conflict> = []
  #aside: Array<string> = []
  #isFiledElsewhere = false

  constructor(
    fetched: ReadonlyMap<string, number>,
    private readonly reported: ReportedConflicts
  ) {
    this.#anomalies = new Map(fetched)
  }

  /** The conflicts that were not reported before. */
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

  /** Notes a conflict. A row that is not exported is set aside. */
  conflict({ at, key, text }: Pick<Arrival, "at" | "key" | "text">, problem?: keyof typeof problems): void {
    if (problem !== undefined) this.setAside(problems[problem], text)
    const conflict = { id: Rows.idOfKey(key), at: at ?? null }
    if (this.reported.add(conflict)) return
    this.count("conflictingRow")
    this.#conflicts.push(conflict)
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
