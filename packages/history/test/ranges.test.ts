import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, Either, FastCheck, Option } from "effect"
import * as Ranges from "../src/model/ranges.js"

describe("a range", () => {
  it("accepts any notation of instants and returns milliseconds", () => {
    expect(Ranges.make("op", { from: DateTime.unsafeMake(5), to: new Date("1970-01-02T00:00:00Z") })).toStrictEqual(
      Either.right({ from: 5, to: 86_400_000 })
    )
  })

  it("begins in 1970 at the earliest", () => {
    expect(Ranges.make("op", { from: "1969-01-01", to: 1 })).toStrictEqual(Either.right({ from: 0, to: 1 }))
    expect(Ranges.make("op", { from: -60_000, to: 0 })).toStrictEqual(Either.right({ from: -60_000, to: 0 }))
  })

  it.each([
    [{ from: 2, to: 1 }, "from", "must be before to"],
    [{ from: 1, to: 1 }, "from", "must be before to"],
    [{ from: "1969-12-31", to: -1 }, "to", "must not be before 1970-01-01T00:00:00Z"],
    [{ from: "yesterday", to: 1 }, "from", "must be an instant"],
    [{ from: 1, to: Number.NaN }, "to", "must be an instant"],
    [{ from: "2026-02-31", to: 1 }, "from", 'must be an instant, not "2026-02-31": there is no such day'],
    [{ from: 1, to: "2026-01-31T24:00Z" }, "to", 'must be an instant, not "2026-01-31T24:00Z": there is no such hour']
  ])("%j is refused", (range, field, rule) => {
    expect(Either.flip(Ranges.make("op", range))).toMatchObject({
      right: { _tag: "InvalidRequest", operation: "op", field, rule, issues: [{ field, rule }] }
    })
  })
})

describe("windows", () => {
  it.prop(
    "cover the range without gap or overlap, none longer than the span",
    {
      from: FastCheck.integer({ min: -1_000_000, max: 1_000_000 }),
      length: FastCheck.integer({ min: 1, max: 1_000_000 }),
      span: FastCheck.integer({ min: 1000, max: 500_000 })
    },
    ({ from, length, span }) => {
      const range = { from, to: from + length }
      const windows = Ranges.split(range, Duration.millis(span))
      expect(windows[0]?.from).toBe(range.from)
      expect(windows.at(-1)?.to).toBe(range.to)
      windows.forEach((window, index) => {
        expect(window.to - window.from).toBeGreaterThan(0)
        expect(window.to - window.from).toBeLessThanOrEqual(span)
        if (index > 0) expect(window.from).toBe(windows[index - 1]?.to)
      })
    }
  )
})

describe("the retention of a range", () => {
  const now = Date.UTC(2026, 0, 31)
  const keeps = Option.some(Duration.days(7))
  const earliest = now - 7 * 86_400_000
  const within = (range: Ranges.RetainedRange, retention = { keeps, now }) => Ranges.within("op", range, retention)

  it("is the start of a range from the earliest instant", () => {
    expect(within({ from: "earliest", to: now })).toStrictEqual(Either.right({ from: earliest, to: now }))
    expect(Either.flip(within({ from: "earliest", to: earliest }))).toMatchObject({
      right: {
        field: "to",
        rule: "must be after 2026-01-24T00:00:00.000Z, the earliest instant that the service keeps"
      }
    })
    expect(Either.flip(within({ from: "earliest", to: now }, { keeps: Option.none(), now }))).toMatchObject({
      right: {
        field: "from",
        rule: "must be an instant: the service documents no retention for this operation"
      }
    })
    expect(Either.flip(within({ from: "earliest", to: "later" }))).toMatchObject({ right: { field: "to" } })
  })

  it("refuses or clamps an older range, by its option", () => {
    expect(within({ from: earliest, to: now })).toStrictEqual(Either.right({ from: earliest, to: now }))
    expect(Either.flip(within({ from: earliest - 1, to: now }))).toMatchObject({
      right: {
        _tag: "BeyondRetention",
        operation: "op",
        from: DateTime.unsafeMake(earliest - 1),
        earliest: DateTime.unsafeMake(earliest),
        retention: Duration.days(7)
      }
    })
    expect(within({ from: earliest - 1, to: now, beyondRetention: "clamp" })).toStrictEqual(
      Either.right({ from: earliest, to: now })
    )
    expect(within({ from: earliest - 9, to: earliest - 1, beyondRetention: "clamp" })).toStrictEqual(
      Either.right({ from: earliest - 1, to: earliest - 1 })
    )
  })
})
