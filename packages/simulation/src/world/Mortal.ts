/** Processes that meet a fate at one of their operations on files: they die, alone or with their machine, or stand still for a while. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Draws from "../kernel/Draws.js"
import type * as Process from "../kernel/Process.js"
import type * as Files from "./Files.js"
import type * as World from "./World.js"

/** How a process ends before it is done, at its `operation`-th operation on files. */
export type Fate =
  | { readonly _tag: "crashed"; readonly operation: number; readonly keepsNames: boolean }
  | {
      readonly _tag: "frozen"
      readonly operation: number
      readonly revivedAfter: number
      /** So many operations of other processes revive it earlier: in the middle of their work. */
      readonly revivedBy?: number | undefined
    }
  | { readonly _tag: "killed"; readonly operation: number }

/** Draws a fate, in the first operations of a process: up to one of `scales`. */
export const fateOf = (
  draws: Draws.Draws,
  id: string,
  scales: readonly [number, ...ReadonlyArray<number>]
): Fate | undefined => {
  const operation = 1 + draws.int(draws.pick(scales, id, "scale"), id, "operation")
  switch (draws.pick(["none", "killed", "killed", "crashed", "frozen"] as const, id, "fate")) {
    case "none":
      return undefined
    case "killed":
      return { _tag: "killed", operation }
    case "crashed":
      return { _tag: "crashed", operation, keepsNames: draws.chance(0.5, id, "names") }
    case "frozen":
      return {
        _tag: "frozen",
        operation,
        revivedAfter: draws.pick([500, 15_000, 60_000, 120_000], id, "revived"),
        revivedBy: draws.chance(0.5, id, "by others") ? 1 + draws.int(80, id, "others") : undefined
      }
  }
}

/** A machine with one disk, and the processes that live on it, by their numbers. */
export interface MortalMachine {
  readonly world: World.World
  readonly disk: Files.Disk
  readonly living: Map<number, Process.Process>
  /** Counts an operation of another process, and wakes the frozen one in time; by its number. */
  readonly frozen: Map<number, () => void>
}

/** Not `Effect.never`, whose timer keeps a real process alive. */
const never = Effect.async<never>(() => undefined)

const freeze = (
  { frozen, world }: MortalMachine,
  pid: number,
  process: Process.Process,
  fate: Extract<Fate, { _tag: "frozen" }>
) => {
  let left = fate.revivedBy ?? Infinity
  const thaw = () => {
    if (frozen.delete(pid)) process.thaw()
  }
  process.freeze()
  frozen.set(pid, () => {
    if (--left <= 0) thaw()
  })
  world.sim.after(fate.revivedAfter, thaw)
}

const meet = (machine: MortalMachine, id: string, pid: number, process: Process.Process, fate: Fate) => {
  const { disk, living, world } = machine
  world.cover(`process ${fate._tag}`)
  world.sim.trace(`${fate._tag.padEnd(9)} ${id}`)
  if (fate._tag === "frozen") {
    freeze(machine, pid, process, fate)
    return
  }
  const dying = fate._tag === "crashed" ? [...living.values()] : [process]
  living.delete(pid)
  if (fate._tag === "crashed") {
    living.clear()
    disk.crash(fate.keepsNames)
  }
  for (const each of dying) each.kill()
}

/** The disk as a process sees it until it meets its fate: a kill can leave half of an operation done. */
export const filesOf = (
  machine: MortalMachine,
  { fate, id }: { readonly id: string; readonly fate?: Fate | undefined },
  pid: number,
  process: Process.Process,
  latency = 0
): FileSystem.FileSystem => {
  let operations = 0
  const { draws } = machine.world
  return machine.disk.files((operation, half) =>
    Effect.suspend(() => {
      const delay = latency === 0 ? 0 : latency * draws.fraction(id, "disk", operations)
      const effect = delay === 0 ? operation : Effect.zipRight(Effect.sleep(delay), operation)
      for (const [other, passed] of machine.frozen) if (other !== pid) passed()
      if (++operations !== fate?.operation) return effect
      const met = Effect.sync(() => meet(machine, id, pid, process, fate))
      // The rest of a frozen process is a task that waits until it is thawed.
      if (fate._tag === "frozen") return Effect.zipRight(Effect.zipRight(met, Effect.yieldNow()), effect)
      const isHalf = half !== undefined && draws.chance(0.5, id, "half")
      return Effect.zipRight(isHalf ? Effect.zipRight(half, met) : met, never)
    })
  )
}
