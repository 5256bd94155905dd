import { describe, expect, it } from "@effect/vitest"
import { worlds } from "../src/worlds.js"
import { hashes, hashesElsewhere } from "./utils/hash.js"
import { runs } from "./utils/runs.js"

/** A hundred times as many: `npm run accept -- simulate`. */
const counts = {
  answers: 750,
  call: 300,
  gate: 1_500,
  limiter: 1_500,
  owners: 150,
  processes: 150,
  store: 2_000
} as const

const names = ["answers", "call", "gate", "limiter", "owners", "processes", "store"] as const

/** What has no fibers that could yield is the same in every mode. */
const yielding = ["call", "gate", "limiter", "owners", "processes"] as const

describe("worlds made from many seeds", () => {
  it.each(names)("%s breaks no rule where fibers yield as with the default scheduler", async (name) => {
    expect((await runs(worlds[name], 10_000, counts[name])).violations).toEqual([])
  })

  it.each(yielding)("%s breaks no rule where fibers yield anywhere", async (name) => {
    expect((await runs(worlds[name], 20_000, counts[name] / 5, true)).violations).toEqual([])
  })

  it("are the same in three processes (30 seeds of each world)", async () => {
    const here = await hashes(30)
    expect(here).toHaveLength(30 * Object.keys(worlds).length)
    expect(here.length).toBeGreaterThanOrEqual(200)
    expect(await hashesElsewhere(30)).toEqual(here)
    expect(await hashesElsewhere(30)).toEqual(here)
  })
})
