import * as Json from "@effect-venue/schemas/siblings/Json"
import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Verbatim from "../src/model/verbatim.js"

describe("comparing records", () => {
  it.each([
    ['{"a":1.50,"b":"x"}', '{ "b":"\\u0078", "a":1.5 }', true],
    ['{"a":9007199254740993}', '{"a":9007199254740992}', false],
    ['{"a":1234567890.123456789012345}', '{"a":1234567890.1234567890}', false],
    ['{"a":[1,2]}', '{"a":[2,1]}', false],
    ['{"a":1}', '{"a":"1"}', false]
  ])("%s and %s: %s", (one, other, expected) => {
    expect(Verbatim.isSameValue(one, other)).toBe(expected)
  })

  it("uses the values that the transport reads", () => {
    const line = Verbatim.line('{"a":1.50,"b":9007199254740993}')
    expect(Option.some(Verbatim.valueOf(line))).toEqual(Json.parse(line.text))
  })
})
