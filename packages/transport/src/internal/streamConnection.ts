import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Limits from "../Limits.js"
import type * as Priority from "../Priority.js"
import type * as RateLimitStore from "../RateLimitStore.js"
import type { Restore } from "./dispatcher.js"

/** Waits for a reservation. To be run uninterruptibly: only the waiting is restored. */
export type Acquire = <E>(
  request: {
    readonly charges: ReadonlyArray<RateLimitStore.Charge>
    readonly priority: Priority.Name
    readonly unless?: Effect.Effect<never, E> | undefined
  },
  restore: Restore
) => Effect.Effect<RateLimitStore.Reservation, E | RateLimitStore.StoreUnreachable>

/** How a place is taken, and given back. */
interface Places {
  readonly acquire: Acquire
  readonly release: (reservation: RateLimitStore.Reservation) => Effect.Effect<void>
}

interface Options<E2> {
  readonly charges: Limits.StreamConnection
  readonly priority?: Priority.Name | undefined
  readonly unless?: Effect.Effect<never, E2> | undefined
}

/**
 * A connection holds two reservations, since their places are free at different times: the one among the open connections when it is
 * closed, the one among the opened ones a window after it was opened. The former is taken first: while it waits for the latter, which time
 * alone frees, no other connection depends on it.
 */
export const make =
  ({ acquire, release }: Places) =>
  <A, E, R, E2>(connect: Effect.Effect<A, E, R>, { charges, priority = "read", unless }: Options<E2>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const outer = yield* Effect.scope
        const place = yield* acquire({ charges: [charges.open], priority, unless }, restore)
        // Closed when the attempt fails, in which case the outer one may stay open for long.
        const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
        yield* Scope.addFinalizer(scope, release(place))
        const opened = Effect.flatMap(acquire({ charges: [charges.opening], priority, unless }, restore), (opening) =>
          Effect.ensuring(restore(Scope.extend(connect, scope)), release(opening))
        )
        return yield* Effect.onError(opened, (cause) => Scope.close(scope, Exit.failCause(cause)))
      })
    )
