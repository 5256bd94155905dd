import * as Samples from "@effect-venue/testing/Samples"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { describe, expect, it } from "@effect/vitest"

describe("the samples", () => {
  it("are one per operation, in the order of the endpoints", () => {
    expect(Object.keys(Samples.requests)).toEqual(Endpoints.all.map(({ name }) => name))
  })

  for (const { endpoint, name, wire } of Samples.all) {
    it(`${name} is what its endpoint sends: ${endpoint.method === "GET" ? "texts" : "JSON"}`, () => {
      expect(Object.keys(wire).length).toBeGreaterThan(0)
      if (endpoint.method === "GET") {
        expect(Object.values(wire).filter((value) => typeof value !== "string")).toEqual([])
      }
      expect(JSON.parse(JSON.stringify(wire))).toEqual(wire)
    })
  }
})
