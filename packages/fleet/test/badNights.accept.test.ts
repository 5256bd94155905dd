import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runAllThrough } from "./utils/badNights.js"

/** More cases make the run longer: `NIGHTS_CASES=20`. */
const cases = Number(process.env.NIGHTS_CASES ?? 2)

describe("after sixty nights with bad answers at random, a sound night of a fleet", () => {
  it.scoped("leaves every row once in every format, or names it as lost, and no alert", () =>
    Effect.provide(runAllThrough({ count: 60, cases, seed: 2 }), NodeContext.layer)
  )
})
