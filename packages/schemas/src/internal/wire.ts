/* eslint @typescript-eslint/no-unsafe-class-instance-assignment: "off" -- it never comes back from classes that contain each other */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** Where a declaration keeps its wire side, for descriptions such as JSON Schema. Created on first use. */
export const WireId: unique symbol = Symbol.for("@effect-venue/schemas/Wire")

const declared = SchemaAST.getAnnotation<() => Schema.Schema.Any>(WireId)

const property = (signature: SchemaAST.PropertySignature): SchemaAST.PropertySignature =>
  new SchemaAST.PropertySignature(
    signature.name,
    wireSide(signature.type),
    signature.isOptional,
    signature.isReadonly,
    signature.annotations
  )

/** The wire side of a value, with what a refinement of the value says of its text: how a decimal is written. */
const narrowed = (from: SchemaAST.AST, refinement: SchemaAST.AST): SchemaAST.AST => {
  const words = (ast: SchemaAST.AST) => Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(ast), () => ({}))
  return SchemaAST.annotations(from, {
    [SchemaAST.JSONSchemaAnnotationId]: { ...words(from), ...words(refinement) }
  })
}

/**
 * The wire side of a schema, as far as JSON Schema can say it: refinements that have a JSON Schema annotation stay; the rules of
 * a request report all others.
 */
export const wireSide = (ast: SchemaAST.AST): SchemaAST.AST => {
  switch (ast._tag) {
    case "Declaration":
      return Option.match(declared(ast), {
        onNone: () => (Option.isSome(SchemaAST.getJSONSchemaAnnotation(ast)) ? ast : SchemaAST.unknownKeyword),
        onSome: (schema) => wireSide(schema().ast)
      })
    case "Transformation":
      return wireSide(ast.from)
    case "Refinement": {
      const from = wireSide(ast.from)
      const isWorded = Option.isSome(SchemaAST.getJSONSchemaAnnotation(ast))
      if (isWorded && ast.from._tag === "Transformation") return narrowed(from, ast)
      // How long a list may be holds for its wire side too; other rules are about the value that is read.
      return isWorded && ast.from._tag === "TupleType"
        ? new SchemaAST.Refinement(from, ast.filter, ast.annotations)
        : isWorded && ast.from === from
          ? ast
          : from
    }
    case "TypeLiteral":
      return new SchemaAST.TypeLiteral(
        ast.propertySignatures.map(property),
        ast.indexSignatures.map(
          ({ isReadonly, parameter, type }) => new SchemaAST.IndexSignature(parameter, wireSide(type), isReadonly)
        ),
        ast.annotations
      )
    case "TupleType":
      return new SchemaAST.TupleType(
        ast.elements.map(
          ({ annotations, isOptional, type }) => new SchemaAST.OptionalType(wireSide(type), isOptional, annotations)
        ),
        ast.rest.map(({ annotations, type }) => new SchemaAST.Type(wireSide(type), annotations)),
        ast.isReadonly,
        ast.annotations
      )
    case "Union":
      return SchemaAST.Union.make(ast.types.map(wireSide), ast.annotations)
    case "Suspend":
      return new SchemaAST.Suspend(() => wireSide(ast.f()), ast.annotations)
    default:
      return ast
  }
}
