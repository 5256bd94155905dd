/**
 * Encoders that are built once and used for every result: the inverse of `Decoder`. A value that they refuse is passed to the schema's
 * encoder, so the result always equals that of `Schema.encodeSync`.
 *
 * @sibling
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import { refused } from "./protocol.js"
import { total } from "./shapes.js"
import { write } from "./write.js"

/**
 * Encodes from the domain side to the wire side. The encoder is compiled on first use. Throws a `ParseError` for a value that the schema
 * refuses.
 */
export const encodeSync = <A, I>(schema: Schema.Schema<A, I>): ((value: A) => I) => {
  let made:
    | {
        readonly ordinary: (value: unknown) => Either.Either<I, ParseResult.ParseIssue>
        readonly straight: (value: unknown) => unknown
      }
    | undefined
  return (value) => {
    made ??= {
      ordinary: total(schema.ast, ParseResult.encodeUnknownEither(schema)),
      straight: write(schema.ast)
    }
    const written = made.straight(value)
    // A writer returns either `refused` or a value of the schema's wire side.
    return written === refused ? Either.getOrThrowWith(made.ordinary(value), ParseResult.parseError) : (written as I)
  }
}
