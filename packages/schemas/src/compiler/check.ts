import type * as SchemaAST from "effect/SchemaAST"
import * as generated from "./generated.js"
import { refused } from "./protocol.js"
import type { Check } from "./protocol.js"
import { anyOf, isFields, isMissing, isSatisfied, isStruct, itemOf, scalar, viaSchema } from "./shapes.js"

/** Compiles a check for schemas that transform nothing, such as the wire side of another schema. */
export const check = (ast: SchemaAST.AST): Check => {
  const known = scalar(ast)
  if (known !== undefined) return known
  switch (ast._tag) {
    case "Refinement": {
      const from = check(ast.from)
      return (input) => from(input) && isSatisfied(ast, input)
    }
    case "Union":
      return anyOf(ast.types.map(check))
    case "TupleType": {
      const item = itemOf(ast)
      return item === undefined ? matches(ast) : checkList(check(item))
    }
    case "TypeLiteral":
      return isStruct(ast) ? checkStruct(ast.propertySignatures) : matches(ast)
    default:
      return matches(ast)
  }
}

const matches = (ast: SchemaAST.AST): Check => {
  const read = viaSchema(ast)
  return (input) => read(input) !== refused
}

const checkList =
  (item: Check): Check =>
  (input) => {
    if (!Array.isArray(input)) return false
    for (const element of input) if (!item(element)) return false
    return true
  }

const checkStruct = (properties: ReadonlyArray<SchemaAST.PropertySignature>): Check => {
  const fields = properties.map(({ isOptional, name, type }) => ({ name, isOptional, check: check(type) }))
  const straight = generated.checkStruct(fields, { isFields, isMissing })
  if (straight !== undefined) return straight
  return (input) => {
    if (!isFields(input)) return false
    for (const { check, isOptional, name } of fields) {
      const value = input[name]
      if (!check(value) && !(isOptional && value === undefined && isMissing(input, name))) return false
    }
    return true
  }
}
