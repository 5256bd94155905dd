/** The accounts of a fleet, also as a file, `accounts.json`: the accounts, the exports of each, and their addresses. It contains no keys. */
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Instant from "@effect-venue/schemas/Instant"
import * as BaseUrl from "@effect-venue/signing/siblings/BaseUrl"
import * as SecretUrl from "@effect-venue/transport/siblings/SecretUrl"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AccountsFile from "./AccountsFile.js"
import { exportsOf } from "./accountExports.js"

/** An account, without its key. */
export interface FleetAccount {
  /** Its name in the ledger, in folders and in manifests. */
  readonly name: string
  /** The UID of the master account, as declared. Accounts of one master are exported from one address. */
  readonly masterUid: string
  /** The UID of the account, if it is declared: keys of one UID then share its limits. */
  readonly uid: Option.Option<string>
  readonly baseUrl: string
  /** The name of an egress address, or `any`. */
  readonly egress: string
  /** Names of datasets. */
  readonly datasets: ReadonlyArray<string>
  /** Categories of those datasets that have any; empty for all of them. */
  readonly categories: ReadonlyArray<string>
  /** The first instant of the exports, in milliseconds. */
  readonly from: number
  /** The first instant after them. Without it an export continues with new rows at the interval `every`. */
  readonly to: Option.Option<number>
  readonly every: Duration.Duration
  /** How much before the end of an export is read again, for records that the service lists late. Defaults to 1 hour. */
  readonly overlap?: Option.Option<Duration.Duration> | undefined
  readonly isPaused: boolean
  /**
   * Declares that an API key which the exports have not seen is of the same account. Needed if no export of the account has rows that show it.
   * Defaults to false.
   */
  readonly sameAccount?: boolean | undefined
}

/** An account names an address that the fleet does not have. Nothing was registered. */
export class UnknownEgress extends Data.TaggedError("UnknownEgress")<{
  readonly account: string
  readonly egress: string
}> {
  override get message(): string {
    return `the account ${this.account} names the egress address ${this.egress}, which the fleet does not have`
  }
}

/**
 * Two accounts of a fleet are one. Nothing was registered.
 *
 * `Name`: they have the same name, or names that a file system can take for the same. `Key`: they have the same API key at the same service.
 */
export class DuplicateAccount extends Data.TaggedError("DuplicateAccount")<{
  readonly accounts: readonly [first: string, second: string]
  readonly reason: "Name" | "Key"
}> {
  override get message(): string {
    const [first, second] = this.accounts
    if (this.reason === "Key") return `the accounts ${first} and ${second} have the same API key: remove one of them`
    return first === second
      ? `the account ${first} is declared twice`
      : `the names of the accounts ${first} and ${second} are too much alike: a file system can take the two for one`
  }
}

/**
 * Why declared accounts are refused, before anything of them is registered.
 *
 * @category failures
 */
export type Refusal = UnknownEgress | DuplicateAccount

/** The file cannot be used. `path` is the place in it, such as `accounts.alice.from`. */
export class AccountsInvalid extends Data.TaggedError("AccountsInvalid")<{
  readonly file: string
  readonly path: string
  readonly rule: string
}> {
  override get message(): string {
    return `${this.file}: ${this.path === "" ? "" : `${this.path} `}${this.rule}`
  }
}

/** An egress address, as declared: a local address, or a proxy; neither is the address that the system chooses. */
export interface DeclaredEgress {
  readonly name: string
  readonly localAddress: Option.Option<string>
  /** Its URL, which can contain a password. */
  readonly proxy: Option.Option<Redacted.Redacted>
}

/** The declared source of the keys. */
export type DeclaredCredentials =
  | { readonly _tag: "Environment" }
  | { readonly _tag: "File"; readonly file: string }
  | { readonly _tag: "Command"; readonly command: readonly [program: string, ...args: ReadonlyArray<string>] }

/** A file of accounts, as it was read. */
export interface Declaration {
  readonly credentials: DeclaredCredentials
  readonly egresses: readonly [DeclaredEgress, ...ReadonlyArray<DeclaredEgress>]
  readonly accounts: ReadonlyArray<FleetAccount>
}

const { baseUrl, filled, name, optional, rule } = AccountsFile

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

const listOf = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.Array(schema)
    .annotations(rule("must be a list"))
    .pipe(Schema.filter((all) => all.length > 0, rule("must not be empty")))

/** Settings of an account, or of the file for all accounts. */
const common = {
  baseUrl: optional(baseUrl),
  datasets: optional(listOf(dataset)),
  categories: optional(listOf(category)),
  from: optional(instant),
  to: optional(instant),
  every: optional(period),
  overlap: optional(period)
}

const Account = Schema.Struct({
  ...common,
  masterUid: filled,
  uid: optional(filled),
  egress: optional(name),
  paused: optional(Schema.Boolean.annotations(rule("must be true or false"))),
  sameAccount: optional(Schema.Boolean.annotations(rule("must be true or false")))
}).annotations(rule("must be an object with masterUid"))

const proxy = filled.pipe(
  Schema.filter(
    (text) => SecretUrl.isValid(text, ["http", "https"]),
    rule("must be a URL such as http://host:port, with user and password percent-encoded")
  )
)

