/** Credentials: the account and the address of the service. They belong together, because a key is valid at one host only. */
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as BaseUrl from "./BaseUrl.js"

export class Credentials extends Context.Tag("@effect-venue/signing/Credentials")<Credentials, Credentials.Shape>() {}

export declare namespace Credentials {
  export interface Shape {
    /** Scheme, host and optional path prefix of the service, without a slash at the end. */
    readonly baseUrl: string
    /** Empty for `layerPublic`, with which only public operations can be called. */
    readonly apiKey: Redacted.Redacted
    readonly apiSecret: Redacted.Redacted
    /** How long a request is valid after its timestamp, in whole milliseconds. (docs/reference/signing.md#header-method) */
    readonly recvWindow: Duration.Duration
    /** The UID behind the key, if known: keys of one UID share its limits. */
    readonly uid?: string | undefined
  }
}

/** The input of `layer`. */
export interface Options {
  readonly baseUrl: string | URL
  readonly apiKey: string | Redacted.Redacted
  readonly apiSecret: Redacted.Redacted
  /**
   * How long a request is valid after its timestamp. Default: 5 seconds. The service accepts more, but a short window limits the use of a
   * captured request.
   */
  readonly recvWindow?: Duration.DurationInput | undefined
  /** The UID behind the key, if known: keys of one UID then share its limits, and its granted limits are applied. */
  readonly uid?: string | undefined
}

/** The default receive window, 5 seconds. The service has the same default. */
export const defaultRecvWindow: Duration.Duration = Duration.seconds(5)

// Visible ASCII characters only. Surrounding spaces are lost on the way, and clients do not send other characters.
const parseApiKey = (key: string): Either.Either<string, string> =>
  /^[\x21-\x7e]*$/.test(key)
    ? Either.right(key)
    : Either.left("must consist of visible ASCII characters, because a header carries it")

const parseRecvWindow = (input: Duration.DurationInput): Either.Either<Duration.Duration, string> => {
  const duration = Duration.decodeUnknown(input)
  const millis = duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN
  return Number.isInteger(millis) && millis > 0
    ? Either.right(Duration.millis(millis))
    : Either.left("must be a whole number of milliseconds greater than 0")
}

const redact = (text: string | Redacted.Redacted): Redacted.Redacted =>
  Redacted.isRedacted(text) ? text : Redacted.make(text)

const refuse = (field: string) => (rule: string) => `${field} ${rule}`

/** Returns checked credentials, or the reason why they are invalid. Logs nothing. */
export const makeEither = (options: Options): Either.Either<Credentials.Shape, string> =>
  Either.gen(function* () {
    const apiKey = redact(options.apiKey)
    yield* Either.mapLeft(parseApiKey(Redacted.value(apiKey)), refuse("apiKey"))
    return {
      baseUrl: yield* Either.mapLeft(BaseUrl.parseBaseUrl(options.baseUrl), refuse("baseUrl")),
      apiKey,
      // A program without types can pass a plain text, which would be printed.
      apiSecret: redact(options.apiSecret),
      recvWindow: yield* Either.mapLeft(parseRecvWindow(options.recvWindow ?? defaultRecvWindow), refuse("recvWindow")),
      uid: options.uid
    }
  })

const check = (options: Options): Credentials.Shape =>
  Either.getOrThrowWith(makeEither(options), (detail) => new TypeError(`Credentials: ${detail}`))

const warnInsecure = <A extends Credentials.Shape>(credentials: A): Effect.Effect<A> =>
  BaseUrl.isInsecure(credentials.baseUrl)
    ? Effect.as(Effect.logWarning(BaseUrl.insecure(credentials.baseUrl)), credentials)
    : Effect.succeed(credentials)

/**
 * Creates checked credentials. Throws if the base URL, the receive window or the key is invalid; use `layerConfig` for values that are only
 * known at run time. Logs a warning with Effect's default logger if requests to the base URL are not encrypted: `http`, to a host
 * that is neither loopback nor reserved (`.invalid`, `.localhost`, `.test`, `.internal`).
 */
export const make = (options: Options): Credentials.Shape => Effect.runSync(warnInsecure(check(options)))

export const layer = (options: Options): Layer.Layer<Credentials> =>
  Layer.effect(
    Credentials,
    Effect.suspend(() => warnInsecure(check(options)))
  )

/** Credentials without a key, for public operations such as the list of instruments. */
export const layerPublic = (options: { readonly baseUrl: string | URL }): Layer.Layer<Credentials> =>
  layer({ baseUrl: options.baseUrl, apiKey: "", apiSecret: Redacted.make("") })

/**
 * The variables of an account: `VENUE_BASE_URL`, `VENUE_API_KEY`, `VENUE_API_SECRET`, and `VENUE_RECV_WINDOW` in milliseconds (default:
 * 5000). A base URL with `http` to another machine is refused unless `VENUE_ALLOW_INSECURE` is `1`.
 *
 * @category config
 */
export const config: Config.Config<Credentials.Shape> = Config.all({
  baseUrl: BaseUrl.config,
  apiKey: Config.redacted(
    Config.nonEmptyString("VENUE_API_KEY").pipe(
      Config.mapOrFail((key) => Either.mapLeft(parseApiKey(key), BaseUrl.invalid))
    )
  ),
  apiSecret: Config.redacted(Config.nonEmptyString("VENUE_API_SECRET")),
  recvWindow: Config.integer("VENUE_RECV_WINDOW").pipe(
    // Checked before the default applies, because a config with a default loses the name that the failure reports.
    Config.mapOrFail((millis) => Either.mapLeft(parseRecvWindow(millis), BaseUrl.invalid)),
    Config.withDefault(defaultRecvWindow)
  )
})

/**
 * Credentials from `VENUE_BASE_URL`, `VENUE_API_KEY`, `VENUE_API_SECRET` and `VENUE_RECV_WINDOW`. The key and the secret are read as
 * Redacted.
 */
export const layerConfig: Layer.Layer<Credentials, ConfigError.ConfigError> = Layer.effect(
  Credentials,
  Effect.flatMap(
    Effect.suspend(() => config),
    warnInsecure
  )
)
