import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BaseUrl from "@effect-venue/signing/siblings/BaseUrl"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as Transport from "@effect-venue/transport/Transport"
import { listAll } from "@effect-venue/schemas/siblings/Words"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as configFile from "../config/configFile.js"
import { load } from "../run/invocation.js"
import { Refusal } from "../run/failures.js"
import type { Category } from "../options/subjects.js"
import type { Files } from "../output/files.js"

// The command `call` loads it together with this file.
export { explainSymbol } from "./unlisted.js"

/** An account of the service, or of a sandbox. */
export interface Account {
  /** The name of the account, if it was chosen by name: files are then named after it. */
  readonly name: string | undefined
  readonly credentials: Credentials.Credentials.Shape
  readonly transport: Transport.Transport.Shape
}

/** The records of a sandbox to count. */
export interface Counted {
  readonly account: string | undefined
  readonly category: Category
  readonly from: number
  readonly to: number
}

/** The accounts of a command. They share rate limits, ban gate and clocks. */
export interface Source {
  /** At least one. */
  readonly accounts: readonly [Account, ...ReadonlyArray<Account>]
  readonly limiter: RateLimiter.RateLimiter.Shape
  readonly isSandbox: boolean
  /** The number of rows of a dataset in the source; `none` if only an export can count them. */
  readonly holds: (dataset: string, query: Counted) => Effect.Effect<Option.Option<number>>
}

/** How a source is chosen on the command line. */
export interface VenueChoice {
  readonly sandbox: boolean
  readonly seed: number
  readonly port: number
  /** Names of accounts; without any, the only account. */
  readonly accounts: ReadonlyArray<string>
  readonly config: Option.Option<string>
  /** Nothing will be called that needs a key: an address will do. */
  readonly keyless?: boolean | undefined
  /** A write will be called: it needs the guard of the config file. */
  readonly writes?: boolean | undefined
}

/** Neither the address of the service nor an account is configured. */
export class NotConfigured extends Data.TaggedError("NotConfigured")<{ readonly message: string }> {}

type Named = readonly [name: string | undefined, credentials: Credentials.Credentials.Shape]

const open = (
  named: readonly [Named, ...ReadonlyArray<Named>],
  more: Pick<Source, "isSandbox" | "holds">,
  guard: Context.Context<never> = Context.empty()
): Effect.Effect<Source, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const shared = yield* Layer.build(Venue.layerShared)
    const account = ([name, credentials]: Named): Effect.Effect<Account, never, HttpClient.HttpClient | Scope.Scope> =>
      Effect.map(Effect.provide(Venue.account(credentials), Context.merge(shared, guard)), (context) => ({
        name,
        credentials,
        transport: Context.get(context, Transport.Transport)
      }))
    const [first, ...others] = named
    return {
      accounts: [yield* account(first), ...(yield* Effect.forEach(others, account))],
      limiter: Context.get(shared, RateLimiter.RateLimiter),
      ...more
    }
  })

/** The mistake of each variable. */
const lines = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  error._op === "And" || error._op === "Or"
    ? [...lines(error.left), ...lines(error.right)]
    : [`${error.path.join(".")} ${error.message}`]

const toConfigure = `set VENUE_BASE_URL, VENUE_API_KEY and VENUE_API_SECRET, or write ${configFile.fileName}, or add --sandbox to try it without an account`

/** For operations that need no account. */
const addressOnly: Config.Config<Credentials.Credentials.Shape> = Config.map(BaseUrl.config, (baseUrl) => ({
  baseUrl,
  apiKey: Redacted.make(""),
  apiSecret: Redacted.make(""),
  recvWindow: Credentials.defaultRecvWindow
}))

/** The account in the environment; `none` if no variable is set. */
const fromEnvironment = (
  keyless: boolean
): Effect.Effect<Option.Option<Credentials.Credentials.Shape>, NotConfigured, Files> =>
  Effect.gen(function* () {
    const file = yield* Effect.option(Config.string("VENUE_API_SECRET_FILE"))
    if (Option.isNone(file)) return yield* fromVariables(keyless)
    const secret = yield* Effect.mapError(
      configFile.secretFile(file.value),
      (message) => new NotConfigured({ message })
    )
    const variables = ConfigProvider.fromMap(new Map([["VENUE_API_SECRET", Redacted.value(secret)]]))
    return yield* Effect.configProviderWith((provider) =>
      Effect.withConfigProvider(
        fromVariables(keyless),
        ConfigProvider.orElse(provider, () => variables)
      )
    )
  })

const fromVariables = (keyless: boolean): Effect.Effect<Option.Option<Credentials.Credentials.Shape>, NotConfigured> =>
  Effect.gen(function* () {
    const variables = ["VENUE_BASE_URL", "VENUE_API_KEY", "VENUE_API_SECRET"]
    const values = yield* Effect.forEach(variables, (name) => Effect.option(Config.string(name)))
    if (values.every(Option.isNone)) return Option.none()
    const empty = variables.filter((_, index) => Option.contains(values[index] ?? Option.none(), ""))
    if (empty.length > 0) {
      return yield* new NotConfigured({
        message: `${listAll(empty)} ${empty.length === 1 ? "is" : "are"} empty: ${toConfigure}`
      })
    }
    const config = keyless && values.slice(1).every(Option.isNone) ? addressOnly : Credentials.config
    return yield* Effect.asSome(
      Effect.mapError(config, (error) => {
        const absent = variables.filter((_, index) => Option.isNone(values[index] ?? Option.none()))
        const isAbsent = ConfigError.isMissingDataOnly(error) && absent.length > 0
        return new NotConfigured({
          message: isAbsent
            ? `${listAll(absent)} ${absent.length === 1 ? "is" : "are"} not set: ${toConfigure}`
            : lines(error).join("; ")
        })
      })
    )
  })

