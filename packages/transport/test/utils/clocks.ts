import { Clock, Duration, Effect } from "effect"

export interface Jumping extends Clock.Clock {
  /** Sets the wall clock forward, or back where negative. Sleeps and monotonic time go on unmoved. */
  readonly jump: (by: Duration.DurationInput, direction?: "forward" | "back") => void
}

/** A clock whose wall time can be set while its sleeps and its monotonic time follow those of another clock. */
export const jumping = (steady: Clock.Clock): Jumping => {
  let shift = 0
  const unsafeCurrentTimeMillis = () => steady.unsafeCurrentTimeMillis() + shift
  const unsafeCurrentTimeNanos = () => steady.unsafeCurrentTimeNanos()
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis,
    unsafeCurrentTimeNanos,
    currentTimeMillis: Effect.sync(unsafeCurrentTimeMillis),
    currentTimeNanos: Effect.sync(unsafeCurrentTimeNanos),
    sleep: (duration) => steady.sleep(duration),
    jump: (by, direction = "forward") => {
      shift += (direction === "forward" ? 1 : -1) * Duration.toMillis(by)
    }
  }
}
