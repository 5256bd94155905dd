/**
 * A deterministic run of an Effect program: one seed decides which fiber runs next and when a fiber yields, and virtual time moves when
 * no fiber can go on. A run is one synchronous turn of JavaScript.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as GlobalValue from "effect/GlobalValue"
import * as Hash from "effect/Hash"
import type * as Draws from "./Draws.js"
import * as Process from "./Process.js"
import * as Scheduler from "./Scheduler.js"

/**
 * How a run ended. `Asleep`: no fiber can go on and no timer is pending: a deadlock, or a wait for the real world. `Spinning`: the steps at one
 * instant have no end. `TooLong`: the program took longer than `limit`.
 */
export type End = "Asleep" | "Done" | "Spinning" | "TooLong"

/** The clock of a process: its wall clock can jump, its sleeps and nanoseconds are steady. */
export interface LocalClock {
  readonly clock: Clock.Clock
  readonly jump: (milliseconds: number) => void
}

export interface Sim {
  /** Milliseconds since the start; monotonic. */
  readonly now: () => number
  /** Runs `fire` after a number of milliseconds. The result cancels that. */
  readonly after: (milliseconds: number, fire: () => void) => () => void
  /** Runs `fire` at this instant, before or after everything else that is ready. */
  readonly soon: (fire: () => void) => void
  readonly makeClock: (epoch: number) => LocalClock
  readonly makeProcess: () => Process.Process
  readonly trace: (event: string) => void
  /** The trace, in order, each event with its instant. */
  readonly events: () => ReadonlyArray<string>
  /** Differs when anything in the run differs. */
  readonly hash: () => string
  /** Runs a program that cannot fail: if it dies, the world has a mistake, and `run` throws. */
  readonly run: (effect: Effect.Effect<unknown>, options: { readonly limit: number }) => End
}

/** The wall clocks of worlds at the start, unless they are wrong. */
export const epoch = Date.UTC(2026, 5, 15, 12)

/** How long the world goes on after the program has ended, in milliseconds. */
const settling = 30_000

const maxStepsAtOneInstant = 300_000

/** Hundreds of times the operations of the busiest instant of a run. */
const maxOperationsAtOneInstant = 20_000_000

/** The fibers without a parent, which Effect keeps until they end. Those of a dead process never do, and would keep all objects of a run. */
const roots = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({
  roots: new Set<unknown>()
})).roots

/** Runs, and releases the fibers that are left. */
const withoutRemains = <A>(run: () => A): A => {
  const before = new Set(roots)
  try {
    return run()
  } finally {
    for (const fiber of roots) if (!before.has(fiber)) roots.delete(fiber)
  }
}

/** Runs while the ids that libraries draw are drawn from the seed. */
const withSeededIds = <A>(next: () => number, run: () => A): A => {
  const hex = (digits: number) =>
    Math.floor(next() * 16 ** digits)
      .toString(16)
      .padStart(digits, "0")
  const value = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
  Object.defineProperty(globalThis.crypto, "randomUUID", { value, configurable: true })
  try {
    return run()
  } finally {
    // The method of the prototype is in force again.
    Reflect.deleteProperty(globalThis.crypto, "randomUUID")
  }
}

const clockOf = ({ after, now }: Pick<Sim, "after" | "now">, epoch: number): LocalClock => {
  let shift = 0
  const millis = () => Math.floor(epoch + now() + shift)
  const nanos = () => BigInt(Math.round((epoch + now()) * 1e6))
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

/** The events of a run, and their digest. */
const makeTrace = (now: () => number) => {
  const events: Array<string> = []
  let digest = 0
  return {
    events: () => events,
    digest: () => (digest >>> 0).toString(16).padStart(8, "0"),
    trace: (event: string) => {
      const line = `${now().toFixed(3).padStart(12)}  ${event}`
      events.push(line)
      digest = Hash.combine(Hash.string(line))(digest)
    }
  }
}

/** Virtual time with its timers. */
const makeTime = () => {
  /** The earliest is the last, and of one instant the oldest. */
  const timers: Array<{ readonly at: number; fire: (() => void) | undefined }> = []
  let now = 0
  const after: Sim["after"] = (milliseconds, fire) => {
    const at = now + Math.max(0, milliseconds)
    const timer: (typeof timers)[number] = { at, fire }
    if (Number.isFinite(at)) timers.splice(timers.findLastIndex((other) => other.at > at) + 1, 0, timer)
    return () => {
      timer.fire = undefined
    }
  }
  return {
    now: () => now,
    after,
    pop: () => timers.pop(),
    moveTo: (instant: number) => {
      now = instant
    }
  }
}

export const make = (draws: Draws.Draws, mode: Scheduler.Mode): Sim => {
  const { after, moveTo, now, pop } = makeTime()
  const { operations, scheduler, step } = Scheduler.make(draws, mode)
  const { digest, events, trace } = makeTrace(now)
  let steps = 0

  const run: Sim["run"] = (effect, { limit }) => {
    let ended: Exit.Exit<unknown> | undefined
    // Requests in the network when the program ends still arrive.
    let settledAt = Number.POSITIVE_INFINITY
    Effect.runFork(effect, { scheduler, immediate: false }).addObserver((exit) => {
      ended = exit
      settledAt = now() + settling
    })
    let before = 0
    for (let atOneInstant = 0; ;) {
      while (step()) {
        steps++
        if (++atOneInstant > maxStepsAtOneInstant || operations() - before > maxOperationsAtOneInstant)
          return "Spinning"
      }
      const timer = pop()
      if (timer === undefined || (ended !== undefined && timer.at > settledAt)) {
        if (ended === undefined) return "Asleep"
        if (Exit.isFailure(ended)) throw new Error(`the world itself failed: ${Cause.pretty(ended.cause)}`)
        return "Done"
      }
      if (timer.fire === undefined) continue
      if (timer.at > limit) return "TooLong"
      if (timer.at > now()) {
        atOneInstant = 0
        before = operations()
      }
      moveTo(timer.at)
      timer.fire()
    }
  }

  return {
    now,
    after,
    soon: (fire) => {
      scheduler.scheduleTask(fire, 0)
    },
    makeClock: (epoch) => clockOf({ after, now }, epoch),
    makeProcess: () => Process.make(scheduler),
    trace,
    events,
    hash: () => `${digest()}-${operations()}-${steps}`,
    run: (effect, options) => withSeededIds(draws.sequence("ids"), () => withoutRemains(() => run(effect, options)))
  }
}
