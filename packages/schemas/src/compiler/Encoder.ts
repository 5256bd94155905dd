/**
 * Encoders that are built once and used for every request and result: the inverse of `Decoder`. A value that they refuse is passed to the schema's
 * encoder, so the result always equals that of `Schema.encodeUnknownEither`.
 *
 * @sibling
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { refused } from "./protocol.js"
import type { Write } from "./protocol.js"
import { total } from "./shapes.js"
import { write, writeStrictly } from "./write.js"

/**
 * Encodes from the domain side to the wire side. The encoder is compiled on first use. Throws a `ParseError` for a value that the schema
 * refuses.
 */
export const encodeSync = <A, I>(schema: Schema.Schema<A, I>): ((value: A) => I) => {
  const encode = make(schema, write, {})
  return (value) => Either.getOrThrowWith(encode(value), ParseResult.parseError)
}

/** Encodes a request. Refuses fields that the schema does not have, and reports the issues of all fields. The encoder is compiled on first use. */
export const encodeRequest = <A, I>(
  schema: Schema.Schema<A, I>
): ((request: A) => Either.Either<I, ParseResult.ParseIssue>) =>
  make(schema, writeStrictly, { errors: "all", onExcessProperty: "error" })

const make = <A, I>(
  schema: Schema.Schema<A, I>,
  compile: (ast: SchemaAST.AST) => Write,
  options: SchemaAST.ParseOptions
): ((value: A) => Either.Either<I, ParseResult.ParseIssue>) => {
  let straight: Write | undefined
  let ordinary: ReturnType<typeof total<I>> | undefined
  return (value) => {
    straight ??= compile(schema.ast)
    const written = straight(value)
    // A writer returns either `refused` or a value of the schema's wire side.
    if (written !== refused) return Either.right(written as I)
    ordinary ??= total(schema.ast, ParseResult.encodeUnknownEither(schema, options))
    return ordinary(value)
  }
}
