import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Raw from "./utils/raw.js"

const list = "/cloud/trade/v3/position/list"
const addMargin = "/cloud/trade/v3/position/add-margin"
const tradingStop = "/cloud/trade/v3/position/trading-stop"
const setRiskLimit = "/cloud/trade/v3/position/set-risk-limit"
const wallet = "/cloud/trade/v3/account/wallet-balance"
const realtime = "/cloud/trade/v3/order/realtime"
const world = Sandbox.layer({ seed: 5, limits: "off" })

const positions = (parameters: Readonly<Record<string, unknown>>) =>
  Effect.map(Raw.call(list, parameters), (answer) => answer.json.result.list)
const position = (symbol: string, category = "linear") => Effect.map(positions({ category, symbol }), (rows) => rows[0])
const code = (path: string, parameters: Readonly<Record<string, unknown>>) =>
  Effect.map(Raw.post(path, parameters), (answer) => answer.code)
const stopOrders = (symbol: string) =>
  Effect.map(
    Raw.call(realtime, { category: "linear", symbol, orderFilter: "StopOrder", limit: 50 }),
    (answer) => answer.json.result.list
  )

describe("positions.list", () => {
  it.effect("gives a symbol's position, held or not, and with a settle coin only what is held", () =>
    Effect.gen(function* () {
      expect(yield* position("LTCUSDT")).toMatchObject({ symbol: "LTCUSDT", side: "", size: "0", positionIdx: 0 })
      const held = yield* positions({ category: "linear", settleCoin: "USDT" })
      expect(held.length).toBeGreaterThanOrEqual(2)
      expect(held.every((row: { size: string }) => Number(row.size) > 0)).toBe(true)
      expect(yield* positions({ category: "linear", settleCoin: "USDC" })).toEqual([])
      // A hedge-mode symbol has two sides.
      expect(
        (yield* positions({ category: "linear", symbol: "ADAUSDT" })).map(
          (row: { positionIdx: number }) => row.positionIdx
        )
      ).toEqual([1, 2])
      expect(yield* positions({ category: "spot" })).toEqual([])
      expect((yield* Raw.call(list, { category: "linear" })).code).toBe(10001)
    }).pipe(Effect.provide(world))
  )
})

describe("positions.addMargin", () => {
  it.effect("moves money between the free part of the wallet and an isolated position", () =>
    Effect.gen(function* () {
      const free = Effect.map(
        Raw.call(wallet, { accountType: "UNIFIED", coin: "USDT" }),
        (answer) => answer.json.result.list[0].coin[0]
      )
      const before = yield* free
      const margin = (yield* position("ETHUSDT")).positionIM
      const body = { category: "linear", symbol: "ETHUSDT", margin: "10.5" }
      const answer = yield* Raw.post(addMargin, body)
      expect(answer.json.result).toMatchObject({ category: "linear", symbol: "ETHUSDT", autoAddMargin: 0 })
      expect(Number(answer.json.result.positionIM) - Number(margin)).toBeCloseTo(10.5, 8)
      const after = yield* free
      expect(after.walletBalance).toBe(before.walletBalance)
      expect(Number(before.availableToWithdraw) - Number(after.availableToWithdraw)).toBeCloseTo(10.5, 8)
      // The seed added 25 before.
      expect(yield* code(addMargin, { ...body, margin: "-35.5001" })).toBe(110078)
      expect(yield* code(addMargin, { ...body, margin: "-35.5" })).toBe(0)
      expect(yield* code(addMargin, { ...body, margin: "99999999" })).toBe(110014)
      expect(yield* code(addMargin, { ...body, margin: "0.00001" })).toBe(10001)
      expect(yield* code(addMargin, { ...body, symbol: "BTCUSDT" })).toBe(110015)
      expect(yield* code(addMargin, { ...body, symbol: "LTCUSDT" })).toBe(110033)
      expect(yield* code(addMargin, { ...body, symbol: "ADAUSDT" })).toBe(10001)
      expect(yield* code(addMargin, { ...body, positionIdx: 1 })).toBe(10001)
      expect(yield* code(addMargin, { ...body, category: "spot" })).toBe(10001)
    }).pipe(Effect.provide(world))
  )
})

