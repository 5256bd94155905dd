import { describe, expect, it } from "@effect/vitest"
import * as CallJudge from "../src/CallJudge.js"
import * as CallWorld from "../src/CallWorld.js"
import * as Corpus from "../src/Corpus.js"
import * as Plan from "../src/Plan.js"
import { worlds } from "../src/worlds.js"
import { runs } from "./utils/runs.js"

const judged = (plan: Plan.Plan) => {
  const { expectations, journal } = CallWorld.run(plan)
  return CallJudge.violations(journal, expectations)
}

describe("calls in a world made from a seed", () => {
  it.each(Corpus.findings)("$rule: $title", ({ plan }) => {
    expect(judged(plan)).toEqual([])
  })

  it("breaks no rule with the seeds 0 to 19, in which every outcome of a write occurs", async () => {
    const { coverage, violations } = await runs(worlds.call, 0, 20)
    expect(violations).toEqual([])
    const exchanges = Array.from({ length: 20 }, (_, seed) => Plan.make(seed).exchange)
    expect(new Set(exchanges)).toEqual(new Set(["sandbox", "small"]))
    for (const outcome of ["done", "refused", "unknown", "interrupted"]) {
      expect(coverage).toContain(`create reported ${outcome}`)
    }
    for (const phase of ["queued", "inFlight"]) {
      expect(coverage.filter((name) => name.endsWith(`interrupted ${phase}`)).length).toBeGreaterThan(0)
    }
  })
})
