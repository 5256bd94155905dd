import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readThrough } from "./utils/badNights.js"
import { nightlyReads } from "./utils/hostile.js"

/** More cases make the run longer: `NIGHTS_CASES=20`. */
const cases = Number(process.env.NIGHTS_CASES ?? 2)

describe("after sixty nights with bad answers at random, a sound night", () => {
  for (const [name, read] of nightlyReads) {
    it.scoped.skipIf(read === undefined)(`leaves every row once, or names it as lost: ${name}`, () =>
      read === undefined
        ? Effect.void
        : Effect.provide(readThrough(read, { count: 60, cases, seed: 60 }), NodeContext.layer)
    )
  }
})
