import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Control from "./Control.js"
import * as Commands from "./Commands.js"
import type * as Refusal from "../engine/refusal.js"
import * as Steps from "./steps.js"

/** A command of both faces: `run` takes and gives values, `runJson` JSON. */
interface Command {
  readonly run: (argument: unknown, world: Steps.ControlledWorld) => Effect.Effect<unknown, Control.ControlRefused>
  readonly runJson: (json: unknown, world: Steps.ControlledWorld) => Effect.Effect<unknown, Control.ControlRefused>
}

// The message of a schema stands for itself; `path` names the field.
const invalid = (issue: ParseResult.ParseIssue): Refusal.Refusal => {
  const [first] = ParseResult.ArrayFormatter.formatIssueSync(issue)
  return {
    reason: "InvalidArgument",
    field: (first?.path ?? []).map(String).join("."),
    detail: first?.message ?? "is not as it should be"
  }
}

const commandOf = <A, AWire, R, RWire>(
  name: Commands.CommandName,
  argument: Schema.Schema<A, AWire>,
  result: Schema.Schema<R, RWire>,
  step: Steps.Step<A, R>
): Command => {
  const validate = ParseResult.validateEither(argument)
  // An unknown name is a typing mistake, and would otherwise be ignored.
  const decode = Decoder.total(argument.ast, ParseResult.decodeUnknownEither(argument, { onExcessProperty: "error" }))
  const encode = Schema.encodeSync(result)
  const runChecked = (argument: Either.Either<A, ParseResult.ParseIssue>, world: Steps.ControlledWorld) =>
    world.clock.within(
      Effect.mapError(
        Effect.flatMap(Either.mapLeft(argument, invalid), (argument) => step(argument, world)),
        (refusal) => new Control.ControlRefused({ command: name, ...refusal })
      )
    )
  return {
    run: (argument, world) => runChecked(validate(argument), world),
    runJson: (json, world) => Effect.map(runChecked(decode(json), world), encode)
  }
}

// A record keeps each command with its step; the compiler cannot follow the pairs through a loop.
const commands = Record.map(Commands.commands, ({ argument, result }, name) =>
  commandOf<unknown, unknown, unknown, unknown>(
    name,
    argument as unknown as Schema.Schema<unknown>,
    result as unknown as Schema.Schema<unknown>,
    Steps.steps[name] as Steps.Step<unknown, unknown>
  )
)

const byName: ReadonlyMap<string, Command> = new Map(Object.entries(commands))

const unknownCommand = (name: string) =>
  new Control.ControlRefused({ command: name, reason: "NotFound", field: "", detail: "is no command" })

/** The commands as functions of a program. The compiler compares them with the methods of `SandboxControl`. */
type Methods = {
  readonly [Name in Commands.CommandName]: (
    options: Commands.ArgumentOf<Name>
  ) => Effect.Effect<Commands.ResultOf<Name>, Control.ControlRefused>
}

/** The control of a world whose exchange is at this address. */
export const make = (world: Steps.ControlledWorld, baseUrl: string): Control.SandboxControl.Shape => {
  // Each method has the types of its command.
  const methods = Record.map(
    commands,
    ({ run }) =>
      (options: unknown) =>
        run(options, world)
  ) as unknown as Methods
  const openAccount = (command: Command, options: unknown) =>
    // It is one of the commands that return a key.
    Effect.map(command.run(options, world) as Effect.Effect<Control.Opened, Control.ControlRefused>, (key) => ({
      ...Credentials.make({ ...key, baseUrl }),
      uid: key.uid
    }))
  const by = <A>(use: (world: Steps.ControlledWorld) => Effect.Effect<A>) =>
    Effect.suspend(() => world.clock.within(use(world)))
  return {
    ...methods,
    faults: world.faults,
    openAccount: (options = {}) => openAccount(commands.openAccount, options),
    openScenario: (options) => openAccount(commands.openScenario, options),
    openKey: (options) => openAccount(commands.openKey, options),
    clock: world.clock.read,
    accounts: by(Steps.accounts),
    requests: (query = {}) =>
      // The result is that of the command.
      Effect.map(commands.requests.run(query, world), (result) => (result as Commands.ResultOf<"requests">).requests),
    restart: by(Steps.restart),
    snapshot: by(Steps.present),
    restore: (state) => by((world) => Steps.goOnFrom(world, state)),
    reset: by((world) => Steps.goOnFrom(world, world.initial)),
    call: (name, json) => byName.get(name)?.runJson(json, world) ?? Effect.fail(unknownCommand(name))
  }
}
