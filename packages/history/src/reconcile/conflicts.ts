import type * as Manifest from "../model/Manifest.js"

/** The number of conflicts of a window that its manifest lists. */
export const mostListed = 100

const isSame = (left: Manifest.Conflict, right: Manifest.Conflict): boolean =>
  left.id === right.id && left.at === right.at

/** Adds a conflict that was found later to the window of its row, unless that has it. */
export const add = (
  windows: ReadonlyArray<Manifest.Window>,
  conflict: Manifest.Conflict
): ReadonlyArray<Manifest.Window> => {
  const { at } = conflict
  const found = windows.findLastIndex(({ from, rows, to }) => rows > 0 && at !== null && at >= from && at < to)
  const index = found === -1 ? windows.findLastIndex(({ rows }) => rows > 0) : found
  const window = windows[index]
  if (window === undefined || windows.some(({ conflicts }) => conflicts.some((each) => isSame(each, conflict)))) {
    return windows
  }
  const { anomalies, conflicts } = window
  return windows.with(index, {
    ...window,
    anomalies: { ...anomalies, conflictingRow: (anomalies.conflictingRow ?? 0) + 1 },
    conflicts: conflicts.length < mostListed ? [...conflicts, conflict] : conflicts
  })
}
