import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Raw from "./utils/raw.js"

const day = 86_400_000
const now = 1_780_000_000_000
const executions = "/cloud/trade/v3/execution/list"
const preUpgrade = "/cloud/trade/v3/pre-upgrade/execution/list"
const preUpgradePnl = "/cloud/trade/v3/pre-upgrade/position/closed-pnl"

// The clock is set before the world is made: its history ends there.
const inWorld = <A, E>(effect: Effect.Effect<A, E, Sandbox.Sandbox>) =>
  // Orders that are still open would fill as days go by: lists and windows are looked at in a market that stands still.
  Effect.andThen(
    TestClock.setTime(now),
    Effect.provide(effect, Sandbox.layer({ seed: 5, limits: "off", prices: "still" }))
  )

const ids = (rows: ReadonlyArray<{ readonly execId: string }>) => rows.map((row) => row.execId)

describe("pages", () => {
  it.effect("in 7-day windows over two years return all records, also if windows are empty", () =>
    inWorld(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        for (const category of ["linear", "inverse", "spot"] as const) {
          const seen: Array<string> = []
          let empty = 0
          for (let from = now - 730 * day; from < now; from += 7 * day) {
            const endTime = Math.min(from + 7 * day, now) - 1
            const { rows } = yield* Raw.pages(
              executions,
              { category, startTime: from, endTime, limit: 100 },
              Raw.v3List
            )
            if (rows.length === 0) empty++
            seen.push(...ids(rows))
          }
          const held = yield* sandbox.holds({ category, from: now - 730 * day, to: now })
          const all = (yield* sandbox.snapshot).accounts.get(sandbox.uids.main)!.executions[category]
          expect(seen).toHaveLength(held.executions.count)
          expect(new Set(seen)).toEqual(new Set(ids(all)))
          expect(empty).toBeGreaterThanOrEqual(2)
        }
      })
    )
  )

  it.effect("of pre-upgrade records return exactly these records", () =>
    inWorld(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const range = { from: now - 910 * day, to: now }
        for (const category of ["linear", "inverse", "spot"] as const) {
          let fills = 0
          let closed = 0
          for (let from = range.from; from < now - 720 * day; from += 7 * day) {
            const parameters = { category, startTime: from, endTime: from + 7 * day - 1, limit: 20 }
            const page = yield* Raw.pages(preUpgrade, parameters, Raw.v3List)
            fills += page.rows.length
            expect(page.rows.every((row) => !("seq" in row) && !("createType" in row))).toBe(true)
            if (category === "spot") continue
            const { rows } = yield* Raw.pages(preUpgradePnl, parameters, Raw.v3List)
            closed += rows.length
            expect(rows.every((row, index) => index === 0 || row.updatedTime <= rows[index - 1]!.updatedTime)).toBe(
              true
            )
          }
          const held = yield* sandbox.holds({ category, ...range })
          expect(held.preUpgradeExecutions.count).toBeGreaterThan(50)
          expect([fills, closed]).toEqual([held.preUpgradeExecutions.count, held.preUpgradeClosedPnl.count])
        }
      })
    )
  )

  it.effect("reject a cursor that belongs to another query, was invented or was changed", () =>
    inWorld(
      Effect.gen(function* () {
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
    )
  )
})

describe("windows", () => {
  it.effect("reach back 730 days from the current time of the clock", () =>
    inWorld(
      Effect.gen(function* () {
        const list = (parameters: Readonly<Record<string, unknown>>) =>
          Effect.map(Raw.call(executions, { category: "linear", ...parameters }), ({ json }) => json.result.list)
        const oldest = { startTime: now - 730 * day, endTime: now - 724 * day }
        expect((yield* list(oldest)).length).toBeGreaterThan(0)
        yield* TestClock.adjust("10 days")
        expect(yield* list(oldest)).toEqual([])
        // The positions that are open are funded meanwhile.
        expect(yield* list({ execType: "Trade" })).toEqual([])
      })
    )
  )
})
