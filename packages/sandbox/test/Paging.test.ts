import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Raw from "./utils/raw.js"
import { testsIn } from "./utils/tests.js"

const day = 86_400_000
const now = 1_780_000_000_000
const executions = "/cloud/trade/v3/execution/list"

// Orders that are still open would fill as days go by: lists and windows are looked at in a market that stands still.
const test = testsIn(Sandbox.layer({ seed: 5, limits: "off", prices: "still" }), now)

describe("pages", () => {
  test("reject a cursor that belongs to another query, was invented or was changed", function* () {
    const first = yield* Raw.call(executions, { category: "linear", limit: 5 })
    const cursor: string = first.json.result.nextPageCursor
    const code = (parameters: Readonly<Record<string, unknown>>, more: Parameters<typeof Raw.call>[2] = {}) =>
      Effect.map(Raw.call(executions, parameters, more), (answer) => answer.code)
    expect(cursor).toMatch(/^page_token%3D[\w-]+%26$/)
    expect(yield* code({ category: "linear", limit: 5, cursor })).toBe(0)
    expect(yield* code({ category: "linear", limit: 6, cursor })).toBe(0)
    expect(yield* code({ category: "spot", limit: 5, cursor })).toBe(10001)
    expect(yield* code({ category: "linear", symbol: "BTCUSDT", cursor })).toBe(10001)
    expect(yield* code({ category: "linear", cursor }, { role: "sub" })).toBe(10001)
    // A caller that does not encode it once more sends the same cursor.
    expect(yield* code({ category: "linear", cursor: decodeURIComponent(cursor) })).toBe(0)
    expect(yield* code({ category: "linear", cursor: "page_token%3D39380%26" })).toBe(10001)
  })
})

describe("windows", () => {
  test("reach back 730 days from the current time of the clock", function* () {
    const list = (parameters: Readonly<Record<string, unknown>>) =>
      Effect.map(Raw.call(executions, { category: "linear", ...parameters }), ({ json }) => json.result.list)
    const oldest = { startTime: now - 730 * day, endTime: now - 724 * day }
    expect((yield* list(oldest)).length).toBeGreaterThan(0)
    yield* TestClock.adjust("10 days")
    expect(yield* list(oldest)).toEqual([])
    // The positions that are open are funded meanwhile.
    expect(yield* list({ execType: "Trade" })).toEqual([])
  })
})
