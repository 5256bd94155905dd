import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as SchemaAST from "effect/SchemaAST"

type Judge<A> = (input: unknown, options?: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue>

export const total =
  <A>(ast: SchemaAST.AST, judge: Judge<A>): Judge<A> =>
  (input, options) => {
    try {
      return judge(input, options)
    } catch {
      return Either.left(new ParseResult.Type(ast, input, "has a field that no text can be made of"))
    }
  }
