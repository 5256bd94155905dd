import type * as Dataset from "../../Dataset.js"
import type * as Manifest from "../../Manifest.js"
import * as DatasetWindows from "../model/datasetWindows.js"

const summed = (left: Manifest.Window["anomalies"], right: Manifest.Window["anomalies"]) => {
  const sums = new Map(Object.entries(left))
  for (const [name, count] of Object.entries(right)) sums.set(name, (sums.get(name) ?? 0) + count)
  return Object.fromEntries(sums)
}

/** A window that was read, extended by the empty one after it. */
const extended = (window: Manifest.Window, empty: Manifest.Window): Manifest.Window => ({
  ...window,
  to: Math.max(window.to, empty.to),
  pages: window.pages + empty.pages,
  duplicates: window.duplicates + empty.duplicates,
  known: window.known + empty.known,
  anomalies: summed(window.anomalies, empty.anomalies)
})

const isComplete = ({ missing }: Manifest.Window): boolean => missing.length === 0

/**
 * Continues a part without new rows: adds no file, and appends the empty windows to those of the last file. If all are complete and one request can
 * cover them, they are merged with the last window, so that the manifest does not grow with every run.
 */
export const withoutFile = (part: Manifest.Part, dataset: Dataset.Dataset<never, unknown>): Manifest.Part => {
  const [last, ...others] = part.files.toReversed()
  if (last === undefined) return part
  const files = others.toReversed()
  const covered = part.files.reduce((sum, { windows }) => sum + windows, 0)
  const [before, added] = [part.windows.slice(0, covered), part.windows.slice(covered)]
  const window = before.at(-1)
  const whole = window === undefined ? undefined : added.reduce(extended, window)
  if (window !== undefined && whole !== undefined && [window, ...added].every(isComplete)) {
    const isOneRequest = DatasetWindows.windowsOf(dataset, { from: whole.from, to: whole.to }).length === 1
    if (isOneRequest) return { ...part, windows: [...before.slice(0, -1), whole], files: [...files, last] }
  }
  return { ...part, files: [...files, { ...last, windows: last.windows + added.length }] }
}
