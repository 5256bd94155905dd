import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readThrough } from "./utils/badNights.js"
import { nightlyReads } from "./utils/hostile.js"

describe("after nights with bad answers, a sound night", () => {
  it.scoped.each(Object.entries(nightlyReads))("leaves every row once, or names it as lost: %s", ([, read]) =>
    Effect.provide(readThrough(read, { count: 6, cases: 2, seed: 11 }), NodeContext.layer)
  )
})
