import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { load } from "./loading.js"

/** Where accounts are looked for when no other file is named. */
export const fileName = "venue.config.json"

/** The file cannot be used. What is said never holds anything of what is in it. */
export class ConfigFileInvalid extends Data.TaggedError("ConfigFileInvalid")<{ readonly message: string }> {}

// Every refusal has words of its own: those of a schema show the value that was refused, and here that may be a secret.
const told = (rule: string) => ({ message: () => rule })

const filled = Schema.String.annotations(told("must be text")).pipe(
  Schema.filter((text) => text.trim() !== "", told("must not be empty"))
)

const address = Schema.String.annotations(told("must be text")).pipe(
  Schema.filter(
    (text) => Either.isRight(Credentials.makeEither({ baseUrl: text, apiKey: "", apiSecret: Redacted.make("") })),
    told("must be an absolute http or https address, without user, query or fragment")
  )
)

const millis = Schema.Number.annotations(told("must be a whole number of milliseconds greater than 0")).pipe(
  Schema.filter(
    (value) => Number.isInteger(value) && value > 0,
    told("must be a whole number of milliseconds greater than 0")
  )
)

const optional = <A>(schema: Schema.Schema<A>) => Schema.optionalWith(schema, { exact: true })

/** A program and its arguments: no shell reads them. */
const command = Schema.NonEmptyArray(Schema.String).annotations(told("must be a list of a program and its arguments"))

const Account = Schema.Struct({
  apiKey: filled,
  apiSecret: optional(filled),
  apiSecretFile: optional(filled),
  apiSecretCommand: optional(command),
  baseUrl: optional(address),
  uid: optional(filled),
  recvWindow: optional(millis)
})
  .annotations(told("must be an object with apiKey and apiSecret"))
  .pipe(
    Schema.filter(
      ({ apiSecret, apiSecretCommand, apiSecretFile }) =>
        [apiSecret, apiSecretCommand, apiSecretFile].filter((source) => source !== undefined).length === 1,
      told("must have one of apiSecret, apiSecretFile and apiSecretCommand")
    )
  )

const Config = Schema.Struct({
  baseUrl: optional(address),
  accounts: Schema.Record({ key: filled, value: Account })
    .annotations(told("must be an object, with an account by each name"))
    .pipe(Schema.filter((accounts) => Object.keys(accounts).length > 0, told("must name at least one account")))
}).annotations(told("must be an object with accounts"))

const decode = Schema.decodeUnknownEither(Config, { errors: "first", onExcessProperty: "error" })

type Files = FileSystem.FileSystem | Path.Path

/** Credentials. A secret from elsewhere is read when its account is used, and not before. */
export type Account = Effect.Effect<Credentials.Credentials.Shape, ConfigFileInvalid, Files>

/** Accounts by the names that the file gives them, in its order. */
export type Accounts = ReadonlyMap<string, Account>

/** The secret that a file has, or a program prints. What goes wrong says nothing of what was read. */
const secretOf = (
  { apiSecretCommand, apiSecretFile }: typeof Account.Type,
  refuse: (detail: string) => ConfigFileInvalid
): Effect.Effect<Redacted.Redacted, ConfigFileInvalid, Files> =>
  Effect.gen(function* () {
    if (apiSecretFile !== undefined) return yield* Effect.mapError(secretFile(apiSecretFile), refuse)
    const { printed } = yield* load(() => import("./secretCommand.js"))
    const text = yield* Effect.mapError(printed(apiSecretCommand ?? []), (detail) =>
      refuse(`apiSecretCommand ${detail}`)
    )
    return Redacted.make(text)
  })

/** The secret in a file, without the line break at its end. */
export const secretFile = (file: string): Effect.Effect<Redacted.Redacted, string, Files> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(
      fs.readFileString(file),
      () => `the file of the secret, ${file}, cannot be read`
    )
    if (text.trim() === "") return yield* Effect.fail(`the file of the secret, ${file}, is empty`)
    if (yield* Effect.orElseSucceed(isOpen(file), () => false)) {
      yield* Console.error(`venue: warning: ${file} can be read by others than you: chmod 600 ${file}`)
    }
    return Redacted.make(text.trim())
  })

const ruleOf = (issue: ParseResult.ArrayFormatterIssue): string =>
  issue._tag === "Missing" ? "is required" : issue._tag === "Unexpected" ? "is not known" : issue.message

const parse = (file: string, text: string, allowsInsecure: boolean): Either.Either<Accounts, ConfigFileInvalid> =>
  Either.gen(function* () {
    const refuse = (detail: string) => new ConfigFileInvalid({ message: `${file}: ${detail}` })
    // What the parser says of the place has a piece of the text in it.
    const json: unknown = yield* Either.try({
      try: (): unknown => JSON.parse(text),
      catch: () => refuse("is not JSON")
    })
    const config = yield* Either.mapLeft(decode(json), (error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      if (issue === undefined) return refuse("is not valid")
      const path = issue.path.map(String).join(".")
      return refuse(path === "" ? ruleOf(issue) : `${path} ${ruleOf(issue)}`)
    })
    const accounts = new Map<string, Account>()
    for (const [name, account] of Object.entries(config.accounts)) {
      const { apiKey, apiSecret, baseUrl = config.baseUrl, recvWindow, uid } = account
      if (baseUrl === undefined)
        return yield* Either.left(refuse(`accounts.${name}.baseUrl is required, or baseUrl for all`))
      if (Credentials.isInsecure(baseUrl) && !allowsInsecure) {
        const detail = "is http to another machine: use https, or set VENUE_ALLOW_INSECURE=1"
        return yield* Either.left(refuse(`the baseUrl of accounts.${name} ${detail}`))
      }
      const credentials = Credentials.makeEither({
        baseUrl,
        apiKey: Redacted.make(apiKey),
        // Of one that is elsewhere all but the secret is looked at now.
        apiSecret: Redacted.make(apiSecret ?? "elsewhere"),
        recvWindow: recvWindow === undefined ? undefined : Duration.millis(recvWindow),
        uid
      })
      const checked = yield* Either.mapLeft(credentials, (detail) => refuse(`accounts.${name}.${detail}`))
      const secret = secretOf(account, (detail) => refuse(`accounts.${name}: ${detail}`))
      accounts.set(
        name,
        apiSecret === undefined
          ? Effect.map(secret, (apiSecret) => ({ ...checked, apiSecret }))
          : Effect.succeed(checked)
      )
    }
    return accounts
  })

const ofOthers = 0o077

/** Whether others than its owner may read or change a file; not every system reports it. */
const isOpen = (file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { mode } = yield* fs.stat(file)
    return path.sep === "/" && (mode & ofOthers) !== 0
  })

/** The accounts in a file; `none` where there is no such file. */
export const read = (file: string): Effect.Effect<Option.Option<Accounts>, ConfigFileInvalid, Files> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const unreadable = () => new ConfigFileInvalid({ message: `${file}: cannot be read` })
    if (!(yield* Effect.mapError(fs.exists(file), unreadable))) return Option.none()
    const text = yield* Effect.mapError(fs.readFileString(file), unreadable)
    if (yield* Effect.mapError(isOpen(file), unreadable)) {
      yield* Console.error(`venue: warning: ${file} can be read by others than you: chmod 600 ${file}`)
    }
    // It has a default: there is nothing that it fails for.
    const allowsInsecure = yield* Effect.orElseSucceed(Credentials.allowInsecure, () => false)
    return Option.some(yield* parse(file, text, allowsInsecure))
  })
