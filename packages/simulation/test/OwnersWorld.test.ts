import { describe, expect, it } from "@effect/vitest"
import * as Plan from "../src/owners/Plan.js"
import { worlds } from "../src/worlds.js"
import { runs } from "./utils/runs.js"

describe("owners in a world made from a seed", () => {
  it("break no rule with the seeds 10 to 33, in which machines end in every way", async () => {
    const { coverage, violations } = await runs(worlds.owners, 10, 24)
    expect(violations).toEqual([])
    for (const event of ["Cut", "Frozen", "FrozenAtWrite", "Jump", "Killed", "Stopped"]) {
      expect(coverage).toContain(`machine ${event}`)
    }
    for (const fault of Plan.databaseFaults) expect(coverage).toContain(`database ${fault}`)
    for (const reached of [
      "declared anew",
      "database Outage",
      "limit reached",
      "lock lost",
      "write refused",
      "export failed"
    ]) {
      expect(coverage).toContain(reached)
    }
  })
})
