/**
 * The accounts of a fleet as a file, `accounts.json`: which accounts there are, what is exported of each, and from which addresses. Keys are not in
 * it.
 *
 * @since 0.1.0
 */
import * as Datasets from "@effect-venue/history/Datasets"
import * as Instant from "@effect-venue/schemas/Instant"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as CredentialSource from "./CredentialSource.js"
import { exportsOf, type FleetAccount } from "./FleetAccount.js"

/**
 * The file cannot be used. `path` is the place in it, such as `accounts.alice.from`.
 *
 * @since 0.1.0
 * @category failures
 */
export class AccountsInvalid extends Data.TaggedError("AccountsInvalid")<{
  readonly file: string
  readonly path: string
  readonly rule: string
}> {
  override get message(): string {
    return `${this.file}: ${this.path === "" ? "" : `${this.path} `}${this.rule}`
  }
}

/**
 * An egress address, as declared: a local address, or a proxy; neither is the address that the system chooses.
 *
 * @since 0.1.0
 * @category models
 */
export interface DeclaredEgress {
  readonly name: string
  readonly localAddress: Option.Option<string>
  /** Its URL, which may have a password. */
  readonly proxy: Option.Option<Redacted.Redacted>
}

/**
 * Where the keys are, as declared.
 *
 * @since 0.1.0
 * @category models
 */
export type DeclaredCredentials =
  | { readonly _tag: "Environment" }
  | { readonly _tag: "File"; readonly file: string }
  | { readonly _tag: "Command"; readonly command: readonly [program: string, ...args: ReadonlyArray<string>] }

/**
 * A file of accounts, as it was read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Declaration {
  readonly credentials: DeclaredCredentials
  readonly egresses: readonly [DeclaredEgress, ...ReadonlyArray<DeclaredEgress>]
  readonly accounts: ReadonlyArray<FleetAccount>
}

// Every rule has words of its own: those of a schema quote the value, and a proxy may have a password.
const rule = (text: string) => ({ message: () => text })

const filled = Schema.String.annotations(rule("must be text")).pipe(
  Schema.filter((text) => text.trim() !== "", rule("must not be empty"))
)

const nameRule =
  "must consist of letters, digits, dots, underscores and hyphens, begin with a letter or a digit, and have at most 64 characters"

/** Names are folders and parts of manifests. */
const name = filled.pipe(Schema.filter((text) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text), rule(nameRule)))

const isName = (text: string): boolean => Option.isSome(Schema.decodeOption(name)(text))

const baseUrl = filled.pipe(
  Schema.filter(
    (text) => Either.isRight(Credentials.makeEither({ baseUrl: text, apiKey: "", apiSecret: Redacted.make("") })),
    rule("must be an absolute http or https address, without user, query or fragment")
  )
)

const instant = filled.pipe(
  Schema.filter((text) => Either.isRight(Instant.parse(text)), rule("must be an instant, such as 2026-01-31"))
)

const shortest = Duration.minutes(1)

const durationOf = (text: string): Option.Option<Duration.Duration> =>
  Option.filter(
    Duration.decodeUnknown(text),
    (duration) => Duration.isFinite(duration) && Duration.greaterThanOrEqualTo(duration, shortest)
  )

const period = filled.pipe(
  Schema.filter((text) => Option.isSome(durationOf(text)), rule("must be a period of at least 1 minute, such as 1 day"))
)

const datasetNames: ReadonlyArray<string> = Datasets.datasets.map(({ name }) => name)

const dataset = filled.pipe(
  Schema.filter((text) => datasetNames.includes(text), rule(`must be one of ${datasetNames.join(", ")}`))
)

const category = filled.pipe(
  Schema.filter((text) => ["linear", "inverse", "spot"].includes(text), rule("must be linear, inverse or spot"))
)

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const listOf = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.Array(schema)
    .annotations(rule("must be a list"))
    .pipe(Schema.filter((all) => all.length > 0, rule("must not be empty")))

/** What an account may say, and the file for all of them. */
const common = {
  baseUrl: optional(baseUrl),
  datasets: optional(listOf(dataset)),
  categories: optional(listOf(category)),
  from: optional(instant),
  to: optional(instant),
  every: optional(period)
}

