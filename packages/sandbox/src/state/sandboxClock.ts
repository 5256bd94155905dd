import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The reading of a sandbox clock. */
export interface Reading {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly stopped: boolean
}

/** A change of the clock. Absent fields do not change. */
export interface Change {
  readonly to?: number | undefined
  readonly stopped?: boolean | undefined
}

/** The clock of a sandbox: the caller's clock until a command moves or stops it. */
export interface SandboxClock {
  /** Runs an effect with this clock. Delays still follow the caller's clock. */
  readonly within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly read: Effect.Effect<Reading>
  readonly change: (change: Change) => Effect.Effect<Reading>
}

/** The caller's clock for each sandbox clock. */
const bases = new WeakMap<Clock.Clock, Clock.Clock>()

const baseOf = (clock: Clock.Clock): Clock.Clock => bases.get(clock) ?? clock

const move = (base: Clock.Clock, unsafeNow: () => number): Clock.Clock => {
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: unsafeNow,
    unsafeCurrentTimeNanos: () => base.unsafeCurrentTimeNanos(),
    currentTimeMillis: Effect.sync(unsafeNow),
    currentTimeNanos: base.currentTimeNanos,
    sleep: (duration) => base.sleep(duration)
  }
  bases.set(clock, base)
  return clock
}

const base: Effect.Effect<Clock.Clock> = Effect.map(Effect.clock, baseOf)

/** Creates a clock that is ahead of the caller's clock, in milliseconds. */
export const make = (initiallyAhead = 0): SandboxClock => {
  let ahead = initiallyAhead
  let stoppedAt: number | undefined

  const nowBy = (clock: Clock.Clock): number => stoppedAt ?? clock.unsafeCurrentTimeMillis() + ahead
  const readBy = (clock: Clock.Clock): Reading => ({ now: nowBy(clock), stopped: stoppedAt !== undefined })

  return {
    within: (effect) =>
      ahead === 0 && stoppedAt === undefined
        ? effect
        : Effect.flatMap(base, (clock) =>
            Effect.withClock(
              effect,
              move(clock, () => nowBy(clock))
            )
          ),
    read: Effect.map(base, readBy),
    change: ({ stopped = stoppedAt !== undefined, to }) =>
      Effect.map(base, (clock) => {
        const now = to ?? nowBy(clock)
        ahead = now - clock.unsafeCurrentTimeMillis()
        stoppedAt = stopped ? now : undefined
        return readBy(clock)
      })
  }
}
