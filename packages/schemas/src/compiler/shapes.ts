import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { CheckId, isOfText, ofText, refused } from "./protocol.js"
import type { Check, Read } from "./protocol.js"

const annotatedCheck = SchemaAST.getAnnotation<() => Check>(CheckId)

export type Fields = Readonly<Record<PropertyKey, unknown>>

// JSON objects have the default prototype; an object with another one can have more than its keys.
export const isFields = (input: unknown): input is Fields =>
  typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype

export const isMissing = (input: Fields, name: PropertyKey): boolean => !Object.hasOwn(input, name)

/** Reads a schema that the compiler does not support with the schema's decoder. */
export const viaSchema = (ast: SchemaAST.AST): Read => {
  // The type is unknown, but the value is used as the decoder's result.
  const decode = total(ast, ParseResult.decodeUnknownEither(Schema.make(ast)))
  return (input) => Either.getOrElse(decode(input), () => refused)
}

/** Returns the check of a scalar. */
export const scalar = (ast: SchemaAST.AST): Check | undefined => {
  switch (ast._tag) {
    case "StringKeyword":
      return ofText((input) => typeof input === "string")
    case "NumberKeyword":
      return (input) => typeof input === "number"
    case "BooleanKeyword":
      return (input) => typeof input === "boolean"
    case "Literal":
      return (input) => input === ast.literal
    case "UndefinedKeyword":
      return (input) => input === undefined
    case "UnknownKeyword":
    case "AnyKeyword":
    case "VoidKeyword":
      return () => true
    case "TypeLiteral":
      return ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0
        ? (input) => input !== null && input !== undefined
        : undefined
    case "Union": {
      const checks = ast.types.map(scalar)
      return checks.every((check) => check !== undefined) ? anyOf(checks) : undefined
    }
    case "Declaration":
      return Option.getOrUndefined(annotatedCheck(ast))?.()
    default:
      return undefined
  }
}

export const anyOf = (checks: ReadonlyArray<Check>): Check => {
  const any: Check = (input) => {
    for (const check of checks) if (check(input)) return true
    return false
  }
  return checks.some(isOfText) ? ofText(any) : any
}

/** The type of a list's items; `undefined` for tuples. */
export const itemOf = (ast: SchemaAST.TupleType): SchemaAST.AST | undefined =>
  ast.elements.length === 0 && ast.rest.length === 1 ? ast.rest[0]?.type : undefined

/** Whether fields alone identify an object, and none of them exists on every object. */
export const isStruct = (ast: SchemaAST.TypeLiteral): boolean =>
  ast.indexSignatures.length === 0 && !ast.propertySignatures.some(({ name }) => name in Object.prototype)

export const isSatisfied = (ast: SchemaAST.Refinement, value: unknown): boolean =>
  Option.isNone(ast.filter(value, SchemaAST.defaultParseOption, ast))

type Judge<A> = (input: unknown, options?: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue>

/** Judges an input, and refuses one whose getters throw. */
export const total =
  <A>(ast: SchemaAST.AST, judge: Judge<A>): Judge<A> =>
  (input, options) => {
    try {
      return judge(input, options)
    } catch {
      return Either.left(new ParseResult.Type(ast, input, "has a field that no text can be made of"))
    }
  }
