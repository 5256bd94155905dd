import * as Effect from "effect/Effect"

/** Logs that a journal was opened although nothing can be recorded in it, for example on a full disk. */
export const warnUnwritable = (error: unknown): Effect.Effect<void> =>
  Effect.logWarning("the journal of writes can be read, but not written: no write is sent until it can be", error)
