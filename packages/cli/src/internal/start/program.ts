import type * as CliApp from "@effect/cli/CliApp"
import * as Command from "@effect/cli/Command"
import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { accountsCommand } from "../../commands/Accounts.js"
import { callCommand } from "../../commands/Call.js"
import { doctorCommand } from "../../commands/Doctor.js"
import { exportCommand } from "../../commands/Export.js"
import { fleetCommand } from "../../commands/Fleet.js"
import { operationsCommand } from "../../commands/Operations.js"
import { reportCommand } from "../../commands/Report.js"
import { sandboxCommand } from "../../commands/Sandbox.js"
import { startCommand } from "../../commands/Start.js"
import { verifyCommand } from "../../commands/Verify.js"
import { mended, ofZsh } from "../help/completions.js"
import { exitCodes } from "./exitCodes.js"
import { Invocation } from "./invocation.js"
import { load } from "./loading.js"
import { reported } from "./failureExit.js"
import { version } from "./version.js"

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
      Command.provide(stoppable(accountsCommand), connections),
      Command.provide(callCommand, connections),
      Command.provide(stoppable(doctorCommand), connections),
      Command.provide(stoppable(exportCommand), connections),
      stoppable(fleetCommand),
      stoppable(operationsCommand),
      stoppable(reportCommand),
      sandboxCommand,
      Command.provide(stoppable(startCommand), connections),
      stoppable(verifyCommand)
    ])
  )

/** Prints nothing to standard error until the words are understood: what is wrong with them is said by `usageErrors`, in its own words. */
const silencedUntil = <A, E, R>(isBegun: Ref.Ref<boolean>, run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Console.withConsole(run, {
      ...console,
      error: (...words: ReadonlyArray<unknown>) =>
        Effect.flatMap(Ref.get(isBegun), (begun) => (begun ? console.error(...words) : Effect.void))
    })
  )

/** Help, version and the completions for zsh, which the parser would print otherwise; none where the words ask for none of them. */
const answered = (
  root: CommandDescriptor.Command<unknown>,
  words: ReadonlyArray<string>
): Effect.Effect<Option.Option<void>> =>
  Effect.gen(function* () {
    if (words.length === 1 && words[0] === "--version") return Option.some(yield* Console.log(version))
    if (words.join(" ").replace("=", " ") === "--completions zsh") {
      return Option.some(yield* Effect.flatMap(ofZsh(root), (script) => Console.log(script)))
    }
    if (words.length > 0 && !words.some((word) => word === "--help" || word === "-h")) return Option.none()
    const { help } = yield* load(() => import("../help/help.js"))
    return yield* Effect.transposeOption(Option.map(help(root, words), (text) => Console.log(text)))
  })

/** Runs the command over connections that are made when the first call needs them. */
export const run = <E, R>(
  args: ReadonlyArray<string>,
  connections: Layer.Layer<HttpClient.HttpClient, E, R>
): Effect.Effect<number, never, CliApp.CliApp.Environment | R> =>
  Effect.gen(function* () {
    const words = args.slice(2)
    const isBegun = yield* Ref.make(false)
    const command = Command.transformHandler(commandOver(connections), (handler) =>
      Effect.zipRight(Ref.set(isBegun, true), handler)
    )
    if (Option.isSome(yield* answered(command.descriptor, words))) return exitCodes.done
    const app = silencedUntil(isBegun, Command.run(command, { name: "venue", version })(args))
    return yield* (args.includes("--completions") ? mended(app, command.descriptor) : app).pipe(
      Effect.as<number>(exitCodes.done),
      Effect.catchAllCause((cause) => reported(command.descriptor, cause, words))
    )
  }).pipe(Effect.provideService(Invocation, args.slice(2)), Effect.uninterruptible)
