import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as monotonic from "../time/monotonic.js"

/** A store that takes longer than this to reply is worth a warning, in milliseconds. */
export const slowAfter = 1000

/** A measured time in readable form: whole seconds, or whole milliseconds below one second. */
export const round = (duration: Duration.Duration): string => {
  const millis = Duration.toMillis(duration)
  return Duration.format(Duration.millis(millis < 1000 ? Math.round(millis) : Math.round(millis / 1000) * 1000))
}

/** Warns when a store is first unreachable, and when it is reachable again. */
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
          return Effect.logWarning(`${store} can be reached again, after ${round(Duration.millis(now - was))}`)
        })
}
