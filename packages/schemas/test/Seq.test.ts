import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as Seq from "@effect-venue/schemas/siblings/Seq"
import { mismatches } from "./helpers.js"

addEqualityTesters()

const decode = Schema.decodeUnknownSync(Seq.Seq)
const encode = Schema.encodeSync(Seq.Seq)

describe("a cross sequence", () => {
  it.prop("is exact at any size, and written as a number if a double holds it", [fc.bigInt()], ([value]) => {
    const isSafe = Number.isSafeInteger(Number(value))
    expect(decode(String(value))).toBe(String(value))
    expect(encode(decode(String(value)))).toBe(isSafe ? Number(value) : String(value))
    if (isSafe) expect(decode(Number(value))).toBe(String(value))
  })

  it("has a single spelling in the domain", () => {
    expect(decode("007")).toBe("7")
    expect(decode("-0")).toBe("0")
    expect(decode(-0)).toBe("0")
  })

  it.prop("is ordered by value", [fc.bigInt(), fc.bigInt()], ([one, other]) => {
    expect(Seq.Order(decode(String(one)), decode(String(other)))).toBe(one < other ? -1 : one > other ? 1 : 0)
  })

  it("is refused if digits were lost, or if it has none", () => {
    for (const wire of [2 ** 53, -(2 ** 60), 1.5, Number.NaN, Infinity, "", " 1", "1.0", "1e3", "x", true, null]) {
      expect(mismatches(Seq.Seq, wire)).not.toEqual([])
    }
  })
})
