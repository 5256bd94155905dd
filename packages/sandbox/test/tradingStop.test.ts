import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Traders from "./utils/traders.js"

const btc = { category: "linear", symbol: "BTCUSDT" } as const
const sol = { category: "spot", symbol: "SOLUSDT" } as const

/** A long of 0.010 at 40000: a tick is 0.1, a step 0.001. */
const market = Effect.gen(function* () {
  yield* TestClock.setTime(1_780_000_000_000)
  const world = yield* Traders.world()
  yield* world.control.setPrice({ ...btc, price: "40000" })
  yield* world.control.setPrice({ ...sol, price: "100" })
  const trader = yield* world.trader({ funds: { USDT: "10000" } })
  yield* trader.place({ ...btc, side: "Buy", orderType: "Market", qty: "0.01" })
  const stop = (parameters: Traders.Parameters) =>
    Effect.map(trader.post("position/trading-stop", { ...btc, positionIdx: 0, ...parameters }), ({ code, json }) =>
      code === 0 ? "taken" : `${code} ${json.retMsg}`
    )
  return { ...world, trader, stop }
})

const partial = { tpslMode: "Partial", takeProfit: "44000" }

describe("a trading stop", () => {
  for (const [name, parameters, outcome] of [
    ["part that is no whole step", { ...partial, tpSize: "0.0005" }, /tpSize must be a multiple of 0.001/],
    ["part of whole steps", { ...partial, tpSize: "0.003" }, /taken/],
    ["take profit off its tick", { takeProfit: "44000.05" }, /takeProfit must be a multiple of 0.1/],
    ["take profit over the highest price", { takeProfit: "90000000" }, /110003/],
    ["take profit under the market", { takeProfit: "39000" }, /takeProfit should be higher than the last price/],
    ["stop loss over the market", { stopLoss: "41000" }, /stopLoss should be lower than the last price/],
    ["stop loss off its tick", { stopLoss: "39000.01" }, /stopLoss must be a multiple of 0.1/],
    ["stop by the mark price", { stopLoss: "41000", slTriggerBy: "MarkPrice" }, /lower than the mark price/],
    [
      "limit price off its tick",
      { ...partial, tpSize: "0.003", tpOrderType: "Limit", tpLimitPrice: "44000.01" },
      /tpLimitPrice must be a multiple of 0.1/
    ],
    ["distance off its tick", { trailingStop: "100.05" }, /trailingStop must be a multiple of 0.1/],
    [
      "activation price off its tick",
      { trailingStop: "100", activePrice: "41000.01" },
      /activePrice must be a multiple/
    ],
    [
      "activation price under the market",
      { trailingStop: "100", activePrice: "39000" },
      /activePrice should be higher/
    ],
    ["activation price alone, with nothing to activate", { activePrice: "41000" }, /activePrice needs a trailingStop/],
    [
      "kind of price that is not known",
      { takeProfit: "44000", tpTriggerBy: "FuturePrice" },
      /10001.* tpTriggerBy must be one/
    ],
    [
      "activation price of 0",
      { trailingStop: "100", activePrice: "0" },
      /10001.* activePrice must be .* greater than 0/
    ],
    ["part of 0", { ...partial, tpSize: "0" }, /10001.* tpSize must be .* greater than 0/],
    ["activation price over the market", { trailingStop: "100", activePrice: "41000" }, /taken/]
  ] as const) {
    it.effect(
      `[positions.setTradingStop/steps] with a ${name} is ${String(outcome) === "/taken/" ? "taken" : "refused"}`,
      () =>
        Effect.gen(function* () {
          const { holds, stop, trader } = yield* market
          expect(yield* stop(parameters)).toMatch(outcome)
          if (String(outcome) !== "/taken/") expect(yield* trader.rows("order/realtime", btc)).toEqual([])
          yield* holds
        })
    )
  }

  it.effect("[positions.setTradingStop/activePrice.alone] moves only the activation price if only that is sent", () =>
    Effect.gen(function* () {
      const { stop, trader } = yield* market
      yield* stop({ trailingStop: "100", activePrice: "41000" })
      const [before] = yield* trader.rows("order/realtime", btc)
      expect(yield* stop({ activePrice: "42000" })).toBe("taken")
      const [after] = yield* trader.rows("order/realtime", btc)
      expect(after).toMatchObject({ OrderId: before?.OrderId, TriggerPrice: "42000" })
      expect(yield* trader.position("linear", "BTCUSDT")).toMatchObject({ trailingStop: "100" })
    })
  )

  it.effect("with one size uses this size for take profit and stop loss", () =>
    Effect.gen(function* () {
      const { stop, trader } = yield* market
      yield* stop({ ...partial, stopLoss: "39000", tpSize: "0.004" })
      const stops = yield* trader.rows("order/realtime", btc)
      expect(stops.map((row) => `${row.StopOrderType} ${row.Qty}`).sort()).toEqual([
        "PartialStopLoss 0.004",
        "PartialTakeProfit 0.004"
      ])
    })
  )
})

describe("a take profit added to a spot order by an amendment", () => {
  it.effect("[orders.amend/triggerBy.spot] requires a trigger price type, as on contracts", () =>
    Effect.gen(function* () {
      const { trader } = yield* market
      const orderId = yield* trader.place({ ...sol, side: "Buy", orderType: "Limit", price: "99", qty: "1" })
      const amend = { ...sol, orderId, takeProfit: "120" }
      expect(yield* trader.code("order/amend", amend)).toBe(10001)
      expect(yield* trader.code("order/amend", { ...amend, tpTriggerBy: "LastPrice" })).toBe(0)
    })
  )
})
