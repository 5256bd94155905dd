import * as Effect from "effect/Effect"
import * as Monotonic from "../time/monotonic.js"

/** `A` describes how a call ended, at any time. */
export interface Outbox<A> {
  /** Settles now. If the server is unreachable or the client dies, it is retried in the background. */
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
 * Delivers settlements, including those that the server did not accept at once: a single fiber retries until it does, or until the lease frees the slot
 * anyway. Each settlement contains how long ago its call ended, in microseconds, so that a retry refers to the same instant.
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
          // A defect is retried too, because the settlements behind it wait for this fiber.
          const { _tag } = yield* Effect.exit(attempt(first))
          if (_tag === "Failure") break
          queue.shift()
        }
        // In this step, and not when the fiber has ended, as a `FiberHandle` would: a settlement that joins in between would wait for nobody.
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
