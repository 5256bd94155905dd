/**
 * The parameters of openapi.json, compared with the tables of the interface document: what is required, closed lists, bounds, defaults,
 * lengths and patterns.
 */
import * as Specification from "@effect-venue/testing/Specification"
import { describe, expect, it } from "@effect/vitest"
import * as Rules from "./rules/utils.js"
import { type Any, parametersOf } from "./utils/openApiParameters.js"

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
    if (schema["x-source"] !== undefined) found.source = schema["x-source"]
  }
  const values = Rules.distinct(schemas.flatMap((schema) => schema.enum ?? []))
  if (values.length > 0) found.enum = sorted(values)
  // Text that is not empty says nothing that its being there does not.
  if (
    found.minLength === 1 &&
    Object.keys(found).every((field) => ["minLength", "required", "source"].includes(field))
  ) {
    delete found.minLength
    delete found.source
  }
  return found
}

const expected = (parameter: Specification.Parameter | typeof Specification.unchecked): unknown =>
  parameter === Specification.unchecked
    ? expect.anything()
    : {
        ...(isRestricted(parameter) ? { source: "document" } : {}),
        ...parameter,
        ...(parameter.enum === undefined ? {} : { enum: sorted(parameter.enum) })
      }

const isRestricted = (parameter: Specification.Parameter): boolean =>
  parameter.pattern !== Specification.decimal.pattern && restrictions.some((restriction) => restriction in parameter)

const restrictions = ["enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems"]

describe("the parameters of openapi.json", () => {
  for (const name of Specification.names) {
    const { parameters } = Specification.specification[name]
    if (parameters === undefined) continue
    it(`equal the document's table: ${name}`, () => {
      const specified = Object.entries(parameters).map(([parameter, one]) => [parameter, expected(one)])
      const described = Object.entries(parametersOf(name)).map(([parameter, { isRequired, schemas }]) => [
        parameter,
        limitsOf(schemas, isRequired)
      ])
      expect(Object.fromEntries(described)).toEqual(Object.fromEntries(specified))
    })
  }
})
