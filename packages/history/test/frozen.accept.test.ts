import { describe, it } from "@effect/vitest"
import { freezeRuns, type Kind } from "./utils/freezing.js"

/** At every operation: `npm run accept -- frozen`. */
const isEverywhere = process.env.VENUE_TEST_FREEZE === "all"

const points: ReadonlyArray<readonly [Kind, number]> = [
  ["first", 16],
  ["incremental", 8],
  ["overwriting", 8]
]

describe("a run that is frozen until it counts as dead", () => {
  it.scoped.each(points)(
    "fails when it is revived, and its successor's files are those of an undisturbed run (%s)",
    ([kind, count]) => freezeRuns(kind, isEverywhere ? "all" : count)
  )
})
