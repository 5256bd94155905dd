import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { upperCaseMistake } from "../options/subjects.js"
import { Refusal } from "../run/failures.js"
import { nearest, suggest } from "@effect-venue/schemas/siblings/Words"

// Reads a request from words such as `limit=50` by the operation's request schema.

/** The schemas that a field has in the variants of a request, by the name that callers use. */
const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<readonly [name: string, ast: SchemaAST.AST]> => {
  switch (ast._tag) {
    case "Refinement":
      return fieldsOf(ast.from)
    case "Union":
      return ast.types.flatMap(fieldsOf)
    case "TypeLiteral":
      return ast.propertySignatures.map(({ name, type }) => [String(name), type] as const)
    case "Transformation": {
      const { from, transformation } = ast
      if (transformation._tag !== "TypeLiteralTransformation") return []
      // The field has another name on the wire.
      const renamed = new Map(
        transformation.propertySignatureTransformations.map((renaming) => [String(renaming.from), String(renaming.to)])
      )
      return fieldsOf(from).map(([name, type]) => [renamed.get(name) ?? name, type] as const)
    }
    default:
      return []
  }
}

const json = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/**
 * The value of an argument for a field: as text, such as a decimal or a date; otherwise in the service's notation, such as milliseconds or names
 * separated by commas; otherwise as JSON. Any other value is kept, and the request is then refused with its rule before anything is sent.
 */
const valueOf = (types: ReadonlyArray<SchemaAST.AST>, word: string): unknown => {
  const schemas = types.map((type) => Schema.make<unknown, unknown>(type))
  if (schemas.some((schema) => Schema.is(schema)(word))) return word
  for (const schema of schemas) {
    const read = Schema.decodeUnknownEither(schema)(word)
    if (Either.isRight(read)) return read.right
  }
  return Option.getOrElse(json(word), () => word)
}

/** `@file` is the content of the file, `@@` an at sign. */
const wordOf = (name: string, text: string): Effect.Effect<string, Refusal, FileSystem.FileSystem> =>
  text.startsWith("@@")
    ? Effect.succeed(text.slice(1))
    : text.startsWith("@")
      ? Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(text.slice(1))).pipe(
          Effect.map((content) => content.trim()),
          Effect.mapError(() => new Refusal({ message: `${name}: ${text.slice(1)} does not exist, or cannot be read` }))
        )
      : Effect.succeed(text)

/** Adds new ids to a write that the service executes once for each, where the request has none, so that it can be looked up and repeated. */
export const withIds = (
  { name, onceBy }: Endpoint.Any,
  request: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  if (onceBy === undefined) return request
  const withId = (item: object): Readonly<Record<string, unknown>> => {
    const id = globalThis.crypto.randomUUID()
    // The id of a withdrawal has no dashes.
    return { [onceBy]: name === "assets.withdrawInternal" ? id.replaceAll("-", "") : id, ...item }
  }
  const { request: items } = request
  const isObject = (item: unknown): item is object => typeof item === "object" && item !== null
  return Array.isArray(items)
    ? { ...request, request: items.map((item: unknown) => (isObject(item) ? withId(item) : item)) }
    : withId(request)
}

/** Refuses unknown parameters, with the likely names, and symbols in lower case. */
const checkNames = (
  endpoint: Endpoint.Any,
  texts: Readonly<Record<string, string>>,
  names: ReadonlySet<string>
): Effect.Effect<void, Refusal> => {
  const unknown = names.size === 0 ? undefined : Object.keys(texts).find((name) => !names.has(name))
  const mistake = unknown === undefined ? undefined : describeUnknown(unknown, [...names])
  const message = mistake ?? upperCaseMistake("symbol", texts.symbol ?? "")
  return message === undefined
    ? Effect.void
    : new Refusal({ message: `${endpoint.name}: ${message} (see venue call ${endpoint.name} --help)` })
}

const describeUnknown = (name: string, names: ReadonlyArray<string>): string => {
  const close = nearest(name, names)
  return `${name} is not a parameter: ${close.length === 0 ? `it has ${names.join(", ")}` : suggest(close)}`
}

const describeOption = (word: string, options: ReadonlyArray<string>): string => {
  const close = nearest(word, options)
  return `${word} is not an option${close.length === 0 ? "" : `: ${suggest(close)}`} (see venue call --help)`
}

/** Reads a request from the arguments of a call. */
export const read = (
  endpoint: Endpoint.Any,
  words: ReadonlyArray<string>,
  options: ReadonlyArray<string>
): Effect.Effect<Readonly<Record<string, unknown>>, Refusal, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fields = fieldsOf(endpoint.request.ast)
    const found = new Map<string, string>()
    for (const word of words) {
      if (word.startsWith("--")) return yield* new Refusal({ message: describeOption(word, options) })
      const at = word.indexOf("=")
      const name = word.slice(0, at)
      if (at < 1)
        return yield* new Refusal({
          message: `"${word}" is not a parameter such as category=linear (see venue call ${endpoint.name} --help)`
        })
      if (found.has(name)) return yield* new Refusal({ message: `${name} occurs twice: pass it once` })
      found.set(name, yield* wordOf(name, word.slice(at + 1)))
    }
    const texts = Object.fromEntries(found)
    yield* checkNames(endpoint, texts, new Set(fields.map(([name]) => name)))
    if (fields.length === 0) {
      // The request has no separate fields, so decode it as a whole.
      const read = Schema.decodeUnknownEither(endpoint.request)(texts)
      return Either.isRight(read) && Predicate.isRecord(read.right) ? read.right : texts
    }
    return Record.map(texts, (text, name) =>
      valueOf(
        fields.flatMap(([field, type]) => (field === name ? [type] : [])),
        text
      )
    )
  })
