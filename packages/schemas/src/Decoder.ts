/**
 * Decoders that are built once and used for every response: a schema is compiled into functions that go straight from the wire to
 * the value. What they refuse is passed to the schema's own decoder, which says where and why, so that the result is always that
 * of `Schema.decodeUnknownEither`. Where the runtime allows code from text, structs are read by such code; elsewhere by a list of
 * their fields, with the same results. (docs/decisions)
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { check as checkOf } from "./internal/compiler/check.js"
import { refused } from "./internal/compiler/protocol.js"
import { read as readOf } from "./internal/compiler/read.js"
import { total as totalOf } from "./internal/compiler/total.js"

/**
 * From the wire side to the domain side. Built on first use.
 *
 * @since 0.1.0
 * @category constructors
 */
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
    // What is not refused is the schema's own type: that is what reading means.
    return Either.right(value as A)
  }
}

/**
 * Checks the wire side and returns the very same object, with all its keys in their order.
 *
 * @since 0.1.0
 * @category constructors
 */
export const validateWireEither = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<I, ParseResult.ParseError>) => {
  const made = lazy(() => {
    const wire = Schema.encodedSchema(schema)
    return { check: checkOf(wire.ast), ordinary: totalOf(wire.ast, ParseResult.validateEither(wire)) }
  })
  return (input) => {
    const { check, ordinary } = made()
    if (check(input)) return Either.right(input as I) // having been checked
    return Either.mapBoth(ordinary(input), {
      onLeft: ParseResult.parseError,
      onRight: () => input as I // having been checked
    })
  }
}

/**
 * What reads or writes by a schema, for values of unknown origin: what it throws at one is a refusal of that value. The reader of a union
 * makes a text of the field in which its members differ, and throws at an object of which none can be made, such as
 * `{ "toString": 1 }`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const total: <A>(
  ast: SchemaAST.AST,
  judge: (input: unknown, options?: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue>
) => (input: unknown, options?: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue> = totalOf

const lazy = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
