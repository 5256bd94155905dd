/**
 * The address of the service.
 *
 * @sibling
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"

export const parseBaseUrl = (input: string | URL): Either.Either<string, string> => {
  const url = URL.canParse(input) ? new URL(input) : undefined
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    return Either.left("must be an absolute http or https address")
  }
  return url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== ""
    ? Either.left("must have no user, query or fragment")
    : Either.right(url.origin + url.pathname.replace(/\/+$/, ""))
}

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)

// Hostnames that no public address can have. (RFC 2606, RFC 6761; .internal by resolution of ICANN)
const isReserved = (hostname: string): boolean => /\.(invalid|localhost|test|internal)$/.test(hostname)

/**
 * Returns true if requests to a base URL are sent unencrypted over the network: `http`, to a host that is neither loopback nor reserved
 * (`.invalid`, `.localhost`, `.test`, `.internal`). Others can then read the key and change requests and responses.
 */
export const isInsecure = (baseUrl: string): boolean => {
  if (!URL.canParse(baseUrl)) return false
  const { hostname, protocol } = new URL(baseUrl)
  const name = hostname.replace(/\.$/, "")
  return protocol === "http:" && !isLoopback(name) && !isReserved(name)
}

export const insecure = (baseUrl: string): string =>
  `${baseUrl} is not https: the API key can be read on the way, and requests can be changed`

// The surrounding config fills in the path.
export const invalid = (rule: string) => ConfigError.InvalidData([], rule)

/** Whether `VENUE_ALLOW_INSECURE` is `1`. */
export const allowInsecure: Config.Config<boolean> = Config.string("VENUE_ALLOW_INSECURE").pipe(
  Config.withDefault(""),
  Config.map((text) => text === "1")
)

/** `VENUE_BASE_URL`. An insecure URL (see `isInsecure`) is refused unless `VENUE_ALLOW_INSECURE` is `1`. */
export const config: Config.Config<string> = Config.zip(
  Config.string("VENUE_BASE_URL").pipe(Config.mapOrFail((text) => Either.mapLeft(parseBaseUrl(text), invalid))),
  allowInsecure
).pipe(
  Config.mapOrFail(([baseUrl, isAllowed]) =>
    isInsecure(baseUrl) && !isAllowed
      ? Either.left(
          ConfigError.InvalidData(["VENUE_BASE_URL"], `${insecure(baseUrl)}. VENUE_ALLOW_INSECURE=1 allows it`)
        )
      : Either.right(baseUrl)
  )
)