const Account = Schema.Struct({
  ...common,
  masterUid: filled,
  uid: optional(filled),
  egress: optional(name),
  paused: optional(Schema.Boolean.annotations(rule("must be true or false"))),
  sameAccount: optional(Schema.Boolean.annotations(rule("must be true or false")))
}).annotations(rule("must be an object with masterUid"))

const Egress = Schema.Struct({ name, localAddress: optional(filled), proxy: optional(filled) })
  .annotations(rule("must be an object with a name"))
  .pipe(
    Schema.filter(
      ({ localAddress, proxy }) => localAddress === undefined || proxy === undefined,
      rule("must have localAddress or proxy, and not both")
    )
  )

const CredentialsFrom = Schema.Union(
  Schema.Literal("environment"),
  Schema.Struct({ file: filled }),
  Schema.Struct({ command: listOf(filled) })
).annotations(rule('must be "environment", an object with file, or one with command'))

const File = Schema.Struct({
  ...common,
  credentials: optional(CredentialsFrom),
  egresses: optional(listOf(Egress)),
  accounts: Schema.Record({ key: Schema.String, value: Account })
    .annotations(rule("must be an object, with an account by each name"))
    .pipe(Schema.filter((accounts) => Object.keys(accounts).length > 0, rule("must have at least one account")))
}).annotations(rule("must be an object with accounts"))

type File = typeof File.Type

const decode = Schema.decodeUnknownEither(File, { errors: "first", onExcessProperty: "error" })

const ruleOf = (issue: ParseResult.ArrayFormatterIssue): string =>
  issue._tag === "Missing" ? "is required" : issue._tag === "Unexpected" ? "is not a setting" : issue.message

type Refuse = (path: string, rule: string) => Either.Either<never, AccountsInvalid>

/** The value of an account, or that of all accounts. */
const required = <A>(own: A | undefined, common: A | undefined, path: string, refuse: Refuse) => {
  const value = own ?? common
  return value === undefined ? refuse(path, "is required, here or for all accounts") : Either.right(value)
}

const accountOf = (
  file: File,
  name: string,
  declared: typeof Account.Type,
  allowsInsecure: boolean,
  refuse: Refuse
): Either.Either<FleetAccount, AccountsInvalid> =>
  Either.gen(function* () {
    const at = (field: string) => `accounts.${name}.${field}`
    const baseUrl = yield* required(declared.baseUrl, file.baseUrl, at("baseUrl"), refuse)
    if (Credentials.isInsecure(baseUrl) && !allowsInsecure) {
      return yield* refuse(at("baseUrl"), "is http to another machine: use https, or set VENUE_ALLOW_INSECURE=1")
    }
    const from = Option.getOrElse(
      Instant.millis(yield* required(declared.from, file.from, at("from"), refuse)),
      () => 0
    )
    const to = Option.flatMap(Option.fromNullable(declared.to ?? file.to), Instant.millis)
    if (Option.exists(to, (to) => to <= from)) return yield* refuse(at("to"), "must be after from")
    const account: FleetAccount = {
      name,
      masterUid: declared.masterUid,
      uid: Option.fromNullable(declared.uid),
      baseUrl,
      egress: declared.egress ?? "any",
      datasets: yield* required(declared.datasets, file.datasets, at("datasets"), refuse),
      categories: declared.categories ?? file.categories ?? [],
      from,
      to,
      every: Option.getOrElse(durationOf(declared.every ?? file.every ?? ""), () => Duration.days(1)),
      isPaused: declared.paused === true,
      sameAccount: declared.sameAccount === true
    }
    return exportsOf(account).length === 0
      ? yield* refuse(at("categories"), `has no category of ${account.datasets.join(", ")}`)
      : account
  })

const credentialsOf = (declared: File["credentials"]): DeclaredCredentials => {
  if (declared === undefined || declared === "environment") return { _tag: "Environment" }
  if ("file" in declared) return { _tag: "File", file: declared.file }
  const [program = "", ...args] = declared.command
  return { _tag: "Command", command: [program, ...args] }
}