const notFound = (names: ReadonlyArray<string>, unknown: string, where: string) =>
  new NotConfigured({ message: `there is no account ${unknown} in ${where}: it has ${names.join(", ")}` })

const chosen = <E, R>(
  accounts: ReadonlyMap<string, Effect.Effect<Credentials.Credentials.Shape, E, R>>,
  names: ReadonlyArray<string>,
  where: string
): Effect.Effect<readonly [Named, ...ReadonlyArray<Named>], NotConfigured | Refusal | E, R> =>
  Effect.gen(function* () {
    const known = [...accounts.keys()]
    const named = yield* Effect.forEach(new Set(names), (name): Effect.Effect<Named, NotConfigured | E, R> => {
      const credentials = accounts.get(name)
      return credentials === undefined
        ? Effect.fail(notFound(known, name, where))
        : Effect.map(credentials, (credentials): Named => [name, credentials])
    })
    const [first, ...others] = named
    if (first !== undefined) return [first, ...others]
    const [only, ...more] = accounts.values()
    return only === undefined || more.length > 0
      ? yield* new Refusal({ message: `${where} has the accounts ${known.join(", ")}: choose one with --account` })
      : [[undefined, yield* only]]
  })

/** The service: who is named in the config file, or else who is in the environment. */
const live = ({
  accounts,
  config,
  keyless,
  writes
}: VenueChoice): Effect.Effect<
  Source,
  NotConfigured | Refusal | configFile.ConfigFileInvalid,
  HttpClient.HttpClient | Files | Scope.Scope
> =>
  Effect.gen(function* () {
    const only = { isSandbox: false, holds: () => Effect.succeedNone }
    if (Option.isNone(config) && accounts.length === 0) {
      const environment = yield* fromEnvironment(keyless === true)
      if (Option.isSome(environment)) return yield* open([[undefined, environment.value]], only)
    }
    const file = Option.getOrElse(config, () => configFile.fileName)
    const known = yield* configFile.read(file)
    if (Option.isNone(known)) {
      return yield* new NotConfigured({
        message: Option.isSome(config)
          ? `--config: there is no ${file}`
          : accounts.length > 0
            ? `--account ${accounts.join(" --account ")}: there is no ${file} with named accounts here: choose one with --config, or remove --account to use the account of VENUE_API_KEY`
            : `no account is configured: ${toConfigure}`
      })
    }
    const { accounts: found, guard: rules } = known.value
    const named = yield* chosen(found, accounts, file)
    if (writes !== true || rules === undefined) return yield* open(named, only)
    const { guardOf } = yield* load(() => import("./guard.js"))
    return yield* open(named, only, yield* guardOf(rules, file))
  })

const counts: Readonly<Record<string, keyof Sandbox.Holds>> = {
  executions: "executions",
  "pre-upgrade-executions": "preUpgradeExecutions",
  "pre-upgrade-closed-pnl": "preUpgradeClosedPnl"
}

/** A sandbox behind a real socket on this machine, until the scope ends. Its accounts are called by their roles. */
export const sandbox = (
  options: Pick<VenueChoice, "seed" | "port" | "accounts">
): Effect.Effect<Source, Server.ServeFailed | NotConfigured | Refusal, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const exchange = yield* Sandbox.make({ seed: options.seed })
    const server = yield* Effect.provideService(Server.serve({ port: options.port }), Sandbox.Sandbox, exchange)
    const roles = new Map(
      Object.entries(server.credentials).map(([role, credentials]) => [role, Effect.succeed(credentials)] as const)
    )
    const uids = new Map(Object.entries(exchange.uids))
    const named: readonly [Named, ...ReadonlyArray<Named>] =
      options.accounts.length === 0
        ? [[undefined, server.credentials.main]]
        : yield* chosen(roles, options.accounts, "the sandbox")
    return yield* open(named, {
      isSandbox: true,
      holds: (dataset, { account, ...query }) => {
        const name = counts[dataset]
        const uid = uids.get(account ?? "main")
        return name === undefined
          ? Effect.succeedNone
          : Effect.map(exchange.holds({ ...query, uid }), (holds) => Option.some(holds[name].count))
      }
    })
  })

/** The chosen accounts. */
export const source = (
  choice: VenueChoice
): Effect.Effect<
  Source,
  NotConfigured | Refusal | configFile.ConfigFileInvalid | Server.ServeFailed,
  HttpClient.HttpClient | Files | Scope.Scope
> =>
  choice.sandbox
    ? Option.isSome(choice.config)
      ? Effect.fail(new Refusal({ message: "--config cannot be combined with --sandbox, which has its accounts" }))
      : sandbox(choice)
    : live(choice)
