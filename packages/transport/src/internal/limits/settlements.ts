import * as Effect from "effect/Effect"
import * as Monotonic from "../time/monotonic.js"

/** `A` says how a call ended, whenever that was. */
export interface Outbox<A> {
  /** Settles now. Where the server cannot be reached, or the client dies, it is tried again in the background. */
  readonly settle: (ended: A) => Effect.Effect<void>
  /** Settles in the background. */
  readonly later: (ended: A) => Effect.Effect<void>
}

interface Waiting<A> {
  readonly ended: A
  readonly endedAt: number
}

const pause = "250 millis"

/**
 * Settlements, those included that the server did not take at once: one fiber tries again until it does, or until the lease frees the place
 * anyhow. Each says how long ago its call ended, in microseconds, so that a later try says the same.
 */
export const make = <A>(
  lease: number,
  settle: (ended: A, ago: number) => Effect.Effect<void, unknown>
): Effect.Effect<Outbox<A>> =>
  Effect.sync(() => {
    const queue: Array<Waiting<A>> = []
    let isDraining = false

    const attempt = ({ ended, endedAt }: Waiting<A>) =>
      Effect.flatMap(Monotonic.micros, (now) => {
        const ago = Math.max(now - endedAt, 0)
        return ago > lease ? Effect.void : settle(ended, ago)
      })

    const drain = Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(pause)
        for (let first = queue[0]; first !== undefined; first = queue[0]) {
          // One that dies is tried again too: those behind it wait for this fiber.
          const { _tag } = yield* Effect.exit(attempt(first))
          if (_tag === "Failure") break
          queue.shift()
        }
        // One step with the end of the fiber: what joins later begins another.
        if (queue.length > 0) continue
        isDraining = false
        return
      }
    })

    const join = (waiting: Waiting<A>): Effect.Effect<void> =>
      Effect.suspend(() => {
        queue.push(waiting)
        if (isDraining) return Effect.void
        isDraining = true
        return Effect.asVoid(Effect.forkDaemon(drain))
      })

    return {
      settle: (ended) =>
        Effect.flatMap(Monotonic.micros, (endedAt) =>
          Effect.ignore(Effect.onError(attempt({ ended, endedAt }), () => join({ ended, endedAt })))
        ),
      later: (ended) => Effect.flatMap(Monotonic.micros, (endedAt) => join({ ended, endedAt }))
    }
  })
