/** Decides which fiber runs next, and when it yields. Tasks of one fiber keep their order, as with Effect's default scheduler. */
import * as EffectScheduler from "effect/Scheduler"
import type * as Draws from "./Draws.js"

/**
 * When fibers yield, apart from their suspensions. `lawful`: where the default scheduler can make them yield, after 2048 operations
 * since they resumed, part of which was spent before. `anywhere`: before each operation with this probability; a finding of this mode alone
 * depends on `maxOpsBeforeYield`.
 */
export type Mode = { readonly _tag: "lawful" } | { readonly _tag: "anywhere"; readonly probability: number }

/** The mode of a seed. */
export const modeOf = (draws: Draws.Draws, isAnywhere: boolean): Mode =>
  isAnywhere ? { _tag: "anywhere", probability: draws.pick([0.002, 0.01, 0.03], "yields") } : { _tag: "lawful" }

interface Queue {
  readonly tasks: Array<EffectScheduler.Task>
  isReady: boolean
}

const maxOperations = 2048

export const make = (draws: Draws.Draws, mode: Mode) => {
  const next = draws.sequence("scheduler")
  const gaps = draws.sequence("yields")
  const ready: Array<Queue> = []
  const queues = new WeakMap<object, Queue>()
  const noFiber = {}
  /** Operations that a fiber is taken to have spent before its first suspension. */
  const spent = new WeakMap<object, number>()
  const gap = () =>
    mode._tag === "lawful" ? Number.POSITIVE_INFINITY : Math.ceil(Math.log(1 - gaps()) / Math.log(1 - mode.probability))
  let untilYield = gap()
  let operations = 0

  const scheduler = EffectScheduler.make(
    (task, _priority, fiber) => {
      const key = fiber ?? noFiber
      const queue = queues.get(key) ?? { tasks: [], isReady: false }
      queues.set(key, queue)
      if (spent.has(key)) spent.set(key, 0)
      queue.tasks.push(task)
      if (queue.isReady) return
      queue.isReady = true
      ready.push(queue)
    },
    (fiber) => {
      operations++
      let earlier = spent.get(fiber)
      if (earlier === undefined) {
        earlier = mode._tag === "lawful" ? Math.floor(gaps() * maxOperations) : 0
        spent.set(fiber, earlier)
      }
      if (fiber.currentOpCount + earlier > maxOperations) return 0
      if (--untilYield > 0) return false
      untilYield = gap()
      return 0
    }
  )

  /** Runs one task; false if no task is left. */
  const step = (): boolean => {
    const index = Math.floor(next() * ready.length)
    const queue = ready[index]
    if (queue === undefined) return false
    const task = queue.tasks.shift()
    if (queue.tasks.length === 0) {
      queue.isReady = false
      ready.splice(index, 1)
    }
    task?.()
    return true
  }

  return { scheduler, step, operations: () => operations }
}
