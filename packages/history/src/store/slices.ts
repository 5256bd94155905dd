/** Groups the windows of a run by output file. */
import * as Option from "effect/Option"
import type * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import * as DatasetWindows from "../model/datasetWindows.js"

type Partition = Checkpoint.Plan["partition"]

/** Consecutive windows whose rows go to one file. `month` is undefined if files are not split. */
export interface Slice {
  readonly month: string | undefined
  readonly windows: ReadonlyArray<Manifest.Window>
}

/** Whether the rows of a dataset are split by month. Sums over the whole range are not. */
export const isSplit = ({ instant }: Pick<Dataset.Dataset<never, unknown>, "instant">, partition: Partition): boolean =>
  partition === "month" && Option.isSome(instant)

/** The months of a range. */
export const monthsOf = (range: Dataset.Window): ReadonlyArray<string> =>
  DatasetWindows.splitAtMonths(range).map(({ from }) => DatasetWindows.monthOf(from))

export const rowsOf = ({ windows }: Slice): number => windows.reduce((sum, { rows }) => sum + rows, 0)

/**
 * Returns a slice for each month with rows, or one if there are no rows. A window lies within a month; a window without rows belongs to the slice of
 * the next rows, or to the last slice.
 */
export const make = (
  dataset: Pick<Dataset.Dataset<never, unknown>, "instant">,
  partition: Partition,
  windows: ReadonlyArray<Manifest.Window>
): ReadonlyArray<Slice> => {
  if (!isSplit(dataset, partition)) return [{ month: undefined, windows }]
  const slices: Array<Slice> = []
  let empty: ReadonlyArray<Manifest.Window> = []
  for (const window of windows) {
    if (window.rows === 0) {
      empty = [...empty, window]
      continue
    }
    const month = DatasetWindows.monthOf(window.from)
    const last = slices.at(-1)
    const added = [...empty, window]
    if (last?.month === month) slices.splice(-1, 1, { month, windows: [...last.windows, ...added] })
    else slices.push({ month, windows: added })
    empty = []
  }
  const last = slices.pop() ?? { month: DatasetWindows.monthOf(windows[0]?.from ?? 0), windows: [] }
  return [...slices, { ...last, windows: [...last.windows, ...empty] }]
}
