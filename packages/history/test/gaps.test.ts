import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import { continueWindows } from "../src/commit/conclude.js"
import * as Gaps from "../src/model/gaps.js"

const range = FastCheck.tuple(FastCheck.integer({ min: 0, max: 20 }), FastCheck.integer({ min: 1, max: 8 })).map(
  ([from, length]) => ({ from, to: from + length })
)

const gap = FastCheck.record({ range, because: FastCheck.constantFrom("a", "b"), lost: FastCheck.boolean() })

/** A window that was read, with gaps inside. */
const window = FastCheck.record({
  range,
  gaps: FastCheck.array(gap, { maxLength: 2 })
}).map(({ gaps, range: { from, to } }) => ({
  from,
  to,
  missing: gaps
    .map(({ range, ...gap }) => ({ from: Math.max(from, range.from), to: Math.min(to, range.to), ...gap }))
    .filter((gap) => gap.from < gap.to)
}))

/** Instant by instant: the last window that read it decides. */
const expected = (
  windows: ReadonlyArray<Parameters<typeof Gaps.afterWindow>[1]>,
  at: number
): "open" | "lost" | undefined => {
  const last = windows.findLast(({ from, to }) => at >= from && at < to)
  const gaps = last?.missing.filter(({ from, to }) => at >= from && at < to) ?? []
  return gaps.length === 0 ? undefined : gaps.some(({ lost }) => lost) ? "lost" : "open"
}

describe("the gaps of windows", () => {
  it.prop(
    "are those that the last reading of each instant left",
    [FastCheck.array(window, { maxLength: 8 })],
    ([windows]) => {
      const gaps = Gaps.ofWindows(windows)
      for (let at = 0; at < 30; at++) {
        const covering = gaps.filter(({ from, to }) => at >= from && at < to)
        expect(covering.length).toBeLessThan(2)
        const [gap] = covering
        expect(gap === undefined ? undefined : gap.lost ? "lost" : "open").toBe(expected(windows, at))
      }
    }
  )

  it.prop("do not touch others of their kind", [FastCheck.array(window, { maxLength: 8 })], ([windows]) => {
    const gaps = Gaps.ofWindows(windows)
    for (const kind of [true, false]) {
      const own = gaps.filter(({ lost }) => lost === kind)
      own.slice(1).forEach((gap, index) => expect(gap.from).toBeGreaterThan(own[index]?.to ?? 0))
    }
  })

  const some = FastCheck.array(
    gap.map(({ range, ...more }) => ({ ...range, ...more })),
    { maxLength: 4 }
  )

  it.prop("are newly lost where they are lost and were not before", [some, some], ([before, after]) => {
    const isLost = (gaps: ReadonlyArray<Gaps.Gap>, at: number) =>
      gaps.some(({ from, lost, to }) => lost && at >= from && at < to)
    const found = Gaps.newlyLost(before, after)
    for (let at = 0; at < 30; at++) expect(isLost(found, at)).toBe(isLost(after, at) && !isLost(before, at))
  })

  it("name the reasons of the gaps that they join", () => {
    const missing = (from: number, because: string) => ({ from, to: from + 1, because, lost: false })
    const windows = [{ from: 0, to: 2, missing: [missing(0, "a"), missing(1, "b")] }]
    expect(Gaps.ofWindows(windows)).toEqual([{ from: 0, to: 2, because: "a; b", lost: false }])
  })
})

/** A window of a manifest: with a row, or without. */
const written = FastCheck.tuple(window, FastCheck.nat(1)).map(([{ from, missing, to }, rows]): Manifest.Window => ({
  ...{ from, to, rows, missing, pages: 1, first: null, last: null, anomalies: {}, conflicts: [] },
  ...{ duplicates: 0, known: 0, changed: 0, unsettled: 0, rejected: 0 }
}))

const several = FastCheck.array(written, { maxLength: 4 })

describe("the windows of an export that is continued", () => {
  it.prop("leave the gaps and the rows of all their readings", [several, several], ([before, added]) => {
    const windows = continueWindows(Datasets.executions, before, added)
    const all = [...before, ...added]
    expect(Gaps.isSameRanges(Gaps.ofWindows(windows), Gaps.ofWindows(all))).toBe(true)
    const rowsOf = (each: ReadonlyArray<Manifest.Window>) => each.reduce((sum, { rows }) => sum + rows, 0)
    expect(rowsOf(windows)).toBe(rowsOf(all))
  })
})
