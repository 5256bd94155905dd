/**
 * The parameters of openapi.json, compared with the tables of the interface document: what is required, closed lists, bounds, defaults,
 * lengths and patterns.
 */
import * as Specification from "@effect-venue/testing/Specification"
import * as OpenApi from "@effect-venue/schemas/OpenApi"
import { describe, expect, it } from "@effect/vitest"
import * as Rules from "./rules/utils.js"

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked at as it is
type Any = any

const document: Any = OpenApi.make()
const signature = new Set(["api_key", "timestamp", "recv_window", "sign"])

const variantsOf = (schema: Any): ReadonlyArray<Any> =>
  schema.properties !== undefined
    ? [schema]
    : [schema.anyOf, schema.allOf].flatMap((some) => (some ?? []).flatMap(variantsOf))

const sorted = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.toSorted((one, other) => String(one).localeCompare(String(other)))

const limitsOf = (schemas: ReadonlyArray<Any>, isRequired: boolean): Readonly<Record<string, unknown>> => {
  const found: Record<string, unknown> = isRequired ? { required: true } : {}
  const fields = [
    "minimum",
    "maximum",
    "default",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems"
  ]
  for (const schema of schemas) {
    for (const field of fields) if (schema[field] !== undefined) found[field] = schema[field]
  }
  const values = Rules.distinct(schemas.flatMap((schema) => schema.enum ?? []))
  if (values.length > 0) found.enum = sorted(values)
  // Text that is not empty says nothing that its being there does not.
  if (found.minLength === 1 && Object.keys(found).every((field) => ["minLength", "required"].includes(field))) {
    delete found.minLength
  }
  return found
}

const parametersOf = (operation: Rules.Operation): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const { method, path } = Rules.routeOf(operation)
  const described: Any = document.paths[path][method.toLowerCase()]
  const body: Any = described.requestBody?.content["application/json"].schema
  if (body === undefined) {
    const own = described.parameters.filter(({ name }: Any) => name !== undefined && !signature.has(name))
    return Object.fromEntries(own.map((one: Any) => [one.name, limitsOf([one.schema], one.required)]))
  }
  const variants = variantsOf(body).filter(({ properties }) => properties.sign === undefined)
  const names = Rules.distinct(variants.flatMap(({ properties }) => Object.keys(properties)))
  return Object.fromEntries(
    names.map((name) => [
      name,
      limitsOf(
        variants.flatMap(({ properties }) => properties[name] ?? []),
        variants.every((variant) => variant.required?.includes(name) === true)
      )
    ])
  )
}

const expected = (parameter: Specification.Parameter | typeof Specification.unchecked): unknown =>
  parameter === Specification.unchecked
    ? expect.anything()
    : { ...parameter, ...(parameter.enum === undefined ? {} : { enum: sorted(parameter.enum) }) }

describe("the parameters of openapi.json", () => {
  for (const name of Specification.names) {
    const { parameters } = Specification.specification[name]
    if (parameters === undefined) continue
    it(`equal the document's table: ${name}`, () => {
      const specified = Object.entries(parameters).map(([parameter, one]) => [parameter, expected(one)])
      expect(parametersOf(name)).toEqual(Object.fromEntries(specified))
    })
  }
})
