import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** A service of a layer that was built for it alone, and the scope that ends it. */
export interface Built<S> {
  readonly service: S
  readonly scope: Scope.CloseableScope
}

/** Builds a layer anew, in a scope of its own within the scope that this is asked for in. Gives how. */
export const builder = <I, S, E, R>(
  tag: Context.Tag<I, S>,
  layer: Layer.Layer<I, E, R>
): Effect.Effect<Effect.Effect<Built<S>, E>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const surroundings = yield* Effect.context<R>()
    const whole = yield* Effect.scope
    return Effect.uninterruptible(
      Effect.gen(function* () {
        const scope = yield* Scope.fork(whole, ExecutionStrategy.sequential)
        const context = yield* Layer.buildWithScope(layer, scope).pipe(
          Effect.provide(surroundings),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        return { service: Context.get(context, tag), scope }
      })
    )
  })
