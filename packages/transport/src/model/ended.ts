import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Continues with an effect that has already ended, in the same step; anything else is left to the runtime. A call whose rate limits have room and whose
 * services are local takes one step from the request to the first byte, and one from the last byte to the result, so no other fiber and no interruption can
 * intervene. (docs/decisions/0055)
 */

/** The exit of an effect that has ended. */
const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  // `isExit` loses the types of the effect.
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined

/** Continues with the value of an effect. */
export const andThen = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => {
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.flatMap(effect, next)
  return Exit.isSuccess(exit) ? next(exit.value) : Exit.failCause(exit.cause)
}

/** Continues with the exit of an effect, in a region that is not interrupted. */
export const onExit = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (exit: Exit.Exit<A, E>) => Effect.Effect<B, E2>
): Effect.Effect<B, E2> => {
  const exit = exitOf(effect)
  if (exit !== undefined) return next(exit)
  return Effect.matchCauseEffect(effect, {
    onFailure: (cause) => next(Exit.failCause(cause)),
    onSuccess: (value) => next(Exit.succeed(value))
  })
}

/** Returns the exit of an effect after `cleanup`, which runs for any exit and if `use` throws. Call it in an uninterruptible region. */
export const ensuring = <A, E>(use: () => Effect.Effect<A, E>, cleanup: () => Effect.Effect<void>) =>
  onExit(caught(use), (exit) => andThen(cleanup(), () => exit))

const caught = <A, E>(use: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return use()
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** Makes an effect interruptible again. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Runs in an uninterruptible region, except for the effects that it restores, which are those that wait. */
export const interruptibleWhereItWaits = <A, E>(run: (restore: Restore) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.uninterruptibleMask(run)

/** Maps the failure of an effect. */
export const mapError = <A, E, E2>(effect: Effect.Effect<A, E>, map: (error: E) => E2): Effect.Effect<A, E2> => {
  const exit = exitOf(effect)
  return exit === undefined ? Effect.mapError(effect, map) : Exit.mapError(exit, map)
}
