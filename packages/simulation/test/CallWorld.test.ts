import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as CallJudge from "../src/CallJudge.js"
import * as CallWorld from "../src/CallWorld.js"
import * as Corpus from "../src/Corpus.js"
import * as Plan from "../src/Plan.js"

const judged = (plan: Plan.Plan) => {
  const { expectations, journal } = CallWorld.run(plan)
  return CallJudge.violations(journal, expectations)
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed)

describe("calls in a world made from a seed", () => {
  it.each(Corpus.findings)("$rule: $title", ({ plan }) => {
    expect(judged(plan)).toEqual([])
  })

  it("breaks no rule with the seeds 0 to 99, in which every fault and every outcome occurs", () => {
    const coverage = new Set<string>()
    for (const seed of seeds) {
      const run = CallWorld.run(Plan.make(seed))
      expect(CallJudge.violations(run.journal, run.expectations), `seed ${seed}`).toEqual([])
      for (const name of run.coverage) coverage.add(name)
    }
    const reached = [...coverage]
    for (const fault of Plan.faults)
      expect(
        reached.some((name) => name.startsWith(`${fault} x`)),
        fault
      ).toBe(true)
    expect(new Set(seeds.map((seed) => Plan.make(seed).exchange))).toEqual(new Set(["sandbox", "small"]))
    for (const phase of ["queued", "inFlight", "answered"]) {
      expect(
        reached.some((name) => name.endsWith(`interrupted ${phase}`)),
        phase
      ).toBe(true)
    }
    for (const outcome of ["done", "refused", "unknown", "interrupted"]) {
      expect(reached).toContain(`create reported ${outcome}`)
    }
  })

  it("is the same run in another process", () => {
    const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "utils/hashes.ts")
    const loader = pathToFileURL(path.resolve(path.dirname(script), "../../node_modules/tsx/dist/loader.mjs")).href
    const other = JSON.parse(
      execFileSync(process.execPath, ["--import", loader, script], { encoding: "utf8" })
    ) as unknown
    expect(seeds.slice(0, 8).map((seed) => CallWorld.run(Plan.make(seed)).hash)).toEqual(other)
  })
})
