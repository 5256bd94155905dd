import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Json from "@effect-venue/schemas/siblings/Json"

const { array, constantFrom, letrec, oneof, record, string, tuple } = FastCheck

const spaces = constantFrom("", "", " ", "\n", "\r\n", "\t", " \n  ")

/** Numbers as a service may spell them, and as it hardly would. */
const numbers = oneof(
  constantFrom(
    "0",
    "-0",
    "1.50",
    "1e3",
    "1E-7",
    "-0.0",
    "9007199254740993",
    "1234567890.123456789012345",
    "1e400",
    "10"
  ),
  FastCheck.integer().map(String),
  FastCheck.bigInt().map(String),
  FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value))
)

/** The same text in another spelling: escapes that are not needed, and escapes that are. */
const strings = tuple(
  oneof(
    string({ unit: "binary" }),
    string(),
    constantFrom('"', "\\", '},{"a":1', "[{", '\\"', "a:1.50,", "result", "list")
  ),
  FastCheck.boolean()
).map(([text, isEscaped]) =>
  isEscaped
    ? `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`
    : JSON.stringify(text)
)

const joined = (open: string, close: string, items: ReadonlyArray<string>, space: string): string =>
  `${open}${space}${items.join(`${space},${space}`)}${space}${close}`

const { row, value } = letrec<{ value: string; row: string }>((tie) => ({
  value: oneof(
    { depthSize: "small", withCrossShrink: true },
    numbers,
    strings,
    constantFrom("true", "false", "null"),
    tuple(array(tie("value"), { maxLength: 4 }), spaces).map(([items, space]) => joined("[", "]", items, space)),
    tie("row")
  ),
  row: tuple(array(tuple(strings, tie("value"), spaces), { maxLength: 5 }), spaces).map(([fields, space]) =>
    joined(
      "{",
      "}",
      fields.map(([name, value, between]) => `${name}${between}:${between}${value}`),
      space
    )
  )
}))

const pages = record({
  items: array(oneof({ weight: 4, arbitrary: row }, value), { maxLength: 6 }),
  others: array(tuple(strings, value), { maxLength: 3 }),
  after: array(tuple(strings, value), { maxLength: 3 }),
  name: constantFrom('"list"', '"l\\u0069st"'),
  space: spaces
}).map(({ after, items, name, others, space }) => {
  const member = ([name, value]: readonly [string, string]) => `${name}${space}:${space}${value}`
  const isOther = ([name]: readonly [string, string]) => !["list", "result"].includes(JSON.parse(name) as string)
  const list = member([name, joined("[", "]", items, space)])
  const result = joined(
    "{",
    "}",
    [...others.filter(isOther).map(member), list, ...after.filter(isOther).map(member)],
    space
  )
  const answer = joined(
    "{",
    "}",
    [...after.filter(isOther).map(member), member(['"result"', result]), ...others.filter(isOther).map(member)],
    space
  )
  return { answer: `${space}${answer}${space}`, items }
})

const isOneLine = (text: string): boolean => !/[\r\n]/.test(text)

describe("the items of a response", () => {
  it("are the bytes of the response with spaces for line breaks, for any content", () => {
    FastCheck.assert(
      FastCheck.property(pages, ({ answer, items }) => {
        expect(Json.itemTexts(answer, "list")).toEqual(items.map((item) => item.replace(/\r\n|[\r\n]/g, " ")))
      }),
      { numRuns: 500, seed: 7 }
    )
  })

  it("parse to the items of the list", () => {
    FastCheck.assert(
      FastCheck.property(pages, ({ answer }) => {
        const texts = Json.itemTexts(answer, "list")
        const { result } = JSON.parse(answer) as { readonly result: { readonly list: unknown } }
        expect(texts.every(isOneLine)).toBe(true)
        expect(JSON.parse(`[${texts.join(",")}]`)).toEqual(result.list)
      }),
      { numRuns: 500, seed: 8 }
    )
  })

  it("are those of the last list if a response has two", () => {
    const answer = '{"result":{"list":[1],"list":[2]},"result":{"list":[3,4],"x":[{"list":[5]}]}}'
    expect(Json.itemTexts(answer, "list")).toEqual(["3", "4"])
  })

  it("can be nested 20,000 levels deep", () => {
    const deep = `${"[".repeat(20_000)}1.50${"]".repeat(20_000)}`
    expect(Json.itemTexts(`{"result":{"list":[${deep},{"a":${deep}}]}}`, "list")).toEqual([deep, `{"a":${deep}}`])
  })
})

describe("a record that is read verbatim", () => {
  it("keeps the spelling of every number", () => {
    expect(Json.parseVerbatim('{"a":1.50,"b":-0,"c":[9007199254740993, 1e3],"d":1.5,"e":":1.50","f":12}')).toEqual({
      a: "1.50",
      b: "-0",
      c: ["9007199254740993", "1e3"],
      d: 1.5,
      e: ":1.50",
      f: 12
    })
  })

  it("is printed with the same tokens, for any record", () => {
    FastCheck.assert(
      FastCheck.property(numbers, (token) => {
        const { a } = Json.parseVerbatim(`{"a":${token}}`) as { readonly a: unknown }
        expect(String(a)).toBe(token)
      }),
      { numRuns: 500, seed: 9 }
    )
  })

  it("has the text of each field, also for escaped names", () => {
    FastCheck.assert(
      FastCheck.property(array(tuple(strings, value), { maxLength: 5 }), (fields) => {
        const text = `{${fields.map(([name, value]) => `${name}: ${value}`).join(" ,")}}`
        const expected = new Map(fields.map(([name, value]) => [JSON.parse(name) as string, value]))
        expect(Json.fieldTexts(text)).toEqual(expected)
      }),
      { numRuns: 500, seed: 10 }
    )
  })
})