const Egress = Schema.Struct({ name, localAddress: optional(filled), proxy: optional(proxy) })
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
  accounts: AccountsFile.accounts(Account)
}).annotations(rule("must be an object with accounts"))

type File = typeof File.Type

type Refuse = (path: string, rule: string) => Either.Either<never, AccountsFile.Mistake>

const refuse: Refuse = (path, rule) => Either.left({ path, rule })

/** The value of an account, or that of all accounts. */
const requireValue = <A>(own: A | undefined, common: A | undefined, path: string) => {
  const value = own ?? common
  return value === undefined ? refuse(path, "is required, here or for all accounts") : Either.right(value)
}

const accountOf = (
  file: File,
  name: string,
  declared: typeof Account.Type,
  allowsInsecure: boolean
): Either.Either<FleetAccount, AccountsFile.Mistake> =>
  Either.gen(function* () {
    const at = (field: string) => `accounts.${name}.${field}`
    const baseUrl = yield* AccountsFile.baseUrlOf(name, declared, file, allowsInsecure)
    const from = Option.getOrElse(Instant.millis(yield* requireValue(declared.from, file.from, at("from"))), () => 0)
    const to = Option.flatMap(Option.fromNullable(declared.to ?? file.to), Instant.millis)
    if (Option.exists(to, (to) => to <= from)) return yield* refuse(at("to"), "must be after from")
    const account: FleetAccount = {
      name,
      masterUid: declared.masterUid,
      uid: Option.fromNullable(declared.uid),
      baseUrl,
      egress: declared.egress ?? "any",
      datasets: yield* requireValue(declared.datasets, file.datasets, at("datasets")),
      categories: declared.categories ?? file.categories ?? [],
      from,
      to,
      every: Option.getOrElse(durationOf(declared.every ?? file.every ?? ""), () => Duration.days(1)),
      overlap: durationOf(declared.overlap ?? file.overlap ?? ""),
      isPaused: declared.paused === true,
      sameAccount: declared.sameAccount === true
    }
    const without = account.datasets.filter((name) => exportsOf({ ...account, datasets: [name] }).length === 0)
    return without.length > 0
      ? yield* refuse(
          at("categories"),
          `has no category of ${without.join(", ")}: give the account datasets of its own`
        )
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

/** The first two names for which `same` returns one text. */
const findRepeated = (
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

/** Checks what concerns several accounts or addresses. */
const checkAll = ({ accounts, credentials, egresses }: Declaration): Either.Either<void, AccountsFile.Mistake> =>
  Either.gen(function* () {
    const addresses = egresses.map(({ name }) => name)
    const twice = findRepeated(addresses, (name) => name)
    if (twice !== undefined) return yield* refuse("egresses", `has the name ${twice[1]} twice`)
    if (addresses.includes("any"))
      return yield* refuse("egresses", "must not have the name any, which stands for all of them")
    const lost = accounts.find(({ egress }) => egress !== "any" && !addresses.includes(egress))
    if (lost !== undefined) {
      return yield* refuse(`accounts.${lost.name}.egress`, `must be any, or one of ${addresses.join(", ")}`)
    }
    if (credentials._tag !== "Environment") return
    const names = accounts.map(({ name }) => name)
    const shared = findRepeated(names, (name) => AccountsFile.variablesOf(name).apiKey)
    if (shared !== undefined) {
      return yield* refuse(
        `accounts.${shared[1]}`,
        `has the variable ${AccountsFile.variablesOf(shared[1]).apiKey}, as ${shared[0]} has`
      )
    }
  })

export interface ParseOptions {
  /** The name of the file in failures. Defaults to `accounts.json`. */
  readonly file?: string | undefined
  /** Whether `baseUrl` can be `http` to another machine. Defaults to false. */
  readonly allowsInsecure?: boolean | undefined
}

/**
 * Reads the text of a file.
 *
 * @category conversions
 */
export const parse = (
  text: string,
  { allowsInsecure = false, file = "accounts.json" }: ParseOptions = {}
): Either.Either<Declaration, AccountsInvalid> =>
  Either.gen(function* () {
    const declared = yield* AccountsFile.parse(File, text)
    const accounts: Array<FleetAccount> = []
    for (const [name, account] of Object.entries(declared.accounts)) {
      accounts.push(yield* accountOf(declared, name, account, allowsInsecure))
    }
    const declaration: Declaration = {
      credentials: credentialsOf(declared.credentials),
      egresses: egressesOf(declared.egresses),
      accounts
    }
    yield* checkAll(declaration)
    return declaration
  }).pipe(Either.mapLeft(({ path, rule }) => new AccountsInvalid({ file, path, rule })))

/**
 * Reads a file.
 *
 * @category conversions
 */
export const read = (file: string): Effect.Effect<Declaration, AccountsInvalid, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(
      fs.readFileString(file),
      () => new AccountsInvalid({ file, path: "", rule: "it does not exist, or cannot be read" })
    )
    // It has a default, and so does not fail.
    const allowsInsecure = yield* Effect.orElseSucceed(BaseUrl.allowInsecure, () => false)
    return yield* parse(text, { file, allowsInsecure })
  })
