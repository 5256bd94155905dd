import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Traders from "./utils/traders.js"

const hour = 3_600_000
// Midnight, UTC.
const midnight = 1_779_926_400_000
const ltc = { category: "linear", symbol: "LTCUSDT" } as const
const btc = { category: "inverse", symbol: "BTCUSD" } as const

const decimal = BigDecimal.unsafeFromString
const subtract = (one: string, other: string) =>
  BigDecimal.format(BigDecimal.normalize(BigDecimal.subtract(decimal(one), decimal(other))))

const market = Effect.gen(function* () {
  yield* TestClock.setTime(midnight + hour)
  const world = yield* Traders.world()
  yield* world.control.setPrice({ ...ltc, price: "100" })
  yield* world.control.setPrice({ ...btc, price: "40000" })
  const long = yield* world.trader({ funds: { USDT: "10000", BTC: "1" } })
  const short = yield* world.trader({ funds: { USDT: "10000", BTC: "1" } })
  return { ...world, long, short }
})

const funding = (trader: Traders.Trader, category: string) =>
  Effect.map(trader.fills(category), (fills) => fills.filter((fill) => fill.execType === "Funding"))

describe("funding", () => {
  it.effect(
    "[exchange/funding] is paid by longs to shorts at every multiple of the interval, and shows as executions and in the wallet",
    () =>
      Effect.gen(function* () {
        const { holds, long, short } = yield* market
        yield* long.place({ ...ltc, side: "Sell", orderType: "Limit", price: "100", qty: "50" })
        yield* short.place({ ...ltc, side: "Buy", orderType: "Limit", price: "100", qty: "50" })
        // Their names say what they will be.
        yield* long.place({ ...ltc, side: "Buy", orderType: "Limit", price: "100", qty: "100" })
        yield* short.place({ ...ltc, side: "Sell", orderType: "Limit", price: "100", qty: "100" })
        yield* TestClock.setTime(midnight + 8 * hour - 1000)
        const before = [yield* long.balance("USDT"), yield* short.balance("USDT")] as const
        expect(yield* funding(long, "linear")).toEqual([])
        yield* TestClock.setTime(midnight + 8 * hour)
        const [paid] = yield* funding(long, "linear")
        expect(paid).toMatchObject({
          symbol: "LTCUSDT",
          side: "Buy",
          execFee: "0.50000000",
          feeRate: "0.0001",
          execPrice: "100",
          execQty: "50",
          orderType: "UNKNOWN",
          execTime: String(midnight + 8 * hour),
          isMaker: false,
          closedSize: "0"
        })
        expect((yield* funding(short, "linear")).map((one) => `${one.side} ${one.execFee}`)).toEqual([
          "Sell -0.50000000"
        ])
        expect(subtract(before[0], yield* long.balance("USDT"))).toBe("0.5")
        expect(subtract(before[1], yield* short.balance("USDT"))).toBe("-0.5")
        yield* TestClock.setTime(midnight + 24 * hour)
        expect((yield* funding(long, "linear")).length).toBe(3)
        expect(yield* long.rows("execution/list", { ...ltc, execType: "Funding" })).toHaveLength(3)
        yield* holds
      })
  )

  it.effect("is paid in the coin of an inverse contract, and over a long gap at every instant", () =>
    Effect.gen(function* () {
      const { holds, long } = yield* market
      yield* long.place({ ...btc, side: "Buy", orderType: "Market", qty: "4000" })
      const before = yield* long.balance("BTC")
      const position = yield* long.position("inverse", "BTCUSD")
      // Strides of this gap are six hours: funding is between them.
      yield* TestClock.setTime(midnight + 200 * 24 * hour)
      const charged = yield* Effect.map(
        long.get("account/wallet-balance", { accountType: "UNIFIED", coin: "BTC" }),
        (it) => subtract(before, it.json.result.list[0].coin[0].walletBalance)
      )
      // 4000 / 40000 * 0.0001 a time, 600 times.
      expect(charged).toBe("0.006")
      const after = yield* long.position("inverse", "BTCUSD")
      expect(subtract(position.cumRealisedPnl, after.cumRealisedPnl)).toBe("0.006")
      yield* holds
    })
  )

  it.effect("[exchange/funding] follows the interval of the instrument", () =>
    Effect.gen(function* () {
      const { control, long } = yield* market
      const state = yield* control.snapshot
      yield* control.restore({
        ...state,
        listings: state.listings.map((one) =>
          one.instrument.symbol === "LTCUSDT"
            ? { ...one, instrument: { ...one.instrument, fundingInterval: Option.some(60) } }
            : one
        )
      })
      yield* long.place({ ...ltc, side: "Buy", orderType: "Market", qty: "1" })
      yield* TestClock.setTime(midnight + 4 * hour)
      expect((yield* funding(long, "linear")).map((one) => Number(one.execTime))).toEqual(
        [2, 3, 4].map((hours) => midnight + hours * hour)
      )
    })
  )
})
