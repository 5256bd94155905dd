/** The OpenAPI document as HTML: every operation and command with its parameters and the fields of its result. */
import type * as OpenApi from "@effect-venue/schemas/OpenApi"

type Json = OpenApi.Json

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const object = (value: unknown): Json => (isJson(value) ? value : {})

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const entities: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escape = (value: string): string => value.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "")

const alternatives = (schema: Json): ReadonlyArray<Json> =>
  [schema.anyOf, schema.oneOf, schema.allOf].flatMap(list).map(object)

interface Field {
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly meaning: string
}

const typeOf = (schema: Json): string => {
  const name = text(schema["x-enumeration"]) || text(schema.format)
  if (name !== "") return name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (schema.type === "array") return `array of ${typeOf(object(schema.items)) || "objects"}`
  return text(schema.type) || [...new Set(alternatives(schema).map(typeOf))].join(" | ")
}

const meaningOf = (schema: Json): string => {
  const unit = text(schema["x-unit"])
  const range = [schema.minimum, schema.maximum].filter((bound) => typeof bound === "number").join(" to ")
  const initial = schema.default === undefined ? "" : `defaults to ${JSON.stringify(schema.default)}`
  const parts = [text(schema.description), unit && `in ${unit}`, text(schema["x-rule"]), range, initial]
  return parts.filter((part) => part !== "").join("; ")
}

/** The fields of a schema and of its nested objects. The variants of a request are merged. */
const fieldsOf = (schema: Json, path = ""): ReadonlyArray<Field> => {
  const own = Object.entries(object(schema.properties)).flatMap(([name, value]) => {
    const property = object(value)
    const way = path === "" ? name : `${path}.${name}`
    const isRequired = list(schema.required).includes(name)
    return [{ path: way, type: typeOf(property), isRequired, meaning: meaningOf(property) }, ...fieldsOf(property, way)]
  })
  const inside = isJson(schema.items) ? fieldsOf(schema.items, `${path}[]`) : []
  const found = new Map<string, Field>()
  for (const field of [...own, ...inside, ...alternatives(schema).flatMap((candidate) => fieldsOf(candidate, path))]) {
    const known = found.get(field.path)
    const types = new Set([...(known?.type.split(" | ") ?? []), ...field.type.split(" | ")])
    found.set(field.path, { ...(known ?? field), type: [...types].join(" | ") })
  }
  return [...found.values()]
}

const parametersOf = (operation: Json): ReadonlyArray<Field> => [
  ...list(operation.parameters)
    .map(object)
    .filter(({ name }) => name !== undefined)
    .map(({ description, name, required, schema, "x-unit": unit }) => ({
      path: text(name),
      type: typeOf(object(schema)),
      isRequired: required === true,
      meaning: meaningOf({ ...object(schema), description, "x-unit": unit })
    })),
  ...fieldsOf(object(object(object(object(operation.requestBody).content)["application/json"]).schema))
]

/** The fields of a success: the first alternative of an operation's response, or the result of a command. */
const resultOf = (operation: Json): ReadonlyArray<Field> => {
  const content = object(object(object(operation.responses)["200"]).content)
  const schema = object(object(content["application/json"]).schema)
  return fieldsOf(object(list(schema.oneOf)[0] ?? schema))
}

const table = (title: string, fields: ReadonlyArray<Field>): string => {
  const rows = fields.map(({ isRequired, meaning, path, type }) => {
    const cells = [`<code>${escape(path)}</code>`, isRequired ? "required" : "", escape(type), escape(meaning)]
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>\n`
  })
  const head = "<tr><th>Name</th><td></td><th>Type</th><th>Meaning</th></tr>"
  return fields.length === 0 ? "" : `<h4>${title}</h4>\n<table>${head}\n${rows.join("")}</table>\n`
}

const section = (path: string, method: string, operation: Json): string => {
  const name = escape(text(operation.operationId))
  const line = `<code>${escape(`${method.toUpperCase()} ${path}`)}</code> ${escape(text(operation.summary))}`
  return `<details id="${name}"><summary><b>${name}</b> ${line}</summary>
${table("Parameters", parametersOf(operation))}${table("Response", resultOf(operation))}</details>\n`
}

/** The schemas of a document's components in the places that name them. What stands beside a reference is more specific. */
const withoutReferences = (value: unknown, schemas: Json): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, schemas))
  if (!isJson(value)) return value
  const named = schemas[text(value.$ref).replace("#/components/schemas/", "")]
  return Object.fromEntries(
    Object.entries({ ...object(named), ...value }).map(([name, inside]) => [name, withoutReferences(inside, schemas)])
  )
}

/** The operations of a document, by domain. */
export const sections = (document: Json): string => {
  const paths = object(withoutReferences(document.paths, object(object(document.components).schemas)))
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, value]) => ({ path, method, operation: object(value) }))
  )
  const domains = [...new Set(operations.map(({ operation }) => text(list(operation.tags)[0])))]
  return domains
    .map((domain) => {
      const sections = operations
        .filter(({ operation }) => text(list(operation.tags)[0]) === domain)
        .map(({ method, operation, path }) => section(path, method, operation))
      return `<h3>${escape(domain)}</h3>\n${sections.join("")}`
    })
    .join("")
}
