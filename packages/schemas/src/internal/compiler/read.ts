import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as SchemaAST from "effect/SchemaAST"
import * as generated from "./generated.js"
import { leftOut, ReadFieldId, ReadId, refused } from "./protocol.js"
import type { Read, ReadField } from "./protocol.js"
import { isFields, isMissing, isSatisfied, isStruct, itemOf, scalar, viaSchema } from "./shapes.js"

// Schemas taken apart once, into functions that go straight from the input to the value. What they accept, and what they make of
// it, is what the schema's own decoder would: the shapes that answers are made of are known here, and whatever else there is in a
// schema is handed to that decoder.

const annotatedRead = SchemaAST.getAnnotation<() => Read>(ReadId)
const annotatedField = SchemaAST.getAnnotation<() => ReadField>(ReadFieldId)

/** Reads the domain side. */
export const read = (ast: SchemaAST.AST): Read => {
  const known = annotatedRead(ast)
  if (Option.isSome(known)) return known.value()
  const asIs = scalar(ast)
  if (asIs !== undefined) return (input) => (asIs(input) ? input : refused)
  switch (ast._tag) {
    case "Refinement": {
      const from = read(ast.from)
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
        ? readStruct(ast.propertySignatures.map((property) => sameField(property, property.name)))
        : viaSchema(ast)
    case "Union":
      // Of objects the decoder first looks at their literals: only what is no object is sure to be tried in its order.
      return ast.types.every((type) => scalar(encodedSide(type)) !== undefined)
        ? firstOf(ast.types.map(read))
        : viaSchema(ast)
    case "Transformation":
      return readTransformed(ast)
    default:
      return viaSchema(ast)
  }
}

const encodedSide = (ast: SchemaAST.AST): SchemaAST.AST => (ast._tag === "Transformation" ? encodedSide(ast.from) : ast)

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
      const fields = transformedFields(ast)
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
        // What is no Either may have to be waited for.
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
    for (const one of input) {
      const value = item(one)
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

const sameField = (property: SchemaAST.PropertySignature, to: PropertyKey): generated.ReadField =>
  ownField(property, property.name, to) ?? plainField(property, to)

/** A field that says itself how it is read. */
const ownField = (
  property: SchemaAST.PropertySignature,
  from: PropertyKey,
  to: PropertyKey
): generated.ReadField | undefined => {
  const own = Option.getOrUndefined(annotatedField(property))?.()
  return own && { from, to, read: own.read, absent: () => own.absent, mayBeLeftOut: false }
}

const plainField = ({ isOptional, name, type }: SchemaAST.PropertySignature, to: PropertyKey): generated.ReadField => {
  const value = read(type)
  return {
    from: name,
    to,
    read: value,
    absent: isOptional ? () => leftOut : () => value(undefined),
    mayBeLeftOut: isOptional
  }
}

/** A field with its own transformation, from an option of the encoded value to an option of the decoded one. */
const changedField = (
  source: SchemaAST.PropertySignature,
  target: SchemaAST.PropertySignature,
  change: (input: Option.Option<unknown>) => Option.Option<unknown>
): generated.ReadField => {
  const from = read(source.type)
  const to = read(target.type)
  const go = (input: Option.Option<unknown>): unknown =>
    Option.match(change(input), { onNone: () => (target.isOptional ? leftOut : to(undefined)), onSome: to })
  const present = (input: unknown): unknown => {
    const value = from(input)
    return value === refused ? refused : go(Option.some(value))
  }
  return {
    from: source.name,
    to: target.name,
    read: present,
    absent: source.isOptional ? () => go(Option.none()) : () => present(undefined),
    mayBeLeftOut: target.isOptional
  }
}

/** The fields of a struct of which some are transformed, as long as each comes from a key of its own. */
const transformedFields = ({ from, to, transformation }: SchemaAST.Transformation) => {
  if (from._tag !== "TypeLiteral" || to._tag !== "TypeLiteral" || transformation._tag !== "TypeLiteralTransformation") {
    return undefined
  }
  if (!isStruct(from) || !isStruct(to)) return undefined
  const sources = new Map(from.propertySignatures.map((source) => [source.name, source]))
  const names = new Set(sources.keys())
  const changes = new Map(transformation.propertySignatureTransformations.map((change) => [change.to, change]))
  const fields: Array<generated.ReadField> = []
  for (const target of to.propertySignatures) {
    const change = changes.get(target.name)
    const key = change?.from ?? target.name
    const source = sources.get(key)
    // One that takes another's name may find it overwritten.
    const isTaken = key !== target.name && names.has(target.name)
    if (source === undefined || isTaken) return undefined
    sources.delete(key)
    fields.push(
      ownField(target, key, target.name) ??
        (change === undefined || change.decode === identity
          ? plainField(source, target.name)
          : changedField(source, target, change.decode))
    )
  }
  return sources.size === 0 ? fields : undefined
}
