import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Scope from "effect/Scope"

/** Services of a layer, one after the other, each in a scope of its own. */
export interface Reloadable<A> {
  readonly current: () => A
  /** Replaces the present one with the next, and returns the one replaced; none where a next one cannot be built. */
  readonly reload: Effect.Effect<Option.Option<A>>
}

/** Builds the first, and whenever asked the next, within the scope that this is asked for in. */
export const make = <I, S, E, R, A>(
  tag: Context.Tag<I, S>,
  layer: Layer.Layer<I, E, R>,
  of: (service: S, scope: Scope.CloseableScope) => A
): Effect.Effect<Reloadable<A>, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const dependencies = yield* Effect.context<R>()
    const whole = yield* Effect.scope

    const build = Effect.uninterruptible(
      Effect.gen(function* () {
        const scope = yield* Scope.fork(whole, ExecutionStrategy.sequential)
        const context = yield* Layer.buildWithScope(layer, scope).pipe(
          Effect.provide(dependencies),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        return of(Context.get(context, tag), scope)
      })
    )

    let current = yield* build

    return {
      current: () => current,
      reload: Effect.option(
        Effect.map(build, (next) => {
          const retired = current
          current = next
          return retired
        })
      )
    }
  })
