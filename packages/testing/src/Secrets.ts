/** Helpers for tests that no output contains a secret. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { inspect } from "node:util"

/** Prints a value in every way: by `console.log` and loggers, as JSON, as text, and with its hidden fields. */
export const printValue = (value: unknown): string =>
  [
    inspect(value, { depth: 8, showHidden: true }),
    inspect(value, { depth: 8, customInspect: false }),
    JSON.stringify(value),
    String(value),
    value instanceof Error ? `${value.message} ${String(value.stack)} ${inspect(value.cause, { depth: 8 })}` : "",
    Cause.pretty(Exit.isExit(value) ? (Exit.isFailure(value) ? value.cause : Cause.empty) : Cause.fail(value), {
      renderErrorCause: true
    })
  ].join("\n")

/** A password that no test prints intentionally. */
export const password = "canary-password-7d2a"

/** Invalid URLs of a scheme, all with the password. */
export const makeMalformedUrls = (scheme: string): Readonly<Record<string, string>> => ({
  "a space in the host": `${scheme}://user:${password}@ho st:1`,
  "a port that is not a number": `${scheme}://user:${password}@host:port`,
  "a port that is too large": `${scheme}://user:${password}@host:99999`,
  "a slash in the password": `${scheme}://user:${password}/@host:1`,
  "a percent sign in the password": `${scheme}://user:${password}%zz@host:1`,
  "an open bracket": `${scheme}://user:${password}@[::1`,
  "another scheme": `gopher://user:${password}@host:1`,
  "a misspelled scheme": `${scheme}x://user:${password}@host:1`,
  "no colon after the scheme": `${scheme}//user:${password}@host:1`,
  "no scheme": `user:${password}@host:1`
})