describe("positions.setTradingStop", () => {
  const full = { category: "linear", symbol: "BTCUSDT", positionIdx: 0, tpslMode: "Full" }

  it.effect("changes the full stops there are, cancels them with 0, and says when nothing changes", () =>
    Effect.gen(function* () {
      const before = yield* position("BTCUSDT")
      const stops = yield* stopOrders("BTCUSDT")
      const profit = stops.find((row: { StopOrderType: string }) => row.StopOrderType === "TakeProfit")
      const away = before.side === "Buy" ? "900000" : "100"
      expect(yield* code(tradingStop, { ...full, takeProfit: before.takeProfit })).toBe(34040)
      expect(yield* code(tradingStop, full)).toBe(34040)
      expect(yield* code(tradingStop, { ...full, takeProfit: away })).toBe(0)
      expect((yield* position("BTCUSDT")).takeProfit).toBe(away)
      const changed = yield* stopOrders("BTCUSDT")
      expect(changed).toHaveLength(stops.length)
      expect(changed.find((row: { OrderId: string }) => row.OrderId === profit.OrderId).TriggerPrice).toBe(away)
      expect(yield* code(tradingStop, { ...full, takeProfit: "0" })).toBe(0)
      expect(yield* stopOrders("BTCUSDT")).toHaveLength(stops.length - 1)
      expect(yield* position("BTCUSDT")).toMatchObject({ takeProfit: "", stopLoss: before.stopLoss })
      // A gain on the losing side of the market is none.
      expect(yield* code(tradingStop, { ...full, takeProfit: before.side === "Buy" ? "100" : "900000" })).toBe(10001)
      expect(yield* code(tradingStop, { ...full, symbol: "LTCUSDT", takeProfit: "900" })).toBe(110034)
    }).pipe(Effect.provide(world))
  )

  it.effect("only adds partial stops, of at most the position's size", () =>
    Effect.gen(function* () {
      const held = yield* position("BTCUSDT")
      const before = yield* stopOrders("BTCUSDT")
      const away = held.side === "Buy" ? "900000" : "100"
      const partial = { ...full, tpslMode: "Partial", takeProfit: away }
      expect(yield* code(tradingStop, { ...partial, tpSize: "0.001" })).toBe(0)
      expect(yield* code(tradingStop, { ...partial, tpSize: "0.001" })).toBe(0)
      const after = yield* stopOrders("BTCUSDT")
      expect(after.length - Number(before.length)).toBe(2)
      expect(after.filter((row: { StopOrderType: string }) => row.StopOrderType === "PartialTakeProfit")).toHaveLength(
        2
      )
      expect((yield* position("BTCUSDT")).takeProfit).toBe(held.takeProfit)
      expect(yield* code(tradingStop, { ...partial, tpSize: "1000" })).toBe(110058)
      expect(yield* code(tradingStop, { ...full, takeProfit: away, tpSize: "0.001" })).toBe(10001)
    }).pipe(Effect.provide(world))
  )

  it.effect("sets and cancels a trailing stop", () =>
    Effect.gen(function* () {
      expect(yield* code(tradingStop, { ...full, trailingStop: "150" })).toBe(0)
      expect((yield* position("BTCUSDT")).trailingStop).toBe("150")
      expect((yield* stopOrders("BTCUSDT")).map((row: { StopOrderType: string }) => row.StopOrderType)).toContain(
        "TrailingStop"
      )
      expect(yield* code(tradingStop, { ...full, trailingStop: "0" })).toBe(0)
      expect((yield* stopOrders("BTCUSDT")).map((row: { StopOrderType: string }) => row.StopOrderType)).not.toContain(
        "TrailingStop"
      )
    }).pipe(Effect.provide(world))
  )
})

describe("positions.setRiskLimit", () => {
  it.effect("changes the tier, and refuses one that is unknown, present or too tight", () =>
    Effect.gen(function* () {
      const body = { category: "linear", symbol: "BTCUSDT", riskId: 2 }
      const answer = yield* Raw.post(setRiskLimit, body)
      expect(answer.json.result).toEqual({ category: "linear", riskId: 2, riskLimitValue: "4000000" })
      expect(yield* position("BTCUSDT")).toMatchObject({ riskId: 2, riskLimitValue: "4000000" })
      expect(yield* code(setRiskLimit, body)).toBe(110075)
      expect(yield* code(setRiskLimit, { ...body, riskId: 99 })).toBe(110031)
      expect(yield* code(setRiskLimit, { ...body, symbol: "ADAUSDT" })).toBe(10001)
      expect(yield* code(setRiskLimit, { ...body, symbol: "ADAUSDT", positionIdx: 1 })).toBe(0)
    }).pipe(Effect.provide(world))
  )
})
