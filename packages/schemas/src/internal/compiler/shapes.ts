import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { CheckId, refused } from "./protocol.js"
import type { Check, Read } from "./protocol.js"
import { total } from "./total.js"

const annotatedCheck = SchemaAST.getAnnotation<() => Check>(CheckId)

type Fields = Readonly<Record<PropertyKey, unknown>>

// An object with a prototype of its own may have more to it than its keys: JSON has none.
export const isFields = (input: unknown): input is Fields =>
  typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype

export const isMissing = (input: Fields, name: PropertyKey): boolean => !Object.hasOwn(input, name)

/** What the compiler has no shape for is read by the schema's own decoder. */
export const viaSchema = (ast: SchemaAST.AST): Read => {
  // A schema of whatever type: the value goes where the ordinary decoder would have put it.
  const decode = total(ast, ParseResult.decodeUnknownEither(Schema.make(ast)))
  return (input) => Either.getOrElse(decode(input), () => refused)
}

/** Of a value that is not taken apart. */
export const scalar = (ast: SchemaAST.AST): Check | undefined => {
  switch (ast._tag) {
    case "StringKeyword":
      return (input) => typeof input === "string"
    case "NumberKeyword":
      return (input) => typeof input === "number"
    case "BooleanKeyword":
      return (input) => typeof input === "boolean"
    case "Literal":
      return (input) => input === ast.literal
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

export const anyOf =
  (checks: ReadonlyArray<Check>): Check =>
  (input) => {
    for (const check of checks) if (check(input)) return true
    return false
  }

/** The one type of a list's items; none for tuples. */
export const itemOf = (ast: SchemaAST.TupleType): SchemaAST.AST | undefined =>
  ast.elements.length === 0 && ast.rest.length === 1 ? ast.rest[0]?.type : undefined

/** Whether an object is recognised by its fields alone, none of which every object seems to have. */
export const isStruct = (ast: SchemaAST.TypeLiteral): boolean =>
  ast.indexSignatures.length === 0 && !ast.propertySignatures.some(({ name }) => name in Object.prototype)

export const isSatisfied = (ast: SchemaAST.Refinement, value: unknown): boolean =>
  Option.isNone(ast.filter(value, SchemaAST.defaultParseOption, ast))
