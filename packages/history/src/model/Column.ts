/**
 * The columns of a dataset: those of its tables (CSV, Parquet, SQL), always the same and in the same order.
 *
 * @sibling
 */
import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/**
 * The type of a column.
 *
 * | kind | on the wire |
 * |---|---|
 * | `text` | text |
 * | `decimal` | decimal text |
 * | `integer` | a whole number, as text or as a number |
 * | `boolean` | true or false |
 * | `flag` | 0 or 1, as text or as a number |
 * | `millis`, `seconds` | an instant, counted so, as text or as a number |
 * | `instant` | an instant in seconds or milliseconds, by its size (docs/reference/contradictions.md#units-of-instants) |
 * | `json` | anything |
 */
export const Kind = Schema.Literal(
  "text",
  "decimal",
  "integer",
  "boolean",
  "flag",
  "millis",
  "seconds",
  "instant",
  "json"
)

export type Kind = typeof Kind.Type

/** A column as described in manifests and Parquet files. It depends only on the dataset, never on rows. */
export const Described = Schema.Struct({ name: Schema.String, kind: Kind })

export type Described = typeof Described.Type

/** Columns as manifests and Parquet files describe them. */
export const describe = (columns: ReadonlyArray<Column>): ReadonlyArray<Described> =>
  columns.map(({ kind, name }) => ({ name, kind }))

export interface Column {
  /** Its name on the wire. */
  readonly name: string
  readonly kind: Kind
  /** Whether a value is a known one; of open enumerations. */
  readonly isKnown?: ((value: string) => boolean) | undefined
}

/** A kind, or the enumeration that a text belongs to. */
export type Spec = Kind | { readonly isKnown: (value: string) => boolean }

/** Columns from a table of them, in its order. */
export const make = (specs: Iterable<readonly [name: string, spec: Spec]>): ReadonlyArray<Column> =>
  Array.from(specs, ([name, spec]) =>
    typeof spec === "string" ? { name, kind: spec } : { name, kind: "text", isKnown: spec.isKnown }
  )

interface Known {
  readonly isKnown: (value: string) => boolean
}

const enumerations: ReadonlyMap<string, Known> = new Map(
  Object.values(Enumerations).flatMap((enumeration) => {
    if (!("isKnown" in enumeration)) return []
    const isKnown: (value: string) => boolean = enumeration.isKnown
    return Option.match(SchemaAST.getIdentifierAnnotation(enumeration.ast), {
      onNone: () => [],
      onSome: (identifier) => [[identifier, { isKnown }] as const]
    })
  })
)

/** A schema of a field on either side of its transformations, the wire side first; of lists and records without their fields. */
export const sidesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Refinement":
      return [ast, ...sidesOf(ast.from)]
    case "Union":
      return [ast, ...ast.types.flatMap(sidesOf)]
    case "Transformation":
      return [ast, ...sidesOf(ast.from), ...sidesOf(ast.to)]
    case "Declaration":
      return [ast, ...ast.typeParameters.flatMap(sidesOf)]
    case "Suspend":
      return [ast, ...sidesOf(ast.f())]
    default:
      return [ast]
  }
}

export const identifiersOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  sidesOf(ast).flatMap((side) => Option.toArray(SchemaAST.getIdentifierAnnotation(side)))

/** The enumerations of a field, on either side of its transformations. */
export const enumerationsOf = (ast: SchemaAST.AST): ReadonlyArray<Known> =>
  identifiersOf(ast).flatMap((identifier) => enumerations.get(identifier) ?? [])

/** The kinds of scalars, by the identifiers of their schemas. */
const kinds: ReadonlyArray<readonly [identifier: RegExp, kind: Kind]> = [
  [/^Instant\(ms,/, "millis"],
  [/^Instant\(s,/, "seconds"],
  [/^Instant\(/, "instant"],
  [/^(Integer|Seq)\(/, "integer"],
  [/^Decimal/, "decimal"]
]

const specOf = (ast: SchemaAST.AST): Spec => {
  const known = enumerationsOf(ast)
  if (known.length > 0) return { isKnown: (value) => known.some(({ isKnown }) => isKnown(value)) }
  const identifiers = identifiersOf(ast)
  const kind = kinds.find(([pattern]) => identifiers.some((identifier) => pattern.test(identifier)))
  if (kind !== undefined) return kind[1]
  const sides = sidesOf(ast)
  if (sides.some(({ _tag }) => _tag === "TupleType" || _tag === "TypeLiteral")) return "json"
  if (!sides.some(({ _tag }) => _tag === "BooleanKeyword")) return "text"
  // Digits are documented with a format, unlike `true` and `false`.
  const isDigit = sides.some((side) =>
    Option.exists(SchemaAST.getJSONSchemaAnnotation(side), (json) => "format" in json)
  )
  return isDigit ? "flag" : "boolean"
}

/** The columns of a record: a column for each field on its wire side, in their order. */
export const ofRecord = ({ ast }: Schema.Schema.AnyNoContext): ReadonlyArray<Column> => {
  let wire = ast
  while (SchemaAST.isTransformation(wire) || SchemaAST.isRefinement(wire)) wire = wire.from
  return make(SchemaAST.getPropertySignatures(wire).map(({ name, type }) => [String(name), specOf(type)] as const))
}

/** Digits, or an unquoted number in another spelling (`1.5e12`), which is read as text. */
const numberText = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Of the kind `instant`, counts smaller than this are seconds: as milliseconds they are before 1973, as seconds after the year 5000. */
export const border = 100_000_000_000

/** The furthest instants that a date can be, from 1970 in milliseconds. */
const furthest = 8_640_000_000_000_000

/** The instant of a wire value, in milliseconds; `undefined` if it is no instant. */
export const millis = (kind: Kind, value: unknown): number | undefined => {
  const count =
    typeof value === "number" ? value : typeof value === "string" && numberText.test(value) ? Number(value) : Number.NaN
  if (!Number.isInteger(count)) return undefined
  const at = kind === "seconds" || (kind === "instant" && Math.abs(count) < border) ? count * 1000 : count
  return Math.abs(at) <= furthest ? at : undefined
}

/** Whether a column holds instants. */
export const isInstant = (kind: Kind): kind is "millis" | "seconds" | "instant" =>
  kind === "millis" || kind === "seconds" || kind === "instant"
