import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rules from "./utils.js"

const { day, week } = Rules

/** The histories of the time-range rule, each with where it has records and what their instants are called. */
const histories = [
  { operation: "executions.list", time: "execTime", category: "linear", at: -30 * day },
  { operation: "executions.preUpgrade", time: "execTime", category: "linear", at: -760 * day },
  { operation: "positions.preUpgradeClosedPnl", time: "updatedTime", category: "linear", at: -760 * day }
] as const

const times = (history: (typeof histories)[number], parameters: Rules.Parameters) =>
  Effect.map(
    Rules.all(history.operation, { category: history.category, limit: 100, ...parameters }),
    (found): ReadonlyArray<number> => found.map((row) => Number(row[history.time]))
  )

describe("time ranges", () => {
  Rules.rule("[time-range/neither, limits/history.window] without both ends: the last 7 days", function* () {
    const [recent, ...older] = histories
    const all = yield* times(recent, {})
    expect(all.length).toBeGreaterThan(50)
    expect(all.at(-1)).toBe(-week)
    expect(all).toEqual(yield* times(recent, { startTime: -week, endTime: 0 }))
    // Two years after the upgrade nothing of before it is recent.
    for (const history of older) expect(yield* times(history, {})).toEqual([])
  })

  Rules.rule("[time-range/start, time-range/end] with one end: exactly 7 days, to the millisecond", function* () {
    for (const history of histories) {
      const found = yield* times(history, { startTime: history.at })
      expect(found.length).toBeGreaterThan(3)
      expect(found).toEqual(yield* times(history, { startTime: history.at, endTime: history.at + week }))
      expect(found).toEqual(yield* times(history, { endTime: history.at + week }))
      // A record that is alone at its instant shows where a range ends.
      const at = found[Math.floor(found.length / 2)]!
      expect(yield* times(history, { startTime: at - week })).toContain(at)
      expect(yield* times(history, { startTime: at - week - 1 })).not.toContain(at)
      expect(yield* times(history, { endTime: at + week })).toContain(at)
      expect(yield* times(history, { endTime: at + week + 1 })).not.toContain(at)
    }
  })

  Rules.rule(
    "[time-range/both, executions.list/time, executions.preUpgrade/time, positions.preUpgradeClosedPnl/time] with both: milliseconds, at most 7 days apart",
    function* () {
      for (const { at, category, operation } of histories) {
        const code = (startTime: unknown, endTime: unknown) => Rules.code(operation, { category, startTime, endTime })
        expect(yield* code(at, at + week)).toBe(0)
        expect(yield* code(at, at + week + 1)).toBe(10001)
        expect(yield* code(at, at)).toBe(0)
        expect(yield* code(at, at - 1)).toBe(10001)
        expect(yield* code(at, "later")).toBe(10001)
        expect(yield* code(at + 0.5, at + 1)).toBe(10001)
      }
    }
  )

  Rules.rule("[time-range/both] both ends are inclusive", function* () {
    for (const history of histories) {
      const found = yield* times(history, { startTime: history.at })
      const [newest, oldest] = [found[0]!, found.at(-1)!]
      expect(yield* times(history, { startTime: oldest, endTime: newest })).toEqual(found)
      const inside = yield* times(history, { startTime: oldest + 1, endTime: newest - 1 })
      expect(inside).toEqual(found.filter((at) => at !== oldest && at !== newest))
    }
  })
})

const linear = { category: "linear" }
const before = { ...linear, startTime: -760 * day, limit: 100 }

describe("9. trade history", () => {
  Rules.rule("[executions.list/sort] greatest execId first", function* () {
    for (const category of ["linear", "inverse", "spot"]) {
      const ids = (yield* Rules.all("executions.list", { category, limit: 30 })).map((row): string => row.execId)
      expect(ids.length).toBeGreaterThan(5)
      expect(ids).toEqual(ids.toSorted().toReversed())
    }
  })

  Rules.rule("[executions.list/category] returns only executions of the category", function* () {
    const seen = new Set<string>()
    for (const category of ["linear", "inverse", "spot"]) {
      const ids = (yield* Rules.rows("executions.list", { category })).map((row): string => row.execId)
      expect(ids.filter((id) => seen.has(id))).toEqual([])
      ids.forEach((id) => seen.add(id))
    }
  })

  Rules.rule("[executions.list/priority] orderId before symbol", function* () {
    const found = yield* Rules.all("executions.list", { ...linear, limit: 100 })
    const one = found.find((row) => row.symbol !== "BTCUSDT")!
    const ofOrder = yield* Rules.rows("executions.list", { ...linear, symbol: "BTCUSDT", orderId: one.orderId })
    expect(ofOrder).toEqual(found.filter((row) => row.orderId === one.orderId))
  })

  Rules.rule("[executions.list/reach, limits/history.reach] 730 days back, and no further", function* () {
    const sandboxed = yield* Rules.all("executions.list", {
      ...linear,
      startTime: -730 * day,
      endTime: -724 * day,
      limit: 100
    })
    expect(sandboxed.length).toBeGreaterThan(0)
    const further = { ...linear, startTime: -736 * day, endTime: -730 * day - 1, limit: 100 }
    expect(yield* Rules.all("executions.list", further)).toEqual([])
    // There is something there: the other operation shows it.
    const range = { startTime: -737 * day, endTime: -731 * day }
    expect((yield* Rules.all("executions.preUpgrade", { ...linear, ...range })).length).toBeGreaterThan(0)
    expect(yield* Rules.all("executions.list", { ...linear, ...range })).toEqual([])
  })

  Rules.rule("[executions.list/several] one order, several executions", function* () {
    const found = yield* Rules.all("executions.list", { ...linear, limit: 100 })
    const orders = Rules.distinct(found.map((row): string => row.orderId))
    expect(orders.length).toBeLessThan(found.length)
    const several = orders.find((id) => found.filter((row) => row.orderId === id).length > 1)!
    const fills = yield* Rules.rows("executions.list", { ...linear, orderId: several })
    expect(fills.length).toBeGreaterThan(1)
    const qty = fills.reduce((sum, row) => sum + Number(row.execQty), 0)
    expect(qty).toBeLessThanOrEqual(Number(fills[0]!.orderQty) + 1e-9)
  })
})

