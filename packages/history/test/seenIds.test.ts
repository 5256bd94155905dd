import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, FastCheck, Schema } from "effect"
import * as SeenIds from "../src/model/seenIds.js"

const uuids = Arbitrary.make(Schema.UUID)

/** Ids that resemble each other: UUIDs in other cases and lengths, texts of both widths, halves of surrogates, and long ones. */
const ids = FastCheck.oneof(
  uuids,
  uuids.map((id) => id.toUpperCase()),
  uuids.map((id) => id.slice(0, 35)),
  uuids.map((id) => `${id.slice(0, 35)}g`),
  FastCheck.constantFrom(
    "",
    "\u0000",
    "\u0000\u0000",
    "\u0100",
    "\ud800",
    "é",
    "币",
    "a".repeat(1024),
    "a".repeat(1025)
  ),
  FastCheck.string({ unit: "binary", maxLength: 3 }),
  FastCheck.integer({ min: 0, max: 99 }).map(String)
)

describe("ids that were seen", () => {
  it.prop("are those that were added, and no other", [FastCheck.array(ids, { maxLength: 300 })], ([all]) => {
    const seen = SeenIds.make()
    const expected = new Set<string>()
    for (const id of all) {
      expect(seen.has(id)).toBe(expected.has(id))
      expect(seen.add(id)).toBe(expected.has(id))
      expected.add(id)
    }
    for (const id of all) expect(seen.has(id)).toBe(true)
  })

  it("are at least the last ones, if there are more than a set has room for", () => {
    const seen = SeenIds.make(100)
    const all = Array.from({ length: 1000 }, (_, index) => `${index}`)
    expect(all.filter((id) => seen.add(id))).toEqual([])
    expect(all.slice(-100).filter((id) => !seen.has(id))).toEqual([])
  })
})
