import { describe, expect, it } from "@effect/vitest"
import * as ExportJudge from "../src/ExportJudge.js"
import * as ExportPlan from "../src/ExportPlan.js"
import * as ExportWorld from "../src/ExportWorld.js"

/** A run takes no turn of the event loop, which the runner of the tests needs now and then. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("exports in worlds made from many seeds", () => {
  it("break no rule (100 seeds)", async () => {
    const found: Array<string> = []
    const seeds = [
      ...Array.from({ length: 20 }, (_, index) => index),
      ...Array.from({ length: 80 }, (_, index) => 10_000 + index)
    ]
    for (const seed of seeds) {
      const { evidence } = ExportWorld.run(ExportPlan.make(seed, { isAnywhere: false }))
      for (const { detail, rule } of ExportJudge.violations(evidence)) found.push(`seed ${seed}: ${rule} ${detail}`)
      await turn()
    }
    expect(found).toEqual([])
  })
})
