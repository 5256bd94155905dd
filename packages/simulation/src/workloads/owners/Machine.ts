/** A machine of a run: a process with a clock, which is frozen, cut off from the database, or dies. */
import type * as Clock from "effect/Clock"
import type * as Process from "../../kernel/Process.js"
import * as Sim from "../../kernel/Sim.js"
import type * as Plan from "./Plan.js"

export interface OwnerMachine {
  readonly id: string
  readonly process: Process.Process
  readonly clock: Clock.Clock
  /** How far its wall clock is from the exchange's, in milliseconds. */
  readonly ahead: () => number
  readonly jump: (milliseconds: number) => void
  readonly isCut: () => boolean
  readonly cut: (milliseconds: number) => void
  /** Freezes it for a while. A second time at once only prolongs that. */
  readonly freeze: (milliseconds: number) => void
  readonly kill: () => void
}

export const make = (sim: Sim.Sim, { ahead, id }: Plan.PlannedMachine): OwnerMachine => {
  const process = sim.makeProcess()
  const { clock, jump } = sim.makeClock(Sim.epoch + ahead)
  let shift = ahead
  let cutUntil = 0
  let frozenUntil = 0
  return {
    id,
    process,
    clock,
    ahead: () => shift,
    jump: (milliseconds) => {
      shift += milliseconds
      jump(milliseconds)
    },
    isCut: () => sim.now() < cutUntil,
    cut: (milliseconds) => {
      cutUntil = Math.max(cutUntil, sim.now() + milliseconds)
    },
    freeze: (milliseconds) => {
      frozenUntil = Math.max(frozenUntil, sim.now() + milliseconds)
      process.freeze()
      sim.after(milliseconds, () => {
        if (sim.now() >= frozenUntil) process.thaw()
      })
    },
    kill: process.kill
  }
}
