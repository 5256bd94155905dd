import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import { annotate } from "@effect-venue/schemas/siblings/Meaning"
import * as Commands from "./Commands.js"
import { docblocks } from "./Docblocks.js"
import * as Path from "./path.js"

const isJson = (value: unknown): value is OpenApi.Json => typeof value === "object" && value !== null

const object = (value: unknown): OpenApi.Json => (isJson(value) ? value : {})

const tag = "Control"

const refusal = {
  type: "object",
  required: ["error", "field", "message"],
  properties: {
    error: { type: "string", description: "the reason" },
    field: { type: "string", description: "the field that is to blame; empty for all of the argument" },
    message: { type: "string" }
  }
}

const json = (description: string, schema: object) => ({ description, content: { "application/json": { schema } } })

const parametersOf = (schema: JSONSchema.JsonSchema7): ReadonlyArray<object> =>
  Object.entries(object("properties" in schema ? schema.properties : undefined)).map(([name, value]) => ({
    name,
    in: "query",
    required: "required" in schema && schema.required.includes(name),
    description: object(value).description,
    schema: value
  }))

const commandOf = (
  name: string,
  { argument, result, summary }: (typeof Commands.commands)[Commands.CommandName],
  definitions: Record<string, JSONSchema.JsonSchema7>
) => {
  const schemaOf = ({ ast }: Schema.Schema.Any, side: "argument" | "result") =>
    JSONSchema.fromAST(annotate(ast, docblocks, `${name} ${side}`), {
      definitions,
      definitionPath: "#/components/schemas/",
      target: "openApi3.1"
    })
  const operation = { operationId: `control.${name}`, tags: [tag], summary, security: [] }
  const responses = {
    200: json("Done", schemaOf(result, "result")),
    ...Object.fromEntries(Object.entries(Path.statuses).map(([reason, status]) => [status, json(reason, refusal)]))
  }
  return Commands.reads.has(name)
    ? { get: { ...operation, parameters: parametersOf(schemaOf(argument, "argument")), responses } }
    : { post: { ...operation, requestBody: json(summary, schemaOf(argument, "argument")), responses } }
}

/** The OpenAPI document of a server: the operations of the service, and the control commands of the sandbox. */
export const make = (baseUrl: string): OpenApi.Json => {
  const document = OpenApi.make({ baseUrl })
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const paths = Object.entries(Commands.commands).map(([name, command]) => [
    Path.of(name),
    commandOf(name, command, definitions)
  ])
  return {
    ...document,
    tags: Array.isArray(document.tags) ? document.tags.concat({ name: tag }) : [{ name: tag }],
    paths: { ...object(document.paths), ...Object.fromEntries(paths) },
    components: { ...object(document.components), schemas: definitions }
  }
}
