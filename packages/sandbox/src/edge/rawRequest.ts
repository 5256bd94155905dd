import * as Either from "effect/Either"

const utf8 = new TextEncoder()
// A byte order mark is part of the signed text.
const text = new TextDecoder("utf-8", { ignoreBOM: true })

export const bytes = (text: string): Uint8Array => utf8.encode(text)

export const bodyText = (body: Uint8Array): string => text.decode(body)

/** Splits a request target at its first question mark, without decoding. */
export const split = (target: string): { readonly path: string; readonly query: string } => {
  const withoutFragment = target.split("#", 1)[0] ?? ""
  const mark = withoutFragment.indexOf("?")
  return mark < 0
    ? { path: withoutFragment, query: "" }
    : { path: withoutFragment.slice(0, mark), query: withoutFragment.slice(mark + 1) }
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

/** Parses the parameters of a query and decodes them once. The last of several with the same name wins. `left` for a broken escape. */
export const parseQuery = (query: string): Either.Either<ReadonlyMap<string, string>, "query"> =>
  Either.try({
    try: () => {
      const parameters = new Map<string, string>()
      for (const pair of query.split("&")) {
        if (pair === "") continue
        const equals = pair.indexOf("=")
        parameters.set(
          decode(equals < 0 ? pair : pair.slice(0, equals)),
          equals < 0 ? "" : decode(pair.slice(equals + 1))
        )
      }
      return parameters
    },
    catch: () => "query" as const
  })

/** Parses the members of a body. An empty body is an empty object. `left` if it is not a JSON object. */
export const parseBody = (body: Uint8Array): Either.Either<ReadonlyMap<string, unknown>, "body"> => {
  if (body.length === 0) return Either.right(new Map())
  const json = Either.try((): unknown => JSON.parse(bodyText(body)))
  return Either.isRight(json) && typeof json.right === "object" && json.right !== null && !Array.isArray(json.right)
    ? Either.right(new Map(Object.entries(json.right)))
    : Either.left("body")
}

/** Returns a parameter as text, as the parameter method signs it; `undefined` for an empty one. */
export const signingTextOf = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "string":
      return value
    case "number":
    case "boolean":
      return String(value)
    default:
      return value === undefined || value === null ? undefined : JSON.stringify(value)
  }
}
