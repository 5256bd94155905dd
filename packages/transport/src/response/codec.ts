import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Encoder from "@effect-venue/schemas/siblings/Encoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import * as Signing from "@effect-venue/signing/siblings/Signing"
import * as Refusals from "@effect-venue/schemas/siblings/Refusals"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import { InvalidRequest } from "../model/Failure.js"

/** The first field of a response that does not match, and the expected content. */
export interface Mismatch {
  readonly path: string
  readonly expected: string
}

export interface Codec<Req, Res, ResWire> {
  readonly encode: (request: Req) => Either.Either<Signer.Parameters, InvalidRequest>
  readonly decode: (result: unknown) => Either.Either<Res, Mismatch>
  readonly validate: (result: unknown) => Either.Either<ResWire, Mismatch>
  /** Removes the details that cannot be read from the result of a write, which is readable as a whole or not. */
  readonly essence: (result: unknown, isReadable: boolean) => Essence
}

/** The result of a write without the details that cannot be read, and these. */
export interface Essence {
  readonly result: unknown
  readonly unreadable: ReadonlyArray<Mismatch>
}

const pathText = (path: ReadonlyArray<PropertyKey>): string => path.map(String).join(".")

export const mismatch = (prefix: string, error: ParseResult.ParseError): Mismatch => {
  // If no branch matches, report the issue of the branch that matched the most.
  const { path, rule } = Refusals.list(error.issue, "fields").reduce((left, right) =>
    right.path.length > left.path.length ? right : left
  )
  return { path: pathText(prefix === "" ? path : [prefix, ...path]), expected: rule }
}

type Path = ReadonlyArray<PropertyKey>

/** The path of the field that is removed for an issue at a path: the field itself, or the record that lacks it. An entry of a list is never removed. */
const removable = (value: unknown, path: Path): Path | undefined => {
  const [name, ...rest] = path
  if (name === undefined || !Predicate.isObject(value) || !Object.hasOwn(value, name)) return undefined
  // `hasOwn` has found the field.
  const inner = removable((value as Readonly<Record<PropertyKey, unknown>>)[name], rest)
  return inner === undefined ? (Array.isArray(value) ? undefined : [name]) : [name, ...inner]
}

const without = (value: unknown, [name, ...rest]: Path): unknown => {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === Number(name) ? without(item, rest) : item))
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      key !== name ? [[key, inner]] : rest.length === 0 ? [] : [[key, without(inner, rest)]]
    )
  )
}

// A record lacks a field, the record above it is then removed, and so on: documented results have four levels.
const mostRounds = 8

/** Removes the fields that cannot be read from the result of a write, until it can be read, or a field that decides cannot. */
const essenceOf = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire>
): Codec<Req, Res, ResWire>["essence"] => {
  const { decides = [], result: schema } = endpoint
  const prefix = endpoint.extended === true ? "" : "result"
  const judge = Decoder.total(schema.ast, ParseResult.decodeUnknownEither(schema, { errors: "all" }))
  const leftOut = Decoder.leftOutEntries(schema)
  const isDecisive = (path: Path) => decides.includes(path.filter((name) => typeof name === "string").join("."))
  return (given, isReadable) => {
    const unreadable = leftOut(given).map((path): Mismatch => ({
      path: pathText([prefix, ...path]),
      expected: ""
    }))
    if (isReadable) return { result: given, unreadable }
    // The service writes a result without information as null too.
    let result: unknown = given ?? {}
    for (let round = 0; round < mostRounds; round++) {
      const judged = judge(result)
      if (Either.isRight(judged)) return { result, unreadable }
      for (const { path, rule } of Refusals.list(judged.left, "fields")) {
        const removed = removable(result, path)
        if (removed === undefined || isDecisive(removed)) continue
        result = without(result, removed)
        unreadable.push({ path: pathText(prefix === "" ? removed : [prefix, ...removed]), expected: rule })
      }
    }
    return { result: given, unreadable: [] }
  }
}

const field = (path: ReadonlyArray<PropertyKey>): string => (path.length === 0 ? "request" : pathText(path))

interface Issue {
  readonly field: string
  readonly rule: string
}

// Far longer than any cursor, id or list of coins.
const maxLength = 4096

const control = /\p{Cc}/u

/** The rule that a text breaks. */
const brokenRule = (text: string): string | undefined => {
  if (text.length > maxLength) return `must be at most ${maxLength} characters`
  if (!Signing.isWellFormed(text)) return "must be well-formed text"
  return control.test(text) ? "must not contain control characters" : undefined
}

/** The issues of the texts in a request, for any field. */
const textIssues = (values: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<Issue> => {
  if (typeof values !== "object" || values === null) return []
  const issues: Array<Issue> = []
  for (const [name, value] of Object.entries(values)) {
    const rule = typeof value === "string" ? brokenRule(value) : undefined
    if (rule !== undefined) issues.push({ field: field([...path, name]), rule })
    else if (typeof value === "object") issues.push(...textIssues(value, [...path, name]))
  }
  return issues
}

const invalid = (operation: string, issues: ReadonlyArray<Issue>) => {
  const first = issues[0] ?? { field: "request", rule: "is not valid" }
  return new InvalidRequest({ operation, ...first, issues })
}

const make = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire>
): Codec<Req, Res, ResWire> => {
  const encode = Encoder.encodeRequest(endpoint.request)
  const decode = Decoder.decodeUnknownEither(endpoint.result)
  const prefix = endpoint.extended === true ? "" : "result"
  const validate = Decoder.validateWireEither(endpoint.result)
  return {
    encode: (request) =>
      Either.flatMap(
        Either.mapLeft(encode(request), (issue) =>
          invalid(
            endpoint.name,
            Refusals.list(issue, "parameters").map(({ path, rule }) => ({ field: field(path), rule }))
          )
        ),
        (wire) => {
          // A request schema encodes to a record of parameters; `ReqWire` is its exact shape, which is not needed from here on.
          const parameters = wire as Signer.Parameters
          const issues = textIssues(parameters)
          if (issues.length === 0) return Either.right(parameters)
          // Uses the names of the request, which can differ from those on the wire.
          const named = textIssues(request)
          return Either.left(invalid(endpoint.name, named.length === 0 ? issues : named))
        }
      ),
    decode: (result) => Either.mapLeft(decode(result), (error) => mismatch(prefix, error)),
    validate: (result) => Either.mapLeft(validate(result), (error) => mismatch(prefix, error)),
    essence: essenceOf(endpoint)
  }
}

// Building a decoder costs more than using it, so each endpoint caches its decoder.
const codecs = new WeakMap<object, unknown>()

export const codecOf = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire>
): Codec<Req, Res, ResWire> => {
  const known = codecs.get(endpoint)
  // The codec stored for an endpoint was built from it by the following lines.
  if (known !== undefined) return known as Codec<Req, Res, ResWire>
  const codec = make(endpoint)
  codecs.set(endpoint, codec)
  return codec
}
