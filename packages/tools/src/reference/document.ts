/**
 * Reads the operations from the OpenAPI document, for the pages of the reference. All data about requests and results is from the document.
 * If it does not describe a field or its meaning, this fails instead of guessing.
 */
import * as OpenApi from "@effect-venue/schemas/OpenApi"

type Json = OpenApi.Json

/** A parameter or a field of a result. `path` starts at the root: `list[].symbol`. */
export interface Field {
  readonly path: string
  readonly type: string
  /** The enumerations in its type. */
  readonly enumerations: ReadonlyArray<string>
  readonly unit: string
  readonly meaning: string
}

export interface Parameter extends Field {
  readonly required: string
  readonly rules: ReadonlyArray<string>
  /** Where its bounds and its closed list come from. */
  readonly sources: ReadonlyArray<string>
}

export interface Rule {
  readonly source: string
  readonly field: string
  readonly rule: string
}

export interface Operation {
  readonly name: string
  readonly domain: string
  readonly summary: string
  readonly method: string
  readonly path: string
  readonly deprecated: boolean
  readonly document: Json
  readonly parameters: ReadonlyArray<Parameter>
  /** Rules for more than one parameter. */
  readonly rules: ReadonlyArray<Rule>
  /** Empty if the result only confirms that the service accepted the write. */
  readonly result: ReadonlyArray<Field>
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json => (isJson(value) ? value : {})

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The domain spelling of a name on the wire: `tx_id` and `TxId` are `txId`. */
const domainName = (name: string): string =>
  (name.charAt(0).toLowerCase() + name.slice(1)).replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

// Types ---------------------------------------------------------------------------------------------------------------

/** Recognises the text of an absent value, and null. */
const isNothing = (schema: Json): boolean => schema.type === "null" || schema.description === "nothing"

const alternatives = (schema: Json): ReadonlyArray<Json> => list(schema.anyOf).map(object)

const isBoolean = (schema: Json): boolean => schema.type === "boolean" || schema.format === "boolean"

const isTextOrNumber = (schema: Json): boolean =>
  alternatives(schema).length > 0 &&
  alternatives(schema).every(({ type }) => type === "string" || type === "number" || type === "integer")

const formats: { readonly [format: string]: { readonly result: string; readonly request: string } } = {
  decimal: { result: "`BigDecimal`", request: "`BigDecimal` or decimal text" },
  "unix-milliseconds": { result: "`DateTime.Utc`", request: "instant" },
  "unix-seconds": { result: "`DateTime.Utc`", request: "instant, whole seconds" },
  integer: { result: "number", request: "number" },
  seq: { result: "`Seq`: text of digits", request: "`Seq`" },
  "comma-separated": { result: "list of text", request: "list of text" }
}

type Side = "request" | "result"

/** Returns the domain type of a value, or `undefined` if the schema does not define it. */
const typeOf = (schema: Json, side: Side): string | undefined => {
  const enumeration = text(schema["x-enumeration"])
  if (enumeration !== "") return `\`${enumeration}\``
  const format = formats[text(schema.format)]
  if (format !== undefined) return format[side]
  const present = alternatives(schema).filter((alternative) => !isNothing(alternative))
  if (present.length > 0 && present.length < alternatives(schema).length) {
    const type = typeOf(present.length === 1 ? object(present[0]) : { ...schema, anyOf: present }, side)
    return type === undefined ? undefined : `\`Option\`: ${type}`
  }
  if (isBoolean(schema)) return "boolean"
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ")
  if (isTextOrNumber(schema)) return side === "result" ? "text" : joinTypes(alternatives(schema), side)
  if (schema.type === "array") {
    const items = typeOf(object(schema.items), side)
    return items === undefined ? undefined : `list of ${items}`
  }
  if (isJson(schema.properties) || present.every(({ properties }) => isJson(properties))) {
    return isJson(schema.properties) || present.length > 0 ? "record" : scalarOf(schema)
  }
  return scalarOf(schema)
}

const joinTypes = (schemas: ReadonlyArray<Json>, side: Side): string | undefined => {
  const types = schemas.map((schema) => typeOf(schema, side))
  return types.includes(undefined) ? undefined : [...new Set(types)].join(" or ")
}

const scalarOf = ({ type }: Json): string | undefined =>
  type === "string" ? "text" : type === "integer" || type === "number" ? "number" : undefined

const enumerationsOf = (schema: Json): ReadonlyArray<string> => [
  ...(text(schema["x-enumeration"]) === "" ? [] : [text(schema["x-enumeration"])]),
  ...alternatives(schema).flatMap(enumerationsOf),
  ...(isJson(schema.items) && !isJson(schema.items.properties) ? enumerationsOf(schema.items) : [])
]

// Results -------------------------------------------------------------------------------------------------------------

/** Returns the records in a schema, with their paths. */
const recordsIn = (schema: Json, path: string): ReadonlyArray<{ readonly record: Json; readonly path: string }> => [
  ...(isJson(schema.properties) ? [{ record: schema, path }] : []),
  ...alternatives(schema).flatMap((alternative) => recordsIn(alternative, path)),
  ...(isJson(schema.items) ? recordsIn(schema.items, `${path}[]`) : [])
]

const resultFields = (operation: string, schema: Json, path = ""): ReadonlyArray<Field> => {
  const found = new Map<string, Field>()
  for (const { path: around, record } of recordsIn(schema, path)) {
    for (const [name, value] of Object.entries(object(record.properties))) {
      const property = object(value)
      // A second spelling is not a separate field.
      if (text(property["x-alias"]) !== "") continue
      const way = `${around === "" ? "" : `${around}.`}${domainName(name)}`
      const type = typeOf(property, "result")
      const meaning = text(property.description)
      if (type === undefined) throw new Error(`${operation}: the document does not say what ${way} is`)
      if (meaning === "") throw new Error(`${operation}: the document does not say what ${way} means`)
      if (!found.has(way)) {
        const enumerations = enumerationsOf(property)
        found.set(way, { path: way, type, meaning, enumerations, unit: text(property["x-unit"]) })
      }
      for (const inside of resultFields(operation, property, way)) {
        if (inside.path !== way && !found.has(inside.path)) found.set(inside.path, inside)
      }
    }
  }
  return [...found.values()]
}

/** Returns the schema of a result. */
const resultOf = (operation: Json): Json => {
  const response = object(object(object(operation.responses)["200"]).content)
  const [done] = list(object(object(response["application/json"]).schema).oneOf)
  const properties = object(object(done).properties)
  return object(properties.result)
}

const isNoResult = (schema: Json): boolean => Array.isArray(schema.type) && schema.type.includes("null")

/** Returns the fields of the result of an operation. Throws if the document does not describe one. */
export const fieldsOf = (name: string, schema: Json): ReadonlyArray<Field> => {
  if (isNoResult(schema)) return []
  const fields = resultFields(name, schema)
  if (fields.length === 0) throw new Error(`${name}: the document does not say what its result is`)
  return fields
}

// Requests ------------------------------------------------------------------------------------------------------------

/** Returns the variants of a request: a single one, or one per category. */
const variantsOf = (schema: Json): ReadonlyArray<Json> =>
  Array.isArray(schema.anyOf)
    ? schema.anyOf.map(object).flatMap((variant) =>
        // Rules for all variants apply to each of them.
        variantsOf({ ...variant, "x-rules": [...list(variant["x-rules"]), ...list(schema["x-rules"])] })
      )
    : [schema]

/** Returns the request as an object. A query with one variant is a list of parameters. */
const requestOf = (operation: Json): Json => {
  if (isJson(operation["x-query"])) return operation["x-query"]
  if (isJson(operation.requestBody)) {
    const schema = object(object(object(operation.requestBody.content)["application/json"]).schema)
    // The second element contains the fields of the signature.
    return Array.isArray(schema.allOf) ? object(schema.allOf[0]) : schema
  }
  const query = list(operation.parameters)
    .map(object)
    .filter((parameter) => parameter.in === "query" && !signatureFields.includes(text(parameter.name)))
  return {
    type: "object",
    required: query.filter(({ required }) => required === true).map(({ name }) => name),
    properties: Object.fromEntries(
      query.map(({ description, name, schema, "x-unit": unit }) => [
        text(name),
        { ...object(schema), description, "x-unit": unit }
      ])
    ),
    "x-rules": operation["x-rules"]
  }
}

const signatureFields = ["api_key", "timestamp", "recv_window", "sign"]

const literalsOf = (variant: Json, name: string): ReadonlyArray<unknown> =>
  list(object(object(variant.properties)[name]).enum)

/** Names variants by the parameter whose values differ in all of them. */
const kindOf = (variants: ReadonlyArray<Json>): ((variant: Json) => ReadonlyArray<string>) => {
  const key = Object.keys(object(variants[0]?.properties)).find(
    (name) =>
      variants.every((variant) => literalsOf(variant, name).length > 0) &&
      new Set(variants.map((variant) => JSON.stringify(literalsOf(variant, name)))).size > 1
  )
  return (variant) =>
    key === undefined
      ? []
      : literalsOf(variant, key).map((value) => (key === "category" ? String(value) : `${key} ${String(value)}`))
}

/** Rules that the type already expresses. */
const isSaidByType = (rule: string): boolean =>
  /^must (?:(?:not be empty|be an instant|be true or false|be text)\b|be a (?:decimal|whole number)$)/.test(rule)

const boundsOf = (schema: Json): ReadonlyArray<string> => [
  ...(text(schema["x-rule"]) === "" || isSaidByType(text(schema["x-rule"])) || Array.isArray(schema.enum)
    ? rangeOf(schema)
    : [text(schema["x-rule"])]),
  ...alternatives(schema).flatMap(boundsOf),
  ...(schema.default === undefined || schema.default === "" ? [] : [`defaults to ${JSON.stringify(schema.default)}`])
]

const rangeOf = (schema: Json): ReadonlyArray<string> => [
  ...(typeof schema.minimum === "number" && typeof schema.maximum === "number"
    ? [`${schema.minimum} to ${schema.maximum}`]
    : typeof schema.minimum === "number"
      ? [`at least ${schema.minimum}`]
      : []),
  ...(schema.minLength === 1 ? ["not empty"] : [])
]

/** Where the bounds and closed lists of a value come from. That an empty text is no value needs no source. */
const sourcesOf = (schema: Json): ReadonlyArray<string> => [
  ...(text(schema["x-source"]) === "" ||
  (schema.minLength === 1 && schema.maxLength === undefined && schema.pattern === undefined)
    ? []
    : [text(schema["x-source"])]),
  ...alternatives(schema).flatMap(sourcesOf)
]

const isRequiredIn = (name: string, variant: Json): boolean => list(variant.required).includes(name)

/** Describes whether a parameter is required: always, never, or for some categories. */
const describeRequired = (
  name: string,
  having: ReadonlyArray<Json>,
  kind: (variant: Json) => ReadonlyArray<string>
) => {
  const requiring = having.filter((variant) => isRequiredIn(name, variant))
  if (requiring.length === having.length) return "yes"
  return requiring.length === 0 ? "" : `for ${[...new Set(requiring.flatMap(kind))].join(", ")}`
}

const parametersIn = (operation: string, request: Json, path = ""): ReadonlyArray<Parameter> => {
  const variants = variantsOf(request)
  const kind = kindOf(variants)
  const all = new Set(variants.flatMap(kind))
  const names = new Set(variants.flatMap((variant) => Object.keys(object(variant.properties))))
  return Array.from(names).flatMap((wireName) => {
    const having = variants.filter((variant) => wireName in object(variant.properties))
    const schemas = having.map((variant) => object(object(variant.properties)[wireName]))
    // A second spelling is not a separate parameter.
    if (schemas.some((schema) => text(schema["x-alias"]) !== "")) return []
    const name = `${path}${domainName(wireName)}`
    const type = joinTypes(schemas, "request")
    if (type === undefined) throw new Error(`${operation}: the document does not say what the parameter ${name} is`)
    // A parameter has the same meaning in all variants.
    const [{ description, "x-unit": unit } = {}] = schemas
    if (text(description) === "") throw new Error(`${operation}: the document does not say what ${name} means`)
    const only = [...new Set(having.flatMap(kind))]
    const own = having.flatMap((variant) =>
      rulesOf(variant).flatMap(({ field, rule, source }) =>
        field === wireName ? [{ rule, source, kinds: kind(variant) }] : []
      )
    )
    /** A rule of some variants names them. */
    const ownRules = [...new Set(own.map(({ rule }) => rule))].map((rule) => {
      const kinds = new Set(own.flatMap((candidate) => (candidate.rule === rule ? candidate.kinds : [])))
      return kinds.size === 0 || kinds.size === only.length ? rule : `for ${[...kinds].join(", ")}: ${rule}`
    })
    const items = schemas.flatMap((schema) => (isJson(schema.items) ? [schema.items] : []))
    const inside = items.some((item) => variantsOf(item).some(({ properties }) => isJson(properties)))
      ? parametersIn(operation, { anyOf: items }, `${name}[].`)
      : []
    return [
      {
        path: name,
        // Variants of a request can accept some of the same values.
        type: [...new Set(type.split(" or "))].join(" or "),
        required: describeRequired(wireName, having, kind),
        rules: [
          ...(only.length > 0 && only.length < all.size ? [`only ${only.join(", ")}`] : []),
          ...new Set([...schemas.flatMap(boundsOf), ...ownRules])
        ],
        sources: [...new Set([...schemas.flatMap(sourcesOf), ...own.map(({ source }) => source)])],
        enumerations: [...new Set(schemas.flatMap(enumerationsOf))],
        unit: text(unit),
        meaning: text(description)
      },
      ...inside
    ]
  })
}

const rulesOf = (operation: Json): ReadonlyArray<Rule> => {
  const rules = list(operation["x-rules"]).map((candidate) => ({
    source: text(object(candidate).source),
    field: text(object(candidate).field),
    rule: text(object(candidate).rule)
  }))
  return [...new Map(rules.map((rule) => [`${rule.field} ${rule.rule}`, rule])).values()]
}

// The document --------------------------------------------------------------------------------------------------------

const operationOf = (path: string, method: string, document: Json): Operation => {
  const name = text(document.operationId)
  const rules = rulesOf(document)
  const parameters = parametersIn(name, requestOf(document))
  return {
    name,
    path,
    method: method.toUpperCase(),
    domain: text(list(document.tags)[0]),
    summary: text(document.summary),
    deprecated: document.deprecated === true,
    document,
    parameters,
    rules: rules.filter(({ field }) => !parameters.some((parameter) => parameter.path === field)),
    result: fieldsOf(name, resultOf(document))
  }
}

/** Returns all operations of a document, in its order. */
export const operationsOf = (document: Json = OpenApi.make({ inline: true })): ReadonlyArray<Operation> =>
  Object.entries(object(document.paths)).flatMap(([path, item]) =>
    Object.entries(object(item)).map(([method, operation]) => operationOf(path, method, object(operation)))
  )
