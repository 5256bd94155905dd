import * as AccountsFile from "@effect-venue/fleet/siblings/AccountsFile"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BaseUrl from "@effect-venue/signing/siblings/BaseUrl"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { load } from "../run/invocation.js"
import type { Files } from "../output/files.js"
import * as Output from "../output/output.js"

/** The default path of the config file. */
export const fileName = "venue.config.json"

/** The file cannot be used. The message never contains a part of the file. */
export class ConfigFileInvalid extends Data.TaggedError("ConfigFileInvalid")<{ readonly message: string }> {}

const { baseUrl, filled, optional, rule } = AccountsFile

const millis = Schema.Number.annotations(rule("must be a whole number of milliseconds greater than 0")).pipe(
  Schema.filter(
    (value) => Number.isInteger(value) && value > 0,
    rule("must be a whole number of milliseconds greater than 0")
  )
)

/** A program and its arguments: no shell reads them. */
const command = Schema.NonEmptyArray(Schema.String).annotations(rule("must be a list of a program and its arguments"))

const Account = Schema.Struct({
  apiKey: filled,
  apiSecret: optional(filled),
  apiSecretFile: optional(filled),
  apiSecretCommand: optional(command),
  baseUrl: optional(baseUrl),
  uid: optional(filled),
  recvWindow: optional(millis)
})
  .annotations(rule("must be an object with apiKey and apiSecret"))
  .pipe(
    Schema.filter(
      ({ apiSecret, apiSecretCommand, apiSecretFile }) =>
        [apiSecret, apiSecretCommand, apiSecretFile].filter((source) => source !== undefined).length === 1,
      rule("must have one of apiSecret, apiSecretFile and apiSecretCommand")
    )
  )

const amount = Schema.String.annotations(rule("must be decimal text")).pipe(
  Schema.filter((text) => Option.exists(Decimal.parse(text), ({ value }) => value >= 0n), rule("must be decimal text"))
)

const caps = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ largest: optional(amount), perHour: optional(amount), perDay: optional(amount) }).annotations(
    rule("must be an object with largest, perHour and perDay")
  )
}).annotations(rule("must be an object with a currency or coin for each cap"))

const prices = Schema.Record({ key: Schema.String, value: amount }).annotations(
  rule("must be an object with a price for each symbol")
)

const isName = (name: string): boolean => Endpoints.all.some((endpoint) => endpoint.name === name)

const operation = Schema.String.pipe(
  Schema.filter(isName, rule("must be an operation, as `venue operations` lists them"))
)

const GuardSection = Schema.Struct({
  operations: optional(Schema.Array(operation)),
  symbols: optional(Schema.Array(filled)),
  orders: optional(caps),
  transfers: optional(caps),
  marketPrices: optional(prices),
  dryRun: optional(Schema.Boolean),
  stopFile: optional(filled),
  journal: optional(filled)
})
  .annotations(rule("must be an object with rules"))
  .pipe(
    Schema.filter(
      ({ journal, orders, transfers }) =>
        journal !== undefined ||
        [...Object.values(orders ?? {}), ...Object.values(transfers ?? {})].every(
          ({ perDay, perHour }) => perDay === undefined && perHour === undefined
        ),
      rule("needs journal, a folder, for perHour and perDay, because each command is a separate process")
    )
  )

/** The rules of the guard of all accounts of a file. `journal` is the folder of their write journal. */
export interface GuardRules extends Schema.Schema.Type<typeof GuardSection> {}

const Config = Schema.Struct({
  baseUrl: optional(baseUrl),
  guard: optional(GuardSection),
  accounts: AccountsFile.accounts(Account)
}).annotations(rule("must be an object with accounts"))

/** Credentials. A secret in a file or from a program is read when its account is used. */
export type Account = Effect.Effect<Credentials.Credentials.Shape, ConfigFileInvalid, Files>

/** Accounts by name, in the order of the file. */
export type Accounts = ReadonlyMap<string, Account>

