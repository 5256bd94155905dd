import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Draws from "../src/Draws.js"
import * as Database from "../src/owners/Database.js"
import * as Machine from "../src/owners/Machine.js"
import * as Plan from "../src/owners/Plan.js"
import * as Sim from "../src/Sim.js"
import { worlds } from "../src/worlds.js"
import { runs } from "./utils/runs.js"

describe("a machine of the simulation", () => {
  const makeSim = () => Sim.make(Draws.make(0), { _tag: "lawful" })

  it("does nothing while it is frozen, and goes on by clocks that did not stop", () => {
    const sim = makeSim()
    const machine = Machine.make(sim, { id: "m0", at: 0, ahead: 0 })
    const ticks: Array<number> = []
    const tick = Effect.zipRight(
      Effect.sync(() => ticks.push(sim.now())),
      Effect.sleep(1_000)
    )
    sim.after(1_500, () => {
      machine.freeze(5_000)
    })
    const program = machine.process.run(Effect.withClock(Effect.repeatN(tick, 4), machine.clock))
    expect(sim.run(program, { limit: 60_000 })).toEqual({ _tag: "Done" })
    expect(ticks).toEqual([0, 1_000, 6_500, 7_500, 8_500])
  })

  it("sends what was about to leave when it is thawed, and never when it is killed", () => {
    const plan: Plan.Plan = {
      ...Plan.make(0, { isAnywhere: false }),
      database: { latency: 0, faults: { probability: 0, kinds: [] } }
    }
    const arrivals = (kill: boolean) => {
      const sim = makeSim()
      const database = Database.make(sim, Draws.make(0), plan, () => undefined)
      const machine = Machine.make(sim, { id: "m0", at: 0, ahead: 0 })
      const arrived: Array<number> = []
      const ask = database.ask(
        machine,
        "write",
        () => arrived.push(sim.now()),
        () => {
          machine.freeze(5_000)
        }
      )
      if (kill) sim.after(2_000, machine.kill)
      expect(sim.run(machine.process.run(Effect.ignore(ask)), { limit: 60_000 })).toEqual({ _tag: "Done" })
      return arrived
    }
    expect(arrivals(false)).toEqual([5_000])
    expect(arrivals(true)).toEqual([])
  })
})

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
