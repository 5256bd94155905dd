import type * as Manifest from "../model/Manifest.js"

/** The number of conflicts of a window that its manifest lists. */
export const mostListed = 100

const isSame = (left: Manifest.Conflict, right: Manifest.Conflict): boolean =>
  left.id === right.id && left.at === right.at

const isListed = (windows: ReadonlyArray<Manifest.Window>, conflict: Manifest.Conflict): boolean =>
  windows.some(({ conflicts }) => conflicts.some((each) => isSame(each, conflict)))

/** A window without the conflicts that earlier windows list: it was read again, and they are reported once. */
export const withoutKnown = (window: Manifest.Window, earlier: ReadonlyArray<Manifest.Window>): Manifest.Window => {
  const conflicts = window.conflicts.filter((conflict) => !isListed(earlier, conflict))
  const known = window.conflicts.length - conflicts.length
  if (known === 0) return window
  const { conflictingRow = 0, ...anomalies } = window.anomalies
  const others = conflictingRow - known
  return { ...window, conflicts, anomalies: others > 0 ? { ...anomalies, conflictingRow: others } : anomalies }
}

/** Adds a conflict that was found later to the window of its row, unless that has it. */
export const add = (
  windows: ReadonlyArray<Manifest.Window>,
  conflict: Manifest.Conflict
): ReadonlyArray<Manifest.Window> => {
  const { at } = conflict
  const found = windows.findLastIndex(({ from, rows, to }) => rows > 0 && at !== null && at >= from && at < to)
  const index = found === -1 ? windows.findLastIndex(({ rows }) => rows > 0) : found
  const window = windows[index]
  if (window === undefined || isListed(windows, conflict)) return windows
  const { anomalies, conflicts } = window
  return windows.with(index, {
    ...window,
    anomalies: { ...anomalies, conflictingRow: (anomalies.conflictingRow ?? 0) + 1 },
    conflicts: conflicts.length < mostListed ? [...conflicts, conflict] : conflicts
  })
}
