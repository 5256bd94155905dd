import type * as Pages from "@effect-venue/transport/siblings/Pages"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { untilClear, type Reading } from "../src/read/untilClear.js"
import { numberKeys } from "../src/reconcile/existingIds.js"

describe("a list that is read until two readings agree", () => {
  const reading = (content: string, walked: Partial<Pages.Walked<never>>): Reading<string, never> => ({
    content,
    walked: { rows: 1, requests: 1, rereads: 0, overlaps: 0, digest: 0, problem: undefined, ...walked }
  })
  const repeated = { problem: { kind: "repeatedPage", shown: "" } } as const

  /** The result of these readings, and how often an overlap was met. */
  const settled = (...readings: ReadonlyArray<Reading<string, never>>) =>
    Effect.gen(function* () {
      let [reads, overlaps] = [0, 0]
      const read = Effect.sync(() => readings[Math.min(reads++, readings.length - 1)] ?? reading("none", {}))
      const { content, problem, readings: count } = yield* untilClear(read, () => overlaps++)
      expect(count).toBe(reads)
      return { content, kind: problem?.kind, count, overlaps }
    })

  it.effect.each([
    ["one that is clear", [reading("a", {})], { content: "a", kind: undefined, count: 1, overlaps: 0 }],
    [
      "the second after a problem",
      [reading("a", repeated), reading("b", {})],
      { content: "b", kind: undefined, count: 2, overlaps: 0 }
    ],
    [
      "the longer of two with problems",
      [reading("a", { ...repeated, rows: 5 }), reading("b", { ...repeated, rows: 4 })],
      { content: "a", kind: "repeatedPage", count: 2, overlaps: 0 }
    ],
    [
      "the later of two as long",
      [reading("a", { ...repeated, rows: 5 }), reading("b", { ...repeated, rows: 5 })],
      { content: "b", kind: "repeatedPage", count: 2, overlaps: 0 }
    ],
    [
      "the one before a problem, which has all rows",
      [reading("a", { overlaps: 1 }), reading("b", { ...repeated, rows: 9 })],
      { content: "a", kind: "repeatedPage", count: 2, overlaps: 1 }
    ],
    [
      "the second of two with overlaps that agree",
      [reading("a", { overlaps: 1, digest: 5 }), reading("b", { overlaps: 2, digest: 5 })],
      { content: "b", kind: undefined, count: 2, overlaps: 1 }
    ],
    [
      "the one without overlaps",
      [reading("a", { overlaps: 1, digest: 5 }), reading("b", { overlaps: 1, digest: 6 }), reading("c", { digest: 7 })],
      { content: "c", kind: undefined, count: 3, overlaps: 2 }
    ],
    [
      "the fourth that does not agree, as changingList",
      [1, 2, 3, 4, 5].map((digest) => reading(`${digest}`, { overlaps: 1, digest })),
      { content: "4", kind: "changingList", count: 4, overlaps: 4 }
    ]
  ] as const)("is %s", ([, readings, expected]) =>
    Effect.gen(function* () {
      expect(yield* settled(...readings)).toEqual(expected)
    })
  )

  it.effect("is not read again if it has no end", () =>
    Effect.gen(function* () {
      const endless = { problem: { kind: "endlessList", shown: "" } } as const
      expect(yield* settled(reading("a", endless))).toEqual({
        content: "a",
        kind: "endlessList",
        count: 1,
        overlaps: 0
      })
    })
  )
})

describe("the keys of equal records", () => {
  it("are numbered from the second one on", () => {
    expect(["a", "b", "a", "a", "b"].map(numberKeys())).toEqual(["a", "b", "a#2", "a#3", "b#2"])
  })
})
