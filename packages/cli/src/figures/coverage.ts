import * as Manifest from "@effect-venue/history/Manifest"

/**
 * A stretch of the period of a part.
 *
 * - `rows`, `empty`: windows that were read to their end, with rows or without.
 * - `missing`: ranges that can lack rows, by the manifest.
 * - `gap`: no window covers it.
 */
export interface Stretch {
  readonly state: "rows" | "empty" | "missing" | "gap"
  readonly from: number
  readonly to: number
  readonly rows: number
  readonly windows: number
  readonly because: string
}

/** The number of windows that a strip shows separately. With more windows, neighbours are merged. */
const mostWindows = 400

const drawStretch = (windows: ReadonlyArray<Manifest.Window>): Stretch => {
  const rows = windows.reduce((sum, window) => sum + window.rows, 0)
  return {
    state: rows === 0 ? "empty" : "rows",
    from: windows[0]?.from ?? 0,
    to: windows.at(-1)?.to ?? 0,
    rows,
    windows: windows.length,
    because: ""
  }
}

/** The stretches of a part's period, in order. Missing ranges overlap the windows to which they belong. */
export const of = (
  { from, to }: Pick<Manifest.Manifest, "from" | "to">,
  { name, windows }: Pick<Manifest.Part, "name" | "windows">
): ReadonlyArray<Stretch> => {
  const together = Math.ceil(windows.length / mostWindows)
  const stretches: Array<Stretch> = []
  const gaps: Array<Stretch> = []
  const gap = (from: number, to: number) => {
    gaps.push({ state: "gap", from, to, rows: 0, windows: 0, because: "no window of the manifest covers it" })
  }
  let run: Array<Manifest.Window> = []
  const end = () => {
    if (run.length > 0) stretches.push(drawStretch(run))
    run = []
  }
  let reached = from
  for (const window of windows) {
    if (window.from > reached) {
      end()
      gap(reached, window.from)
    }
    reached = Math.max(reached, window.to)
    run.push(window)
    if (run.length >= together) end()
  }
  end()
  if (reached < to) gap(reached, to)
  const missing = Manifest.missingOf([{ name, windows }]).map(({ because, from, to }): Stretch => {
    const overlapping = windows.filter((window) => window.from < to && window.to > from)
    return { state: "missing", from, to, because, rows: 0, windows: overlapping.length }
  })
  return [...stretches, ...gaps, ...missing]
}

export const isGap = ({ state }: Stretch): boolean => state === "missing" || state === "gap"
