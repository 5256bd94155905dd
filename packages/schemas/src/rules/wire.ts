/* eslint @typescript-eslint/no-unsafe-class-instance-assignment: "off" -- the rule does not terminate for classes that contain each other */
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as SchemaAST from "effect/SchemaAST"
import * as Rule from "./rule.js"
import { meaningOf, type Place } from "./Meaning.js"

/** Removes `undefined` from a type, which JSON does not have. */
const dropUndefined = (ast: SchemaAST.AST): SchemaAST.AST =>
  SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isUndefinedKeyword)
    ? SchemaAST.Union.make(
        ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type)),
        ast.annotations
      )
    : ast

/** A field of a record on the wire side, and the field of the domain side that it is read to, if that has another name. */
const property = (
  { annotations, isOptional, isReadonly, name, type }: SchemaAST.PropertySignature,
  place: Place,
  domain?: SchemaAST.PropertySignature
): SchemaAST.PropertySignature => {
  const { docblock, inside } = place.field(String(domain?.name ?? name))
  const meaning = meaningOf({ annotations: { ...annotations, ...domain?.annotations } }, docblock)
  const wire = wireSide(type, inside)
  return new SchemaAST.PropertySignature(
    name,
    meaning === undefined ? wire : addRules(isOptional ? dropUndefined(wire) : wire, { "x-meaning": meaning }),
    isOptional,
    isReadonly
  )
}

const record = (
  { annotations, indexSignatures, propertySignatures }: SchemaAST.TypeLiteral,
  place: Place,
  domain: ReadonlyMap<PropertyKey, SchemaAST.PropertySignature> = new Map()
): SchemaAST.TypeLiteral => {
  // A record is described in its place, without a name of its own.
  const { [SchemaAST.IdentifierAnnotationId]: _, ...others } = annotations
  return new SchemaAST.TypeLiteral(
    propertySignatures.map((signature) => property(signature, place, domain.get(signature.name))),
    indexSignatures.map(
      ({ isReadonly, parameter, type }) => new SchemaAST.IndexSignature(parameter, wireSide(type, place), isReadonly)
    ),
    others
  )
}

/** The wire side of a record with transformed fields. */
const recordFrom = (
  from: SchemaAST.TypeLiteral,
  to: SchemaAST.AST,
  { propertySignatureTransformations }: SchemaAST.TypeLiteralTransformation,
  place: Place
): SchemaAST.TypeLiteral => {
  const names = new Map(propertySignatureTransformations.map(({ from, to }) => [from, to]))
  const domain = new Map(SchemaAST.getPropertySignatures(to).map((signature) => [signature.name, signature]))
  return record(
    from,
    place,
    new Map(
      from.propertySignatures.flatMap(({ name }) => {
        const read = domain.get(names.get(name) ?? name)
        return read === undefined ? [] : [[name, read] as const]
      })
    )
  )
}

/** The wire side of a value, with the JSON Schema of its refinement, such as the format of a decimal. */
const narrow = (from: SchemaAST.AST, refinement: SchemaAST.AST): SchemaAST.AST => {
  const words = (ast: SchemaAST.AST) => Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(ast), () => ({}))
  return SchemaAST.annotations(from, {
    [SchemaAST.JSONSchemaAnnotationId]: { ...words(from), ...words(refinement) }
  })
}

/** The failure message of a refinement, if it is the same for all values. */
const wordsOf = (ast: SchemaAST.Refinement): Option.Option<string> =>
  Option.flatMap(SchemaAST.getMessageAnnotation(ast), (message) =>
    Option.liftThrowable(() => message(new ParseResult.Type(ast, undefined)))().pipe(
      Option.map((words) => (typeof words === "string" ? words : "message" in words ? words.message : "")),
      Option.filter((words): words is string => typeof words === "string" && words !== "")
    )
  )

/** The rules for several fields of a record. */
const rulesOf = (ast: SchemaAST.Refinement) =>
  Option.getOrElse(SchemaAST.getAnnotation<ReadonlyArray<Rule.Rule<never>>>(Rule.AnnotationId)(ast), () => []).map(
    ({ field, rule, source }) => ({ field, rule, source })
  )

/** Adds rules as text: `x-rule` to a value, `x-rules` to its fields. */
const addRules = (wire: SchemaAST.AST, rules: { readonly [keyword: string]: unknown }): SchemaAST.AST => {
  if (Object.keys(rules).length === 0) return wire
  const described = SchemaAST.getJSONSchemaAnnotation(wire)
  const words = { [SchemaAST.JSONSchemaAnnotationId]: { ...Option.getOrElse(described, () => ({})), ...rules } }
  return Option.isSome(described)
    ? SchemaAST.annotations(wire, words)
    : new SchemaAST.Refinement(wire, () => Option.none(), words)
}

/** The wire side of a refinement, with the part that JSON Schema can express. */
const refine = (ast: SchemaAST.Refinement, place: Place): SchemaAST.AST => {
  const from = wireSide(ast.from, place)
  const isWorded = Option.isSome(SchemaAST.getJSONSchemaAnnotation(ast))
  if (isWorded && ast.from._tag === "Transformation") return narrow(from, ast)
  // The length of a list also applies to its wire side; other rules apply to the decoded value.
  return isWorded && ast.from._tag === "TupleType"
    ? new SchemaAST.Refinement(from, ast.filter, ast.annotations)
    : isWorded && ast.from === from
      ? ast
      : from
}

/**
 * The wire side of a schema, as far as JSON Schema can express it. Refinements with a JSON Schema annotation are kept; the others appear in
 * the rules of the request.
 */
export const wireSide = (ast: SchemaAST.AST, around: Place): SchemaAST.AST => {
  const place = Option.match(SchemaAST.getIdentifierAnnotation(ast), { onNone: () => around, onSome: around.named })
  switch (ast._tag) {
    case "Declaration":
      return Option.match(SchemaAST.getSurrogateAnnotation(ast), {
        onNone: () => (Option.isSome(SchemaAST.getJSONSchemaAnnotation(ast)) ? ast : SchemaAST.unknownKeyword),
        onSome: (described) => wireSide(described, place)
      })
    case "Transformation":
      return SchemaAST.isTypeLiteral(ast.from) && SchemaAST.isTypeLiteralTransformation(ast.transformation)
        ? recordFrom(ast.from, ast.to, ast.transformation, place)
        : wireSide(ast.from, place)
    case "Refinement": {
      const rules = rulesOf(ast)
      const words = {
        ...Option.match(wordsOf(ast), { onNone: () => ({}), onSome: (rule) => ({ "x-rule": rule }) }),
        ...(rules.length === 0 ? {} : { "x-rules": rules })
      }
      return addRules(refine(ast, place), words)
    }
    case "TypeLiteral":
      return record(ast, place)
    case "TupleType":
      return new SchemaAST.TupleType(
        ast.elements.map(
          ({ annotations, isOptional, type }) =>
            new SchemaAST.OptionalType(wireSide(type, place), isOptional, annotations)
        ),
        ast.rest.map(({ annotations, type }) => new SchemaAST.Type(wireSide(type, place), annotations)),
        ast.isReadonly,
        ast.annotations
      )
    case "Union":
      return SchemaAST.Union.make(
        ast.types.map((type) => wireSide(type, place)),
        ast.annotations
      )
    case "Suspend":
      return new SchemaAST.Suspend(() => wireSide(ast.f(), place), ast.annotations)
    default:
      return ast
  }
}
