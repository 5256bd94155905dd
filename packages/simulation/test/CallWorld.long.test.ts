import { describe, expect, it } from "@effect/vitest"
import * as CallJudge from "../src/CallJudge.js"
import * as CallWorld from "../src/CallWorld.js"
import * as Plan from "../src/Plan.js"

/** A run takes no turn of the event loop, which the runner of the tests needs now and then. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

const judged = async (from: number, count: number, options?: { readonly isAnywhere: boolean }) => {
  const found: Array<string> = []
  for (let seed = from; seed < from + count; seed++) {
    const { expectations, journal } = CallWorld.run(Plan.make(seed, options))
    for (const { call, detail, rule } of CallJudge.violations(journal, expectations)) {
      found.push(`seed ${seed}: ${rule} ${call}: ${detail}`)
    }
    await turn()
  }
  return found
}

describe("calls in worlds made from many seeds", () => {
  it("break no rule where fibers yield as with the default scheduler (1,000 seeds)", async () => {
    expect(await judged(10_000, 1_000)).toEqual([])
  }, 900_000)

  it("break no rule where fibers yield anywhere (300 seeds)", async () => {
    expect(await judged(20_000, 300, { isAnywhere: true })).toEqual([])
  }, 900_000)
})
