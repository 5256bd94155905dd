import type * as CliApp from "@effect/cli/CliApp"
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as ValidationError from "@effect/cli/ValidationError"
import type * as Terminal from "@effect/platform/Terminal"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as HashSet from "effect/HashSet"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { accountsCommand } from "../commands/accounts.js"
import { callCommand } from "../commands/call.js"
import { doctorCommand } from "../commands/doctor.js"
import { exportCommand } from "../commands/export.js"
import { fleetCommand } from "../fleet/fleetCommand.js"
import { initCommand } from "../commands/init.js"
import { logCommand } from "../commands/log.js"
import { operationsCommand } from "../commands/operations.js"
import { reportCommand } from "../commands/report.js"
import { sandboxCommand } from "../sandbox/sandboxCommand.js"
import { schemaCommand } from "../commands/schema.js"
import { startCommand } from "../commands/start.js"
import { tapCommand } from "../commands/tap.js"
import { verifyCommand } from "../commands/verify.js"
import * as Layout from "../output/layout.js"
import * as Output from "../output/output.js"
import { correctCompletions, ofZsh } from "../help/completions.js"
import { exitCodes, reportFailure } from "./failureExit.js"
import { Invocation, load, version } from "../run/invocation.js"

/** A command that is interrupted when it is stopped. Any other decides for itself what to finish first. */
const stoppable = <Name extends string, R, E, A>(
  self: Command.Command<Name, R, E, A>
): Command.Command<Name, R, E, A> => Command.transformHandler(self, Effect.interruptible)

/** The layer of those commands that make calls: it is built when one of them runs, and only then. */
const commandOver = <E, R>(connections: Layer.Layer<HttpClient.HttpClient, E, R>) =>
  Command.make("venue").pipe(
    Command.withDescription(
      "Trading, position and asset history of an exchange: complete, or with a list of what is missing. Exit codes: 0 done; 1 it failed, or is not complete; 2 wrong arguments, nothing was sent; 3 a write was sent, its outcome is unknown; 4 a write was done, its result could not be printed; 130 stopped."
    ),
    Command.withSubcommands([
      Command.provide(stoppable(accountsCommand), connections),
      Command.provide(callCommand, connections),
      Command.provide(stoppable(doctorCommand), connections),
      Command.provide(stoppable(exportCommand), connections),
      stoppable(fleetCommand),
      stoppable(logCommand),
      stoppable(operationsCommand),
      stoppable(reportCommand),
      sandboxCommand,
      stoppable(schemaCommand),
      Command.provide(stoppable(initCommand), connections),
      Command.provide(stoppable(startCommand), connections),
      Command.provide(stoppable(tapCommand), connections),
      stoppable(verifyCommand)
    ])
  )

/** Prints nothing to standard error until the arguments are parsed: `usageErrors` explains their mistakes. */
const silenceUntil = <A, E, R>(isBegun: Ref.Ref<boolean>, run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Console.withConsole(run, {
      ...console,
      error: (...words: ReadonlyArray<unknown>) =>
        Effect.flatMap(Ref.get(isBegun), (begun) => (begun ? console.error(...words) : Effect.void))
    })
  )

/** The words of a call. `venue help export` is `venue export --help`. */
const wordsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...others] = args.slice(2)
  return first === undefined ? [] : first === "help" ? [...others, "--help"] : [first, ...others]
}

const asksForHelp = (words: ReadonlyArray<string>): boolean =>
  words.length === 0 || words.some((word) => word === "--help" || word === "-h")

/** The width of a page of help, at most. */
const mostWidth = 80