const egressesOf = (declared: File["egresses"]): Declaration["egresses"] => {
  const all = (declared ?? []).map(({ localAddress, name, proxy }): DeclaredEgress => ({
    name,
    localAddress: Option.fromNullable(localAddress),
    proxy: Option.map(Option.fromNullable(proxy), (uri) => Redacted.make(uri))
  }))
  const [first = { name: "default", localAddress: Option.none(), proxy: Option.none() }, ...rest] = all
  return [first, ...rest]
}

/** The first name that is that of an earlier one, in the spelling of `same`. */
const repeated = (
  names: ReadonlyArray<string>,
  same: (name: string) => string
): readonly [string, string] | undefined => {
  const seen = new Map<string, string>()
  for (const name of names) {
    const earlier = seen.get(same(name))
    if (earlier !== undefined) return [earlier, name]
    seen.set(same(name), name)
  }
  return undefined
}

/** What one account cannot say of itself. */
const checkAll = (
  { accounts, credentials, egresses }: Declaration,
  refuse: Refuse
): Either.Either<void, AccountsInvalid> =>
  Either.gen(function* () {
    const addresses = egresses.map(({ name }) => name)
    const twice = repeated(addresses, (name) => name)
    if (twice !== undefined) return yield* refuse("egresses", `has the name ${twice[1]} twice`)
    if (addresses.includes("any"))
      return yield* refuse("egresses", "must not have the name any, which stands for all of them")
    const lost = accounts.find(({ egress }) => egress !== "any" && !addresses.includes(egress))
    if (lost !== undefined) {
      return yield* refuse(`accounts.${lost.name}.egress`, `must be any, or one of ${addresses.join(", ")}`)
    }
    const names = accounts.map(({ name }) => name)
    const alike = repeated(names, (name) => name.toLowerCase())
    if (alike !== undefined) {
      return yield* refuse(
        `accounts.${alike[1]}`,
        `differs from ${alike[0]} in upper and lower case alone: a file system may take the two for one`
      )
    }
    if (credentials._tag !== "Environment") return
    const shared = repeated(names, (name) => CredentialSource.variablesOf(name).apiKey)
    if (shared !== undefined) {
      return yield* refuse(
        `accounts.${shared[1]}`,
        `has the variable ${CredentialSource.variablesOf(shared[1]).apiKey}, as ${shared[0]} has`
      )
    }
  })

/**
 * @since 0.1.0
 * @category models
 */
export interface ParseOptions {
  /** The name of the file in failures. Defaults to `accounts.json`. */
  readonly file?: string | undefined
  /** Whether `baseUrl` may be `http` to another machine. Defaults to false. */
  readonly allowsInsecure?: boolean | undefined
}

/**
 * Reads the text of a file.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (
  text: string,
  { allowsInsecure = false, file = "accounts.json" }: ParseOptions = {}
): Either.Either<Declaration, AccountsInvalid> =>
  Either.gen(function* () {
    const refuse: Refuse = (path, rule) => Either.left(new AccountsInvalid({ file, path, rule }))
    const json: unknown = yield* Either.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new AccountsInvalid({ file, path: "", rule: "is not JSON" })
    })
    const declared = yield* Either.mapLeft(decode(json), (error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return issue === undefined
        ? new AccountsInvalid({ file, path: "", rule: "is not valid" })
        : new AccountsInvalid({ file, path: issue.path.map(String).join("."), rule: ruleOf(issue) })
    })
    const accounts: Array<FleetAccount> = []
    for (const [name, account] of Object.entries(declared.accounts)) {
      if (!isName(name)) return yield* refuse(`accounts.${name}`, `is not a name, which ${nameRule}`)
      accounts.push(yield* accountOf(declared, name, account, allowsInsecure, refuse))
    }
    const declaration: Declaration = {
      credentials: credentialsOf(declared.credentials),
      egresses: egressesOf(declared.egresses),
      accounts
    }
    yield* checkAll(declaration, refuse)
    return declaration
  })

/**
 * Reads a file.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (file: string): Effect.Effect<Declaration, AccountsInvalid, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(
      fs.readFileString(file),
      () => new AccountsInvalid({ file, path: "", rule: "cannot be read" })
    )
    // It has a default, and so does not fail.
    const allowsInsecure = yield* Effect.orElseSucceed(Credentials.allowInsecure, () => false)
    return yield* parse(text, { file, allowsInsecure })
  })
