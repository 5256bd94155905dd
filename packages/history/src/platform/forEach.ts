import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * `Stream.runForEach` without a sink: of a stream of one or two elements, such as the rows of a quiet window, nearly all of the work is to
 * connect it to its sink.
 */
export const forEach = <A, E, R, E2, R2>(
  stream: Stream.Stream<A, E, R>,
  f: (element: A) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<void, E | E2, R | R2> =>
  Effect.scoped(
    Effect.flatMap(Stream.toPull(stream), (pull) => {
      const next: Effect.Effect<void, E | E2, R | R2> = Effect.matchEffect(pull, {
        onFailure: Option.match({ onNone: () => Effect.void, onSome: (error) => Effect.fail<E | E2>(error) }),
        onSuccess: (chunk) => Effect.zipRight(Effect.forEach(chunk, f, { discard: true }), next)
      })
      return next
    })
  )
