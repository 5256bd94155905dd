/**
 * A deterministic run of an Effect program: one seed decides which fiber runs next and where a fiber yields, and virtual time moves when
 * no fiber can go on. A run is one synchronous turn of JavaScript.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as GlobalValue from "effect/GlobalValue"
import * as Scheduler from "effect/Scheduler"
import type * as Draws from "./Draws.js"

/**
 * Where fibers yield besides at their suspensions. `lawful`: where Effect's default scheduler can make them yield, after 2048 operations
 * since they resumed, of which an unknown number was spent before. `anywhere`: before each operation with this probability; what only
 * this finds depends on `maxOpsBeforeYield`.
 */
export type Mode = { readonly _tag: "lawful" } | { readonly _tag: "anywhere"; readonly probability: number }

/** How a run ended. */
export type End =
  | { readonly _tag: "Done" }
  /** No fiber can go on and no timer is pending: a deadlock, or something that waits for the real world. */
  | { readonly _tag: "Asleep" }
  /** The steps at one instant have no end. */
  | { readonly _tag: "Spinning" }
  /** The program took longer than `limit`. */
  | { readonly _tag: "TooLong" }

export interface Process {
  readonly isDead: () => boolean
  /** From here on nothing of the process runs: no fiber, no finalizer. */
  readonly kill: () => void
  readonly isFrozen: () => boolean
  /** Nothing of the process runs until it is thawed. What it waits for, and its clocks, go on. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Runs `fire` at once, or when it is thawed; never in a dead process. */
  readonly whenAwake: (fire: () => void) => void
  /** Runs an effect in the process. Ends with it, or with the death of the process. */
  readonly run: <E, R>(effect: Effect.Effect<unknown, E, R>) => Effect.Effect<void, E, R>
}

export interface Sim {
  /** Milliseconds since the start; monotonic. */
  readonly now: () => number
  /** Runs `fire` after a number of milliseconds. The result cancels that. */
  readonly after: (milliseconds: number, fire: () => void) => () => void
  /** Runs `fire` at this instant, before or after whatever else is ready. */
  readonly soon: (fire: () => void) => void
  /** The clock of a process: its wall clock may jump, its sleeps and nanoseconds are steady. */
  readonly makeClock: (epoch: number) => { readonly clock: Clock.Clock; readonly jump: (milliseconds: number) => void }
  /** A process whose fibers run side by side with those of the others, until it dies. */
  readonly makeProcess: () => Process
  readonly trace: (event: string) => void
  /** What happened, in order, each with its instant. */
  readonly events: () => ReadonlyArray<string>
  /** A number that differs when anything in the run differs. */
  readonly hash: () => string
  /** Runs a program that cannot fail: one that dies all the same is a mistake of the world, and throws. */
  readonly run: (effect: Effect.Effect<unknown>, options: { readonly limit: number }) => End
}

/** What the wall clocks of worlds show at the start, where they are right. */
export const epoch = Date.UTC(2026, 5, 15, 12)

interface Timer {
  readonly at: number
  readonly number: number
  fire: (() => void) | undefined
}

const isEarlier = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.number < b.number)

/** A binary heap of timers, the earliest first. */
const makeTimers = () => {
  const heap: Array<Timer> = []
  const swap = (a: number, b: number) => {
    const [first, second] = [heap[a], heap[b]]
    if (first === undefined || second === undefined) return
    heap[a] = second
    heap[b] = first
  }
  const precedes = (a: number, b: number): boolean => {
    const [first, second] = [heap[a], heap[b]]
    return first !== undefined && second !== undefined && isEarlier(first, second)
  }
  return {
    push: (timer: Timer) => {
      let at = heap.push(timer) - 1
      while (at > 0 && precedes(at, (at - 1) >> 1)) {
        swap(at, (at - 1) >> 1)
        at = (at - 1) >> 1
      }
    },
    pop: (): Timer | undefined => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined || heap.length === 0) return first
      heap[0] = last
      for (let at = 0; ;) {
        const left = 2 * at + 1
        const child = precedes(left + 1, left) ? left + 1 : left
        if (!precedes(child, at)) return first
        swap(at, child)
        at = child
      }
    }
  }
}

interface Queue {
  readonly tasks: Array<Scheduler.Task>
  isReady: boolean
}

const maxOperations = 2048

/** How long the world goes on after the program has ended, in milliseconds. */
const settling = 30_000

const maxStepsAtOneInstant = 300_000

/** Hundreds of times what the busiest instant of a run takes. */
const maxOperationsAtOneInstant = 20_000_000

