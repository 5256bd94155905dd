/** What the journals of a folder and of a database share. */
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/** Logs that a journal was opened although nothing can be recorded in it, for example on a full disk. */
export const warnUnwritable = (error: unknown): Effect.Effect<void> =>
  Effect.logWarning("the journal of writes can be read, but not written: no write is sent until it can be", error)

/**
 * Runs a statement outside of the caller's transaction, whose rollback must not undo it. The transaction can belong to a different database, whose connection
 * every client of its kind would use. Each kind has a separate tag, so the whole context is dropped except the span.
 */
export const outsideTransaction = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.mapInputContext(effect, (context: Context.Context<never>) => Context.pick(Tracer.ParentSpan)(context))

const stepsAtOnce = 5_000

/** Takes all steps, in pieces between which the event loop is left to others. */
export const takeSteps = (steps: Iterable<unknown>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const iterator = steps[Symbol.iterator]()
    const takePiece: Effect.Effect<void> = Effect.suspend(() => {
      for (let step = 0; step < stepsAtOnce; step++) if (iterator.next().done === true) return Effect.void
      return Effect.zipRight(Effect.sleep(Duration.zero), takePiece)
    })
    return takePiece
  })