/** Prints the help that words ask for. Returns the exit code. */
const printHelp = (
  root: CommandDescriptor.Command<unknown>,
  words: ReadonlyArray<string>
): Effect.Effect<number, Output.OutputFailed, Terminal.Terminal> =>
  Effect.gen(function* () {
    const { help, operationOf } = yield* load(() => import("../help/help.js"))
    // Longer lines are hard to read.
    const width = Math.min((yield* Layout.page).width, mostWidth)
    const operation = operationOf(root, words)
    if (operation !== undefined) {
      const { operationHelp } = yield* load(() => import("../help/operationHelp.js"))
      const text = operationHelp(operation, width)
      if (text !== undefined) return yield* Effect.as(Output.printExactly(text), exitCodes.done)
    }
    const found = help(root, words, width)
    if (Either.isRight(found)) return yield* Effect.as(Output.printExactly(found.right), exitCodes.done)
    const { unknownCommand } = yield* load(() => import("../help/usageErrors.js"))
    return yield* Effect.as(Output.warn(`venue: ${unknownCommand(found.left)}`), exitCodes.usage)
  })

/** A command without a subcommand, such as `venue fleet`, fails with this. The parser would print its help with escape codes. */
const isHelpRequested = (failure: unknown): failure is ValidationError.HelpRequested =>
  ValidationError.isValidationError(failure) && ValidationError.isHelpRequested(failure)

/** The words that name a command of the program, and none for the program itself. */
const pathOf = (
  root: CommandDescriptor.Command<unknown>,
  command: CommandDescriptor.Command<unknown>
): ReadonlyArray<string> =>
  HashSet.toValues(CommandDescriptor.getNames(command)).filter(
    (name) => !HashSet.has(CommandDescriptor.getNames(root), name)
  )

/** Answers the words that the parser would answer in its way; none if they are a call. Returns the exit code. */
const answerWords = (
  root: CommandDescriptor.Command<unknown>,
  words: ReadonlyArray<string>
): Effect.Effect<Option.Option<number>, Output.OutputFailed, Terminal.Terminal> =>
  Effect.gen(function* () {
    if (words.length === 1 && ["--version", "-v", "-V"].includes(words[0] ?? "")) {
      return yield* Effect.as(Output.print(version), Option.some(exitCodes.done))
    }
    if (words.join(" ").replace("=", " ") === "--completions zsh") {
      return yield* Effect.as(Effect.flatMap(ofZsh(root), Output.printExactly), Option.some(exitCodes.done))
    }
    if (asksForHelp(words)) return yield* Effect.asSome(printHelp(root, words))
    if (!words.includes("--wizard")) return Option.none()
    // An option of the parser that asks for everything once more, in its words.
    return yield* Effect.as(Output.warn("venue: --wizard is not an option"), Option.some(exitCodes.usage))
  })

/** Runs the command over connections that are made when the first call needs them. */
export const run = <E, R>(
  args: ReadonlyArray<string>,
  connections: Layer.Layer<HttpClient.HttpClient, E, R>
): Effect.Effect<number, never, CliApp.CliApp.Environment | R> => {
  const words = wordsOf(args)
  const root = commandOver(connections)
  return Effect.gen(function* () {
    const exitCode = yield* answerWords(root.descriptor, words)
    if (Option.isSome(exitCode)) return exitCode.value
    const isBegun = yield* Ref.make(false)
    const command = Command.transformHandler(root, (handler) =>
      Effect.zipRight(Ref.set(isBegun, true), handler).pipe(
        Effect.catchAll((failure) =>
          isHelpRequested(failure)
            ? printHelp(root.descriptor, pathOf(root.descriptor, failure.command))
            : Effect.fail(failure)
        )
      )
    )
    const app = silenceUntil(isBegun, Command.run(command, { name: "venue", version })([...args.slice(0, 2), ...words]))
    yield* words.includes("--completions") ? correctCompletions(app, root.descriptor) : app
    return exitCodes.done
  }).pipe(
    Effect.catchAllCause((cause) => reportFailure(root.descriptor, cause, words)),
    Effect.provideService(Invocation, words),
    Output.withoutColors,
    Effect.uninterruptible
  )
}
