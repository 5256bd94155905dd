import { BigDecimal, DateTime, Either, Option, ParseResult, Schema } from "effect"
import { readFileSync } from "node:fs"

export const dec = BigDecimal.unsafeFromString
export const at = (millis: number): DateTime.Utc => DateTime.unsafeMake(millis)
export const some = Option.some
export const none = Option.none()

/** How a request is judged before it is sent: everything at once, and nothing that is not in its table. */
const strictly = { errors: "all", onExcessProperty: "error" } as const

/** What is sent for a request. */
export const sent = (endpoint: AnyRequest, request: unknown): unknown =>
  Schema.encodeUnknownSync(endpoint.request, strictly)(request)

const listed = (error: ParseResult.ParseError): ReadonlyArray<string> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map(
    ({ message, path }) =>
      `${path.join(".")}: ${message.replace(/is unexpected, expected: .*/, "is unexpected").replace(/ for category \w+$/, "")}`
  )

interface AnyRequest {
  readonly request: Schema.Schema.AnyNoContext
}

/** Why a request is refused, as `path: rule`; empty when it is not. The name of a value that is in no closed list is left out. */
export const refusals = (endpoint: AnyRequest, request: unknown): ReadonlyArray<string> =>
  namedRefusals(endpoint, request).map((text) =>
    text.replace(/, not ("[^"]*"|-?[\d.]+|null|NaN|-?Infinity|an object|a list|true|false)$/, "")
  )

/** Why a request is refused, as `path: rule, not value`. */
export const namedRefusals = (endpoint: AnyRequest, request: unknown): ReadonlyArray<string> =>
  Either.match(Schema.encodeUnknownEither(endpoint.request, strictly)(request), {
    onLeft: listed,
    onRight: () => []
  })

/** Why a wire value does not decode, as `path: reason`; empty when it does. */
export const mismatches = (schema: Schema.Schema.AnyNoContext, wire: unknown): ReadonlyArray<string> =>
  Either.match(Schema.decodeUnknownEither(schema, { errors: "all" })(wire), { onLeft: listed, onRight: () => [] })

/** A file of `test/fixtures`, read as JSON. */
export const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8"))
