/**
 * The way from a machine to the database that all of them share, and back. Every operation is one step there, whatever happens to the machine that
 * asked for it; it may be late, be lost, or be done without an answer.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Draws from "../Draws.js"
import type * as Sim from "../Sim.js"
import type * as Machine from "./Machine.js"
import * as Plan from "./Plan.js"

/** The database did not answer, or the connection to it broke. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly detail: string }> {}

export interface Database {
  /** Runs `act` in the database. `leaving` is called when the request is about to leave the machine. */
  readonly ask: <A>(
    machine: Machine.Machine,
    operation: string,
    act: () => A,
    leaving?: () => void
  ) => Effect.Effect<A, Unreachable>
  readonly isDown: () => boolean
  /** It is down for a while: connections break, and what arrives is refused. */
  readonly restart: (milliseconds: number) => void
}

/** How late what is late is, at least and at most, in milliseconds. */
const lateness = [3_000, 12_000] as const

export const make = (
  sim: Sim.Sim,
  draws: Draws.Draws,
  plan: Plan.Plan,
  failed: (operation: string, fault: Plan.DatabaseFault) => void
): Database => {
  const { faults, latency } = plan.database
  const calm = Plan.calmFrom(plan)
  const [first, ...others] = faults.kinds
  const counts = new Map<string, number>()
  let downUntil = 0
  let restarts = 0
  const isDown = () => sim.now() < downUntil

  const faultOf = (name: ReadonlyArray<number | string>): Plan.DatabaseFault | undefined =>
    first !== undefined && sim.now() < calm && draws.chance(faults.probability, ...name, "isFaulty")
      ? draws.pick([first, ...others], ...name, "fault")
      : undefined

  const ask: Database["ask"] = (machine, operation, act, leaving) =>
    Effect.async((resume) => {
      const count = (counts.get(`${machine.id} ${operation}`) ?? 0) + 1
      counts.set(`${machine.id} ${operation}`, count)
      const name = ["database", machine.id, operation, count] as const
      const fault = faultOf(name)
      if (fault !== undefined) failed(operation, fault)
      const there = draws.fraction(...name, "there") * latency
      const back = draws.fraction(...name, "back") * latency
      const late = lateness[0] + draws.fraction(...name, "late") * (lateness[1] - lateness[0])
      const begun = restarts

      const broken = (detail: string) => {
        sim.after(back, () => {
          resume(Effect.fail(new Unreachable({ detail })))
        })
      }
      const answered = (value: ReturnType<typeof act>) => {
        sim.after(fault === "lateAnswer" ? late : back, () => {
          if (machine.isCut()) return
          if (restarts === begun) resume(Effect.succeed(value))
          else resume(Effect.fail(new Unreachable({ detail: "the connection was reset" })))
        })
      }
      const arrive = () => {
        if (machine.isCut() || fault === "silentBefore") return
        if (isDown() || fault === "lostBefore") {
          broken("connection refused")
          return
        }
        const value = act()
        if (fault === "lostAfter") broken("the connection was reset")
        else if (fault !== "silentAfter") answered(value)
      }
      leaving?.()
      machine.process.whenAwake(() => {
        sim.after(fault === "late" ? late : there, arrive)
      })
    })

  return {
    ask,
    isDown,
    restart: (milliseconds) => {
      restarts++
      downUntil = Math.max(downUntil, sim.now() + milliseconds)
    }
  }
}
