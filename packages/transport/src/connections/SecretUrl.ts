/**
 * URLs that can contain a password: of a proxy, of Redis, of Postgres. They are checked before a driver parses them, because the error of a parser quotes the
 * whole URL.
 *
 * @sibling
 */
import * as Redacted from "effect/Redacted"

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Whether a text is a URL of one of the schemes, such as `["redis", "rediss"]`, whose user and password can be decoded. */
export const isValid = (text: string, schemes: ReadonlyArray<string>): boolean => {
  if (!URL.canParse(text) || !schemes.some((scheme) => text.toLowerCase().startsWith(`${scheme}://`))) return false
  const { password, username } = new URL(text)
  return isDecodable(username) && isDecodable(password)
}

/** The text of a URL. Throws a `TypeError` that names the option and the schemes, and does not contain the URL. */
export const getOrThrow = (
  url: string | Redacted.Redacted,
  option: string,
  schemes: readonly [string, ...ReadonlyArray<string>]
): string => {
  const text = Redacted.isRedacted(url) ? Redacted.value(url) : url
  if (isValid(text, schemes)) return text
  throw new TypeError(
    `${option} must be a URL such as ${schemes[0]}://host:port, with user and password percent-encoded`
  )
}
