import type * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RedisFailed } from "../RedisClient.js"

/** A reservation as it is settled: its id, the life of Redis in which it was taken, and the end of its lease. */
export interface Place {
  readonly id: string
  readonly life: string
  readonly leaseEnd: string
}

export interface Settlement extends Place {
  readonly charges: ReadonlyArray<RateLimitStore.Charge>
  readonly isSent: boolean
  /** Microseconds. */
  readonly arrivesWithin: number
}

export interface Outbox {
  /** Settles now. Where Redis cannot be reached it is tried again in the background. */
  readonly settle: (settlement: Settlement) => Effect.Effect<void>
  /** Settles in the background. */
  readonly later: (settlement: Settlement) => Effect.Effect<void>
}

interface Waiting {
  readonly settlement: Settlement
  readonly endedAt: number
}

const pause = "250 millis"

const monotonicMicros = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1000n))

/**
 * Settlements, those included that Redis did not take at once: one fiber tries again until it does, or until the lease frees the place anyhow.
 * Each says how long ago its call ended, in microseconds, so that a later try says the same.
 */
export const make = (
  lease: number,
  settle: (settlement: Settlement, ago: number) => Effect.Effect<unknown, RedisFailed>
): Effect.Effect<Outbox> =>
  Effect.sync(() => {
    const queue: Array<Waiting> = []
    let isDraining = false

    const attempt = ({ endedAt, settlement }: Waiting) =>
      Effect.flatMap(monotonicMicros, (now) => {
        const ago = Math.max(now - endedAt, 0)
        return ago > lease ? Effect.void : settle(settlement, ago)
      })

    const drain = Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(pause)
        for (let first = queue[0]; first !== undefined; first = queue[0]) {
          const isTaken = yield* Effect.isSuccess(attempt(first))
          if (!isTaken) break
          queue.shift()
        }
        // One step with the end of the fiber: what joins later begins another.
        if (queue.length > 0) continue
        isDraining = false
        return
      }
    })

    const join = (waiting: Waiting): Effect.Effect<void> =>
      Effect.suspend(() => {
        queue.push(waiting)
        if (isDraining) return Effect.void
        isDraining = true
        return Effect.asVoid(Effect.forkDaemon(drain))
      })

    return {
      settle: (settlement) =>
        Effect.flatMap(monotonicMicros, (endedAt) =>
          Effect.catchAll(Effect.asVoid(attempt({ settlement, endedAt })), () => join({ settlement, endedAt }))
        ),
      later: (settlement) => Effect.flatMap(monotonicMicros, (endedAt) => join({ settlement, endedAt }))
    }
  })
