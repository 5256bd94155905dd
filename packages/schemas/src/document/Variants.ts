/**
 * Gives names to the variants of schemas in an OpenAPI document, so that generators of clients make a type of each.
 *
 * @sibling
 */
import type { Json } from "./OpenApi.js"

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const object = (value: unknown): Json => (isJson(value) ? value : {})

const items = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The only value that a variant accepts for a required property, if it is a text. */
const constantOf = (variant: Json, property: string): string | undefined => {
  const [value, ...others] = items(object(object(variant.properties)[property]).enum)
  return typeof value === "string" && others.length === 0 && items(variant.required).includes(property)
    ? value
    : undefined
}

/** The property whose value decides which of the variants a value is. */
const discriminatorOf = (variants: ReadonlyArray<Json>): string | undefined =>
  Object.keys(object(variants[0]?.properties)).find((property) => {
    const values = variants.map((variant) => constantOf(variant, property))
    return !values.includes(undefined) && new Set(values).size === variants.length
  })

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** Returns the paths with references instead of variants that one property tells apart, and the schemas that these refer to. */
export const nameVariants = (paths: Json): { readonly paths: Json; readonly schemas: Json } => {
  const schemas = new Map<string, Json>()
  const nameOf = (base: string, variant: Json): string => {
    const existing = schemas.get(base)
    if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(variant))
      return nameOf(`${base}_`, variant)
    schemas.set(base, variant)
    return base
  }
  const walk = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, name))
    if (!isJson(value)) return value
    const variants = items(value.anyOf).map(object)
    const property = variants.length > 1 ? discriminatorOf(variants) : undefined
    const walked = Object.entries(value).map(([key, item]): readonly [string, unknown] => [
      key,
      // An extension is for readers of this document alone.
      key.startsWith("x-")
        ? item
        : key === "properties"
          ? Object.fromEntries(Object.entries(object(item)).map(([field, schema]) => [field, walk(schema, field)]))
          : walk(item, isJson(item) && typeof item.operationId === "string" ? item.operationId : name)
    ])
    const copy: Json = Object.fromEntries(walked)
    if (property === undefined) return copy
    const { anyOf, ...others } = copy
    const references = items(anyOf).map((variant, index) => {
      const constant = constantOf(variants[index] ?? {}, property) ?? ""
      return [constant, `#/components/schemas/${nameOf(pascal(`${name} ${constant}`), object(variant))}`] as const
    })
    return {
      ...others,
      oneOf: references.map(([, $ref]) => ({ $ref })),
      discriminator: { propertyName: property, mapping: Object.fromEntries(references) }
    }
  }
  const named = object(walk(paths, ""))
  return { paths: named, schemas: Object.fromEntries(schemas) }
}
