/**
 * The references of a layer, for the calls that it makes later.
 *
 * @sibling
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { Inherit } from "./CallOptions.js"

/** Adds the captured references to a context, unless it already has them. */
export type Add = <R>(context: Context.Context<R>) => Context.Context<R>

/** Returns the value of a reference that differs from its default; `undefined` if the context does not provide one. */
export const getProvided = <Id, A>(
  context: Context.Context<never>,
  reference: Context.Reference<Id, A>
): A | undefined => {
  const value = Context.get(context, reference)
  return value === Context.get(Context.empty(), reference) ? undefined : value
}

/** Copies one reference from a context to another, unless it has its default. */
export type Copy = (from: Context.Context<never>, to: Context.Context<never>) => Context.Context<never>

/** A reference that a layer hands on to its calls. */
export const reference =
  <Id, A>(tag: Context.Reference<Id, A>): Copy =>
  (from, to) => {
    const value = getProvided(from, tag)
    return value === undefined ? to : Context.add(to, tag, value)
  }

/** Captures the references that are provided to a layer while it is built; `undefined` if there are none. */
export const capture = (references: ReadonlyArray<Copy>): Effect.Effect<Add | undefined> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const none = Context.empty()
    const captured = references.reduce((to, copy) => copy(context, to), none)
    return captured === none ? undefined : adding(captured)
  })

// The calls of a program share its context. With a tracer each call has its own, so only the last one is remembered.
const adding = (captured: Context.Context<never>): Add => {
  let last: Context.Context<never> | undefined
  let added: Context.Context<never> | undefined
  return <R>(context: Context.Context<R>) => {
    if (added === undefined || context !== last) {
      last = context
      const isComplete = Array.from(captured.unsafeMap.keys()).every((key) => context.unsafeMap.has(key))
      added = isComplete ? context : Context.merge(captured, context)
    }
    // It has all services of `context`.
    return added as Context.Context<R>
  }
}

/** Captures a reference that is provided to a layer while it is built, so that it can be added to the layer's calls. */
export const inherit = <Id, A>(tag: Context.Reference<Id, A>): Effect.Effect<Inherit> =>
  Effect.map(capture([reference(tag)]), (add): Inherit =>
    add === undefined ? identity : (effect) => Effect.mapInputContext(effect, add)
  )
