import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { check } from "./check.js"
import { type Direction, sameField, compileFields } from "./fields.js"
import { acceptAll, refused, WriteFieldId } from "./protocol.js"
import type { Write } from "./protocol.js"
import { readList, readStruct } from "./read.js"
import { isSatisfied, isStruct, itemOf, scalar, total } from "./shapes.js"

// The inverse of read.ts: from the domain side to the wire side, for the sandbox, which encodes all its responses. A refused value is
// passed to the schema's encoder. Lists and structs share their code with read.ts.

// The writer is a parameter, so that a client, which only encodes requests, does not include this file.
const annotatedField = SchemaAST.getAnnotation<(write: (ast: SchemaAST.AST) => Write) => Write>(WriteFieldId)

const viaSchema = (ast: SchemaAST.AST): Write => {
  const encode = total(ast, ParseResult.encodeUnknownEither(Schema.make(ast)))
  return (value) => Either.getOrElse(encode(value), () => refused)
}

/** The result of an encoding function. A result other than an Either can be asynchronous. */
const done = (encoded: unknown): unknown =>
  Either.isEither(encoded) && Either.isRight(encoded) ? encoded.right : refused

/** Compiles a writer of the wire side. */
export const write = (ast: SchemaAST.AST): Write => {
  const asIs = scalar(ast)
  if (asIs !== undefined) return (value) => (asIs(value) ? value : refused)
  switch (ast._tag) {
    case "Declaration": {
      const encode = ast.encodeUnknown(...ast.typeParameters)
      return (value) => done(encode(value, SchemaAST.defaultParseOption, ast))
    }
    case "Refinement": {
      const from = write(ast.from)
      if (ast.filter === acceptAll) return from
      if (SchemaAST.typeAST(ast) !== ast) return writeRefined(check(SchemaAST.typeAST(ast)), from)
      return (value) => {
        const written = from(value)
        return written !== refused && isSatisfied(ast, value) ? written : refused
      }
    }
    case "TupleType": {
      const item = itemOf(ast)
      return item === undefined ? viaSchema(ast) : readList(write(item))
    }
    case "TypeLiteral":
      return isStruct(ast)
        ? readStruct(ast.propertySignatures.map((property) => sameField(encoding, property)))
        : viaSchema(ast)
    case "Transformation":
      return writeTransformed(ast)
    default:
      return viaSchema(ast)
  }
}

const writeRefined =
  (fits: (value: unknown) => boolean, from: Write): Write =>
  (value) =>
    fits(value) ? from(value) : refused

const writeTransformed = (ast: SchemaAST.Transformation): Write => {
  const { transformation } = ast
  if (transformation._tag === "TypeLiteralTransformation") {
    const fields = compileFields(encoding, ast)
    return fields === undefined ? viaSchema(ast) : readStruct(fields)
  }
  const [from, to] = [write(ast.from), write(ast.to)]
  return (value) => {
    const own = to(value)
    if (own === refused) return refused
    const encoded =
      transformation._tag === "ComposeTransformation"
        ? own
        : done(transformation.encode(own, SchemaAST.defaultParseOption, ast, value))
    return encoded === refused ? refused : from(encoded)
  }
}

/** Returns the annotated writer of a field. */
const ownField: Direction["ownField"] = (property, from, to) => {
  const own = Option.getOrUndefined(annotatedField(property))?.(write)
  return own && { from, to, read: own, absent: () => refused, mayBeLeftOut: true }
}

const encoding: Direction = { way: "encode", compile: write, ownField }
