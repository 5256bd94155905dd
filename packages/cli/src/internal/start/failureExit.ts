import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { withoutPasswords } from "../options/address.js"
import { exitCodes } from "./exitCodes.js"
import { load } from "./loading.js"

/** Failures that say more than that it failed. */
const codes = new Map<unknown, number>([
  ["Refusal", exitCodes.usage],
  ["DuplicateAccount", exitCodes.usage],
  ["InvalidRequest", exitCodes.usage],
  ["Unknown", exitCodes.unknown],
  ["Unprinted", exitCodes.unprinted]
])

/** A failure that is in the log already. */
export class LoggedFailure extends Data.TaggedError("LoggedFailure")<{ readonly error: unknown }> {}

const codeOf = (error: unknown): number =>
  (Predicate.hasProperty(error, "_tag") ? codes.get(error._tag) : undefined) ?? exitCodes.failed

/** The message of a failure, on one line: whatever went wrong, a person reads what, not where in the code. */
const oneLine = (error: unknown): string => {
  const message =
    Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)
  return message.replace(/\s*\n\s*/g, "; ")
}

/** The message of a failure, without passwords in the words of the command. */
export const lineOf = (error: unknown, words: ReadonlyArray<string>): string => withoutPasswords(oneLine(error), words)

/** The exit code of a failure, which is reported in one line. */
export const reported = (
  root: CommandDescriptor.Command<unknown>,
  cause: Cause.Cause<unknown>,
  words: ReadonlyArray<string>
): Effect.Effect<number> =>
  Effect.gen(function* () {
    if (Cause.isInterruptedOnly(cause)) return exitCodes.interrupted
    const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
    if (error instanceof LoggedFailure) return codeOf(error.error)
    if (ValidationError.isValidationError(error)) {
      const { message } = yield* load(() => import("../help/usageErrors.js"))
      yield* Console.error(`venue: ${withoutPasswords(message(root, error, words), words)}`)
      return exitCodes.usage
    }
    yield* Console.error(`venue: ${lineOf(error, words)}`)
    return codeOf(error)
  })
