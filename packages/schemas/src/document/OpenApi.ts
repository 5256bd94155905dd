/**
 * The operations as an OpenAPI 3.1 document, for tools and other languages. It is generated from the endpoints: requests and results on the
 * wire side, signatures, envelopes, limits, paging and history windows.
 */
import * as Duration from "effect/Duration"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Endpoint from "../endpoint/Endpoint.js"
import * as Endpoints from "./Endpoints.js"
import * as Envelope from "../endpoint/Envelope.js"
import { docblocks } from "../rules/Docblocks.js"
import { placeOf, type Place } from "../rules/Meaning.js"
import { wireSide } from "../rules/wire.js"
import * as Rule from "../rules/rule.js"
import * as Variants from "./Variants.js"

/** A JSON object. */
export interface Json {
  readonly [key: string]: unknown
}

export interface Options {
  /** The operations to describe. Default: all. */
  readonly endpoints?: ReadonlyArray<Endpoint.Any> | undefined
  /** The URL of the service, or `/` for the one that the document is read from. Default: none. */
  readonly baseUrl?: string | undefined
  /** The version of the document. Default: `0.1.0`. */
  readonly version?: string | undefined
  /** Writes every schema in the place of its use, for a reader that follows no references. Default: `false`. */
  readonly inline?: boolean | undefined
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const items = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const object = (value: unknown): Json => (isJson(value) ? value : {})

// The generator's `$id`s are not addresses and are not unique.
const withoutIds = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutIds)
    : isJson(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, item]) =>
            key === "$id" && typeof item === "string" ? [] : [[key, withoutIds(item)] as const]
          )
        )
      : value

/** The place of the docblocks of a schema: of the operation whose request or result it is, or of the records in it. */
const placeIn = ({ ast }: Schema.Schema.AnyNoContext): Place => {
  const requested = Endpoints.all.find(({ request }) => request.ast === ast)
  const returned = Endpoints.all.find(({ result }) => result.ast === ast)
  const record = requested === undefined ? `${returned?.name ?? ""} result` : `${requested.name} request`
  return placeOf(docblocks, record)
}

/** The JSON Schema of the wire side of a schema, without references. */
const wire = (schema: Schema.Schema.AnyNoContext): Json =>
  object(
    withoutIds(
      JSONSchema.fromAST(wireSide(schema.ast, placeIn(schema)), {
        definitions: {},
        target: "openApi3.1",
        topLevelReferenceStrategy: "skip",
        // The service adds fields over time, so unknown fields are allowed.
        additionalPropertiesStrategy: "allow"
      })
    )
  )

/** The variants of a request: a single one, or one per category. */
const variants = (schema: Json): ReadonlyArray<Json> =>
  Array.isArray(schema.anyOf) ? schema.anyOf.map(object).flatMap(variants) : [schema]

const isRequired = (variant: Json, name: string): boolean =>
  Array.isArray(variant.required) && variant.required.includes(name)

const anyOf = (schemas: ReadonlyArray<unknown>): Json => {
  const distinct = Array.from(new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()).map(object)
  const values = distinct.map((schema) => (schema.type === "string" ? items(schema.enum) : []))
  return distinct.length === 1
    ? object(distinct[0])
    : values.every((literals) => literals.length > 0)
      ? { ...distinct[0], enum: Array.from(new Set(values.flat())) }
      : { anyOf: distinct }
}

/** The description of a field. */
const saying = (field: Json): Json => {
  const { alias, meaning, unit } = object(field["x-meaning"])
  return {
    ...(meaning === undefined ? {} : { description: meaning }),
    ...(unit === undefined ? {} : { "x-unit": unit }),
    ...(alias === undefined ? {} : { "x-alias": alias })
  }
}

const withoutMeaning = ({ "x-meaning": _, ...field }: Json): Json => field

