import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type YieldWrap, yieldWrapGet } from "effect/Utils"
import type { Restore } from "../attempt/callState.js"
import { isEnded, onEnd } from "../model/exits.js"

/**
 * The steps of a sending. Write them as a generator function at the top of a module, which takes its values as arguments: a function that is made in each call
 * would be kept with its values.
 */
export type Steps<A, E> = Generator<YieldWrap<Effect.Effect<unknown, E>>, A, never>

/**
 * Takes steps in order. A step that has ended continues in the same turn of the engine, so no other fiber and no interruption comes between steps that wait for
 * nothing; any other step is left to the runtime. Steps that fail are left, and their `finally` blocks run. It never throws. (docs/decisions/0055)
 */
export const run = <A, E>(steps: Steps<A, E>): Effect.Effect<A, E> => advance(steps, Exit.void, undefined)

const advance = <A, E>(
  steps: Steps<A, E>,
  last: Exit.Exit<unknown, E>,
  left: Cause.Cause<E> | undefined
): Effect.Effect<A, E> => {
  let exit = last
  let cause = left
  try {
    for (;;) {
      if (Exit.isFailure(exit)) cause ??= exit.cause
      // The generator receives a value as the type of its `yield`. Nobody reads what one returns that is left: the failure is the result.
      const state = Exit.isSuccess(exit) ? steps.next(exit.value as never) : steps.return(undefined as A)
      if (state.done === true) return cause === undefined ? Exit.succeed(state.value) : Exit.failCause(cause)
      const step = yieldWrapGet(state.value)
      if (!isEnded(step)) return onEnd(step, (ended) => advance(steps, ended, cause))
      exit = step
    }
  } catch (defect) {
    return Exit.failCause(cause === undefined ? Cause.die(defect) : Cause.sequential(cause, Cause.die(defect)))
  }
}

/** Makes a step that waits as interruptible as its caller. */
export const awaitStep = <A, E>(
  { restore }: { readonly restore: Restore },
  step: Effect.Effect<A, E>
): Effect.Effect<A, E> => (isEnded(step) ? step : restore(step))

/** Maps the failure of a step. */
export const mapFailure = <A, E, E2>(step: Effect.Effect<A, E>, map: (failure: E) => E2): Effect.Effect<A, E2> =>
  isEnded(step) ? Exit.mapError(step, map) : Effect.mapError(step, map)
