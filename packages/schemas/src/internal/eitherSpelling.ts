import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/**
 * A struct that the document's text spells in one way and its examples in another. Both are read; what was read is
 * written back in its own spelling, anything else in the first.
 */
export const eitherSpelling = <A extends object, I, J>(
  first: Schema.Schema<A, I>,
  second: Schema.Schema<A, J>
): Schema.Schema<A, I | J> => {
  const decodeFirst = ParseResult.decodeUnknownEither(first)
  const decodeSecond = ParseResult.decodeUnknownEither(second)
  const decodeAny = ParseResult.decodeUnknownEither(Schema.Union(first, second))
  const encodeFirst = ParseResult.encodeEither(first)
  const encodeSecond = ParseResult.encodeEither(second)
  const validate = ParseResult.validateEither(first)
  const readAsSecond = new WeakSet<A>()
  // Handed on as the very object, which is what is remembered: `validate` copies it.
  const judge = (input: unknown, options: SchemaAST.ParseOptions): Either.Either<A, ParseResult.ParseIssue> =>
    Either.map(validate(input, options), () => input as A) // it has just been validated
  const asIs: Schema.Schema<A> = Schema.declare(
    [Schema.typeSchema(first)],
    { decode: () => judge, encode: () => judge },
    { arbitrary: (value) => value }
  )
  return Schema.transformOrFail(Schema.Union(Schema.encodedSchema(first), Schema.encodedSchema(second)), asIs, {
    strict: true,
    decode: (wire, options) => {
      const value = decodeFirst(wire, options)
      if (Either.isRight(value)) return value
      const other = decodeSecond(wire, options)
      if (Either.isLeft(other)) return decodeAny(wire, options)
      readAsSecond.add(other.right)
      return other
    },
    encode: (value, options) => (readAsSecond.has(value) ? encodeSecond(value, options) : encodeFirst(value, options))
  })
}
