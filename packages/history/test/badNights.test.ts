import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readThrough } from "./utils/badNights.js"
import { nightlyReads } from "./utils/hostile.js"

describe("after nights with bad answers, a sound night", () => {
  for (const [name, read] of nightlyReads) {
    it.scoped.skipIf(read === undefined)(`leaves every row once, or names it as lost: ${name}`, () =>
      read === undefined
        ? Effect.void
        : Effect.provide(readThrough(read, { count: 6, cases: 2, seed: 11 }), NodeContext.layer)
    )
  }
})
