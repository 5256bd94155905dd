/** A process whose fibers run side by side with those of the others, until it dies. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"

export interface Process {
  readonly isDead: () => boolean
  /** From here on nothing of the process runs: no fiber, no finalizer. */
  readonly kill: () => void
  /** Nothing of the process runs until it is thawed. Its timers and clocks go on. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Runs `fire` at once, or when it is thawed; never in a dead process. */
  readonly whenAwake: (fire: () => void) => void
  /** Runs an effect in the process. Ends with it, or with the death of the process. */
  readonly run: <E, R>(effect: Effect.Effect<unknown, E, R>) => Effect.Effect<void, E, R>
}

export const make = (scheduler: Scheduler.Scheduler): Process => {
  const watching: Array<() => void> = []
  let isDead = false
  /** Waits for the process to be thawed; `undefined` while it is awake. */
  let postponed: Array<() => void> | undefined
  const whenAwake: Process["whenAwake"] = (fire) => {
    if (isDead) return
    if (postponed === undefined) fire()
    else postponed.push(fire)
  }
  // Its fibers are scheduled with those of the other processes: only those of a dead or frozen one are left out.
  const filtered = Scheduler.make(
    (task, priority, fiber) => {
      const schedule = () => {
        scheduler.scheduleTask(
          () => {
            if (isDead) return
            if (postponed === undefined) task()
            else postponed.push(schedule)
          },
          priority,
          fiber
        )
      }
      schedule()
    },
    (fiber) => scheduler.shouldYield(fiber)
  )
  return {
    isDead: () => isDead,
    kill: () => {
      isDead = true
      for (const watch of watching) watch()
    },
    freeze: () => {
      postponed ??= []
    },
    thaw: () => {
      const waiting = postponed ?? []
      postponed = undefined
      if (!isDead) for (const resume of waiting) resume()
    },
    whenAwake,
    run: <E, R>(effect: Effect.Effect<unknown, E, R>) =>
      Effect.flatMap(Effect.withScheduler(Effect.forkDaemon(effect), filtered), (fiber) =>
        Effect.async<void, E>((resume) => {
          fiber.addObserver((exit) => {
            resume(Exit.asVoid(exit))
          })
          watching.push(() => {
            resume(Effect.void)
          })
          if (isDead) resume(Effect.void)
        })
      )
  }
}
