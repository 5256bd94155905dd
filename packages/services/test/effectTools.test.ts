/** Every schema works with Effect's own tools, and stands beside the service of its domain. */
import * as AccountSchemas from "@effect-venue/schemas/Account"
import * as ApiLimitsSchemas from "@effect-venue/schemas/ApiLimits"
import * as AssetsSchemas from "@effect-venue/schemas/Assets"
import * as BrokerSchemas from "@effect-venue/schemas/Broker"
import * as ExecutionsSchemas from "@effect-venue/schemas/Executions"
import * as InstrumentsSchemas from "@effect-venue/schemas/Instruments"
import * as OrdersSchemas from "@effect-venue/schemas/Orders"
import * as PositionsSchemas from "@effect-venue/schemas/Positions"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Id from "@effect-venue/schemas/Id"
import * as Instant from "@effect-venue/schemas/Instant"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, JSONSchema, Pretty, Schema } from "effect"
import * as Account from "../src/Account.js"
import * as ApiLimits from "../src/ApiLimits.js"
import * as Assets from "../src/Assets.js"
import * as Broker from "../src/Broker.js"
import * as Executions from "../src/Executions.js"
import * as Instruments from "../src/Instruments.js"
import * as Orders from "../src/Orders.js"
import * as Positions from "../src/Positions.js"

const domains = [
  ["Account", AccountSchemas, Account],
  ["ApiLimits", ApiLimitsSchemas, ApiLimits],
  ["Assets", AssetsSchemas, Assets],
  ["Broker", BrokerSchemas, Broker],
  ["Executions", ExecutionsSchemas, Executions],
  ["Instruments", InstrumentsSchemas, Instruments],
  ["Orders", OrdersSchemas, Orders],
  ["Positions", PositionsSchemas, Positions]
] as const

const schemasOf = (module: object): ReadonlyArray<readonly [name: string, schema: Schema.Schema.AnyNoContext]> =>
  Object.entries(module).flatMap(([name, value]) =>
    Schema.isSchema(value) ? [[name, value as Schema.Schema.AnyNoContext] as const] : []
  )

const all = [
  ...domains.map(([name, schemas]) => [name, schemas] as const),
  ["Decimal", Decimal] as const,
  ["Enumerations", Enumerations] as const,
  ["Id", Id] as const,
  ["Instant", Instant] as const
].flatMap(([module, members]) => schemasOf(members).map(([name, schema]) => [`${module}.${name}`, schema] as const))

describe("a schema", () => {
  it("is exported, more than a hundred of them", () => {
    expect(all.length).toBeGreaterThan(100)
  })

  it.each(all)("%s has samples, an equivalence and a text", (_, schema) => {
    const isSame = Schema.equivalence(schema)
    const show = Pretty.make(schema)
    const samples: ReadonlyArray<unknown> = fc.sample(Arbitrary.make(schema), { numRuns: 5, seed: 1 })
    for (const sample of samples) {
      expect(isSame(sample, sample)).toBe(true)
      expect(show(sample)).not.toBe("")
    }
    // What is decoded twice from the same wire value is the same.
    for (const sample of samples) {
      const wire: unknown = Schema.encodeUnknownSync(schema)(sample)
      const decode: (wire: unknown) => unknown = Schema.decodeUnknownSync(schema)
      expect(isSame(decode(wire), decode(wire))).toBe(true)
    }
  })

  it.each(all)("%s has a JSON Schema, without a reference that describes another field", (_, schema) => {
    const text = JSON.stringify(JSONSchema.make(schema))
    expect(text).not.toMatch(/OrNothing|OrDefault|EitherInitial|EitherSpelling|NamedLists|Parallel/)
  })

  it("describes the spellings of nothing in the JSON Schema of a record", () => {
    const { $defs } = JSONSchema.make(Orders.Order)
    expect($defs?.Order).toMatchObject({
      properties: {
        orderId: { $ref: "#/$defs/OrderId" },
        orderLinkId: { anyOf: [{ $ref: "#/$defs/OrderLinkId" }, { enum: [""] }, { type: "null" }] },
        price: { anyOf: [{ $ref: "#/$defs/Decimal" }, { enum: [""] }, { type: "null" }] }
      }
    })
  })

  it.each(all)("%s can be the payload and the success of an endpoint of an HttpApi", (_, schema) => {
    const endpoint = HttpApiEndpoint.post("send", "/send").setPayload(schema).addSuccess(schema)
    const document = OpenApi.fromApi(HttpApi.make("api").add(HttpApiGroup.make("group").add(endpoint)))
    expect(document.paths["/send"]?.post?.responses[200]?.content).toHaveProperty("application/json")
  })
})

describe("a service's module", () => {
  it.each(domains)("%s exports every schema of its domain", (_, schemas, service) => {
    const beside = new Map(schemasOf(service))
    expect(schemasOf(schemas).filter(([name]) => !beside.has(name))).toEqual([])
  })
})
