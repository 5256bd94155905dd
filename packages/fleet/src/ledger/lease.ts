import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type Ledger, NotOwner, type Ownership } from "./Ledger.js"

const renewEvery = Duration.seconds(2)

/** A ledger that cannot be reached is asked until it can. */
const untilReached = Schedule.union(Schedule.exponential("200 millis"), Schedule.spaced("2 seconds"))

/** By a clock that is never set, and goes on while the process is frozen. */
const monotonicMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

export interface Lease {
  readonly ownership: Ownership
  /** Fails when the ledger has named another owner, or has not confirmed this one for too long. */
  readonly lease: Effect.Effect<void, NotOwner>
}

/** An ownership with a deadline, until the scope ends. A confirmation of the ledger counts from the instant of its request. */
export const make = (
  ledger: Ledger.Shape,
  egress: string,
  owner: string,
  leaseFor: Duration.Duration
): Effect.Effect<Lease, never, Scope.Scope> =>
  Effect.gen(function* () {
    const length = Duration.toMillis(leaseFor)
    const [begun, ownership] = yield* Effect.zip(monotonicMillis, ledger.own(egress, owner)).pipe(
      Effect.retry(untilReached),
      Effect.orDie
    )
    let until = begun + length
    let lost: NotOwner | undefined
    const renew = Effect.gen(function* () {
      yield* Effect.sleep(renewEvery)
      const askedAt = yield* monotonicMillis
      yield* ledger.check(ownership)
      until = askedAt + length
    })
    // A ledger that cannot be reached renews nothing. One that names another owner ends the lease at once.
    yield* Effect.forever(Effect.catchTag(renew, "LedgerFailed", () => Effect.void)).pipe(
      Effect.catchTag("NotOwner", (because) => Effect.sync(() => (lost = because))),
      Effect.forkScoped
    )
    const { epoch } = ownership
    return {
      ownership,
      lease: Effect.flatMap(monotonicMillis, (now) => {
        if (lost !== undefined) return lost
        return now <= until ? Effect.void : new NotOwner({ egress, epoch, detail: "its lease is over" })
      })
    }
  })
