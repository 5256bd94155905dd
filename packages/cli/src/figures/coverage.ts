import type * as Manifest from "@effect-venue/history/Manifest"

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
  { windows }: Pick<Manifest.Part, "windows">
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
    for (const missing of window.missing) {
      const before = gaps.at(-1)
      // Merge adjacent ranges with the same reason.
      if (before?.state === "missing" && before.to === missing.from && before.because === missing.because) {
        gaps.splice(-1, 1, { ...before, to: missing.to, windows: before.windows + 1 })
      } else gaps.push({ ...missing, state: "missing", rows: 0, windows: 1 })
    }
  }
  end()
  if (reached < to) gap(reached, to)
  return [...stretches, ...gaps]
}

export const isGap = ({ state }: Stretch): boolean => state === "missing" || state === "gap"
