// The parameters of documented operations are compared with the document in packages/sandbox/test/openApiParameters.test.ts.
import { describe, expect, it } from "@effect/vitest"
import { JSONSchema, Option, Schema } from "effect"
import * as Decimal from "../src/scalars/Decimal.js"
import * as Endpoints from "../src/document/Endpoints.js"
import * as OpenApi from "../src/document/OpenApi.js"
import * as Orders from "../src/domains/Orders.js"
import * as Positions from "../src/domains/Positions.js"

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked at as it is
type Any = any

const document: Any = OpenApi.make({ inline: true })

const operationOf = (name: string): Any => {
  const endpoint = Endpoints.all.find((one) => one.name === name)
  return document.paths[endpoint?.path ?? ""][endpoint?.method.toLowerCase() ?? ""]
}

const parameterOf = (name: string, parameter: string): Any =>
  operationOf(name).parameters.find((one: Any) => one.name === parameter)

const bodyOf = (name: string): Any => {
  const { schema } = operationOf(name).requestBody.content["application/json"]
  const [first] = schema.allOf ?? [schema]
  return (first.anyOf?.[0] ?? first).properties
}

describe("the parameters of a query", () => {
  it("have the bounds and default of the page size, and describe the cursor", () => {
    const paged = Endpoints.all.filter(({ paging }) => Option.isSome(paging))
    expect(paged.length).toBeGreaterThan(9)
    for (const { name, paging } of paged) {
      const { cursorParameter, size, sizeParameter } = Option.getOrThrow(paging)
      const bounds = Option.match(size, {
        onNone: () => ({}),
        onSome: ({ default: usual, max, min }) => ({ minimum: min, maximum: max, default: usual })
      })
      const { "x-source": _, ...schema } = parameterOf(name, sizeParameter).schema
      expect([name, schema]).toEqual([name, { type: "integer", ...bounds }])
      expect([name, parameterOf(name, cursorParameter)]).toMatchObject([name, { schema: { type: "string" } }])
      expect(parameterOf(name, cursorParameter).description).toMatch(/previous page/)
    }
  })

  it("have the unit of instants and the pattern of texts", () => {
    expect(parameterOf("executions.list", "startTime").schema).toMatchObject({
      type: "integer",
      description: "milliseconds since 1970"
    })
    expect(parameterOf("assets.transfers", "endTime").schema).toMatchObject({ description: "seconds since 1970" })
    expect(parameterOf("orders.history", "symbol").schema).toMatchObject({ type: "string", minLength: 1 })
  })
})

describe("every parameter", () => {
  const propertiesIn = (schema: Any): ReadonlyArray<readonly [name: string, property: Any]> => [
    ...Object.entries<Any>(schema?.properties ?? {}).flatMap(([name, property]) => [
      [name, property] as const,
      ...propertiesIn(property)
    ]),
    ...[
      ...(schema?.anyOf ?? []),
      ...(schema?.allOf ?? []),
      ...(schema?.items === undefined ? [] : [schema.items])
    ].flatMap(propertiesIn)
  ]

  const parametersOf = (name: string): ReadonlyArray<readonly [name: string, said: Any]> => {
    const { parameters, requestBody } = operationOf(name)
    return requestBody === undefined
      ? parameters.flatMap((one: Any) => (one.in === "query" ? [[one.name, one]] : []))
      : propertiesIn(requestBody.content["application/json"].schema)
  }

  it("has a description, in a query and in a body", () => {
    const ofSignature = ["api_key", "timestamp", "recv_window", "sign"]
    const told = Endpoints.all.flatMap(({ name }) =>
      parametersOf(name)
        .filter(([parameter]) => !ofSignature.includes(parameter))
        .map(([parameter, { description }]) => ({ parameter: `${name} ${parameter}`, description: description ?? "" }))
    )
    expect(told.length).toBeGreaterThan(200)
    expect(told.filter(({ description }) => description === "")).toEqual([])
  })
})

