import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Scope from "effect/Scope"

/** Successive builds of the services of a layer, each with a separate scope. */
export interface Reloadable<A> {
  readonly current: () => A
  /** Replaces the present build with a new one and returns the previous build, or `none` if the new build fails. */
  readonly reload: Effect.Effect<Option.Option<A>>
}

/** Builds the first, and on request the next, within the scope of the caller. */
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
