import { describe, expect, it } from "@effect/vitest"
import { workloads } from "../src/workloads/Workloads.js"
import { hashes, hashesElsewhere } from "./utils/hash.js"
import { runs } from "./utils/runs.js"

/** A hundred times as many: `npm run accept -- simulate`. */
const counts = {
  calls: 450,
  limits: 1_500,
  owners: 150,
  writes: 150
} as const

const names = ["calls", "limits", "owners", "writes"] as const

describe("workloads made from many seeds", () => {
  it.each(names)("%s breaks no rule when fibers yield as with the default scheduler", async (name) => {
    expect((await runs(workloads[name], 10_000, counts[name])).violations).toEqual([])
  })

  it.each(names)("%s breaks no rule when fibers yield anywhere", async (name) => {
    expect((await runs(workloads[name], 20_000, counts[name] / 5, { isAnywhere: true })).violations).toEqual([])
  })

  it("are the same in other processes and after other runs (30 seeds of each workload)", async () => {
    const seeds = Array.from({ length: 30 }, (_, seed) => seed)
    const here = await hashes(seeds)
    expect(here).toHaveLength(30 * Object.keys(workloads).length)
    expect(await hashesElsewhere(seeds)).toEqual(here)
    expect(await hashesElsewhere(seeds.toReversed())).toEqual(here)
  })
})
