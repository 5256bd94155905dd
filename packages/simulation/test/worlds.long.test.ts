import { describe, expect, it } from "@effect/vitest"
import { worlds } from "../src/worlds.js"
import { hashes, hashesElsewhere } from "./utils/hash.js"
import { runs } from "./utils/runs.js"

const counts = { answers: 1_500, call: 500, gate: 3_000, limiter: 3_000, processes: 300, store: 4_000 } as const

const names = ["answers", "call", "gate", "limiter", "processes", "store"] as const

/** What has no fibers that could yield is the same in every mode. */
const yielding = ["call", "gate", "limiter", "processes"] as const

describe("worlds made from many seeds", () => {
  it.each(names)(
    "%s breaks no rule where fibers yield as with the default scheduler",
    async (name) => {
      expect((await runs(worlds[name], 10_000, counts[name])).violations).toEqual([])
    },
    900_000
  )

  it.each(yielding)(
    "%s breaks no rule where fibers yield anywhere",
    async (name) => {
      expect((await runs(worlds[name], 20_000, counts[name] / 5, true)).violations).toEqual([])
    },
    900_000
  )

  it("are the same in three processes (30 seeds of each world)", async () => {
    const here = await hashes(30)
    expect(here).toHaveLength(30 * Object.keys(worlds).length)
    expect(here.length).toBeGreaterThanOrEqual(200)
    expect(await hashesElsewhere(30)).toEqual(here)
    expect(await hashesElsewhere(30)).toEqual(here)
  }, 900_000)
})
