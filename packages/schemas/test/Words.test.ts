import * as Words from "@effect-venue/schemas/siblings/Words"
import { describe, expect, it } from "vitest"

describe("words of messages", () => {
  it.each([
    [0, "0 ms"],
    [0.4, "1 ms"],
    [999, "999 ms"],
    [1000, "1 s"],
    [1400, "1.4 s"],
    [41_200, "42 s"],
    [89_999, "90 s"],
    [90_000, "2 min"],
    [5_399_000, "90 min"],
    [5_400_000, "1.5 h"],
    [-147_657_966, "42 h"],
    [172_800_000, "2 days"],
    [63_072_000_000, "730 days"]
  ])("have one unit for %d ms: %s", (millis, text) => {
    expect(Words.formatDuration(millis)).toBe(text)
  })

  it("count with a noun", () => {
    expect([0, 1, 2, 12_345].map((count) => Words.countNoun(count, "row"))).toEqual([
      "0 rows",
      "1 row",
      "2 rows",
      "12,345 rows"
    ])
  })

  it("list alternatives and all of several things", () => {
    expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(Words.listAlternatives)).toEqual([
      "",
      "a",
      "a or b",
      "a, b or c"
    ])
    expect(Words.listAll([1, 2, 3])).toBe("1, 2 and 3")
  })

  it("show the rule of a list with the value that breaks it", () => {
    const values = ["a", "b", "c", "d"]
    expect(
      [
        [values, "e\u0007"],
        [values.slice(2), 5],
        [["a"], null]
      ].map(([of, value]) => Words.describeChoice(of as Array<string>, value))
    ).toEqual(['must be one of a, b, c, d, not "e\\u0007"', "must be c or d, not 5", "must be a, not null"])
  })

  it("have an instant to the second, a size and an address that can be used", () => {
    expect(Words.formatInstant(1_769_882_400_999)).toBe("2026-01-31 18:00:00")
    expect([1, 999, 1500, 20_100_000].map(Words.formatSize)).toEqual(["1 byte", "999 bytes", "1.5 kB", "20.1 MB"])
    expect(["127.0.0.1", "::1", "0.0.0.0", "::"].map((host) => Words.formatAddress(host, 8080))).toEqual([
      "127.0.0.1:8080",
      "[::1]:8080",
      "127.0.0.1:8080",
      "[::1]:8080"
    ])
  })
})
