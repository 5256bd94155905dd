import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { check as checkOf } from "../compiler/check.js"
import { CheckId } from "../compiler/protocol.js"
import type { Check } from "../compiler/protocol.js"
import * as Refusals from "../rules/Refusals.js"

/**
 * A struct that the service's text and examples spell differently. Both spellings are accepted, and the first is written. A failure is that of the spelling whose field is present.
 */
export const eitherSpelling = <A extends object, I, J>(
  first: Schema.Schema<A, I>,
  second: Schema.Schema<A, J>
): Schema.Schema<A, I | J> => {
  const [firstWire, secondWire] = [Schema.encodedSchema(first), Schema.encodedSchema(second)]
  const decodeFirst = ParseResult.decodeUnknownEither(first)
  const decodeSecond = ParseResult.decodeUnknownEither(second)
  const encodeFirst = ParseResult.encodeEither(first)
  const validateFirst = ParseResult.validateEither(firstWire)
  const validateSecond = ParseResult.validateEither(secondWire)
  const names = SchemaAST.getPropertySignatures(secondWire.ast).map(({ name }) => name)
  const either = <B, C>(
    wire: unknown,
    firstResult: Either.Either<B, ParseResult.ParseIssue>,
    secondResult: () => Either.Either<C, ParseResult.ParseIssue>
  ): Either.Either<B | C, ParseResult.ParseIssue> =>
    Either.orElse(firstResult, () =>
      Either.orElse(secondResult(), (issue) =>
        Predicate.isRecord(wire) && names.some((name) => name in wire) ? Either.left(issue) : firstResult
      )
    )
  const judgeWire = (input: unknown, options: SchemaAST.ParseOptions): Either.Either<I | J, ParseResult.ParseIssue> =>
    either(input, validateFirst(input, options), () => validateSecond(input, options))
  const wire: Schema.Schema<I | J> = Schema.declare(
    [firstWire, secondWire],
    { decode: () => judgeWire, encode: () => judgeWire },
    {
      title: "EitherSpelling",
      [CheckId]: (): Check => {
        const [checkFirst, checkSecond] = [checkOf(firstWire.ast), checkOf(secondWire.ast)]
        return (input) => checkFirst(input) || checkSecond(input)
      },
      [SchemaAST.SurrogateAnnotationId]: Schema.Union(first, second).ast,
      arbitrary: (inFirst, inSecond) => (fc) => fc.oneof(inFirst(fc), inSecond(fc))
    }
  )
  return Schema.transformOrFail(wire, Schema.typeSchema(first), {
    strict: true,
    decode: (input, options) => either(input, decodeFirst(input, options), () => decodeSecond(input, options)),
    encode: (value, options) => encodeFirst(value, options)
  }).pipe(Refusals.result)
}
