import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { check } from "./check.js"
import { type Direction, sameField, compileFields } from "./fields.js"
import type { ReadField } from "./generated.js"
import { acceptAll, refused, WriteFieldId } from "./protocol.js"
import type { Write } from "./protocol.js"
import { readList, readStruct } from "./read.js"
import { isFields, isSatisfied, isStruct, itemOf, scalar, total } from "./shapes.js"

// The inverse of read.ts: from the domain side to the wire side. A refused value is passed to the schema's encoder. Lists and structs share
// their code with read.ts.

// The writer is a parameter, so that the declaration of a field does not import this file.
const annotatedField = SchemaAST.getAnnotation<(write: (ast: SchemaAST.AST) => Write) => Write>(WriteFieldId)

interface Encoding extends Direction {
  /** Whether a struct with a key that its schema does not have is refused. Otherwise the key is left out. */
  readonly isStrict: boolean
}

const makeEncoding = (isStrict: boolean): Encoding => {
  const encoding: Encoding = {
    way: "encode",
    isStrict,
    compile: (ast) => compile(encoding, ast),
    ownField: (property, from, to) => {
      const own = Option.getOrUndefined(annotatedField(property))?.(encoding.compile)
      return own && { from, to, read: own, absent: () => refused, mayBeLeftOut: true }
    }
  }
  return encoding
}

/** Compiles a writer of the wire side. */
export const write: (ast: SchemaAST.AST) => Write = makeEncoding(false).compile

/** Compiles a writer that refuses a struct with a key that its schema does not have. */
export const writeStrictly: (ast: SchemaAST.AST) => Write = makeEncoding(true).compile

const viaSchema = ({ isStrict }: Encoding, ast: SchemaAST.AST): Write => {
  const options = { onExcessProperty: isStrict ? "error" : "ignore" } as const
  const encode = total(ast, ParseResult.encodeUnknownEither(Schema.make(ast), options))
  return (value) => Either.getOrElse(encode(value), () => refused)
}

/** The result of an encoding function. A result other than an Either can be asynchronous. */
const done = (encoded: unknown): unknown =>
  Either.isEither(encoded) && Either.isRight(encoded) ? encoded.right : refused

const compile = (encoding: Encoding, ast: SchemaAST.AST): Write => {
  const asIs = scalar(ast)
  if (asIs !== undefined) return (value) => (asIs(value) ? value : refused)
  switch (ast._tag) {
    case "Declaration": {
      const encode = ast.encodeUnknown(...ast.typeParameters)
      return (value) => done(encode(value, SchemaAST.defaultParseOption, ast))
    }
    case "Refinement": {
      const from = encoding.compile(ast.from)
      if (ast.filter === acceptAll) return from
      if (SchemaAST.typeAST(ast) !== ast) return writeRefined(check(SchemaAST.typeAST(ast)), from)
      return (value) => {
        const written = from(value)
        return written !== refused && isSatisfied(ast, value) ? written : refused
      }
    }
    case "TupleType": {
      const item = itemOf(ast)
      return item === undefined ? viaSchema(encoding, ast) : readList(encoding.compile(item))
    }
    case "TypeLiteral":
      return isStruct(ast)
        ? writeStruct(
            encoding,
            ast.propertySignatures.map((each) => sameField(encoding, each))
          )
        : viaSchema(encoding, ast)
    case "Union":
      return writeUnion(encoding, ast)
    case "Transformation":
      return writeTransformed(encoding, ast)
    default:
      return viaSchema(encoding, ast)
  }
}

const writeRefined =
  (fits: (value: unknown) => boolean, from: Write): Write =>
  (value) =>
    fits(value) ? from(value) : refused

const writeStruct = ({ isStrict }: Encoding, fields: ReadonlyArray<ReadField>): Write => {
  const struct = readStruct(fields)
  if (!isStrict) return struct
  const names = new Set(fields.map(({ from }) => from))
  return (value) => {
    const written = struct(value)
    // A struct that was written is an object.
    return written === refused || Reflect.ownKeys(value as object).every((name) => names.has(name)) ? written : refused
  }
}

/** A union of a value and `undefined`, or of structs that differ in a literal. Any other one is tried by the schema, in its order. */
const writeUnion = (encoding: Encoding, ast: SchemaAST.Union): Write => {
  const types = ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type))
  if (types.length === ast.types.length) return writeStructs(encoding, types) ?? viaSchema(encoding, ast)
  if (types.some((type) => check(SchemaAST.typeAST(type))(undefined))) return viaSchema(encoding, ast)
  const inner = encoding.compile(SchemaAST.Union.make(types))
  return (value) => (value === undefined ? undefined : inner(value))
}

const writeStructs = (encoding: Encoding, types: ReadonlyArray<SchemaAST.AST>): Write | undefined => {
  const literals = types.map(literalsOf)
  const isOwn = (name: PropertyKey) => {
    const values = new Set(literals.map((each) => each.get(name)))
    return values.size === types.length && !values.has(undefined)
  }
  const name = Array.from(literals[0]?.keys() ?? []).find(isOwn)
  if (name === undefined) return undefined
  const writers = new Map<unknown, Write>(
    types.map((type, index) => [literals[index]?.get(name), encoding.compile(type)])
  )
  return (value) => (isFields(value) ? writers.get(value[name])?.(value) : undefined) ?? refused
}

/** The literals of a struct, by field. */
const literalsOf = (ast: SchemaAST.AST): ReadonlyMap<PropertyKey, SchemaAST.LiteralValue> =>
  SchemaAST.isRefinement(ast)
    ? literalsOf(ast.from)
    : new Map(
        (SchemaAST.isTypeLiteral(ast) ? ast.propertySignatures : []).flatMap(({ isOptional, name, type }) =>
          SchemaAST.isLiteral(type) && !isOptional ? [[name, type.literal] as const] : []
        )
      )

const writeTransformed = (encoding: Encoding, ast: SchemaAST.Transformation): Write => {
  const { transformation } = ast
  if (transformation._tag === "TypeLiteralTransformation") {
    const fields = compileFields(encoding, ast)
    return fields === undefined ? viaSchema(encoding, ast) : writeStruct(encoding, fields)
  }
  const [from, to] = [encoding.compile(ast.from), encoding.compile(ast.to)]
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
