import * as Breadth from "@effect-venue/testing/Breadth"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option, TestClock } from "effect"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as Advance from "../src/engine/advance.js"
import * as Funding from "../src/positions/funding.js"
import * as Traders from "./utils/traders.js"
import * as Work from "./utils/work.js"

const hour = 3_600_000
// Midnight, UTC.
const midnight = 1_779_926_400_000
const ltc = { category: "linear", symbol: "LTCUSDT" } as const
const btc = { category: "inverse", symbol: "BTCUSD" } as const

const usdt = { accountType: "UNIFIED", coin: "USDT" } as const

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

/** A world whose accounts are copies of one with positions. */
const crowd = (count: number): Exchange.State => {
  const { state } = Seed.make({ seed: 1, now: midnight })
  const account = state.accounts.get("20000001")
  if (account === undefined) return expect.fail("the seed has no such account")
  const accounts = Array.from({ length: count }, (_, index) => ({ ...account, uid: String(60_000_000 + index) }))
  return { ...state, accounts: new Map(accounts.map((one) => [one.uid, one])) }
}

const funded = ({ accounts }: Exchange.State): ReadonlyArray<Exchange.Position> =>
  Array.from(accounts.values()).flatMap(({ positions }) => positions.filter(({ size }) => !BigDecimal.isZero(size)))

describe("funding", () => {
  it("is charged at every funding instant of a gap of days for each open position", () => {
    const days = Breadth.repeats(20, 6)
    const { state } = Seed.make({ seed: 1, now: midnight })
    const jumped = Advance.advance(state, midnight + days * 24 * hour)
    const since = (uid: string, { category, symbol }: Exchange.Position) =>
      Array.from(jumped.accounts.get(uid)?.executions[category] ?? [])
        .slice(state.accounts.get(uid)?.executions[category].length)
        .filter((one) => one.symbol === symbol)
    const kept = Array.from(state.accounts.values()).flatMap(({ positions, uid }) =>
      positions
        .filter(({ size }) => !BigDecimal.isZero(size))
        .map((position) => since(uid, position))
        .filter((executions) => executions.every((one) => Option.contains(one.execType, "Funding")))
    )
    expect(kept.length).toBeGreaterThan(20)
    for (const executions of kept) {
      expect(executions.map(({ execTime }) => execTime.epochMillis)).toEqual(
        Array.from({ length: days * 3 }, (_, index) => midnight + (index + 1) * 8 * hour)
      )
    }
  })

  it("takes as long for a position among many accounts as among few", () => {
    const cost = (state: Exchange.State) =>
      Work.walked(() => void Funding.charge(state, midnight + 8 * hour)) / funded(state).length
    const [few, many] = [cost(crowd(20)), cost(crowd(400))]
    expect(few).toBeGreaterThan(1)
    expect(many / few).toBeLessThan(1.2)
  })

  it.effect(
    "[exchange/funding] is paid by longs to shorts at every multiple of the interval, with executions and in the wallet",
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
          execFee: "0.5",
          feeRate: "0.0001",
          execPrice: "100",
          execQty: "50",
          orderType: "UNKNOWN",
          execTime: String(midnight + 8 * hour),
          isMaker: false,
          closedSize: "0"
        })
        expect((yield* funding(short, "linear")).map((one) => `${one.side} ${one.execFee}`)).toEqual(["Sell -0.5"])
        expect(subtract(before[0], yield* long.balance("USDT"))).toBe("0.5")
        expect(subtract(before[1], yield* short.balance("USDT"))).toBe("-0.5")
        yield* TestClock.setTime(midnight + 24 * hour)
        expect((yield* funding(long, "linear")).length).toBe(3)
        expect(yield* long.rows("execution/list", { ...ltc, execType: "Funding" })).toHaveLength(3)
        yield* holds
      })
  )

  it.effect("[exchange/funding.isolated] changes the margin and the liquidation price of an isolated position", () =>
    Effect.gen(function* () {
      const { control, holds, trader } = yield* market
      const long = yield* trader({ funds: { USDT: "10000" }, tradeMode: "isolated" })
      const short = yield* trader({ funds: { USDT: "10000" }, tradeMode: "isolated" })
      yield* long.place({ ...ltc, side: "Buy", orderType: "Market", qty: "50" })
      yield* short.place({ ...ltc, side: "Sell", orderType: "Market", qty: "50" })
      const look = (one: Traders.Trader) =>
        Effect.all({ position: one.position("linear", "LTCUSDT"), wallet: one.get("account/wallet-balance", usdt) })
      const before = [yield* look(long), yield* look(short)]
      yield* TestClock.setTime(midnight + 24 * hour)
      const after = [yield* look(long), yield* look(short)]
      // 50 * 100 * 0.0001, three times: the long pays, the short gets.
      const changes = before.map(({ position }, index) =>
        subtract(position.positionBalance, after[index]?.position.positionBalance)
      )
      expect(changes).toEqual(["1.5", "-1.5"])
      // Of the margin 1.5 / 50 a coin, on ticks of 0.01.
      const moved = before.map(({ position }, index) => subtract(after[index]?.position.liqPrice, position.liqPrice))
      expect(moved).toEqual(["0.03", "0.03"])
      // What is free is not touched: it is the position that pays.
      const free = ({ wallet }: (typeof before)[number]) => wallet.json.result.list[0].coin[0].availableToWithdraw
      expect(after.map(free)).toEqual(before.map(free))
      yield* holds
      expect(yield* long.code("position/add-margin", { ...ltc, margin: "1" })).toBe(0)
      expect(yield* long.code("position/add-margin", { ...ltc, margin: "-0.1" })).toBe(110078)
      const { liqPrice } = yield* long.position("linear", "LTCUSDT")
      yield* control.setPrice({ ...ltc, price: liqPrice })
      yield* TestClock.adjust("2 seconds")
      const bust = (yield* long.fills("linear")).at(-1)
      expect(bust).toMatchObject({ execType: "BustTrade", execQty: "50" })
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
