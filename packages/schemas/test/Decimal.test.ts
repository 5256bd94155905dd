import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { BigDecimal, FastCheck as fc, Option, Schema } from "effect"
import * as Decimal from "../src/scalars/Decimal.js"
import * as Json from "@effect-venue/schemas/siblings/Json"
import { mismatches } from "./helpers.js"

addEqualityTesters()

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: -40, max: 40 }))
  .map(([value, scale]) => BigDecimal.make(value, scale))

/** What the service writes: digits, a point with digits after it, a minus before anything but zero. */
const canonical = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.stringMatching(/^[0-9]{0,20}$/))
  .map(([whole, fraction]) => (fraction === "" ? String(whole) : `${whole}.${fraction}`))

describe("Decimal.parse", () => {
  it.each([
    "",
    " ",
    " 1",
    "1 ",
    "1\n",
    "1,5",
    "1.5.5",
    "1_000",
    "NaN",
    "Infinity",
    "-Infinity",
    "0x10",
    "0b1",
    "1n",
    ".",
    "-",
    "+",
    "--1",
    "e5",
    "1e",
    "1e+",
    "1e5.5",
    "1e9999",
    "1e999999",
    "1e-999999",
    "1e999999999999999999",
    "null",
    "１"
  ])("refuses %j", (text) => {
    expect(Decimal.parse(text)).toStrictEqual(Option.none())
    expect(mismatches(Decimal.Decimal, text)).toStrictEqual([': must be decimal text such as "0.001"'])
  })

  it.each([
    ["0", "0"],
    ["-0", "0"],
    ["-0.00", "0.00"],
    ["1.50", "1.50"],
    ["-1.50", "-1.50"],
    ["+1", "1"],
    [".5", "0.5"],
    ["-.5", "-0.5"],
    ["5.", "5"],
    ["007", "7"],
    ["1e-05", "0.00001"],
    ["1E3", "1000"],
    ["1.5e+2", "150"],
    ["0e10", "0"],
    ["123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"]
  ])("reads %j as %s", (text, plain) => {
    expect(Option.map(Decimal.parse(text), Decimal.format)).toStrictEqual(Option.some(plain))
  })

  it("decodes a JSON number by its digits and encodes it as text", () => {
    const numbers = { 1: "1", 1.5: "1.5", 0: "0", [-7.25]: "-7.25", 1e21: "1000000000000000000000", 1e-7: "0.0000001" }
    for (const [key, plain] of Object.entries(numbers)) {
      const decimal = Schema.decodeUnknownSync(Decimal.Decimal)(Number(key))
      expect(Decimal.format(decimal)).toBe(plain)
      expect(Schema.encodeSync(Decimal.Decimal)(decimal)).toBe(plain)
    }
    // A double rounds these digits: they are read as text, and none of them is lost.
    const [long] = Option.getOrThrow(Json.parse("[0.12345678901234567891]")) as ReadonlyArray<unknown>
    expect(Decimal.format(Schema.decodeUnknownSync(Decimal.Decimal)(long))).toBe("0.12345678901234567891")
  })

  it("refuses a value that is neither text nor a number", () => {
    for (const value of [Number.NaN, Infinity, null, undefined, true, 10n, {}]) {
      expect(mismatches(Decimal.Decimal, value)).toHaveLength(1)
    }
  })

  it.prop("returns a decimal or none for any text, and never throws", [fc.string()], ([text]) => {
    expect(Option.isOption(Decimal.parse(text))).toBe(true)
  })
})

describe("Decimal.format", () => {
  it.prop("prints an optional sign, digits, and optionally a point with digits", [decimals], ([decimal]) => {
    expect(Decimal.format(decimal)).toMatch(/^-?\d+(\.\d+)?$/)
  })

  it.prop("keeps the value of a decimal", [decimals], ([decimal]) => {
    expect(Option.exists(Decimal.parse(Decimal.format(decimal)), BigDecimal.equals(decimal))).toBe(true)
  })

  it.prop("returns canonical text unchanged", [canonical], ([text]) => {
    expect(Option.map(Decimal.parse(text), Decimal.format)).toStrictEqual(Option.some(text))
  })

  it.each([
    [BigDecimal.make(0n, 0), "0"],
    [BigDecimal.make(0n, 3), "0.000"],
    [BigDecimal.make(0n, -3), "0"],
    [BigDecimal.make(5n, -3), "5000"],
    [BigDecimal.make(-5n, 3), "-0.005"],
    [BigDecimal.make(12345n, 5), "0.12345"],
    [BigDecimal.make(12345n, 2), "123.45"]
  ])("prints %s as %s", (decimal, text) => {
    expect(Decimal.format(decimal)).toBe(text)
  })
})

describe("Decimal.decimals", () => {
  it.each([
    ["1", 0],
    ["1.0000", 0],
    ["1.2300", 2],
    ["0.0001", 4],
    ["1e3", 0],
    ["0", 0],
    ["0.000", 0]
  ])("returns the decimals of %s: %i", (text, count) => {
    expect(Option.map(Decimal.parse(text), Decimal.decimals)).toStrictEqual(Option.some(count))
  })
})

describe("DecimalInput", () => {
  const write = Schema.encodeUnknownEither(Decimal.DecimalInput)

  it.prop("encodes text and BigDecimal without an exponent", [decimals], ([decimal]) => {
    expect(Schema.encodeSync(Decimal.DecimalInput)(decimal)).toBe(Decimal.format(decimal))
    expect(Schema.encodeSync(Decimal.DecimalInput)(Decimal.format(decimal))).toBe(Decimal.format(decimal))
  })

  it("refuses exponents, plus signs, bare points and leading zeros, both when encoding and decoding", () => {
    const read = Schema.decodeUnknownEither(Decimal.DecimalInput)
    for (const input of [
      "1e-7",
      "1e1",
      "1E1",
      "+1",
      "+1.50",
      ".5",
      "-.5",
      "5.",
      "- 1",
      "--1",
      "01",
      "007",
      "00",
      "-00.5"
    ]) {
      expect([input, write(input)._tag, read(input)._tag]).toEqual([input, "Left", "Left"])
    }
    for (const input of ["1.500", "-0.5", "0", "0.07"]) {
      expect([input, Schema.encodeSync(Decimal.DecimalInput)(input)]).toEqual([input, input])
      expect(read(input)._tag).toBe("Right")
    }
  })

  it("refuses a number and other text", () => {
    for (const input of [1, 1.5, Number.NaN, 10n, "", " 1", "1,5", "NaN", "1e9999", null]) {
      expect(write(input)._tag).toBe("Left")
    }
  })
})
