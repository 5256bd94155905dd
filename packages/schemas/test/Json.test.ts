import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, FastCheck as fc, Option } from "effect"
import * as Json from "@effect-venue/schemas/siblings/Json"

const parsed = (text: string): unknown => Option.getOrThrow(Json.parse(text))

/** Number tokens: whole numbers of any size, long fractions, exponents that a double has. */
const digits = (max: number) => fc.stringMatching(new RegExp(`^\\d{1,${max}}$`))
const whole = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9]\d{0,40}$/), fc.stringMatching(/^[1-9]\d{14,16}$/))
const number = fc
  .tuple(
    fc.constantFrom("", "-"),
    whole,
    fc.option(fc.oneof(digits(6), digits(40)), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "e-", "E-"), fc.integer({ min: 0, max: 200 })), {
      nil: undefined,
      freq: 3
    })
  )
  .map(
    ([sign, integer, fraction, exponent]) =>
      `${sign}${integer}${fraction === undefined ? "" : `.${fraction}`}${exponent === undefined ? "" : exponent.join("")}`
  )

/** Strings with what looks like numbers, keys and ends of strings in them. */
const string = fc
  .array(fc.oneof(number, fc.constantFrom('"', "\\", ":", ",", " ", "[", '":', "é", "\n", "\u2028"), fc.string()), {
    maxLength: 6
  })
  .map((parts) => parts.join(""))

type Model =
  | { readonly number: string }
  | { readonly string: string }
  | { readonly list: ReadonlyArray<Model> }
  | { readonly record: ReadonlyArray<readonly [string, Model]> }

const { model } = fc.letrec<{ model: Model }>((tie) => ({
  model: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ number }),
    fc.record({ string }),
    fc.record({ list: fc.array(tie("model"), { maxLength: 5 }) }),
    fc.record({
      record: fc.uniqueArray(fc.tuple(string, tie("model")), { maxLength: 5, selector: ([key]) => key })
    })
  )
}))

const printed = (json: Model, space: string): string => {
  if ("number" in json) return json.number
  if ("string" in json) return JSON.stringify(json.string)
  if ("list" in json) return `[${space}${json.list.map((item) => printed(item, space)).join(`${space},${space}`)}]`
  const fields = json.record.map(([key, value]) => `${JSON.stringify(key)}:${space}${printed(value, space)}`)
  return `{${fields.join(`,${space}`)}${space}}`
}

const sameValue = (one: string, other: string): boolean =>
  BigDecimal.equals(BigDecimal.unsafeFromString(one), BigDecimal.unsafeFromString(other))

/** A number is there with its value, or its text is there verbatim; everything else is what it was. */
const isLossless = (json: Model, value: unknown): void => {
  if ("number" in json) {
    if (typeof value === "string") expect(value).toBe(json.number)
    else expect(`${json.number}: ${sameValue(String(value), json.number)}`).toBe(`${json.number}: true`)
    if (/^-?\d+$/.test(json.number)) expect(Number.isSafeInteger(value)).toBe(typeof value === "number")
  } else if ("string" in json) expect(value).toBe(json.string)
  else if ("list" in json) {
    expect(Array.isArray(value) && value.length).toBe(json.list.length)
    json.list.forEach((item, index) => isLossless(item, (value as ReadonlyArray<unknown>)[index]))
  } else {
    expect(Object.keys(value as object)).toHaveLength(json.record.length)
    for (const [key, item] of json.record) {
      isLossless(item, Object.getOwnPropertyDescriptor(value, key)?.value)
    }
  }
}

describe("Json.parse", () => {
  it.prop(
    "returns every number exactly, as a number or as text, and other values unchanged",
    [model, fc.constantFrom("", " ", "\n\t", "\r\n  ")],
    ([json, space]) => isLossless(json, parsed(printed(json, space))),
    { fastCheck: { numRuns: 2000 } }
  )

  it.prop("returns numbers that a double holds as JSON.parse does", [fc.jsonValue()], ([json]) => {
    const text = JSON.stringify(json)
    const withoutLargeIntegers = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_, item: unknown) =>
        typeof item === "number" && Number.isInteger(item) && !Number.isSafeInteger(item) ? String(item) : item
      )
    expect(withoutLargeIntegers(parsed(text))).toEqual(withoutLargeIntegers(JSON.parse(text)))
  })

  it.prop("returns none for text that is not JSON", [fc.oneof(number, string), string], ([one, other]) => {
    for (const text of [one, `${one}${other}`, `{${one}:1}`, `[0${one}]`, `[${one}`, `{"a":${one}${other}}`]) {
      const isJson = Option.isSome(Option.liftThrowable((json: string): unknown => JSON.parse(json))(text))
      expect(`${text} ${Option.isSome(Json.parse(text))}`).toBe(`${text} ${isJson}`)
    }
  })

  it.each([
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["1000000.000000000000000001", "1000000.000000000000000001"],
    ["4.0000000000000000001", "4.0000000000000000001"],
    ["1.500000000000000000", 1.5],
    ["0.1", 0.1],
    ["1e21", 1e21],
    ["100000000000000000000e-5", 1e15],
    ["0.0000000000000000000", 0],
    ["12345678901234567e-1", "12345678901234567e-1"],
    ["1e400", Infinity],
    ["1.0000000000000000e400", "1.0000000000000000e400"]
  ])("reads %s as %j", (text, value) => {
    expect(parsed(text)).toBe(value)
    expect(parsed(`[${text}]`)).toEqual([value])
    expect(parsed(` { "a" : ${text} } `)).toEqual({ a: value })
  })

  it("finds a long number at any position", () => {
    for (let offset = 0; offset < 40; offset++) {
      const before = "x".repeat(offset)
      expect(parsed(`["${before}",9007199254740993]`)).toEqual([before, "9007199254740993"])
      expect(parsed(`{"${before}":-9007199254740993}`)).toEqual({ [before]: "-9007199254740993" })
    }
  })

  it("parses text with millions of escapes and digits", () => {
    const long = `${'\\"'.repeat(1_000_000)}${"1234567890".repeat(200_000)}`
    expect(parsed(`{"a":"${long}","b":9007199254740993}`)).toEqual({
      a: long.replaceAll('\\"', '"'),
      b: "9007199254740993"
    })
  })
})

describe("Json.isDeeperThan", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

  it.prop("agrees with the depth of the parsed value for any strings", [fc.json({ maxDepth: 7 })], ([text]) => {
    const depth = depthOf(JSON.parse(text))
    expect(Json.isDeeperThan(text, depth)).toBe(false)
    if (depth > 0) expect(Json.isDeeperThan(text, depth - 1)).toBe(true)
  })

  it("ignores brackets and quotes in strings", () => {
    const row = '{"a":"[[[[{{{{","b":"\\"[[","c":"\\\\"}'
    const text = `[${Array.from({ length: 100 }, () => row).join(",")}]`
    expect(Json.isDeeperThan(text, 2)).toBe(false)
    expect(Json.isDeeperThan(text, 1)).toBe(true)
    expect(Json.isDeeperThan(`${'["]","\\"]",'.repeat(9)}1${"]".repeat(9)}`, 8)).toBe(true)
  })

  it("builds no value, and does not fail for text that is not JSON", () => {
    expect(Json.isDeeperThan("[".repeat(1_000_000), 512)).toBe(true)
    expect(Json.isDeeperThan(`${"[".repeat(20)}"unterminated ${"[".repeat(1000)}`, 512)).toBe(false)
    expect(Json.isDeeperThan("", 0)).toBe(false)
  })
})