describe("a bound or a closed list of a request", () => {
  const restrictions = ["enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems"]

  /** The notation of a decimal is no bound. */
  const notation = OpenApi.jsonSchema(Decimal.DecimalInput).pattern

  interface Restricted {
    readonly path: string
    readonly schema: Any
  }

  const restrictedIn = (path: string, schema: Any): ReadonlyArray<Restricted> => [
    ...(restrictions.some((restriction) => restriction in schema && schema[restriction] !== notation)
      ? [{ path, schema }]
      : []),
    ...Object.entries<Any>(schema.properties ?? {}).flatMap(([name, inner]) => restrictedIn(`${path} ${name}`, inner)),
    ...[...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])].flatMap((inner: Any) =>
      restrictedIn(path, inner)
    )
  ]

  const restricted = Endpoints.all.flatMap(({ name, request }) => restrictedIn(name, OpenApi.jsonSchema(request)))

  it("names its source", () => {
    expect(restricted.length).toBeGreaterThan(200)
    const sources = ["document", "public", "ours"]
    expect(restricted.filter(({ schema }) => !sources.includes(schema["x-source"])).map(({ path }) => path)).toEqual([])
  })

  it("names its source also if it is of several parameters", () => {
    const rules = Endpoints.all.flatMap(({ name }) => operationOf(name)["x-rules"] ?? [])
    expect(rules.length).toBeGreaterThan(30)
    expect(rules.filter(({ source }: Any) => !["document", "public", "ours"].includes(source))).toEqual([])
  })

  it("is not a list that is only ours", () => {
    expect(restricted.filter(({ schema }) => "enum" in schema && schema["x-source"] === "ours")).toEqual([])
  })

  it("is only ours if a request beyond it would not be the one that it reads as", () => {
    const ours = restricted.filter(({ schema }) => schema["x-source"] === "ours" && schema.minLength !== 1)
    expect(new Set(ours.map(({ path }) => path.split(" ").at(-1)))).toEqual(
      // The amounts that a guard measures, and the prices without which a limit order is a market order.
      new Set(["amount", "price", "qty", "triggerPrice", "tpLimitPrice", "slLimitPrice"])
    )
  })

  // "Full enumerations: not shown" of the document, and the parameters whose values it only shows in examples.
  const notShown = [
    ...["orderStatus", "timeInForce", "execType", "triggerBy", "tpTriggerBy", "slTriggerBy", "smpType", "status"],
    ...["accountType", "fromAccountType", "toAccountType", "bizType", "direction", "rate", "riskId", "areaCode"]
  ]

  it("is not one of a parameter whose values are not shown", () => {
    const found = restricted.filter(({ path }) => notShown.includes(path.split(" ").at(-1) ?? ""))
    expect(found.filter(({ schema }) => schema.minLength !== 1)).toEqual([])
  })
})

describe("the fields of a body", () => {
  it("have lengths and patterns", () => {
    expect(bodyOf("orders.create").orderLinkId).toMatchObject({
      minLength: 1,
      maxLength: 36,
      pattern: "^[A-Za-z0-9_-]*$"
    })
    expect(bodyOf("orders.create").qty).toMatchObject({ type: "string", pattern: "^(0|[1-9]\\d*)(\\.\\d+)?$" })
    expect(bodyOf("orders.create").side).toMatchObject({ enum: ["Buy", "Sell"] })
    expect(bodyOf("orders.createBatch").request).toMatchObject({ minItems: 1, maxItems: 20 })
  })
})

describe("a schema with the meanings of its fields", () => {
  it("has them in the JSON Schema that Effect makes of it, and decodes as before", () => {
    const schema: Any = JSONSchema.make(OpenApi.describe(Orders.AmendRequest))
    expect(schema.anyOf[0].properties.orderLinkId.description).toMatch(/^The id of the order/)
    const position: Any = JSONSchema.make(OpenApi.describe(Positions.Position))
    expect(position.properties.markPrice).toMatchObject({
      description: "Last mark price",
      "x-unit": "quote coin per base coin"
    })
    const described = OpenApi.describe(Orders.OrderAck)
    expect(Schema.decodeUnknownSync(described)({ orderId: "a", orderLinkId: "b" })).toEqual(
      Schema.decodeUnknownSync(Orders.OrderAck)({ orderId: "a", orderLinkId: "b" })
    )
  })

  it("keeps the descriptions of a program's own schema", () => {
    const own = Schema.Struct({
      size: Schema.propertySignature(Schema.Number).annotations({ description: "How much" })
    })
    expect(OpenApi.jsonSchema(own).properties).toMatchObject({ size: { description: "How much" } })
  })
})