/** Adds descriptions to the fields of a message. A field without a known meaning has none. */
const describeFields = (schema: Json): Json => ({
  ...withoutMeaning(schema),
  ...(isJson(schema.items) ? { items: describeFields(schema.items) } : {}),
  ...(Array.isArray(schema.anyOf) ? { anyOf: schema.anyOf.map((variant) => describeFields(object(variant))) } : {}),
  ...(isJson(schema.properties)
    ? {
        properties: Object.fromEntries(
          Object.entries(schema.properties).map(([name, property]) => {
            const field = object(property)
            return [name, { ...describeFields(field), ...saying(field) }]
          })
        )
      }
    : {})
})

/**
 * The wire side of a schema as JSON Schema, draft 2020-12. `description` is the meaning of a field, `x-unit` what its number counts,
 * `x-enumeration` the enumeration that its values are of.
 *
 * @category conversions
 */
export const jsonSchema = (schema: Schema.Schema.AnyNoContext): Json => describeFields(wire(schema))

/**
 * Returns a schema whose JSON Schema is that of `jsonSchema`, with the meanings of its fields, for `JSONSchema.make` and `HttpApi`. It decodes
 * and encodes as before.
 *
 * @category combinators
 */
export const describe = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ jsonSchema: jsonSchema(schema) })

/** The documented defaults of parameters. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "orders.open": { openOnly: 0 },
  "orders.create": { timeInForce: "GTC", tpOrderType: "Market", slOrderType: "Market" },
  "orders.cancelAll": { orderFilter: "Order" },
  "positions.setTradingStop": { tpOrderType: "Market", slOrderType: "Market" },
  "assets.deposits": { type: 0 },
  "assets.bonusUsage": { limit: 10 },
  "assets.subAccountTransfers": { cursor: "" },
  "broker.tradeVolume": { productType: "ALL" }
}

/** Defaults that apply only to spot. */
const onlyOfSpot = new Set(["orders.cancelAll orderFilter"])

/** Adds the default to the schema of a parameter; for a page size, the default page size. */
const withDefault = (endpoint: Endpoint.Any, name: string, schema: Json): Json => {
  const size = Option.filter(endpoint.paging, ({ sizeParameter }) => sizeParameter === name)
  const usual = Option.map(
    Option.flatMap(size, (paging) => paging.size),
    (bounds): unknown => bounds.default
  )
  const value = Option.getOrElse(usual, () => defaults[endpoint.name]?.[name])
  return value === undefined ? schema : { ...schema, default: value }
}

const ofSpot = (variant: Json): boolean => items(object(object(variant.properties).category).enum).includes("spot")

/** Adds the defaults to each variant of a body. */
const withDefaults = (endpoint: Endpoint.Any, schema: Json): Json => {
  if (Array.isArray(schema.anyOf)) {
    return { ...schema, anyOf: schema.anyOf.map((variant) => withDefaults(endpoint, object(variant))) }
  }
  const properties = Object.entries(object(schema.properties)).map(([name, property]) => [
    name,
    onlyOfSpot.has(`${endpoint.name} ${name}`) && !ofSpot(schema)
      ? property
      : withDefault(endpoint, name, object(property))
  ])
  return { ...schema, properties: Object.fromEntries(properties) }
}

const queryParameters = (endpoint: Endpoint.Any, request: Json): ReadonlyArray<Json> => {
  const all = variants(request)
  const names = new Set(all.flatMap((variant) => Object.keys(object(variant.properties))))
  return Array.from(names, (name) => {
    const having = all.map((variant) => object(variant.properties)[name]).filter(isJson)
    const { "x-alias": alias, ...meaning } = saying(object(having[0]))
    const schema = withDefault(endpoint, name, anyOf(having.map(withoutMeaning)))
    return {
      name,
      in: "query",
      required: all.every((variant) => isRequired(variant, name)),
      ...meaning,
      schema: alias === undefined ? schema : { ...schema, "x-alias": alias }
    }
  })
}

const text = { type: "string" }
const number = { type: "integer" }

const signatureFields = {
  api_key: text,
  timestamp: number,
  recv_window: number,
  sign: { type: "string", description: "hex of HMAC-SHA256 over all other parameters, sorted by name" }
}

/** Adds the fields of a signature that is sent as parameters. */
const withSignature = (schema: Json): Json => ({
  allOf: [schema, { type: "object", properties: signatureFields, required: ["api_key", "timestamp", "sign"] }]
})

