import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The names of the parameters of one category, and the parameters of the items in lists. */
interface Parameters {
  readonly names: Set<string>
  readonly items: Map<string, Parameters>
}

const variantsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.TypeLiteral> =>
  SchemaAST.isUnion(ast) ? ast.types.flatMap(variantsOf) : SchemaAST.isTypeLiteral(ast) ? [ast] : []

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isUnion(ast) ? ast.types.flatMap(literalsOf) : SchemaAST.isLiteral(ast) ? [String(ast.literal)] : []

const itemsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.TypeLiteral> =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap(itemsOf)
    : SchemaAST.isTupleType(ast)
      ? ast.rest.flatMap(({ type }) => variantsOf(type))
      : []

const add = (into: Parameters, variants: ReadonlyArray<SchemaAST.TypeLiteral>): Parameters => {
  for (const { name, type } of variants.flatMap(({ propertySignatures }) => propertySignatures)) {
    into.names.add(String(name))
    const items = itemsOf(type)
    if (items.length === 0) continue
    into.items.set(String(name), add(into.items.get(String(name)) ?? none(), items))
  }
  return into
}

const none = (): Parameters => ({ names: new Set(), items: new Map() })

/** The path of the first parameter that only other categories have. */
const foreignIn = (
  given: Readonly<Record<string, unknown>>,
  own: Parameters,
  all: Parameters
): Option.Option<ReadonlyArray<string>> => {
  for (const [name, value] of Object.entries(given)) {
    if (all.names.has(name) && !own.names.has(name)) return Option.some([name])
    const [ownItems, allItems] = [own.items.get(name), all.items.get(name)]
    if (ownItems === undefined || allItems === undefined || !Array.isArray(value)) continue
    for (const [index, item] of value.entries()) {
      const found = Predicate.isReadonlyRecord(item) ? foreignIn(item, ownItems, allItems) : Option.none()
      if (Option.isSome(found)) return Option.some([name, String(index), ...found.value])
    }
  }
  return Option.none()
}

/**
 * Returns the rule that a request violates with a parameter that the operation documents for other categories only. The service ignores
 * parameters that it does not know, but a documented one would be missed.
 */
export const makeCheck = ({
  request
}: Pick<Endpoint.Any, "request">): ((parameters: Readonly<Record<string, unknown>>) => Option.Option<string>) => {
  const all = none()
  const byCategory = new Map<unknown, Parameters>()
  for (const variant of variantsOf(Schema.encodedSchema(request).ast)) {
    add(all, [variant])
    const category = variant.propertySignatures.find(({ name }) => name === "category")
    for (const literal of category === undefined ? [] : literalsOf(category.type)) {
      byCategory.set(literal, add(byCategory.get(literal) ?? none(), [variant]))
    }
  }
  return (parameters) => {
    const own = byCategory.get(parameters.category)
    return own === undefined
      ? Option.none()
      : Option.map(
          foreignIn(parameters, own, all),
          (path) => `${path.join(".")} is not for ${String(parameters.category)}`
        )
  }
}
