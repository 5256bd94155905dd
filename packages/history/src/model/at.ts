import * as Instant from "@effect-venue/schemas/Instant"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** An instant in milliseconds, ISO text in the file. */
export const At: Schema.Schema<number, string> = Schema.transformOrFail(Schema.String, Schema.Int, {
  strict: true,
  decode: (text, _, ast) => Either.mapLeft(Instant.parse(text), (rule) => new ParseResult.Type(ast, text, rule)),
  encode: (at) => ParseResult.succeed(new Date(at).toISOString())
}).annotations({ identifier: "At" })