const envelopes = { standard: Envelope.StandardEnvelope, legacy: Envelope.LegacyEnvelope, bare: Envelope.BareEnvelope }

/** The envelope fields of every response. */
const envelopeFields = {
  standard: ["retCode", "retMsg", "time"],
  legacy: ["ret_code", "ret_msg", "time_now"],
  bare: ["ret_code", "ret_msg"]
} as const

const codeFields = { standard: "retCode", legacy: "ret_code", bare: "ret_code" } as const

const extInfoFields = { standard: "retExtInfo", legacy: "ext_info", bare: undefined } as const

/** The content of the envelope: the result, and for an extended endpoint the ext info. */
const contents = (endpoint: Endpoint.Any): Json => {
  const schema = wire(endpoint.result)
  const extInfo = extInfoFields[endpoint.envelope]
  if (endpoint.extended !== true || extInfo === undefined) return { result: describeFields(schema) }
  const parts = object(schema.properties)
  return {
    result: describeFields(object(parts.result)),
    [extInfo]: describeFields(object(parts.extInfo))
  }
}

/** The schema of a response: the result or a refusal, in the envelope. */
const answer = (endpoint: Endpoint.Any): Json => {
  const envelope = wire(envelopes[endpoint.envelope])
  const code = codeFields[endpoint.envelope]
  const wrap = (inside: Json, codes: Json, required: ReadonlyArray<string>): Json => ({
    ...envelope,
    properties: { ...object(envelope.properties), ...inside, [code]: codes },
    required: [...envelopeFields[endpoint.envelope], ...required]
  })
  const inside = contents(endpoint)
  return {
    oneOf: [
      // The result of an extended endpoint needs both fields.
      {
        title: "done",
        ...wrap(inside, { type: "integer", const: 0 }, endpoint.extended === true ? Object.keys(inside) : [])
      },
      { title: "refused", ...wrap({ result: {} }, { type: "integer", not: { const: 0 } }, []) }
    ]
  }
}

const limitHeader = (description: string): Json => ({ description, schema: { type: "string" } })

const limitHeaders = {
  "X-Bapi-Limit": limitHeader("how many requests the window admits"),
  "X-Bapi-Limit-Status": limitHeader("how many of them are left"),
  "X-Bapi-Limit-Reset-Timestamp": limitHeader("when an exhausted window has room again, in milliseconds")
}

const rateLimit = ({ assumed, count, scope, upgradable, window }: Endpoint.RateLimit): Json => ({
  count,
  windowSeconds: Duration.toSeconds(window),
  scope,
  upgradable: upgradable === true,
  ...(assumed === undefined ? {} : { assumed })
})

const historyWindow = ({ bounds, from, reachBack, span, to, unit }: Endpoint.HistoryWindow): Json => ({
  from,
  to,
  unit,
  bounds,
  ...Option.match(span, { onNone: () => ({}), onSome: (length) => ({ spanDays: Duration.toDays(length) }) }),
  ...Option.match(reachBack, { onNone: () => ({}), onSome: (length) => ({ reachBackDays: Duration.toDays(length) }) })
})

const paging = ({ size, ...fields }: Endpoint.Paging): Json => ({
  ...fields,
  ...Option.match(size, { onNone: () => ({}), onSome: (bounds) => ({ size: bounds }) })
})

const extension = <A>(name: string, option: Option.Option<A>, show: (value: A) => unknown): Json =>
  Option.match(option, { onNone: () => ({}), onSome: (value) => ({ [name]: show(value) }) })

const security = {
  public: [],
  header: [{ apiKey: [], timestamp: [], signature: [] }],
  parameter: [{ apiKey: [], timestamp: [], signature: [] }]
}

