import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { DateTime, Either, FastCheck as fc, Option, Schema } from "effect"
import * as Instant from "../src/scalars/instants.js"
import { at, mismatches } from "./helpers.js"

addEqualityTesters()

const schemas = [
  ["milliseconds as text", Instant.MillisText, 1, String],
  ["milliseconds as a number", Instant.MillisNumber, 1, Number],
  ["seconds as text", Instant.SecondsText, 1000, String],
  ["seconds as a number", Instant.SecondsNumber, 1000, Number]
] as const

const [earliest, latest] = [Date.UTC(2010, 0), Date.UTC(2100, 0)]

for (const [name, schema, perUnit, spelling] of schemas) {
  describe(name, () => {
    const rule = `: must be an instant in ${perUnit === 1 ? "milliseconds" : "seconds"}, from 2010 to 2099`
    const plausible = fc.integer({ min: earliest / perUnit, max: latest / perUnit - 1 })
    // Placeholders, and the time of a virtual clock that begins at 0.
    const around1970 = fc.integer({ min: -2_000_000_000, max: Math.floor((earliest / 1000 - 1) / perUnit) })

    it.prop("accept both spellings and write the documented one", [fc.oneof(plausible, around1970)], ([count]) => {
      for (const wire of [count, String(count)]) {
        const instant = Schema.decodeUnknownSync(schema)(wire)
        expect(instant.epochMillis).toBe(count * perUnit)
        expect(Schema.encodeSync(schema)(instant)).toBe(spelling(count))
      }
    })

    it("refuse everything else", () => {
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
        expect(mismatches(schema, wire)).toStrictEqual([rule])
      }
    })

    it.prop("refuse the counts of another unit", [plausible], ([count]) => {
      // Thousandths of seconds lie in the first days of 1970, as the time of a virtual clock does.
      for (const factor of [1000, 1_000_000, ...(perUnit === 1 ? [1 / 1000] : [])]) {
        expect(mismatches(schema, Math.floor(count * factor))).toStrictEqual([rule])
      }
    })

    it("refuse instants before 2010 and after 2099, but not 0 and -1", () => {
      const counts = (...instants: ReadonlyArray<number>) => instants.map((instant) => instant / perUnit)
      for (const count of [0, -1, ...counts(earliest, latest - perUnit)]) {
        expect(mismatches(schema, count)).toStrictEqual([])
      }
      for (const count of counts(earliest - perUnit, Date.UTC(1990, 0), Date.UTC(1971, 0), latest, Date.UTC(2200, 0))) {
        expect(mismatches(schema, count)).toStrictEqual([rule])
      }
    })
  })
}

describe("seconds", () => {
  it("are written without milliseconds", () => {
    expect(Schema.encodeSync(Instant.SecondsText)(at(1_700_000_000_999))).toBe("1700000000")
    expect(Schema.encodeSync(Instant.SecondsNumber)(at(-1))).toBe(-1)
  })
})

