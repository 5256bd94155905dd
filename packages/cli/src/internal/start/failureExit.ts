import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
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

const codeOf = (error: unknown): number =>
  (Predicate.hasProperty(error, "_tag") ? codes.get(error._tag) : undefined) ?? exitCodes.failed

/** The message of a failure, on one line: whatever went wrong, a person reads what, not where in the code. */
const oneLine = (error: unknown): string => {
  const message =
    Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)
  return message.replace(/\s*\n\s*/g, "; ")
}

/** The exit code of a failure, which is reported in one line. */
export const reported = (
  root: CommandDescriptor.Command<unknown>,
  cause: Cause.Cause<unknown>,
  words: ReadonlyArray<string>
): Effect.Effect<number> =>
  Effect.gen(function* () {
    if (Cause.isInterruptedOnly(cause)) return exitCodes.interrupted
    const print = (message: string) => Console.error(`venue: ${withoutPasswords(message, words)}`)
    const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
    if (ValidationError.isValidationError(error)) {
      const { message } = yield* load(() => import("../help/usageErrors.js"))
      yield* print(message(root, error, words))
      return exitCodes.usage
    }
    yield* print(oneLine(error))
    return codeOf(error)
  })
