/**
 * Decoders that are built once and used for every response. A schema is compiled into functions that produce the value directly from the
 * wire. An input that they refuse is passed to the schema's decoder, which reports the failure, so the result always equals that of
 * `Schema.decodeUnknownEither`. If the runtime allows generated code, structs are read by generated code, otherwise by a list of their
 * fields, with the same results. (docs/decisions)
 *
 * @sibling
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { check as checkOf } from "./check.js"
import { LeftOutId, refused } from "./protocol.js"
import { read as readOf } from "./read.js"
import { total as totalOf } from "./shapes.js"

/** Decodes from the wire side to the domain side. The decoder is compiled on first use. */
export const decodeUnknownEither = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<A, ParseResult.ParseError>) => {
  const made = lazy(() => ({
    read: readOf(schema.ast),
    ordinary: totalOf(schema.ast, ParseResult.decodeUnknownEither(schema))
  }))
  return (input) => {
    const { ordinary, read } = made()
    const value = read(input)
    if (value === refused) return Either.mapLeft(ordinary(input), ParseResult.parseError)
    // A reader returns either `refused` or a value of the schema's type.
    return Either.right(value as A)
  }
}

const leftOutOf = SchemaAST.getAnnotation<(input: unknown) => ReadonlyArray<ReadonlyArray<PropertyKey>>>(LeftOutId)

/** Returns the paths of the entries that a record of this schema leaves out, because they decide nothing and cannot be read. */
export const leftOutEntries = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => ReadonlyArray<ReadonlyArray<PropertyKey>>) => {
  const fields = SchemaAST.getPropertySignatures(SchemaAST.encodedAST(schema.ast)).flatMap(({ name, type }) =>
    Option.match(leftOutOf(type), { onNone: () => [], onSome: (leftOut) => [{ name, leftOut }] })
  )
  return (input) =>
    fields.flatMap(({ leftOut, name }) =>
      Predicate.hasProperty(input, name) ? leftOut(input[name]).map((path) => [name, ...path]) : []
    )
}

/** Validates the wire side and returns the same object, with its keys in their order. */
export const validateWireEither = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<I, ParseResult.ParseError>) => {
  const made = lazy(() => {
    const wire = Schema.encodedSchema(schema)
    return { check: checkOf(wire.ast), ordinary: totalOf(wire.ast, ParseResult.validateEither(wire)) }
  })
  return (input) => {
    const { check, ordinary } = made()
    if (check(input)) return Either.right(input as I) // validated
    return Either.mapBoth(ordinary(input), {
      onLeft: ParseResult.parseError,
      onRight: () => input as I // validated
    })
  }
}

/**
 * Wraps a decoder or encoder for values of unknown origin, so that an exception becomes a failure. The decoder of a union converts the
 * field that distinguishes its members to text, and throws for an object that has no text, such as `{ "toString": 1 }`.
 */
export const total: <A>(
  ast: SchemaAST.AST,
  judge: (input: unknown, options?: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue>
) => (input: unknown, options?: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue> = totalOf

const lazy = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
