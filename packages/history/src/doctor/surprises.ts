import * as Predicate from "effect/Predicate"
import type * as SchemaAST from "effect/SchemaAST"
import { enumerationsOf } from "../model/Column.js"

// Finds fields and values that a schema does not mention. Schemas accept them, so that a change of the service breaks no program.

/** A field that the schema does not have, or a value that its enumeration does not list. */
export interface Surprise {
  readonly kind: "field" | "value"
  /** Its path, such as `list[].side`. */
  readonly path: string
  /** The unexpected value. */
  readonly value?: string
}

const unknownValue = (ast: SchemaAST.AST, value: string, path: string): ReadonlyArray<Surprise> => {
  const known = enumerationsOf(ast)
  return value === "" || known.length === 0 || known.some(({ isKnown }) => isKnown(value))
    ? []
    : [{ kind: "value", path, value }]
}

const inRecord = (
  ast: SchemaAST.TypeLiteral,
  record: Readonly<Record<string, unknown>>,
  path: string
): ReadonlyArray<Surprise> => {
  const types = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]))
  const rest = ast.indexSignatures[0]?.type
  return Object.entries(record).flatMap(([name, value]): ReadonlyArray<Surprise> => {
    const type = types.get(name) ?? rest
    const at = path === "" ? name : `${path}.${name}`
    return type === undefined ? [{ kind: "field", path: at }] : surprises(type, value, at)
  })
}

const fewest = (all: ReadonlyArray<ReadonlyArray<Surprise>>): ReadonlyArray<Surprise> =>
  all.reduce((best, next) => (next.length < best.length ? next : best), all[0] ?? [])

/** Whether a schema describes the structure of a value. A scalar member of a union does not describe an object. */
const fits = (ast: SchemaAST.AST, isList: boolean): boolean => {
  switch (ast._tag) {
    case "TypeLiteral":
      return !isList
    case "TupleType":
      return isList
    case "Union":
      return ast.types.some((type) => fits(type, isList))
    case "Declaration":
      return ast.typeParameters.some((type) => fits(type, isList))
    case "Refinement":
    case "Transformation":
      return fits(ast.from, isList)
    case "Suspend":
      return fits(ast.f(), isList)
    default:
      return false
  }
}

const inOneOf = (types: ReadonlyArray<SchemaAST.AST>, value: unknown, path: string): ReadonlyArray<Surprise> =>
  fewest(types.filter((type) => fits(type, Array.isArray(value))).map((type) => surprises(type, value, path)))

const isStructured = (value: unknown): boolean => Array.isArray(value) || Predicate.isReadonlyRecord(value)

/** The surprises of a value as it was sent, by the wire side of a schema. */
export const surprises = (ast: SchemaAST.AST, value: unknown, path = ""): ReadonlyArray<Surprise> => {
  if (!isStructured(value)) return typeof value === "string" ? unknownValue(ast, value, path) : []
  switch (ast._tag) {
    case "TypeLiteral":
      return Predicate.isReadonlyRecord(value) && !Array.isArray(value) ? inRecord(ast, value, path) : []
    case "TupleType": {
      const item = ast.rest[0]?.type
      return Array.isArray(value) && item !== undefined
        ? value.flatMap((inner: unknown) => surprises(item, inner, `${path}[]`))
        : []
    }
    case "Union":
      return inOneOf(ast.types, value, path)
    // The wire side of a field that can be empty.
    case "Declaration":
      return inOneOf(ast.typeParameters, value, path)
    case "Refinement":
    case "Transformation":
      return surprises(ast.from, value, path)
    case "Suspend":
      return surprises(ast.f(), value, path)
    default:
      return []
  }
}
