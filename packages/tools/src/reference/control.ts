/** The page of the sandbox's control commands and faults, from their schemas. */
import * as Commands from "@effect-venue/sandbox/siblings/Commands"
import { docblocks } from "@effect-venue/sandbox/siblings/Docblocks"
import { annotate } from "@effect-venue/schemas/siblings/Meaning"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { list, object, text } from "./document.js"
import { notice, table } from "./markdown.js"

type Json = Readonly<Record<string, unknown>>

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``

/** Alternatives without null, which the meaning of a field explains. */
const alternatives = (schema: Json): ReadonlyArray<Json> =>
  list(schema.anyOf)
    .map(object)
    .filter(({ type }) => type !== "null")

const typeOf = (schema: Json): string => {
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(" or ")
  if (schema.type === "array") return `list of ${typeOf(object(schema.items))}`
  const all = alternatives(schema)
  if (all.length > 0 && all.every(({ properties }) => properties !== undefined)) return "record"
  if (all.length > 0) return [...new Set(all.map(typeOf))].join(" or ")
  if (schema.type === "object") return schema.patternProperties === undefined ? "record" : "record by name"
  return schema.type === "string" ? "text" : text(schema.type)
}

const rangeOf = ({ maximum, minimum }: Json): string =>
  minimum === undefined && maximum === undefined
    ? ""
    : maximum === undefined
      ? `; at least ${JSON.stringify(minimum)}`
      : `; ${JSON.stringify(minimum)} to ${JSON.stringify(maximum)}`

/** The paths of the fields that are an `Option` on the type side of a schema. */
const optionsIn = (ast: AST.AST, prefix = ""): ReadonlyArray<string> => {
  const type = AST.typeAST(ast)
  if (!AST.isTypeLiteral(type)) return []
  return type.propertySignatures.flatMap(({ name, type: field }) => {
    const path = `${prefix}${String(name)}`
    const items = AST.isTupleType(field) ? field.rest[0]?.type : undefined
    const isOption = Option.exists(AST.getTypeConstructorAnnotation(field), ({ _tag }) => _tag === "effect/Option")
    return [...(isOption ? [path] : []), ...optionsIn(items ?? field, `${path}${items === undefined ? "" : "[]"}.`)]
  })
}

type Row = readonly [name: string, required: string, type: string, meaning: string]

/** The fields of a record, and of the records and lists in it, down to a depth. */
const rowsOf = (schema: Json, depth: number, prefix = ""): ReadonlyArray<Row> =>
  Object.entries(object(schema.properties)).flatMap(([name, value]) => {
    const field = object(value)
    const isList = field.type === "array"
    const path = `${prefix}${name}`
    const inside = isList ? object(field.items) : field
    return [
      [
        `\`${path}\``,
        list(schema.required).includes(name) ? "yes" : "",
        typeOf(field),
        `${text(field.description)}${rangeOf(field)}`
      ] as const,
      ...(depth > 1 ? rowsOf(inside, depth - 1, `${path}${isList ? "[]" : ""}.`) : [])
    ]
  })

/** The schema of the argument or the result of a command, with the records that it names in their places. */
const schemaOf = (name: Commands.CommandName, side: "argument" | "result"): Json => {
  const ast = annotate(Commands.commands[name][side].ast, docblocks, `${name} ${side}`)
  const { $defs = {}, ...json } = JSONSchema.make(Schema.make<unknown>(ast))
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== "object" || value === null) return value
    const named = "$ref" in value ? $defs[text(value.$ref).replace("#/$defs/", "")] : undefined
    // What stands beside a reference is more specific.
    return Object.fromEntries(Object.entries({ ...named, ...value }).map(([name, inside]) => [name, resolve(inside)]))
  }
  return object(resolve(json))
}

const depth = 3

const commandLines = (name: Commands.CommandName) => {
  const { summary } = Commands.commands[name]
  const fields = rowsOf(schemaOf(name, "argument"), depth)
  const results = rowsOf(schemaOf(name, "result"), depth)
  const options = new Set(optionsIn(Commands.commands[name].result.ast).map((path) => `\`${path}\``))
  return [
    `## ${name}`,
    "",
    `${summary}. \`${Commands.reads.has(name) ? "GET" : "POST"} /sandbox/control/${name}\``,
    "",
    ...(fields.length === 0 ? [] : table(["Field", "Required", "Type", "Meaning"], fields)),
    ...(results.length === 0
      ? []
      : [
          "**Result**",
          "",
          ...table(
            ["Field", "Type", "Meaning"],
            results.map(([path, , type, meaning]) => [
              path,
              options.has(path) ? `${type} or null; in a program \`Option\`` : type,
              meaning
            ])
          )
        ])
  ]
}

const faultLines = (): ReadonlyArray<string> => {
  const { rules } = object(schemaOf("setFaults", "argument").properties)
  const { fault } = object(object(object(rules).items).properties)
  const kinds = alternatives(object(fault)).map((schema) => ({
    kind: text(list(object(object(schema.properties).kind).enum)[0]),
    description: text(schema.description),
    fields: rowsOf(schema, depth).filter(([name]) => name !== "`kind`")
  }))
  return [
    "## Faults",
    "",
    "A rule of `setFaults` and `addFaults` has a fault, which is a record with its `kind` and the fields of this kind.",
    "",
    ...table(
      ["Kind", "The caller receives"],
      kinds.map(({ description, kind }) => [`\`${kind}\``, description])
    ),
    ...table(
      ["Kind", "Field", "Required", "Type", "Meaning"],
      kinds.flatMap(({ fields, kind }) => fields.map((field) => [`\`${kind}\``, ...field]))
    )
  ]
}

export const controlPage = (): ReadonlyArray<string> => [
  notice,
  "",
  "# Control commands of the sandbox",
  "",
  "Commands change the sandbox in ways that no API key can. They are methods of [`SandboxControl`](../sandbox.md#control-commands) and are taken [over HTTP](../sandbox-server.md#control-over-http): a command has its fields in a body of JSON, and a command that changes nothing has them in the query. The same is in the OpenAPI document of a server.",
  "",
  ...table(
    ["Command", "It"],
    Object.entries(Commands.commands).map(([name, { summary }]) => [
      `[${name}](#${name.toLowerCase()})`,
      summary.charAt(0).toLowerCase() + summary.slice(1)
    ])
  ),
  ...Commands.names.flatMap(commandLines),
  ...faultLines()
]