describe("10. pre-upgrade trade history", () => {
  Rules.rule("[executions.preUpgrade/scope] executions from before the upgrade", function* () {
    const upgraded = (yield* Rules.all("assets.transfers", { limit: 50 })).find(
      (row) => row.fromAccountType === "CONTRACT" && row.toAccountType === "UNIFIED"
    )!
    const at = Number(upgraded.timestamp) * 1000
    const late = yield* Rules.all("executions.preUpgrade", { ...linear, startTime: at, limit: 100 })
    expect(late).toEqual([])
    const early = yield* Rules.all("executions.preUpgrade", { ...before, startTime: at - week, limit: 100 })
    expect(early.length).toBeGreaterThan(0)
    expect(early.every((row) => Number(row.execTime) < at)).toBe(true)
  })

  Rules.rule("[executions.preUpgrade/sort] newest execTime first", function* () {
    const times = (yield* Rules.all("executions.preUpgrade", before)).map((row) => Number(row.execTime))
    expect(Rules.distinct(times).length).toBeGreaterThan(3)
    expect(Rules.descending(times)).toBe(true)
  })

  Rules.rule("[executions.preUpgrade/category] returns only executions of the category", function* () {
    const coins = yield* Rules.all("executions.preUpgrade", { ...before, category: "inverse" })
    expect(coins.length).toBeGreaterThan(0)
    expect(coins.every((row) => row.symbol.endsWith("USD"))).toBe(true)
  })

  Rules.rule("[executions.preUpgrade/execType] filters contracts, and is refused on spot", function* () {
    const found = yield* Rules.rows("executions.preUpgrade", before)
    expect(found.length).toBeGreaterThan(0)
    expect(yield* Rules.rows("executions.preUpgrade", { ...before, execType: "Trade" })).toEqual(found)
    expect(yield* Rules.rows("executions.preUpgrade", { ...before, execType: "Funding" })).toEqual([])
    const spot = { ...before, category: "spot", execType: "Funding" }
    expect(yield* Rules.code("executions.preUpgrade", spot)).toBe(10001)
  })
})

describe("12. pre-upgrade closed profit and loss", () => {
  Rules.rule("[positions.preUpgradeClosedPnl/sort] newest updatedTime first", function* () {
    const times = (yield* Rules.all("positions.preUpgradeClosedPnl", before)).map((row) => Number(row.updatedTime))
    expect(Rules.distinct(times).length).toBeGreaterThan(2)
    expect(Rules.descending(times)).toBe(true)
  })

  Rules.rule("[positions.preUpgradeClosedPnl/category] returns only records of the category", function* () {
    const coins: Array<Rules.Row> = []
    for (let startTime = -900 * day; startTime < -720 * day; startTime += week) {
      const range = { startTime, endTime: startTime + week - 1 }
      coins.push(...(yield* Rules.all("positions.preUpgradeClosedPnl", { category: "inverse", ...range })))
    }
    expect(coins.length).toBeGreaterThan(0)
    expect(coins.every((row) => row.symbol.endsWith("USD"))).toBe(true)
  })
})

describe("11. instruments", () => {
  const symbols = (parameters: Rules.Parameters) =>
    Effect.map(Rules.rows("instruments.list", parameters), (found) => found.map((row): string => row.symbol))

  Rules.rule("[instruments.list/category] is required: spot, linear, inverse", function* () {
    const [spot, coins, contracts] = [
      yield* symbols({ category: "spot" }),
      yield* symbols({ category: "inverse" }),
      yield* symbols(linear)
    ]
    expect(coins).toContain("BTCUSD")
    expect([...spot, ...contracts]).not.toContain("BTCUSD")
    expect(contracts.length).toBeGreaterThan(10)
    expect(spot.length).toBeGreaterThan(10)
    // Public operations are looked at by the gateway, which answers in plain text.
    for (const parameters of [{}, { category: "option" }]) {
      expect((yield* Rules.send("instruments.list", parameters)).status).toBe(400)
    }
  })

  Rules.rule("[instruments.list/symbol] must exist", function* () {
    expect((yield* Rules.send("instruments.list", { ...linear, symbol: "NOSUCHTHING" })).status).toBe(400)
  })

  Rules.rule(
    "[instruments.list/baseCoin] returns both kinds of contract in either category, and is refused on spot",
    function* () {
      for (const category of ["linear", "inverse"]) {
        expect(yield* symbols({ category, baseCoin: "BTC" })).toEqual(["BTCUSD", "BTCUSDT"])
      }
      expect(yield* Rules.code("instruments.list", { category: "spot", baseCoin: "BTC" })).toBe(10001)
    }
  )
})
