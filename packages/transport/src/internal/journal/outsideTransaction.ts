import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/**
 * Runs a statement outside of the caller's transaction, whose rollback must not undo it. The transaction can belong to a different database, whose connection
 * every client of its kind would use. Each kind has a separate tag, so the whole context is dropped except the span.
 */
export const outsideTransaction = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.mapInputContext(effect, (context: Context.Context<never>) => Context.pick(Tracer.ParentSpan)(context))
