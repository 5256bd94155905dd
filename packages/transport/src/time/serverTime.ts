import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ServerClock from "./ServerClock.js"
import { ofService } from "./hostClocks.js"

/** The service's clock for a call whose local clock is `time`. */
export interface ServerTime extends Pick<ServerClock.ServerClock.Shape, "learn" | "reset" | "precedes"> {
  readonly now: (host: string, time: Clock.Clock) => Effect.Effect<number>
}

/** Returns synchronously if the clock is kept in memory. */
export const make = (clock: ServerClock.ServerClock.Shape): ServerTime => {
  const direct = ofService.get(clock)
  return direct === undefined
    ? clock
    : {
        now: (host, time) => Exit.succeed(direct.now(host, time)),
        learn: (host, sample) => {
          direct.learn(host, sample)
          return Exit.void
        },
        reset: (host, sample) => {
          direct.reset(host, sample)
          return Exit.void
        },
        precedes: (host, sample) => Exit.succeed(direct.precedes(host, sample))
      }
}
