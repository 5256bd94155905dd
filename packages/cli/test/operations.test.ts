import * as Samples from "@effect-venue/testing/Samples"
import * as Specification from "@effect-venue/testing/Specification"
import { describe, expect, it } from "vitest"
import { venue } from "./utils/venue.js"

describe("venue operations", () => {
  it("lists every operation for machines, with its evidence", async () => {
    const { code, out } = await venue(["operations", "--json"])
    expect(code).toBe(0)
    const operations = JSON.parse(out) as ReadonlyArray<Record<string, unknown>>
    expect(operations.map(({ name }) => name)).toEqual(Samples.all.map(({ name }) => name))
    for (const evidence of ["documented", "path documented", "undocumented"] as const) {
      const listed = operations.filter((operation) => operation.evidence === evidence).map(({ name }) => name)
      expect(listed.sort()).toEqual([...Specification.namesOf(evidence)].sort())
    }
    for (const operation of operations) {
      expect(Object.keys(operation)).toEqual(
        expect.arrayContaining(["name", "method", "path", "signing", "envelope", "limit", "safety", "paging", "window"])
      )
    }
    expect(operations.find(({ name }) => name === "executions.list")).toMatchObject({
      method: "GET",
      path: "/cloud/trade/v3/execution/list",
      signing: "header",
      envelope: "standard",
      limit: { count: 10, windowSeconds: 1, scope: "uid x category", assumed: "spot" },
      safety: "read",
      paging: { cursor: "nextPageCursor", size: { min: 1, max: 100, default: 50 } },
      window: { unit: "ms", bounds: "[]", spanDays: 7, reachBackDays: 730 }
    })
  })

  it("lists the operations for people, one per line", async () => {
    const { out } = await venue(["operations"])
    expect(out.trimEnd().split("\n")).toHaveLength(1 + Samples.all.length)
    expect(out).toMatch(
      /^assets\.transfer +POST +\/private\/v1\/asset\/transfer\/single-account-transfer +parameter +legacy +1\/s .* documented$/m
    )
    expect(out).toMatch(/^orders\.cancel +POST .* 10\/s per category, spot assumed .* path documented$/m)
    expect(out).toMatch(/^orders\.createBatch +POST .* 10\/s per category, assumed .* undocumented$/m)
  })
})
