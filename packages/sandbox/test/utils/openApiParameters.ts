import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as Rules from "../rules/utils.js"

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked at as it is
export type Any = any

interface Parameter {
  /** Its schema in each variant of a request. */
  readonly schemas: ReadonlyArray<Any>
  /** Whether every variant requires it. */
  readonly isRequired: boolean
}

const document: Any = OpenApi.make({ inline: true })
const signature = new Set(["api_key", "timestamp", "recv_window", "sign"])

const variantsOf = (schema: Any): ReadonlyArray<Any> =>
  schema.properties !== undefined
    ? [schema]
    : [schema.anyOf, schema.allOf].flatMap((some) => (some ?? []).flatMap(variantsOf))

/** The parameters of an operation in openapi.json, without those of its signature. */
export const parametersOf = (operation: Rules.Operation): Readonly<Record<string, Parameter>> => {
  const { method, path } = Rules.routeOf(operation)
  const described: Any = document.paths[path][method.toLowerCase()]
  const body: Any = described.requestBody?.content["application/json"].schema
  if (body === undefined) {
    const own = described.parameters.filter(({ name }: Any) => name !== undefined && !signature.has(name))
    return Object.fromEntries(
      own.map(({ name, required, schema }: Any) => [name, { schemas: [schema], isRequired: required === true }])
    )
  }
  const variants = variantsOf(body).filter(({ properties }) => properties.sign === undefined)
  const names = Rules.distinct(variants.flatMap(({ properties }) => Object.keys(properties)))
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        schemas: variants.flatMap(({ properties }) => properties[name] ?? []),
        isRequired: variants.every((variant) => variant.required?.includes(name) === true)
      }
    ])
  )
}
