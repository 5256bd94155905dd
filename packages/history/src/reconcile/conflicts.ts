import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import * as Rows from "../formats/Rows.js"
import * as Verbatim from "../model/verbatim.js"
import { sideLine } from "../read/collect.js"

/** The number of conflicts of a window that its manifest lists. */
export const mostListed = 100

/** Why the row of a conflict is in the side file. */
export const problems = {
  sameKey: "has the key of another row",
  differs: "differs from the row that was read earlier"
} as const

/** Conflicts that were reported: a row that is read again is in conflict again, and is not reported again. */
export interface ReportedConflicts {
  /** Adds a conflict. Returns whether it was there. */
  readonly add: (conflict: Manifest.Conflict) => boolean
}

export const reportedConflicts = (conflicts: Iterable<Manifest.Conflict>): ReportedConflicts => {
  const textOf = ({ at, id }: Manifest.Conflict): string => `${at ?? ""} ${id}`
  const texts = new Set(Array.from(conflicts, textOf))
  return {
    add: (conflict) => {
      const before = texts.size
      return texts.add(textOf(conflict)).size === before
    }
  }
}

/** The text of a side line up to its row. */
const beginnings = Object.values(problems).map((problem) => sideLine(problem, "").slice(0, -1))

/** The conflicts that windows list, and those of which a side file has the rows: windows list some of them. */
export const conflictsOf = (
  dataset: Dataset.Dataset<never, unknown>,
  windows: ReadonlyArray<Manifest.Window>,
  sideLines: Iterable<string>
): ReadonlyArray<Manifest.Conflict> => {
  const conflicts = windows.flatMap(({ conflicts }) => conflicts)
  for (const line of sideLines) {
    const beginning = beginnings.find((each) => line.startsWith(each))
    if (beginning === undefined) continue
    const { row } = Verbatim.line(line.slice(beginning.length, -1))
    conflicts.push({ id: Rows.idOfKey(Rows.key(dataset, row)), at: Rows.instant(dataset, row) ?? null })
  }
  return conflicts
}

/** Adds a conflict that was found later to the window of its row, unless that has it. */
export const add = (
  windows: ReadonlyArray<Manifest.Window>,
  conflict: Manifest.Conflict
): ReadonlyArray<Manifest.Window> => {
  const { at, id } = conflict
  const found = windows.findLastIndex(({ from, rows, to }) => rows > 0 && at !== null && at >= from && at < to)
  const index = found === -1 ? windows.findLastIndex(({ rows }) => rows > 0) : found
  const window = windows[index]
  const isListed = windows.some(({ conflicts }) => conflicts.some((each) => each.id === id && each.at === at))
  if (window === undefined || isListed) return windows
  const { anomalies, conflicts } = window
  return windows.with(index, {
    ...window,
    anomalies: { ...anomalies, conflictingRow: (anomalies.conflictingRow ?? 0) + 1 },
    conflicts: conflicts.length < mostListed ? [...conflicts, conflict] : conflicts
  })
}
