/**
 * The source of the keys of accounts. A key is fetched when an export of its account begins, and dropped when it ends: a replaced key is
 * used from the next export on.
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import { formatDuration } from "@effect-venue/schemas/siblings/Words"
import * as TimeLimit from "@effect-venue/transport/siblings/TimeLimit"
import * as Command from "@effect/platform/Command"
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AccountsFile from "./AccountsFile.js"
import type { FleetAccount } from "./Accounts.js"

export class CredentialSource extends Context.Tag("@effect-venue/fleet/CredentialSource")<
  CredentialSource,
  CredentialSource.Shape
>() {}

export declare namespace CredentialSource {
  export interface Shape {
    readonly get: (account: FleetAccount) => Effect.Effect<Credentials.Credentials.Shape, CredentialsUnavailable>
    /** The credentials of several accounts by name; accounts without credentials are absent. */
    readonly getAll: (
      accounts: ReadonlyArray<FleetAccount>
    ) => Effect.Effect<ReadonlyMap<string, Credentials.Credentials.Shape>>
  }
}

/**
 * The credentials of an account could not be fetched. No part of a key is in `detail`.
 *
 * `Missing`: the source has none. `Invalid`: they cannot be used. `Unavailable`: the source did not answer, and can do so later.
 */
export class CredentialsUnavailable extends Data.TaggedError("CredentialsUnavailable")<{
  readonly account: string
  readonly reason: "Missing" | "Invalid" | "Unavailable"
  readonly detail: string
}> {
  override get message(): string {
    return `the credentials of ${this.account}: ${this.detail}`
  }
}

/** The credentials of an account in a source. */
const Key = Schema.Struct({
  apiKey: Schema.Redacted(Schema.NonEmptyString),
  apiSecret: Schema.Redacted(Schema.NonEmptyString)
})

const Keys = Schema.Struct({ accounts: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })

const decodeKey = Schema.decodeUnknownOption(Key)

const decodeOutput = Schema.decodeOption(Schema.parseJson(Key))

interface Pair {
  readonly apiKey: Redacted.Redacted
  readonly apiSecret: Redacted.Redacted
}

const failure = (account: FleetAccount, reason: CredentialsUnavailable["reason"], detail: string) =>
  new CredentialsUnavailable({ account: account.name, reason, detail })

const credentialsOf = (account: FleetAccount, { apiKey, apiSecret }: Pair) =>
  Either.mapLeft(
    Credentials.makeEither({ baseUrl: account.baseUrl, apiKey, apiSecret, uid: Option.getOrUndefined(account.uid) }),
    (detail) => failure(account, "Invalid", detail)
  )

const askedAtOnce = 16

/** How long a source is asked for the credentials of all accounts. */
const allWithin = Duration.seconds(60)

/** A source that asks a function for the credentials of each account. `getAll` ends after a minute with those that it has by then. */
export const make = (get: CredentialSource.Shape["get"]): CredentialSource.Shape => ({
  get,
  getAll: (accounts) =>
    Effect.suspend(() => {
      const found = new Map<string, Credentials.Credentials.Shape>()
      const ask = (account: FleetAccount) =>
        Effect.ignore(Effect.map(get(account), (credentials) => found.set(account.name, credentials)))
      const asked = Effect.forEach(accounts, ask, { concurrency: askedAtOnce, discard: true })
      // What is found later is not part of the result.
      return TimeLimit.within(asked, allWithin, () => new Map(found)).pipe(
        Effect.as(found),
        Effect.catchAll((inTime) =>
          Effect.as(
            Effect.logWarning(
              `the source of credentials returned ${inTime.size} of ${accounts.length} within ${formatDuration(Duration.toMillis(allWithin))}: the others are not compared`
            ),
            inTime
          )
        )
      )
    })
})

/** Credentials from a function of the application, such as a client of a vault. */
export const layer = (get: CredentialSource.Shape["get"]): Layer.Layer<CredentialSource> =>
  Layer.succeed(CredentialSource, make(get))

type Keys = typeof Keys.Type

/** The credentials of an account in a file. */
const inFile = (file: string, { accounts }: Keys, account: FleetAccount) =>
  Either.gen(function* () {
    if (!Object.hasOwn(accounts, account.name)) {
      return yield* Either.left(failure(account, "Missing", `${file} has no accounts.${account.name}`))
    }
    const key = decodeKey(accounts[account.name])
    return Option.isNone(key)
      ? yield* Either.left(
          failure(account, "Invalid", `${file}: accounts.${account.name} must have apiKey and apiSecret`)
        )
      : yield* credentialsOf(account, key.value)
  })

