import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Traders from "./utils/traders.js"

const ltc = { category: "linear", symbol: "LTCUSDT" } as const
const ada = { category: "linear", symbol: "ADAUSDT" } as const

const market = Effect.gen(function* () {
  yield* TestClock.setTime(1_780_000_000_000)
  const world = yield* Traders.world()
  yield* world.control.setPrice({ ...ltc, price: "100" })
  return world
})

describe("modes of an account", () => {
  it.effect("[exchange/modes] are set for every symbol when the account is opened", () =>
    Effect.gen(function* () {
      const world = yield* market
      const trader = yield* world.trader({ funds: { USDT: "1000" }, tradeMode: "isolated", positionMode: "hedge" })
      const sides = yield* trader.rows("position/list", ltc)
      expect(sides.map(({ positionIdx, tradeMode }) => [positionIdx, tradeMode])).toEqual([
        [1, 1],
        [2, 1]
      ])
      const order = { ...ltc, orderType: "Market", qty: "1" }
      expect(yield* trader.code("order/create", { ...order, side: "Buy" })).toBe(10001)
      yield* trader.place({ ...order, side: "Buy", positionIdx: 1 })
      yield* trader.place({ ...order, side: "Sell", positionIdx: 2 })
      const held = yield* trader.rows("position/list", ltc)
      expect(held.map(({ positionIdx, side, size }) => `${positionIdx} ${side} ${size}`)).toEqual([
        "1 Buy 1",
        "2 Sell 1"
      ])
      expect(yield* trader.code("position/add-margin", { ...ltc, margin: "5", positionIdx: 1 })).toBe(0)
      yield* world.holds
    })
  )

  it.effect("[exchange/modes] can be changed for a symbol or for all, unless orders or positions prevent it", () =>
    Effect.gen(function* () {
      const world = yield* market
      const trader = yield* world.trader({ funds: { USDT: "1000" } })
      const { uid } = trader
      const refusal = (options: Parameters<typeof world.control.setModes>[0]) =>
        Effect.map(Effect.flip(world.control.setModes(options)), ({ field, reason }) => `${reason} ${field}`)
      const modes = (symbol: typeof ltc | typeof ada) =>
        Effect.map(trader.rows("position/list", symbol), (rows) =>
          rows.map((row) => `${row.positionIdx} ${row.tradeMode}`)
        )
      yield* world.control.setModes({ uid, ...ltc, positionMode: "hedge", tradeMode: "isolated" })
      expect(yield* modes(ltc)).toEqual(["1 1", "2 1"])
      expect(yield* modes(ada)).toEqual(["0 0"])
      yield* world.control.setModes({ uid, positionMode: "oneWay" })
      expect(yield* modes(ltc)).toEqual(["0 1"])
      yield* trader.place({ ...ltc, side: "Buy", orderType: "Market", qty: "10" })
      expect(yield* refusal({ uid, positionMode: "hedge" })).toBe("NotPossible positionMode")
      yield* world.control.setModes({ uid, tradeMode: "cross" })
      expect(yield* modes(ltc)).toEqual(["0 0"])
      expect(yield* modes(ada)).toEqual(["0 0"])
      yield* world.control.setModes({ uid, tradeMode: "isolated" })
      expect(yield* modes(ltc)).toEqual(["0 1"])
      expect(yield* modes(ada)).toEqual(["0 1"])
      expect(yield* refusal({ uid: "5", tradeMode: "cross" })).toBe("NotFound uid")
      expect(yield* refusal({ uid, category: "linear", symbol: "NOPE", tradeMode: "cross" })).toBe("NotFound symbol")
      expect(yield* refusal({ uid, symbol: "LTCUSDT", tradeMode: "cross" })).toBe("InvalidArgument category")
      yield* world.holds
    })
  )
})
