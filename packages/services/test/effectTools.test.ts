/** Every schema works with Effect's own tools, and stands beside the service of its domain. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, JSONSchema, Predicate, Pretty, Schema, SchemaAST } from "effect"
import * as Account from "../src/Account.js"
import * as ApiLimits from "../src/ApiLimits.js"
import * as Assets from "../src/Assets.js"
import * as Broker from "../src/Broker.js"
import * as Executions from "../src/Executions.js"
import * as Instruments from "../src/Instruments.js"
import * as Orders from "../src/Orders.js"
import * as Positions from "../src/Positions.js"
import { all, domains, ofDomains, schemasOf } from "./utils/schemas.js"

const services = { Account, ApiLimits, Assets, Broker, Executions, Instruments, Orders, Positions } as const

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

  // The names of these fields on the wire depend on each other, which no field alone can show.
  const hasSpellings = new Set([
    "Orders.OpenOrder",
    "Assets.TransferAck",
    "ApiLimits.QueryResult",
    "ApiLimits.SetResult"
  ])
  const records = ofDomains.filter(([name]) => !name.endsWith("Request") && !hasSpellings.has(name))
  it.each(records)("%s has fields that can be picked, each with both of its sides", (_, schema) => {
    const decode = (of: Schema.Schema.AnyNoContext, wire: unknown): unknown => Schema.decodeUnknownSync(of)(wire)
    const [sample]: ReadonlyArray<unknown> = fc.sample(Arbitrary.make(schema), { numRuns: 1, seed: 1 })
    const record = decode(schema, Schema.encodeUnknownSync(schema)(sample))
    if (!Predicate.isRecord(record)) return
    const wire: unknown = Schema.encodeUnknownSync(schema)(record)
    for (const [name, value] of Object.entries(record)) {
      const picked = Schema.make(SchemaAST.pick(schema.ast, [name]))
      const part: unknown = Schema.encodeUnknownSync(picked)({ [name]: value })
      expect(wire).toMatchObject(Object(part) as object)
      expect(Schema.equivalence(picked)(decode(picked, part), { [name]: value })).toBe(true)
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
  it.each(Object.entries(services))("%s exports every schema of its domain", (name, service) => {
    const beside = new Map(schemasOf(service))
    expect(schemasOf(domains[name as keyof typeof domains]).filter(([name]) => !beside.has(name))).toEqual([])
  })
})
