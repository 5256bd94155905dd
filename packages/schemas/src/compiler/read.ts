import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as SchemaAST from "effect/SchemaAST"
import { type Direction, sameField, compileFields } from "./fields.js"
import * as generated from "./generated.js"
import { acceptAll, leftOut, ReadFieldId, ReadId, refused } from "./protocol.js"
import type { Read, ReadField } from "./protocol.js"
import { isFields, isMissing, isSatisfied, isStruct, itemOf, scalar, viaSchema } from "./shapes.js"

// Compiles schemas to functions that produce the value directly from the input, with the same results as the schema's decoder. The shapes
// that responses consist of are compiled; any other part of a schema is passed to that decoder.

const annotatedRead = SchemaAST.getAnnotation<() => Read>(ReadId)
const annotatedField = SchemaAST.getAnnotation<() => ReadField>(ReadFieldId)

/** Compiles a reader of the domain side. */
export const read = (ast: SchemaAST.AST): Read => {
  const known = annotatedRead(ast)
  if (Option.isSome(known)) return known.value()
  const asIs = scalar(ast)
  if (asIs !== undefined) return (input) => (asIs(input) ? input : refused)
  switch (ast._tag) {
    case "Refinement": {
      const from = read(ast.from)
      if (ast.filter === acceptAll) return from
      return (input) => {
        const value = from(input)
        return value !== refused && isSatisfied(ast, value) ? value : refused
      }
    }
    case "TupleType": {
      const item = itemOf(ast)
      return item === undefined ? viaSchema(ast) : readList(read(item))
    }
    case "TypeLiteral":
      return isStruct(ast)
        ? readStruct(ast.propertySignatures.map((property) => sameField(decoding, property)))
        : viaSchema(ast)
    case "Union":
      // For objects the decoder first compares literals, so only a union of scalars is sure to be tried in order.
      return ast.types.every((type) => scalar(findEncodedSide(type)) !== undefined)
        ? firstOf(ast.types.map(read))
        : viaSchema(ast)
    case "Transformation":
      return readTransformed(ast)
    default:
      return viaSchema(ast)
  }
}

const findEncodedSide = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast._tag === "Transformation" ? findEncodedSide(ast.from) : ast

const firstOf =
  (reads: ReadonlyArray<Read>): Read =>
  (input) => {
    for (const read of reads) {
      const value = read(input)
      if (value !== refused) return value
    }
    return refused
  }

const readTransformed = (ast: SchemaAST.Transformation): Read => {
  const { transformation } = ast
  switch (transformation._tag) {
    case "TypeLiteralTransformation": {
      const fields = compileFields(decoding, ast)
      return fields === undefined ? viaSchema(ast) : readStruct(fields)
    }
    case "ComposeTransformation": {
      const [from, to] = [read(ast.from), read(ast.to)]
      return (input) => {
        const value = from(input)
        return value === refused ? refused : to(value)
      }
    }
    case "FinalTransformation": {
      const [from, to] = [read(ast.from), read(ast.to)]
      return (input) => {
        const value = from(input)
        if (value === refused) return refused
        const decoded = transformation.decode(value, SchemaAST.defaultParseOption, ast, input)
        // A result other than an Either can be asynchronous.
        return Either.isEither(decoded) && Either.isRight(decoded) ? to(decoded.right) : refused
      }
    }
  }
}

export const readList =
  (item: Read): Read =>
  (input) => {
    if (!Array.isArray(input)) return refused
    const values: Array<unknown> = []
    for (const element of input) {
      const value = item(element)
      if (value === refused) return refused
      values.push(value)
    }
    return values
  }

export const readStruct = (fields: ReadonlyArray<generated.ReadField>): Read => {
  const straight = generated.readStruct(fields, { isFields, isMissing })
  if (straight !== undefined) return straight
  return (input) => {
    if (!isFields(input)) return refused
    const struct: Record<PropertyKey, unknown> = {}
    for (const { absent, from, read, to } of fields) {
      const encoded = input[from]
      const value = encoded === undefined && isMissing(input, from) ? absent() : read(encoded)
      if (value === refused) return refused
      if (value !== leftOut) struct[to] = value
    }
    return struct
  }
}

/** Returns the annotated reader of a field. */
const ownField: Direction["ownField"] = (property, from, to) => {
  const annotated = Option.getOrUndefined(annotatedField(property))?.()
  return annotated && { from, to, read: annotated.read, absent: () => annotated.absent, mayBeLeftOut: false }
}

const decoding: Direction = { way: "decode", compile: read, ownField }
