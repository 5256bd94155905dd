import { describe, expect, it } from "@effect/vitest"
import * as CallWorld from "../src/CallWorld.js"
import * as Judge from "../src/Judge.js"
import * as Plan from "../src/Plan.js"

const judged = (from: number, count: number, options?: { readonly isAnywhere: boolean }) =>
  Array.from({ length: count }, (_, index) => from + index).flatMap((seed) => {
    const { expectations, journal } = CallWorld.run(Plan.make(seed, options))
    return Judge.violations(journal, expectations).map(
      ({ call, detail, rule }) => `seed ${seed}: ${rule} ${call}: ${detail}`
    )
  })

describe("calls in worlds made from many seeds", () => {
  it("break no rule where fibers yield as with the default scheduler (1,000 seeds)", () => {
    expect(judged(10_000, 1_000)).toEqual([])
  }, 900_000)

  it("break no rule where fibers yield anywhere (300 seeds)", () => {
    expect(judged(20_000, 300, { isAnywhere: true })).toEqual([])
  }, 900_000)
})
