import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runAllThrough } from "./utils/badNights.js"

describe("after nights with bad answers, a sound night of a fleet", () => {
  it.scoped("leaves every row once in every format, or names it as lost, and no alert", () =>
    Effect.provide(runAllThrough({ count: 6, cases: 1, seed: 10 }), NodeContext.layer)
  )
})
