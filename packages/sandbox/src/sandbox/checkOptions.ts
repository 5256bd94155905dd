import { parseBaseUrl } from "@effect-venue/signing/siblings/BaseUrl"
import * as Refusals from "@effect-venue/schemas/siblings/Refusals"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Faults from "../faults/Faults.js"
import type * as State from "../state/State.js"

/** An option of a sandbox or of its server is not valid. Nothing was created. */
export class OptionInvalid extends Schema.TaggedError<OptionInvalid>("@effect-venue/sandbox/OptionInvalid")(
  "OptionInvalid",
  {
    /** The name of the option, such as `faults.seed`; `options` for all of them. */
    option: Schema.String,
    rule: Schema.String
  }
) {
  override get message(): string {
    return `${this.option} ${this.rule}`
  }
}

const rule = (message: string) => ({ message: () => ({ message, override: true }) })

const seed = Schema.Int.annotations(rule("must be a whole number"))

// The parts of a state fit together only as a whole, which `StateFile` checks of a file.
const isState = (value: unknown): value is State.State =>
  Predicate.hasProperty(value, "accounts") &&
  value.accounts instanceof Map &&
  Predicate.hasProperty(value, "advancedAt")

/** Every option of `Sandbox.make`. */
const sandbox = {
  seed,
  world: Schema.Literal("seeded", "empty"),
  state: Schema.declare(isState, rule("must be a state, such as a snapshot")),
  limits: Schema.Literal("documented", "off"),
  prices: Schema.Literal("moving", "still"),
  baseUrl: Schema.String.pipe(
    Schema.filter((text) => Option.getOrElse(Either.getLeft(parseBaseUrl(text)), () => true))
  ),
  faults: Schema.partial(
    Schema.Struct({
      rules: Schema.Array(Faults.Rule),
      seed,
      logSize: Schema.NonNegativeInt.annotations(rule("must be a whole number of at least 0"))
    })
  )
}

const isDuration = (value: unknown): value is Duration.DurationInput => Option.isSome(Duration.decodeUnknown(value))

/** Every option of `Server.serve`. */
const server = {
  port: Schema.Int.pipe(Schema.between(0, 65_535), Schema.annotations(rule("must be a port from 0 to 65535"))),
  host: Schema.NonEmptyString.annotations(rule("must be a host, such as 127.0.0.1")),
  exposed: Schema.Boolean,
  control: Schema.Boolean,
  controlToken: Schema.declare(
    (value: unknown): value is Redacted.Redacted => Redacted.isRedacted(value),
    rule("must be a text in Redacted")
  ),
  grace: Schema.declare(isDuration, rule("must be a duration"))
}

const check = (fields: Readonly<Record<string, Schema.Schema.AnyNoContext>>) => {
  // A misspelt option would do nothing.
  const judge = ParseResult.validateEither(Schema.partial(Schema.Struct(fields)), { onExcessProperty: "error" })
  return (options: unknown): Either.Either<void, OptionInvalid> =>
    Either.mapBoth(judge(options), {
      onLeft: (issue) => {
        const [{ path, rule } = { path: [], rule: "must be an object" }] = Refusals.list(issue, "options")
        return new OptionInvalid({ option: path.length === 0 ? "options" : path.join("."), rule })
      },
      onRight: () => undefined
    })
}

/** Fails for an option of a sandbox that is not valid. */
export const checkSandbox = check(sandbox)

/** Fails for an option of a server that is not valid. */
export const checkServer = check(server)

/** Fails for an option of a sandbox with its server that is not valid. */
export const checkBoth = check({ ...sandbox, ...server })

/** The options of the sandbox, of those of a sandbox with its server. */
export const ofSandbox = Struct.pick(...Record.keys(sandbox))

/** The options of the server, of those of a sandbox with its server. */
export const ofServer = Struct.pick(...Record.keys(server))
