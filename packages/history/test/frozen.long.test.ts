import { describe, it } from "@effect/vitest"
import { freezeRuns, type Kind } from "./utils/freezing.js"

/** With 1 at every operation: `npm run accept -- frozen`. */
const fixedStride = process.env.VENUE_TEST_FREEZE_STRIDE

const strides: ReadonlyArray<readonly [Kind, number]> = [
  ["first", 8],
  ["incremental", 16],
  ["overwriting", 16]
]

describe("a run that is frozen until it counts as dead", () => {
  it.scoped.each(strides)(
    "fails when it is revived, and its successor's files are those of an undisturbed run (%s)",
    ([kind, stride]) => freezeRuns(kind, fixedStride === undefined ? stride : Number(fixedStride)),
    900_000
  )
})
