import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/**
 * A statement of its own, outside of a transaction that the caller may be in: a rollback must not undo it. The transaction may also be one of
 * another database, whose connection every client of its kind would use. Each kind has a tag of its own: all but the span is left out.
 */
export const outsideTransaction = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.mapInputContext(effect, (context: Context.Context<never>) => Context.pick(Tracer.ParentSpan)(context))
