import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as KillFleet from "../src/KillFleet.js"

describe("kill-fleet", () => {
  it.live("12 accounts of a fleet that is killed 3 times are exported as if it had not been", () =>
    Effect.gen(function* () {
      const report = yield* KillFleet.killFleet({ accounts: 12, kills: 3, seed: 5 })
      expect(report.examples).toEqual([])
      expect(report).toMatchObject({ accounts: 12, exports: 24, kills: 3, mismatches: 0 })
      expect(report.files).toBeGreaterThanOrEqual(48)
    })
  )
})
