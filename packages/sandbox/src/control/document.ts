import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import { annotate } from "@effect-venue/schemas/siblings/Meaning"
import * as Commands from "./Commands.js"
import { docblocks } from "./Docblocks.js"
import * as Variants from "@effect-venue/schemas/siblings/Variants"
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

const statuses: ReadonlyArray<readonly [status: number, description: string]> = [
  [400, "The body is not JSON, or a field is unknown or has an invalid value"],
  [401, "The control token is missing or wrong"],
  [
    403,
    "Other machines can reach the server and it has no control token, or the request comes from a page of another site"
  ],
  [404, "No such command, account, coin, chain, symbol, open order or open position"],
  [405, "A command that changes something was not sent with POST"],
  [409, "It already exists"],
  [413, "The body is larger than 250 MB"],
  [422, "The rules of the exchange forbid it"]
]

const responseName = (status: number): string => `Refused${status}`

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
  // A server without a control token needs none.
  const security = [{ controlToken: [] }, {}]
  const operation = { operationId: `control.${name}`, tags: [tag], summary, security }
  const responses = {
    200: json("Done", schemaOf(result, "result")),
    ...Object.fromEntries(
      statuses.map(([status]) => [status, { $ref: `#/components/responses/${responseName(status)}` }])
    )
  }
  const taken = schemaOf(argument, "argument")
  // A command whose fields can all be left out needs no body.
  const required = "required" in taken && taken.required.length > 0
  return Commands.reads.has(name)
    ? { get: { ...operation, parameters: parametersOf(taken), responses } }
    : { post: { ...operation, requestBody: { required, ...json(summary, taken) }, responses } }
}

/** The OpenAPI document of a server: the operations of the service, and the control commands of the sandbox. */
export const make = (): OpenApi.Json => {
  // Relative to the address from which the document is read: the server can be reached at more than one.
  const document = OpenApi.make({ baseUrl: "/", inline: true })
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const commands = Object.entries(Commands.commands).map(
    ([name, command]) => [Path.of(name), commandOf(name, command, definitions)] as const
  )
  const { paths, schemas } = Variants.nameVariants({ ...object(document.paths), ...Object.fromEntries(commands) })
  const components = object(document.components)
  return {
    ...document,
    tags: Array.isArray(document.tags) ? document.tags.concat({ name: tag }) : [{ name: tag }],
    paths,
    components: {
      ...components,
      schemas: { ...definitions, ...schemas, Refusal: refusal },
      responses: {
        ...object(components.responses),
        ...Object.fromEntries(
          statuses.map(([status, description]) => [
            responseName(status),
            json(description, { $ref: "#/components/schemas/Refusal" })
          ])
        )
      },
      securitySchemes: {
        ...object(components.securitySchemes),
        controlToken: { type: "http", scheme: "bearer", description: "The control token of the server, if it has one" }
      }
    }
  }
}
