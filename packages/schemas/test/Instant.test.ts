import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc, Option, Schema } from "effect"
import * as Instant from "../src/Instant.js"
import { at, mismatches } from "./helpers.js"

const schemas = [
  ["milliseconds as text", Instant.MillisText, 1, String],
  ["milliseconds as a number", Instant.MillisNumber, 1, Number],
  ["seconds as text", Instant.SecondsText, 1000, String],
  ["seconds as a number", Instant.SecondsNumber, 1000, Number]
] as const

const counts = fc.integer({ min: -2_000_000_000, max: 4_102_444_800 })

for (const [name, schema, perUnit, spelling] of schemas) {
  describe(name, () => {
    it.prop("are read from either spelling and written in their own", [counts], ([count]) => {
      for (const wire of [count, String(count)]) {
        const instant = Schema.decodeUnknownSync(schema)(wire)
        expect(instant.epochMillis).toBe(count * perUnit)
        expect(Schema.encodeSync(schema)(instant)).toBe(spelling(count))
      }
    })

    it("are nothing else", () => {
      for (const wire of [
        "",
        " ",
        "1.5",
        1.5,
        "1e3",
        "0x1",
        "2023-11-14",
        Number.NaN,
        Infinity,
        null,
        {},
        true,
        9e15
      ]) {
        expect(mismatches(schema, wire)).toStrictEqual([
          `: must be an instant in ${perUnit === 1 ? "milliseconds" : "seconds"}`
        ])
      }
    })
  })
}

describe("seconds", () => {
  it("are written without their milliseconds", () => {
    expect(Schema.encodeSync(Instant.SecondsText)(at(1_700_000_000_999))).toBe("1700000000")
    expect(Schema.encodeSync(Instant.SecondsNumber)(at(-1))).toBe(-1)
  })
})

describe("an instant of a request", () => {
  const millis = Instant.queryInstant("ms")
  const seconds = Instant.queryInstant("s")

  it("has many forms and one text", () => {
    for (const input of [
      1_700_000_000_000,
      new Date(1_700_000_000_000),
      at(1_700_000_000_000),
      DateTime.unsafeMakeZoned(1_700_000_000_000, { timeZone: "America/New_York" }),
      "2023-11-14T22:13:20Z",
      "2023-11-14T22:13:20",
      "2023-11-14T23:13:20+01:00",
      { year: 2023, month: 11, day: 14, hours: 22, minutes: 13, seconds: 20 }
    ]) {
      expect(Schema.encodeSync(millis)(input)).toBe("1700000000000")
      expect(Schema.encodeSync(seconds)(input)).toBe("1700000000")
    }
    expect(Schema.encodeSync(millis)("2023-11-14")).toBe("1699920000000")
  })

  it("is not what only looks like one", () => {
    for (const input of [
      {},
      [],
      { month: 5 },
      true,
      null,
      "5",
      "soon",
      "1700000000000",
      1.5,
      Number.NaN,
      1e20,
      new Date("x")
    ]) {
      expect(Schema.encodeUnknownEither(millis)(input)._tag).toBe("Left")
      expect(Instant.millis(input)).toStrictEqual(Option.none())
    }
  })

  it("is read by a server in the unit of the endpoint", () => {
    expect(Schema.decodeSync(millis)("1700000000123")).toStrictEqual(at(1_700_000_000_123))
    expect(Schema.decodeSync(seconds)("1700000000")).toStrictEqual(at(1_700_000_000_000))
    for (const wire of ["", "x", "1.5"]) {
      expect(mismatches(millis, wire)).toHaveLength(1)
      expect(mismatches(seconds, wire)).toHaveLength(1)
    }
  })

  it.prop("in seconds falls on a whole one, or is refused", [fc.integer({ min: 0, max: 4e12 })], ([input]) => {
    expect(Schema.encodeEither(seconds)(input)._tag).toBe(input % 1000 === 0 ? "Right" : "Left")
  })
})
