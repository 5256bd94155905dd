/**
 * The meanings of fields and parameters, for descriptions. Each is the docblock of its field; decoders do not read them.
 *
 * @sibling
 */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** `unit` is the unit of a number. `alias` is the name of the field that this one spells differently. */
export interface Meaning {
  readonly meaning: string
  readonly unit?: string
  readonly alias?: string
}

/**
 * The docblocks of the fields of each record, by the identifier of the record or its operation, and by path, such as `list.symbol`; in a
 * variant with a `kind`, such as `fault.delay:millis`.
 */
export interface Docblocks {
  readonly [record: string]: { readonly [path: string]: string }
}

/** A record in a schema, and where the docblocks of its fields stand. */
export interface Place {
  /** Returns the place of the record with this identifier, if its fields have docblocks of their own; otherwise this place. */
  readonly named: (identifier: string) => Place
  /** Returns the docblock of a field on the domain side, and the place of the records in it. */
  readonly field: (name: string) => { readonly docblock: string | undefined; readonly inside: Place }
}

/** Returns a place in docblocks. */
export const placeOf = (docblocks: Docblocks, record: string, path = ""): Place => {
  const place: Place = {
    named: (identifier) => (docblocks[identifier] === undefined ? place : placeOf(docblocks, identifier)),
    field: (name) => ({
      docblock: docblocks[record]?.[`${path}${name}`],
      inside: placeOf(docblocks, record, `${path}${name}.`)
    })
  }
  return place
}

/** The annotation of a field that spells another field differently. */
const AliasId: unique symbol = Symbol.for("@effect-venue/schemas/Alias")

/** Marks a field as a second spelling of another field. */
export const alias = <F extends Schema.PropertySignature.All>(field: F, of: string): F =>
  // Annotations do not change the type.
  field.annotations({ [AliasId]: of }) as F

/** Reads a docblock such as `Size, never negative. Unit: base coin.` */
const readDocblock = (docblock: string): Meaning => {
  const { text = docblock, unit } = /^(?<text>.*\.) Unit: (?<unit>.*)\.$/.exec(docblock)?.groups ?? {}
  const meaning = text.replace(/\.$/, "")
  return unit === undefined ? { meaning } : { meaning, unit }
}

/** Adds a description to a type, beside `undefined`. */
const describeAst = (ast: SchemaAST.AST, description: string | undefined): SchemaAST.AST => {
  if (description === undefined) return ast
  return SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isUndefinedKeyword)
    ? SchemaAST.Union.make(
        ast.types.map((type) => (SchemaAST.isUndefinedKeyword(type) ? type : describeAst(type, description))),
        ast.annotations
      )
    : SchemaAST.annotations(ast, { [SchemaAST.DescriptionAnnotationId]: description })
}

const annotateAst = (ast: SchemaAST.AST, place: Place): SchemaAST.AST => {
  switch (ast._tag) {
    case "TypeLiteral": {
      const kind = ast.propertySignatures.find(({ name, type }) => name === "kind" && SchemaAST.isLiteral(type))?.type
      const variant = kind !== undefined && SchemaAST.isLiteral(kind) ? `${String(kind.literal)}:` : ""
      return new SchemaAST.TypeLiteral(
        ast.propertySignatures.map(({ annotations, isOptional, isReadonly, name, type }) => {
          const { docblock, inside } = place.field(`${variant}${String(name)}`)
          const described = describeAst(annotateAst(type, inside), meaningOf({ annotations }, docblock)?.meaning)
          return new SchemaAST.PropertySignature(name, described, isOptional, isReadonly, annotations)
        }),
        ast.indexSignatures,
        ast.annotations
      )
    }
    case "TupleType":
      return new SchemaAST.TupleType(
        ast.elements,
        ast.rest.map(({ annotations, type }) => new SchemaAST.Type(annotateAst(type, place), annotations)),
        ast.isReadonly,
        ast.annotations
      )
    case "Union":
      return SchemaAST.Union.make(
        ast.types.map((type) => annotateAst(type, place)),
        ast.annotations
      )
    case "Refinement":
      return new SchemaAST.Refinement(annotateAst(ast.from, place), ast.filter, ast.annotations)
    case "Transformation":
      return new SchemaAST.Transformation(annotateAst(ast.from, place), ast.to, ast.transformation, ast.annotations)
    default:
      return ast
  }
}

/** Adds the docblocks of the fields of a record to a schema, as descriptions of its encoded side. */
export const annotate = (ast: SchemaAST.AST, docblocks: Docblocks, record: string): SchemaAST.AST =>
  annotateAst(ast, placeOf(docblocks, record))

/** Returns the meaning of a field: its description in the schema, what it is a second spelling of, or its docblock. */
export const meaningOf = (field: SchemaAST.Annotated, docblock: string | undefined): Meaning | undefined => {
  const described = Option.getOrUndefined(SchemaAST.getDescriptionAnnotation(field))
  if (described !== undefined) return { meaning: described }
  const of = Option.getOrUndefined(SchemaAST.getAnnotation<string>(AliasId)(field))
  if (of !== undefined) return { meaning: `A second spelling of \`${of}\``, alias: of }
  return docblock === undefined ? undefined : readDocblock(docblock)
}
