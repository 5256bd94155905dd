import { Clock, Duration, Effect, type Exit, type Fiber, Scheduler } from "effect"

interface Timer {
  readonly at: number
  fire: (() => void) | undefined
}

interface Queue {
  readonly tasks: Array<() => void>
  isReady: boolean
}

export interface Options {
  /** Whether a fiber yields before its next step; `false` lets it go on. Defaults to never. */
  readonly shouldYield?: (fiber: Fiber.RuntimeFiber<unknown, unknown>) => number | false
  /** Chooses the next fiber: an index below the number of fibers that are ready. Defaults to 0. */
  readonly pick?: (ready: number) => number
}

/** A sequence of numbers from 0 to below 1 out of a seed. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Runs a program in one synchronous turn, in virtual time that moves only when no fiber can go on. Gives how it ended, or
 * `asleep` where every fiber waits for something that no timer brings.
 */
export const run = <A, E>(program: Effect.Effect<A, E>, options: Options = {}): Exit.Exit<A, E> | "asleep" => {
  const { pick = () => 0, shouldYield = () => false as const } = options
  let now = 0
  const timers: Array<Timer> = []
  const queues = new Map<unknown, Queue>()
  const ready: Array<Queue> = []

  const millis = () => now
  const nanos = () => BigInt(Math.round(now * 1_000_000))
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const timer: Timer = { at: now + Duration.toMillis(duration), fire: () => resume(Effect.void) }
        const index = timers.findIndex(({ at }) => at > timer.at)
        timers.splice(index < 0 ? timers.length : index, 0, timer)
        return Effect.sync(() => {
          timer.fire = undefined
        })
      })
  }

  const scheduler = Scheduler.make((task, _, fiber) => {
    const queue = queues.get(fiber) ?? { tasks: [], isReady: false }
    queues.set(fiber, queue)
    queue.tasks.push(task)
    if (queue.isReady) return
    queue.isReady = true
    ready.push(queue)
  }, shouldYield)

  const step = (): boolean => {
    const [queue] = ready.splice(pick(ready.length), 1)
    if (queue === undefined) return false
    queue.isReady = false
    const task = queue.tasks.shift()
    if (queue.tasks.length > 0) {
      queue.isReady = true
      ready.push(queue)
    }
    task?.()
    return true
  }

  let ended: Exit.Exit<A, E> | undefined
  const fiber = Effect.runFork(Effect.withClock(program, clock), { scheduler, immediate: false })
  fiber.addObserver((exit) => {
    ended = exit
  })
  for (;;) {
    while (ended === undefined && step());
    if (ended !== undefined) return ended
    const timer = timers.shift()
    if (timer === undefined) return "asleep"
    if (timer.fire === undefined) continue
    now = timer.at
    timer.fire()
  }
}
