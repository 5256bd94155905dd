import { describe, expect, it } from "@effect/vitest"
import * as ExportJudge from "../src/ExportJudge.js"
import * as ExportPlan from "../src/ExportPlan.js"
import * as ExportWorld from "../src/ExportWorld.js"

const judged = (seed: number) => {
  const { coverage, evidence } = ExportWorld.run(ExportPlan.make(seed, { isAnywhere: false }))
  return { coverage, rules: ExportJudge.violations(evidence).map(({ detail, rule }) => `${rule} ${detail}`) }
}

describe("exports in a world made from a seed", () => {
  it("break no rule with the seeds 20 to 34, in which processes end in every way", () => {
    const coverage = new Set<string>()
    for (let seed = 20; seed < 35; seed++) {
      const { coverage: reached, rules } = judged(seed)
      expect(rules, `seed ${seed}`).toEqual([])
      for (const name of reached) coverage.add(name)
    }
    for (const fate of ["crashed", "frozen", "killed"]) expect([...coverage]).toContain(`process ${fate}`)
    expect([...coverage]).toContain("list shifted")
    expect([...coverage]).toContain("start failed Refused")
    expect([...coverage]).toContain("another account refused")
  })

  it("is the same run again", () => {
    const hash = () => ExportWorld.run(ExportPlan.make(4, { isAnywhere: false })).hash
    expect(hash()).toBe(hash())
  })
})