/** Which fiber runs next, and where it yields. Tasks of one fiber keep their order, as with the default scheduler. */
const makeScheduler = (draws: Draws.Draws, mode: Mode) => {
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

  const scheduler = Scheduler.make(
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

  /** Runs one task; false when there is none. */
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

const makeProcess = (scheduler: Scheduler.Scheduler): Process => {
  const watching: Array<() => void> = []
  let isDead = false
  /** What waits for the process to be thawed; `undefined` while it is awake. */
  let held: Array<() => void> | undefined
  // Its fibers are scheduled with those of the other processes: only what a dead or frozen one would run is left out.
  const own = Scheduler.make(
    (task, priority, fiber) => {
      const schedule = () => {
        scheduler.scheduleTask(
          () => {
            if (isDead) return
            if (held === undefined) task()
            else held.push(schedule)
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
    isFrozen: () => held !== undefined,
    freeze: () => {
      held ??= []
    },
    thaw: () => {
      const waiting = held ?? []
      held = undefined
      if (!isDead) for (const resume of waiting) resume()
    },
    whenAwake: (fire) => {
      if (isDead) return
      if (held === undefined) fire()
      else held.push(fire)
    },
    run: <E, R>(effect: Effect.Effect<unknown, E, R>) =>
      Effect.flatMap(Effect.withScheduler(Effect.forkDaemon(effect), own), (fiber) =>
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

/**
 * The fibers without a parent, which Effect keeps until they end. Those of a dead process never do, and would keep all that a run has made.
 */
const roots = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({
  roots: new Set<unknown>()
})).roots

/** Runs, and lets go of the fibers that it has left. */
const withoutRemains = <A>(run: () => A): A => {
  const before = new Set(roots)
  try {
    return run()
  } finally {
    for (const fiber of roots) if (!before.has(fiber)) roots.delete(fiber)
  }
}

export const make = (draws: Draws.Draws, mode: Mode): Sim => {
  const timers = makeTimers()
  const { operations, scheduler, step } = makeScheduler(draws, mode)
  const log: Array<string> = []
  let now = 0
  let timerCount = 0
  let steps = 0
  let digest = 0x811c9dc5

  const after: Sim["after"] = (milliseconds, fire) => {
    const timer: Timer = { at: now + Math.max(0, milliseconds), number: timerCount++, fire }
    if (Number.isFinite(timer.at)) timers.push(timer)
    return () => {
      timer.fire = undefined
    }
  }

  const trace = (event: string) => {
    const line = `${now.toFixed(3).padStart(12)}  ${event}`
    log.push(line)
    for (let index = 0; index < line.length; index++) digest = Math.imul(digest ^ line.charCodeAt(index), 0x01000193)
  }

  const makeClock: Sim["makeClock"] = (epoch) => {
    let shift = 0
    const millis = () => Math.floor(epoch + now + shift)
    const nanos = () => BigInt(Math.round((epoch + now) * 1e6))
    const clock: Clock.Clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: millis,
      unsafeCurrentTimeNanos: nanos,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.async<void>((resume) => {
          const cancel = after(Duration.toMillis(duration), () => {
            resume(Effect.void)
          })
          return Effect.sync(cancel)
        })
    }
    return {
      clock,
      jump: (milliseconds) => {
        shift += milliseconds
      }
    }
  }

  const run: Sim["run"] = (effect, { limit }) => {
    let ended: Exit.Exit<unknown> | undefined
    const fiber = Effect.runFork(effect, { scheduler, immediate: false })
    // What is in the network when the program ends still arrives.
    let settledAt = Number.POSITIVE_INFINITY
    fiber.addObserver((exit) => {
      ended = exit
      settledAt = now + settling
    })
    let operationsBefore = 0
    for (let atOneInstant = 0; ;) {
      while (step()) {
        steps++
        if (++atOneInstant > maxStepsAtOneInstant || operations() - operationsBefore > maxOperationsAtOneInstant) {
          return { _tag: "Spinning" }
        }
      }
      const timer = timers.pop()
      if (timer === undefined || (ended !== undefined && timer.at > settledAt)) {
        if (ended === undefined) return { _tag: "Asleep" }
        if (Exit.isFailure(ended)) throw new Error(`the world itself failed: ${Cause.pretty(ended.cause)}`)
        return { _tag: "Done" }
      }
      if (timer.fire === undefined) continue
      if (timer.at > limit) return { _tag: "TooLong" }
      if (timer.at > now) {
        atOneInstant = 0
        operationsBefore = operations()
      }
      now = timer.at
      timer.fire()
    }
  }

  return {
    now: () => now,
    after,
    soon: (fire) => {
      scheduler.scheduleTask(fire, 0)
    },
    makeClock,
    makeProcess: () => makeProcess(scheduler),
    trace,
    events: () => log,
    hash: () => `${(digest >>> 0).toString(16).padStart(8, "0")}-${operations()}-${steps}`,
    run: (effect, options) => withoutRemains(() => run(effect, options))
  }
}
