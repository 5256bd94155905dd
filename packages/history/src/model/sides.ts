import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Option from "effect/Option"
import * as SchemaAST from "effect/SchemaAST"

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
