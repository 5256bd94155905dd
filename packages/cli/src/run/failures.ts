import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import { withoutPasswords } from "./address.js"

/** The arguments do not fit together: nothing was sent, nothing was written. */
export class Refusal extends Data.TaggedError("Refusal")<{ readonly message: string }> {}

/** A failure that is in the log already. */
export class LoggedFailure extends Data.TaggedError("LoggedFailure")<{ readonly error: unknown }> {}

/** The message of a failure on one line, without a stack trace. */
const oneLine = (error: unknown): string => {
  const message =
    Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)
  return message.replace(/\s*\n\s*/g, "; ")
}

/** The message of a failure, without passwords in the words of the command. */
export const lineOf = (error: unknown, words: ReadonlyArray<string>): string => withoutPasswords(oneLine(error), words)
