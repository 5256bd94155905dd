// The help of `venue call OPERATION` loads this: the parameters of the operation, from the same schemas as the reference.
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as Predicate from "effect/Predicate"
import { callLines, entry, section, wrapLines, wrapText } from "../output/layout.js"

type Json = OpenApi.Json

const object = (value: unknown): Json => (Predicate.isReadonlyRecord(value) ? value : {})

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** A parameter in one variant of a request. */
interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  readonly meaning: string
  readonly unit: string
  readonly schema: Json
  /** The categories of the variant; empty if the request has none. */
  readonly categories: ReadonlyArray<unknown>
}

const variantsOf = (schema: Json): ReadonlyArray<Json> => {
  const some = [...list(schema.anyOf), ...list(schema.oneOf)].map(object)
  // The second part of `allOf` has the fields of the signature.
  const [first] = list(schema.allOf).map(object)
  return first !== undefined ? variantsOf(first) : some.length === 0 ? [schema] : some.flatMap(variantsOf)
}

const propertiesOf = (variant: Json): ReadonlyArray<Parameter> => {
  const properties = object(variant.properties)
  const required = list(variant.required)
  const category = object(properties.category)
  return Object.entries(properties).map(([name, property]) => {
    const schema = object(property)
    return {
      name,
      isRequired: required.includes(name),
      meaning: text(schema.description),
      unit: text(schema["x-unit"]),
      schema,
      categories: "const" in category ? [category.const] : list(category.enum)
    }
  })
}

/** The parameters of each variant of a request. */
const parametersOf = (operation: Json): ReadonlyArray<ReadonlyArray<Parameter>> => {
  const content = Object.values(object(object(operation.requestBody).content)).map((each) =>
    object(object(each).schema)
  )
  const query = list(operation.parameters)
    .map(object)
    .filter((parameter) => parameter.in === "query")
    .map((parameter) => ({
      name: text(parameter.name),
      isRequired: parameter.required === true,
      meaning: text(parameter.description),
      unit: text(parameter["x-unit"]),
      schema: object(parameter.schema),
      categories: []
    }))
  return query.length > 0 ? [query] : content.slice(0, 1).flatMap(variantsOf).map(propertiesOf)
}

const valuesOf = (schema: Json): ReadonlyArray<unknown> => [
  ...("const" in schema ? [schema.const] : []),
  ...list(schema.enum),
  ...[...list(schema.anyOf), ...list(schema.allOf)].map(object).flatMap(valuesOf)
]

const many = 10

const sentence = (words: string): string => (words === "" ? "" : `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}.`)

/** The text about a parameter: its meaning, unit, values and default. */
const about = (all: ReadonlyArray<Parameter>, variants: number): string => {
  const [first] = all
  if (first === undefined) return ""
  const values = [...new Set(all.flatMap(({ schema }) => valuesOf(schema)))].filter((value) => value !== "").map(String)
  const categories = [...new Set(all.flatMap((parameter) => parameter.categories))].map(String)
  const fallback = all.map(({ schema }) => schema.default).find((value) => value !== undefined && value !== "")
  const isRequired = all.length === variants && all.every((parameter) => parameter.isRequired)
  return [
    isRequired ? "Required." : "",
    sentence(first.meaning),
    first.unit === "" ? "" : `Unit: ${first.unit}.`,
    values.length === 0 || values.length > many ? "" : `One of ${values.join(", ")}.`,
    all.length < variants && categories.length > 0 ? `Only ${categories.join(", ")}.` : "",
    fallback === undefined ? "" : `Defaults to ${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}.`
  ]
    .filter((part) => part !== "")
    .join(" ")
    .replaceAll("`", "")
}

/** The lines about the parameters of all variants, those that are required first. */
const parameterLines = (variants: ReadonlyArray<ReadonlyArray<Parameter>>, width: number): ReadonlyArray<string> => {
  const names = [...new Set(variants.flatMap((parameters) => parameters.map(({ name }) => name)))]
  const entries = names.map((name) => {
    const all = variants.flatMap((parameters) => parameters.filter((parameter) => parameter.name === name))
    return { name, text: about(all, variants.length) }
  })
  const isRequired = ({ text }: { readonly text: string }) => text.startsWith("Required.")
  return [...entries.filter(isRequired), ...entries.filter((each) => !isRequired(each))].flatMap(({ name, text }) =>
    entry(name, text, width)
  )
}

/** The fields of the orders of a batch. */
const orderLines = (variants: ReadonlyArray<ReadonlyArray<Parameter>>, width: number): ReadonlyArray<string> => {
  const items = variants.map((parameters) => {
    const request = parameters.find(({ name }) => name === "request")
    const item = object(request?.schema.items)
    return variantsOf(item)
      .flatMap(propertiesOf)
      .map((parameter) => ({ ...parameter, categories: request?.categories ?? [] }))
  })
  return parameterLines(
    items.filter((parameters) => parameters.length > 0),
    width
  )
}

const exampleWords = ({ example }: Endpoint.Any): string =>
  Object.entries(object(example))
    .map(([name, value]) => {
      const word = `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`
      return /^[\w=.,:-]*$/.test(word) ? word : `'${word}'`
    })
    .join(" ")

/** The help of a call of an operation; `undefined` if the operation does not exist. */
export const operationHelp = (name: string, width: number): string | undefined => {
  const endpoint = Endpoints.all.find((each) => each.name === name)
  if (endpoint === undefined) return undefined
  const paths = object(object(OpenApi.make({ endpoints: [endpoint], inline: true })).paths)
  const variants = parametersOf(object(object(paths[endpoint.path])[endpoint.method.toLowerCase()]))
  return [
    wrapLines(`venue call ${name} [<key=value>...] [options]`, width),
    "",
    ...wrapText(`${endpoint.summary}.`, width),
    ...section("Parameters", parameterLines(variants, width)),
    ...section("Each order of request", orderLines(variants, width)),
    ...section("Example", callLines(`venue call ${name} ${exampleWords(endpoint)}`, width)),
    "",
    "venue call --help has the options."
  ].join("\n")
}