export interface ConfigFile {
  readonly accounts: Accounts
  readonly guard: GuardRules | undefined
}

/** Reads a secret from a file or from the output of a program. Failures never contain a part of it. */
const secretOf = (
  { apiSecretCommand, apiSecretFile }: typeof Account.Type,
  refuse: (detail: string) => ConfigFileInvalid
): Effect.Effect<Redacted.Redacted, ConfigFileInvalid, Files> =>
  Effect.gen(function* () {
    if (apiSecretFile !== undefined) return yield* Effect.mapError(secretFile(apiSecretFile), refuse)
    const { readPrinted: printed } = yield* load(() => import("./secretCommand.js"))
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
      yield* Output.warn(`venue: warning: ${file} can be read by others than you: chmod 600 ${file}`)
    }
    return Redacted.make(text.trim())
  })

const parse = (file: string, text: string, allowsInsecure: boolean): Either.Either<ConfigFile, ConfigFileInvalid> =>
  Either.gen(function* () {
    const refuse = (detail: string) => new ConfigFileInvalid({ message: `${file}: ${detail}` })
    const refuseMistake = ({ path, rule }: AccountsFile.Mistake) => refuse(path === "" ? rule : `${path} ${rule}`)
    const config = yield* Either.mapLeft(AccountsFile.parse(Config, text), refuseMistake)
    const accounts = new Map<string, Account>()
    const keys = new Map<string, Credentials.Credentials.Shape>()
    for (const [name, account] of Object.entries(config.accounts)) {
      const { apiKey, apiSecret, recvWindow, uid } = account
      const baseUrl = yield* Either.mapLeft(
        AccountsFile.baseUrlOf(name, account, config, allowsInsecure),
        refuseMistake
      )
      const credentials = Credentials.makeEither({
        baseUrl,
        apiKey: Redacted.make(apiKey),
        // If the secret is elsewhere, check the other fields now.
        apiSecret: Redacted.make(apiSecret ?? "elsewhere"),
        recvWindow: recvWindow === undefined ? undefined : Duration.millis(recvWindow),
        uid
      })
      const checked = yield* Either.mapLeft(credentials, (detail) => refuse(`accounts.${name}.${detail}`))
      keys.set(name, checked)
      const secret = secretOf(account, (detail) => refuse(`accounts.${name}: ${detail}`))
      accounts.set(
        name,
        apiSecret === undefined
          ? Effect.map(secret, (apiSecret) => ({ ...checked, apiSecret }))
          : Effect.succeed(checked)
      )
    }
    const same = AccountsFile.sharingKey(keys)
    return same === undefined
      ? { accounts, guard: config.guard }
      : yield* Either.left(refuse(`accounts.${same[1]}.apiKey is that of ${same[0]}: remove one of the two accounts`))
  })

const ofOthers = 0o077

/** Whether other users can read or change a file; not every system reports it. */
const isOpen = (file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { mode } = yield* fs.stat(file)
    return path.sep === "/" && (mode & ofOthers) !== 0
  })

/** The accounts in a file, and its guard; `none` if the file does not exist. */
export const read = (file: string): Effect.Effect<Option.Option<ConfigFile>, ConfigFileInvalid, Files> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const unreadable = () => new ConfigFileInvalid({ message: `${file}: cannot be read` })
    if (!(yield* Effect.mapError(fs.exists(file), unreadable))) return Option.none()
    const text = yield* Effect.mapError(fs.readFileString(file), unreadable)
    if (yield* Effect.mapError(isOpen(file), unreadable)) {
      yield* Output.warn(`venue: warning: ${file} can be read by others than you: chmod 600 ${file}`)
    }
    // It has a default, so it cannot fail.
    const allowsInsecure = yield* Effect.orElseSucceed(BaseUrl.allowInsecure, () => false)
    return Option.some(yield* parse(file, text, allowsInsecure))
  })
