/** Effects that have perhaps ended: a step that has needs no frame of the runtime. (docs/decisions/0055) */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Whether an effect has ended. */
export const isEnded = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** Runs what can throw, which then ends as a defect. */
export const catchDefects = <A, E>(evaluate: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return evaluate()
  } catch (defect) {
    return Exit.die(defect)
  }
}

/**
 * Continues with the exit of an effect, at once if it has ended: call it in the step that needs its result. In an uninterruptible region it also continues
 * after an interruption.
 */
export const onEnd = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (exit: Exit.Exit<A, E>) => Effect.Effect<B, E2>
): Effect.Effect<B, E2> =>
  isEnded(effect)
    ? catchDefects(() => next(effect))
    : Effect.matchCauseEffect(effect, {
        onFailure: (cause) => next(Exit.failCause(cause)),
        onSuccess: (value) => next(Exit.succeed(value))
      })

/** Continues with the value of an effect, as `onEnd` does. */
export const onSuccess = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> =>
  isEnded(effect)
    ? Exit.isSuccess(effect)
      ? catchDefects(() => next(effect.value))
      : Exit.failCause(effect.cause)
    : Effect.flatMap(effect, next)
