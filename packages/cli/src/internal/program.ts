import * as Command from "@effect/cli/Command"
import type * as CliApp from "@effect/cli/CliApp"
import * as ValidationError from "@effect/cli/ValidationError"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { callCommand } from "../commands/Call.js"
import { doctorCommand } from "../commands/Doctor.js"
import { exportCommand } from "../commands/Export.js"
import { operationsCommand } from "../commands/Operations.js"
import { reportCommand } from "../commands/Report.js"
import { sandboxCommand } from "../commands/Sandbox.js"
import { startCommand } from "../commands/Start.js"
import { verifyCommand } from "../commands/Verify.js"
import { mended } from "./completions.js"
import { exitCodes } from "./exitCodes.js"
import { Invocation } from "./invocation.js"

/** A command that is interrupted when it is stopped. Any other decides for itself what to finish first. */
const stoppable = <Name extends string, R, E, A>(
  self: Command.Command<Name, R, E, A>
): Command.Command<Name, R, E, A> => Command.transformHandler(self, Effect.interruptible)

/** The layer of those commands that make calls: it is built when one of them runs, and only then. */
const commandOver = <E, R>(connections: Layer.Layer<HttpClient.HttpClient, E, R>) =>
  Command.make("venue").pipe(
    Command.withDescription(
      "Trading, position and asset history of an exchange, complete or it says what is missing. Exit codes: 0 done; 1 it failed, or is not complete; 2 wrong arguments, nothing was sent; 3 a write of which it is not known whether it was executed; 4 a write was done, its result could not be printed; 130 stopped."
    ),
    Command.withSubcommands([
      Command.provide(callCommand, connections),
      Command.provide(stoppable(doctorCommand), connections),
      Command.provide(stoppable(exportCommand), connections),
      stoppable(operationsCommand),
      stoppable(reportCommand),
      sandboxCommand,
      Command.provide(stoppable(startCommand), connections),
      stoppable(verifyCommand)
    ])
  )

/** Failures that say more than that it failed. */
const codes = new Map<unknown, number>([
  ["Refusal", exitCodes.usage],
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

/** Runs the command over connections that are made when the first call needs them. */
export const run = <E, R>(
  args: ReadonlyArray<string>,
  connections: Layer.Layer<HttpClient.HttpClient, E, R>
): Effect.Effect<number, never, CliApp.CliApp.Environment | R> => {
  const app = Command.run(commandOver(connections), { name: "venue", version: "0.1.0" })
  return (args.includes("--completions") ? mended(app(args)) : app(args)).pipe(
    Effect.as<number>(exitCodes.done),
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.succeed(exitCodes.interrupted)
      const failure = Cause.failureOption(cause)
      // The parser has printed what it did not understand.
      if (Option.exists(failure, ValidationError.isValidationError)) return Effect.succeed(exitCodes.usage)
      const error = Option.getOrElse(failure, () => Cause.squash(cause))
      return Effect.as(Console.error(`venue: ${oneLine(error)}`), codeOf(error))
    }),
    Effect.provideService(Invocation, args.slice(2)),
    Effect.uninterruptible
  )
}
