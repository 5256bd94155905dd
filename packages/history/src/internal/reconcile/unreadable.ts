import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Dataset from "../../Dataset.js"
import type * as Manifest from "../../Manifest.js"
import type { FetchedWindow } from "../read/fetchWindow.js"

const hours = (millis: number): string => {
  const days = millis / Duration.toMillis("1 day")
  return days >= 2 ? `${Math.round(days)} days` : `${Math.round(millis / Duration.toMillis("1 hour"))} hours`
}

/**
 * The parts of a window that cannot have been read, by the service's clock: those older than its retention at the end of the reading, and
 * those in the future at its beginning.
 */
export const unreadable = (
  dataset: Dataset.Dataset<never, unknown>,
  { begunAt, endedAt, window }: Pick<FetchedWindow<unknown>, "begunAt" | "endedAt" | "window">
): ReadonlyArray<Manifest.Missing> => {
  const forgotten = Option.match(dataset.windows.reachBack, {
    onNone: () => [],
    onSome: (retention) => {
      const reach = Duration.toMillis(retention)
      const oldest = endedAt - reach
      if (window.from >= oldest) return []
      return [{ from: window.from, to: Math.min(window.to, oldest), because: `the service remembers ${hours(reach)}` }]
    }
  })
  return window.to <= begunAt
    ? forgotten
    : [
        ...forgotten,
        { from: Math.max(window.from, begunAt), to: window.to, because: "it was in the future when it was read" }
      ]
}
