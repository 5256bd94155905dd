/**
 * Who calls, and where: a key is good for one host only, so the two travel together.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * @since 0.1.0
 * @category tags
 */
export class Credentials extends Context.Tag("@effect-venue/signing/Credentials")<Credentials, Credentials.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Credentials {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Scheme, host and optional path prefix of the service, without a slash at the end. */
    readonly baseUrl: string
    /** Empty for `layerPublic`: then only public operations can be called. */
    readonly apiKey: Redacted.Redacted
    readonly apiSecret: Redacted.Redacted
    /** How long after its timestamp a request is still good, whole milliseconds. (facts/signing.md 1) */
    readonly recvWindow: Duration.Duration
    /** The UID behind the key, where it is known: keys of one UID share its limits. */
    readonly uid?: string | undefined
  }
}

/**
 * What an application gives.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly baseUrl: string | URL
  readonly apiKey: string | Redacted.Redacted
  readonly apiSecret: Redacted.Redacted
  /** 5 seconds unless told. The service takes more; the smaller, the less a captured request is worth. */
  readonly recvWindow?: Duration.DurationInput | undefined
  /** The UID behind the key, where it is known: keys of one UID then share its limits, and its upgrades are noticed. */
  readonly uid?: string | undefined
}

/**
 * The receive window when none is given: 5 seconds, which is also what the service assumes.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultRecvWindow: Duration.Duration = Duration.seconds(5)

const parseBaseUrl = (input: string | URL): Either.Either<string, string> => {
  const url = URL.canParse(input) ? new URL(input) : undefined
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    return Either.left("must be an absolute http or https address")
  }
  return url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== ""
    ? Either.left("must have no user, query or fragment")
    : Either.right(url.origin + url.pathname.replace(/\/+$/, ""))
}

const parseRecvWindow = (input: Duration.DurationInput): Either.Either<Duration.Duration, string> => {
  const duration = Duration.decodeUnknown(input)
  const millis = duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN
  return Number.isInteger(millis) && millis > 0
    ? Either.right(Duration.millis(millis))
    : Either.left("must be a whole number of milliseconds greater than 0")
}

/**
 * Checked credentials. Throws when the base URL or the receive window is unusable: with values that are not known when the
 * program is written, use `layerConfig`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Credentials.Shape => ({
  baseUrl: Either.getOrThrowWith(
    parseBaseUrl(options.baseUrl),
    (rule) => new TypeError(`Credentials: baseUrl ${rule}`)
  ),
  apiKey: Redacted.isRedacted(options.apiKey) ? options.apiKey : Redacted.make(options.apiKey),
  apiSecret: options.apiSecret,
  recvWindow: Either.getOrThrowWith(
    parseRecvWindow(options.recvWindow ?? defaultRecvWindow),
    (rule) => new TypeError(`Credentials: recvWindow ${rule}`)
  ),
  uid: options.uid
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Credentials> => Layer.sync(Credentials, () => make(options))

/**
 * No key: public operations only, such as the list of instruments.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerPublic = (options: { readonly baseUrl: string | URL }): Layer.Layer<Credentials> =>
  layer({ baseUrl: options.baseUrl, apiKey: "", apiSecret: Redacted.make("") })

// The path is filled in by the config that this ends up in.
const invalid = (rule: string) => ConfigError.InvalidData([], rule)

/**
 * The four variables: `VENUE_BASE_URL`, `VENUE_API_KEY`, `VENUE_API_SECRET`, and `VENUE_RECV_WINDOW` in milliseconds (5000
 * unless given).
 *
 * @since 0.1.0
 * @category config
 */
export const config: Config.Config<Credentials.Shape> = Config.all({
  baseUrl: Config.string("VENUE_BASE_URL").pipe(
    Config.mapOrFail((text) => Either.mapLeft(parseBaseUrl(text), invalid))
  ),
  apiKey: Config.redacted(Config.nonEmptyString("VENUE_API_KEY")),
  apiSecret: Config.redacted(Config.nonEmptyString("VENUE_API_SECRET")),
  recvWindow: Config.integer("VENUE_RECV_WINDOW").pipe(
    // Before the default: a config with a default has no name of its own to put into the refusal.
    Config.mapOrFail((millis) => Either.mapLeft(parseRecvWindow(millis), invalid)),
    Config.withDefault(defaultRecvWindow)
  )
})

/**
 * Credentials from `VENUE_BASE_URL`, `VENUE_API_KEY`, `VENUE_API_SECRET` and `VENUE_RECV_WINDOW`. The key and the secret are
 * Redacted from here on.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig: Layer.Layer<Credentials, ConfigError.ConfigError> = Layer.effect(
  Credentials,
  Effect.suspend(() => config)
)
