import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as monotonic from "../time/monotonic.js"

/** How long a store may take to answer before that is worth a warning. */
export const slowAfter = 1000

/** A measured time as people write it: whole seconds, or whole milliseconds of less than one. */
export const rounded = (duration: Duration.Duration): string => {
  const millis = Duration.toMillis(duration)
  return Duration.format(Duration.millis(millis < 1000 ? Math.round(millis) : Math.round(millis / 1000) * 1000))
}

/** Warns when a store cannot be reached for the first time, and when it can be reached again. */
export const make = (store: string): ((isReached: boolean) => Effect.Effect<void>) => {
  let since: number | undefined
  return (isReached) =>
    isReached && since === undefined
      ? Effect.void
      : Effect.flatMap(monotonic.millis, (now) => {
          if (!isReached) {
            if (since !== undefined) return Effect.void
            since = now
            return Effect.logWarning(`${store} cannot be reached`)
          }
          const was = since ?? now
          since = undefined
          return Effect.logWarning(`${store} can be reached again, after ${rounded(Duration.millis(now - was))}`)
        })
}
