/**
 * The references of a layer, for the calls that it makes later.
 *
 * @sibling
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { Inherit } from "./CallOptions.js"
import * as Context from "effect/Context"

/** Adds the captured references to a context, unless it already has them. */
export type Add = <R>(context: Context.Context<R>) => Context.Context<R>

/** Captures the references that are provided to a layer while it is built; `undefined` if there are none. */
export const capture = (references: ReadonlyArray<{ readonly key: string }>): Effect.Effect<Add | undefined> =>
  Effect.contextWith(({ unsafeMap }: Context.Context<never>) => {
    const keys = new Set(references.map(({ key }) => key))
    const captured = [...unsafeMap].filter(([key]) => keys.has(key))
    return captured.length === 0 ? undefined : adding(captured)
  })

// The calls of a program share its context. With a tracer each call has its own, so only the last one is remembered.
const adding = (captured: ReadonlyArray<readonly [string, unknown]>): Add => {
  let last: Context.Context<never> | undefined
  let added: Context.Context<never> | undefined
  return <R>(context: Context.Context<R>) => {
    if (added === undefined || context !== last) {
      last = context
      added = Context.unsafeMake(new Map([...captured, ...context.unsafeMap]))
    }
    // It has all services of `context`.
    return added as Context.Context<R>
  }
}

/** Captures the references that are provided to a layer while it is built, so that they can be added to the layer's calls. */
export const inherit = (...references: ReadonlyArray<{ readonly key: string }>): Effect.Effect<Inherit> =>
  Effect.map(capture(references), (add): Inherit =>
    add === undefined ? identity : (effect) => Effect.mapInputContext(effect, add)
  )