/**
 * Credentials from a JSON file, which is read each time: `{ "accounts": { "<name>": { "apiKey": "...", "apiSecret": "..." } } }`. It
 * should be readable by its owner alone.
 */
export const layerFile = (file: string): Layer.Layer<CredentialSource, never, FileSystem.FileSystem> =>
  Layer.effect(
    CredentialSource,
    Effect.map(FileSystem.FileSystem, (fs) => {
      const read: Effect.Effect<Keys, string> = Effect.flatMap(
        Effect.mapError(fs.readFileString(file), () => `${file} cannot be read`),
        (text) =>
          Either.mapLeft(
            AccountsFile.parse(Keys, text),
            ({ path, rule }) => `${file}: ${path === "" ? "" : `${path} `}${rule}`
          )
      )
      return {
        get: (account) =>
          Effect.flatMap(
            Effect.mapError(read, (detail) => failure(account, "Unavailable", detail)),
            (keys) => inFile(file, keys, account)
          ),
        getAll: (accounts) =>
          Effect.match(read, {
            onFailure: () => new Map(),
            onSuccess: (keys) =>
              new Map(
                accounts.flatMap((account) =>
                  Either.match(inFile(file, keys, account), {
                    onLeft: () => [],
                    onRight: (credentials) => [[account.name, credentials] as const]
                  })
                )
              )
          })
      }
    })
  )

/** Credentials from the configuration, by default the environment: `VENUE_<NAME>_API_KEY` and `VENUE_<NAME>_API_SECRET`. */
export const layerEnvironment: Layer.Layer<CredentialSource> = layer((account) => {
  const variables = AccountsFile.variablesOf(account.name)
  const config = Config.all({
    apiKey: Config.redacted(Config.nonEmptyString(variables.apiKey)),
    apiSecret: Config.redacted(Config.nonEmptyString(variables.apiSecret))
  })
  return Effect.flatMap(
    Effect.mapError(config, (error) =>
      ConfigError.isMissingDataOnly(error)
        ? failure(account, "Missing", `${variables.apiKey} and ${variables.apiSecret} are not both set`)
        : failure(account, "Invalid", `${variables.apiKey} and ${variables.apiSecret} must not be empty`)
    ),
    (key) => credentialsOf(account, key)
  )
})

const commandTimeout = Duration.seconds(30)

/**
 * Credentials from a program, with the account's name as its last argument: it prints `{ "apiKey": "...", "apiSecret": "..." }`. One that ends
 * with another exit code than 0, or takes longer than 30 seconds, is asked again later.
 */
export const layerCommand = (
  program: string,
  ...args: ReadonlyArray<string>
): Layer.Layer<CredentialSource, never, CommandExecutor.CommandExecutor> =>
  Layer.effect(
    CredentialSource,
    Effect.map(CommandExecutor.CommandExecutor, (executor) =>
      make((account) =>
        Effect.gen(function* () {
          const unavailable = (detail: string) => failure(account, "Unavailable", `${program} ${detail}`)
          const process = yield* executor.start(Command.make(program, ...args, account.name))
          // Both at once: a program that writes more than a pipe holds waits for its reader.
          const [output, code] = yield* Effect.all([textOf(process), process.exitCode], { concurrency: 2 })
          if (code !== 0) return yield* unavailable(`ended with exit code ${code}`)
          const key = decodeOutput(output)
          if (Option.isNone(key)) {
            return yield* failure(account, "Invalid", `${program} must print JSON with apiKey and apiSecret`)
          }
          return yield* credentialsOf(account, key.value)
        }).pipe(
          Effect.scoped,
          Effect.catchTags({
            SystemError: () => Effect.fail(failure(account, "Unavailable", `${program} cannot be run`)),
            BadArgument: () => Effect.fail(failure(account, "Unavailable", `${program} cannot be run`))
          }),
          (read) =>
            TimeLimit.within(read, commandTimeout, () =>
              failure(
                account,
                "Unavailable",
                `${program} did not end within ${formatDuration(Duration.toMillis(commandTimeout))}`
              )
            )
        )
      )
    )
  )

const textOf = ({ stdout }: CommandExecutor.Process) => Stream.mkString(Stream.decodeText(stdout))