describe("an instant of a request", () => {
  const millis = Instant.queryInstant("ms")
  const seconds = Instant.queryInstant("s")

  it("encodes every input form to the same text", () => {
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

  it("refuses values that only look like an instant", () => {
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

  it("is decoded in the unit of the endpoint", () => {
    expect(Schema.decodeSync(millis)("1700000000123")).toStrictEqual(at(1_700_000_000_123))
    expect(Schema.decodeSync(seconds)("1700000000")).toStrictEqual(at(1_700_000_000_000))
    for (const wire of ["", "x", "1.5"]) {
      expect(mismatches(millis, wire)).toHaveLength(1)
      expect(mismatches(seconds, wire)).toHaveLength(1)
    }
  })

  it.prop("in seconds is refused unless it is a whole second", [fc.integer({ min: 0, max: 4e12 })], ([input]) => {
    expect(Schema.encodeEither(seconds)(input)._tag).toBe(input % 1000 === 0 ? "Right" : "Left")
  })
})

describe("text of an instant", () => {
  const impossible = [
    ["2026-02-31", "there is no such day"],
    ["2026-11-31", "there is no such day"],
    ["2025-02-29", "there is no such day"],
    ["1900-02-29T00:00:00Z", "there is no such day"],
    ["2026-04-31T10:00:00+02:00", "there is no such day"],
    ["2026-01-00", "there is no such day"],
    ["2026-01-32", "there is no such day"],
    ["2026-00-01", "there is no such month"],
    ["2026-13-01", "there is no such month"],
    ["2026-01-31T24:00:00Z", "there is no such hour"],
    ["2026-01-31T23:60:00Z", "there is no such minute"],
    ["2026-12-31T23:59:60Z", "there is no such second"],
    ["2026-01-31T10:00:00+24:00", "there is no such zone offset"],
    ["2026-01-31T10:00:00-05:60", "there is no such zone offset"],
    ["2026-01-31T10:00:00.0001Z", "it is not on a whole millisecond"],
    ["-000000-01-01", "there is no such year"],
    ["+999999-01-01", "there is no such year"]
  ] as const

  for (const [text, detail] of impossible) {
    it(`refuses ${text} with the mistake in it: ${detail}`, () => {
      expect(Instant.parse(text)).toStrictEqual(
        Either.left(`must be an instant, not ${JSON.stringify(text)}: ${detail}`)
      )
      expect(Instant.millis(text)).toStrictEqual(Option.none())
      for (const unit of ["ms", "s"] as const) {
        expect(Schema.encodeUnknownEither(Instant.queryInstant(unit))(text)).toMatchObject({
          left: { message: expect.stringContaining(`not ${JSON.stringify(text)}: ${detail}`) }
        })
      }
    })
  }

  it("refuses text that is not ISO 8601, even if the platform accepts it", () => {
    for (const text of ["2026-01-31T", "2026-01-31x", "2026-01-31 PST", "2026-01-31T10:00 GMT", "2026-1-31"]) {
      expect(Instant.parse(text)).toStrictEqual(Either.left("must be an instant"))
    }
  })

  it("accepts 29 February of leap years, years after 9999 and before 100", () => {
    for (const [text, wire] of [
      ["2024-02-29", "2024-02-29T00:00:00.000Z"],
      ["2000-02-29T12:30", "2000-02-29T12:30:00.000Z"],
      ["+012026-02-28T23:59:59.999Z", "+012026-02-28T23:59:59.999Z"],
      ["0026-03-01 00:00-0030", "0026-03-01T00:30:00.000Z"],
      ["2026-01-01T00:00:00.120000+01", "2025-12-31T23:00:00.120Z"]
    ] as const) {
      expect(Either.map(Instant.parse(text), (at) => new Date(at).toISOString())).toStrictEqual(Either.right(wire))
    }
  })

  const two = (value: number) => String(value).padStart(2, "0")
  const field = (max: number) => fc.integer({ min: 0, max })
  const zone = fc.option(fc.tuple(fc.constantFrom("+", "-"), field(25), field(61)))

  // Every accepted text has the fields that it names, in its own zone.
  it.prop(
    "formats back to the same calendar fields, or is refused",
    [field(2400), field(14), field(33), field(25), field(61), field(61), field(999), zone],
    ([year, month, day, hours, minutes, seconds, ms, offset]) => {
      const local = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hours)}:${two(minutes)}:${two(seconds)}.${String(ms).padStart(3, "0")}`
      const text = offset === null ? local : `${local}${offset[0]}${two(offset[1])}:${two(offset[2])}`
      const shift = offset === null ? 0 : (offset[0] === "-" ? -1 : 1) * (offset[1] * 60 + offset[2]) * 60_000
      const days =
        month === 2
          ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
            ? 29
            : 28
          : [4, 6, 9, 11].includes(month)
            ? 30
            : 31
      const exists =
        month >= 1 &&
        month <= 12 &&
        day >= 1 &&
        day <= days &&
        hours < 24 &&
        minutes < 60 &&
        seconds < 60 &&
        (offset === null || (offset[1] < 24 && offset[2] < 60))
      const at = Instant.millis(text)
      expect(Option.isSome(at)).toBe(exists)
      for (const millis of Option.toArray(at)) {
        expect(new Date(millis + shift).toISOString()).toBe(`${local}Z`)
      }
    }
  )

  it.prop(
    "is refused exactly when its calendar parts are",
    [field(2400), field(14), field(33), field(25), field(61)],
    ([year, month, day, hours, minutes]) => {
      const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hours)}:${two(minutes)}Z`
      expect(Instant.millis({ year, month, day, hours, minutes })).toStrictEqual(Instant.millis(text))
    }
  )
})
