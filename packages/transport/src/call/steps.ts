import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type YieldWrap, yieldWrapGet } from "effect/Utils"
import type { Restore } from "../attempt/callState.js"

/**
 * The steps of a sending. Write them as a generator function at the top of a module, which takes its values as arguments: a function that is made in each call
 * would be kept with its values.
 */
export type Steps<A, E> = Generator<YieldWrap<Effect.Effect<unknown, E>>, A, never>

/**
 * Takes steps in order. A step that has ended continues in the same turn of the engine, so no other fiber and no interruption comes between steps that wait for
 * nothing; any other step is left to the runtime. Steps that fail are left, and their `finally` blocks run. (docs/decisions/0055)
 */
export const run = <A, E>(steps: Steps<A, E>): Effect.Effect<A, E> => advance(steps, steps.next(), undefined)

const advance = <A, E>(
  steps: Steps<A, E>,
  from: IteratorResult<YieldWrap<Effect.Effect<unknown, E>>, A>,
  left: Cause.Cause<E> | undefined
): Effect.Effect<A, E> => {
  let state = from
  let cause = left
  while (state.done !== true) {
    const step = yieldWrapGet(state.value)
    if (!isEnded(step)) {
      return Effect.matchCauseEffect(step, {
        onFailure: (failed) => advance(steps, leave(steps), cause ?? failed),
        // The generator has received it as the type of its `yield`.
        onSuccess: (value) => advance(steps, steps.next(value as never), cause)
      })
    }
    if (Exit.isSuccess(step)) {
      // As above.
      state = steps.next(step.value as never)
    } else {
      cause ??= step.cause
      state = leave(steps)
    }
  }
  return cause === undefined ? Exit.succeed(state.value) : Exit.failCause(cause)
}

/** Ends a generator early. */
const leave = <A, E>(steps: Steps<A, E>) => steps.return(undefined as A) // nobody reads it: the failure is the result

/** Makes a step that waits as interruptible as its caller. */
export const awaitStep = <A, E>(
  { restore }: { readonly restore: Restore },
  step: Effect.Effect<A, E>
): Effect.Effect<A, E> => (isEnded(step) ? step : restore(step))

/** Maps the failure of a step. */
export const mapFailure = <A, E, E2>(step: Effect.Effect<A, E>, map: (failure: E) => E2): Effect.Effect<A, E2> =>
  isEnded(step) ? Exit.mapError(step, map) : Effect.mapError(step, map)

const isEnded = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
