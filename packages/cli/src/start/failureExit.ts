import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Output from "../output/output.js"
import { withoutPasswords } from "../run/address.js"
import { lineOf, LoggedFailure } from "../run/failures.js"
import { load } from "../run/invocation.js"

export const exitCodes = { done: 0, failed: 1, usage: 2, unknown: 3, unprinted: 4, interrupted: 130 } as const

/** The exit codes of failures with a code. */
const codes = new Map<unknown, number>([
  ["Refusal", exitCodes.usage],
  ["DuplicateAccount", exitCodes.usage],
  ["ConfigFileInvalid", exitCodes.usage],
  ["NotConfigured", exitCodes.usage],
  ["InvalidRequest", exitCodes.usage],
  ["Unknown", exitCodes.unknown],
  ["Unprinted", exitCodes.unprinted]
])

/** A host that other machines can reach is refused as an argument. */
const isRefusedHost = (error: unknown): boolean =>
  Predicate.isTagged(error, "ServeFailed") && Predicate.hasProperty(error, "reason") && error.reason === "NotLoopback"

const codeOf = (error: unknown): number =>
  isRefusedHost(error)
    ? exitCodes.usage
    : ((Predicate.hasProperty(error, "_tag") ? codes.get(error._tag) : undefined) ?? exitCodes.failed)

/** The exit code of a failure, which is reported in one line. */
export const reportFailure = (
  root: CommandDescriptor.Command<unknown>,
  cause: Cause.Cause<unknown>,
  words: ReadonlyArray<string>
): Effect.Effect<number> =>
  Effect.gen(function* () {
    if (Cause.isInterruptedOnly(cause)) return exitCodes.interrupted
    const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
    // The reader of a pipe has gone, as `head` does: nobody is left to tell.
    if (error instanceof Output.OutputFailed && error.isClosed) return exitCodes.failed
    if (error instanceof LoggedFailure) return codeOf(error.error)
    if (ValidationError.isValidationError(error)) {
      const { message } = yield* load(() => import("../help/usageErrors.js"))
      yield* Output.warn(`venue: ${withoutPasswords(message(root, error, words), words)}`)
      return exitCodes.usage
    }
    yield* Output.warn(`venue: ${lineOf(error, words)}`)
    return codeOf(error)
  })
