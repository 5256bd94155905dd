import { describe, expect, it } from "@effect/vitest"
import { worlds } from "../src/worlds.js"
import { hashes, hashesElsewhere } from "./utils/hash.js"
import { runs } from "./utils/runs.js"

const counts = { call: 500, gate: 3_000, limiter: 3_000, processes: 300 } as const

const names = ["call", "gate", "limiter", "processes"] as const

describe("worlds made from many seeds", () => {
  it.each(names)(
    "%s breaks no rule where fibers yield as with the default scheduler",
    async (name) => {
      expect((await runs(worlds[name], 10_000, counts[name])).violations).toEqual([])
    },
    900_000
  )

  it.each(names)(
    "%s breaks no rule where fibers yield anywhere",
    async (name) => {
      expect((await runs(worlds[name], 20_000, counts[name] / 5, true)).violations).toEqual([])
    },
    900_000
  )

  it("are the same in three processes (200 seeds)", async () => {
    const here = await hashes(40)
    expect(here).toHaveLength(200)
    expect(await hashesElsewhere(40)).toEqual(here)
    expect(await hashesElsewhere(40)).toEqual(here)
  }, 900_000)
})