const operation = (endpoint: Endpoint.Any): Json => {
  const request = wire(endpoint.request)
  const body = describeFields(withDefaults(endpoint, request))
  const isParameter = endpoint.signing === "parameter"
  const rules = Rule.ofSchema(endpoint.request).map(({ field, rule, source }) => ({ field, rule, source }))
  const parameters =
    endpoint.method === "GET"
      ? [
          ...queryParameters(endpoint, request),
          ...(isParameter
            ? Object.entries(signatureFields).map(([name, schema]) => ({
                name,
                in: "query",
                required: name !== "recv_window",
                schema
              }))
            : [])
        ]
      : []
  return {
    operationId: endpoint.name,
    tags: [endpoint.domain],
    summary: endpoint.summary,
    ...(endpoint.deprecated ? { deprecated: true } : {}),
    security: security[endpoint.signing],
    parameters:
      endpoint.signing === "public" ? parameters : [...parameters, { $ref: "#/components/parameters/RecvWindow" }],
    ...(endpoint.method === "POST"
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: isParameter ? withSignature(body) : body } }
          }
        }
      : {}),
    responses: {
      "200": {
        description: "The answer, in its envelope; refusals come like this too",
        ...(Option.isSome(endpoint.rateLimit) ? { headers: limitHeaders } : {}),
        content: { "application/json": { schema: answer(endpoint) } }
      },
      ...(endpoint.signing === "public" ? {} : { "401": { $ref: "#/components/responses/Unauthorized" } }),
      "403": { $ref: "#/components/responses/TooFrequent" },
      ...(endpoint.method === "POST" ? { "413": { $ref: "#/components/responses/TooLarge" } } : {})
    },
    ...extension("x-rate-limit", endpoint.rateLimit, rateLimit),
    ...extension("x-paging", endpoint.paging, paging),
    ...extension("x-history-window", endpoint.historyWindow, historyWindow),
    // The combinations of query parameters, which `parameters` cannot express.
    ...(endpoint.method === "GET" && variants(request).length > 1 ? { "x-query": body } : {}),
    ...(rules.length > 0 ? { "x-rules": rules } : {}),
    "x-signing": endpoint.signing,
    "x-envelope": endpoint.envelope,
    "x-safety": endpoint.safety,
    "x-evidence": endpoint.evidence,
    "x-source": endpoint.source
  }
}

const plain = (description: string): Json => ({
  description,
  content: { "text/plain": { schema: { type: "string" } } }
})

const header = (name: string, description: string): Json => ({ type: "apiKey", in: "header", name, description })

/** Creates the document. */
export const make = (options: Options = {}): Json => {
  const { baseUrl, endpoints = Endpoints.all, inline = false, version = "0.1.0" } = options
  const paths = new Map<string, Readonly<Record<string, Json>>>()
  for (const endpoint of endpoints) {
    paths.set(endpoint.path, {
      ...paths.get(endpoint.path),
      [endpoint.method.toLowerCase()]: operation(endpoint)
    })
  }
  const written = Object.fromEntries(paths)
  const named = inline ? { paths: written, schemas: {} } : Variants.nameVariants(written)
  return {
    openapi: "3.1.0",
    info: {
      title: "The service",
      version,
      description: "Trading, positions and assets. Amounts and prices are decimal text; refusals come with HTTP 200."
    },
    ...(baseUrl === undefined ? {} : { servers: [{ url: baseUrl }] }),
    tags: Array.from(new Set(endpoints.map(({ domain }) => domain)), (name) => ({ name })),
    paths: named.paths,
    components: {
      ...(inline ? {} : { schemas: named.schemas }),
      parameters: {
        RecvWindow: {
          name: "X-BAPI-RECV-WINDOW",
          in: "header",
          required: false,
          description: "how long after its timestamp the request is valid, in milliseconds; default 5000",
          schema: { type: "string" }
        }
      },
      responses: {
        Unauthorized: plain("Not authenticated: key, timestamp or signature is missing from the headers"),
        TooFrequent: plain("The address has sent too many requests, and is shut out for at least 10 minutes"),
        TooLarge: plain("The body is larger than 1 MB; sent by the sandbox, not documented by the service")
      },
      securitySchemes: {
        apiKey: header("X-BAPI-API-KEY", "the key"),
        timestamp: header("X-BAPI-TIMESTAMP", "milliseconds since 1970"),
        signature: header("X-BAPI-SIGN", "lower-case hex of HMAC-SHA256 over the text described in x-signing")
      }
    }
  }
}
