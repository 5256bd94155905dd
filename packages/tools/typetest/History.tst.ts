import type * as History from "@effect-venue/history/History"
import type * as Singer from "@effect-venue/history/Singer"
import * as Effect from "effect/Effect"
import { expect, test } from "tstyche"

declare const commit: History.Commit
declare const complete: History.CompleteCommit
declare const incomplete: History.IncompleteCommit

test("a consumer of commits that ignores missing ranges does not compile", () => {
  expect(commit).type.not.toHaveProperty("rows")
  expect(commit).type.not.toHaveProperty("partialRows")
  expect(complete).type.toHaveProperty("rows")
  expect(incomplete).type.toHaveProperty("missing")
})

test("a tap is told of windows that can lack rows", () => {
  expect<Singer.TapOptions>().type.not.toBeAssignableFrom({ from: 0 })
  expect<Singer.TapOptions>().type.toBeAssignableFrom({ from: 0, onIncomplete: () => Effect.void })
})
