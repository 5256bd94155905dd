/** What backs contracts, and what a liquidation takes, under random plans. */
import * as Breadth from "@effect-venue/testing/Breadth"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck, TestClock, TestContext } from "effect"
import * as Model from "./utils/marginModel.js"
import * as Traders from "./utils/traders.js"

const runs = Breadth.repeats(150, 4)
const start = 1_780_000_000_000

const markets = [
  { category: "linear", symbol: "BTCUSDT", price: 40_000, tick: 0.1, step: 0.001, typical: 1 },
  { category: "linear", symbol: "ETHUSDT", price: 2000, tick: 0.01, step: 0.01, typical: 20 },
  { category: "linear", symbol: "SOLUSDT", price: 100, tick: 0.001, step: 0.1, typical: 400 },
  { category: "inverse", symbol: "BTCUSD", price: 40_000, tick: 0.5, step: 1, typical: 40_000 },
  { category: "inverse", symbol: "ETHUSD", price: 2000, tick: 0.05, step: 1, typical: 40_000 }
] as const

const draws = FastCheck.record({
  /** In USD, of USDT, BTC, ETH. */
  funds: FastCheck.array(FastCheck.constantFrom(0, 0, 800, 3000, 20_000), { minLength: 3, maxLength: 3 }),
  account: FastCheck.record({
    tradeMode: FastCheck.constantFrom<Array<"cross" | "isolated">>("cross", "cross", "cross", "isolated"),
    positionMode: FastCheck.constantFrom<Array<"oneWay" | "hedge">>("oneWay", "hedge")
  }),
  /** A symbol in the other margin mode. */
  mixed: FastCheck.option(FastCheck.nat(markets.length - 1)),
  steps: FastCheck.array(
    FastCheck.record({
      kind: FastCheck.constantFrom("open", "open", "open", "move", "move", "move", "move", "force"),
      market: FastCheck.nat(markets.length - 1),
      side: FastCheck.constantFrom("Buy", "Sell"),
      percent: FastCheck.integer({ min: 5, max: 100 }),
      /** Parts of a thousand by which a price changes. */
      change: FastCheck.oneof(FastCheck.integer({ min: -60, max: 60 }), FastCheck.integer({ min: -400, max: 600 }))
    }),
    { minLength: 24, maxLength: 24, size: "max" }
  )
})

type Plan = typeof draws extends FastCheck.Arbitrary<infer A> ? A : never

const rounded = (value: number, step: number): string =>
  (Math.max(1, Math.round(value / step)) * step).toFixed(Math.max(0, -Math.floor(Math.log10(step))))

/** What happened in all plans, so that they are known to have met what they are about. */
const tally = new Map<string, number>()
const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1)

const play = (plan: Plan) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const world = yield* Traders.world()
    const prices = new Map<string, number>()
    const setPrice = ({ category, symbol, tick }: (typeof markets)[number], to: number) => {
      const price = rounded(to, tick)
      prices.set(`${category}:${symbol}`, Number(price))
      return world.control.setPrice({ category, symbol, price })
    }
    for (const market of markets) yield* setPrice(market, market.price)
    const [usdt = 0, btc = 0, eth = 0] = plan.funds
    const amounts = { USDT: usdt, BTC: btc / 40_000, ETH: eth / 2000 }
    const funds = Object.fromEntries(
      Object.entries(amounts).flatMap(([coin, amount]) => (amount === 0 ? [] : [[coin, String(amount)]]))
    )
    const trader = yield* world.trader({ funds, ...plan.account })
    const isHedge = plan.account.positionMode === "hedge"
    if (plan.mixed !== null) {
      const { category, symbol } = markets[plan.mixed]!
      const tradeMode = plan.account.tradeMode === "cross" ? "isolated" : "cross"
      yield* world.control.setModes({ uid: trader.uid, category, symbol, tradeMode })
    }
    for (const { category, symbol } of markets) {
      const leverage = { buyLeverage: "40", sellLeverage: "40" }
      yield* trader.code("position/set-leverage", { category, symbol, ...leverage })
    }

    const look = Effect.gen(function* () {
      const [account] = yield* trader.rows("account/wallet-balance", { accountType: "UNIFIED", coin: "USDT,BTC,ETH" })
      const positions: Array<Model.Held> = []
      for (const [category, settleCoin] of [
        ["linear", "USDT"],
        ["inverse", "BTC"],
        ["inverse", "ETH"]
      ] as const) {
        const rows = yield* trader.rows("position/list", { category, settleCoin })
        positions.push(...rows.map((row) => Model.held(category, row)))
      }
      const wallets = (account?.coin as ReadonlyArray<Traders.Row>).map((row) => ({
        coin: String(row.coin),
        balance: Number(row.walletBalance)
      }))
      return { account: account ?? {}, wallets, positions }
    })

    /** What must be so of any account at any time. */
    const check = Effect.gen(function* () {
      const { account, positions, wallets } = yield* look
      const available = Model.available(wallets, positions, prices)
      const { tolerance } = Model.standing(wallets, positions, prices)
      expect(Math.abs(Number(account.totalAvailableBalance) - available)).toBeLessThan(tolerance)
      if (plan.account.tradeMode === "cross") {
        for (const row of account.coin) {
          const inUsd = Number(row.availableToWithdraw) * Model.usd(prices, row.coin)
          expect(Math.abs(inUsd - Math.max(0, available))).toBeLessThan(tolerance)
        }
      }
      for (const position of positions) {
        const { bustPrice, isolated, key, liqPrice, size } = position
        const pair = positions.filter((candidate) => candidate.key === key)
        if (!isolated && pair.length === 2) {
          expect(new Set(pair.map((side) => side.liqPrice)).size).toBe(1)
          count(liqPrice === undefined ? "a hedge without a price" : "a hedge with a price")
        }
        if (liqPrice !== undefined && bustPrice !== undefined) {
          expect(size > 0 ? liqPrice - bustPrice : bustPrice - liqPrice, key).toBeGreaterThanOrEqual(0)
          count("both prices")
        }
      }
      yield* world.holds
    })

    const busts = Effect.gen(function* () {
      const rows = [
        ...(yield* trader.all("execution/list", { category: "linear", execType: "BustTrade" })),
        ...(yield* trader.all("execution/list", { category: "inverse", execType: "BustTrade" }))
      ]
      return rows.length
    })

    for (const step of plan.steps) {
      yield* TestClock.adjust(100)
      const market = markets[step.market]!
      const { category, symbol } = market
      if (step.kind === "open") {
        const { code } = yield* trader.post("order/create", {
          category,
          symbol,
          side: step.side,
          orderType: "Market",
          qty: rounded((market.typical * step.percent) / 100, market.step),
          ...(isHedge ? { positionIdx: step.side === "Buy" ? 1 : 2 } : {})
        })
        count(`open ${code}`)
        yield* check
        continue
      }
      const before = yield* look
      const taken = yield* busts
      const forced = before.positions.find((position) => position.category === category && position.symbol === symbol)
      if (step.kind === "move") {
        yield* setPrice(market, (prices.get(`${category}:${symbol}`) ?? 0) * (1 + step.change / 1000))
      } else {
        if (forced === undefined) continue
        const { positionIdx } = forced
        yield* world.control.liquidate({ uid: trader.uid, category, symbol, positionIdx: positionIdx as 0 | 1 | 2 })
      }
      const after = yield* look
      // What the account would be worth if nobody had closed anything.
      const would = Model.standing(before.wallets, before.positions, prices)
      const is = Model.standing(after.wallets, after.positions, prices)
      const more = (yield* busts) - taken
      if (more === 0) {
        expect(Math.abs(is.cross + is.isolated - (would.cross + would.isolated))).toBeLessThan(would.tolerance)
      } else count(step.kind === "force" ? "taken over by force" : "taken over")
      // What is owed beyond what stands behind it is forgiven, at a price that is rounded to a tick in favour of the account.
      const ticks = before.positions.reduce((sum, { bustPrice, category, key, settleCoin, size }) => {
        const { tick } = markets.find((candidate) => `${candidate.category}:${candidate.symbol}` === key)!
        const price = Math.min(prices.get(key)!, bustPrice ?? Number.POSITIVE_INFINITY)
        const inCoin = category === "inverse" ? (Math.abs(size) * tick) / price ** 2 : Math.abs(size) * tick
        return sum + inCoin * Model.usd(prices, settleCoin)
      }, 0)
      const most = Math.max(0, would.cross) + would.isolated + (would.owes ? ticks : 0)
      expect(is.cross + is.isolated, `of ${would.cross} and ${would.isolated}`).toBeLessThan(most + would.tolerance)
      if (step.kind === "move") {
        const remains = (position: Model.Held) =>
          after.positions.some(
            (candidate) => candidate.key === position.key && candidate.positionIdx === position.positionIdx
          )
        for (const position of before.positions) {
          const slack = position.isolated
            ? Model.isolatedSlack(position, prices) * Model.usd(prices, position.settleCoin)
            : would.slack
          if (Math.abs(slack) < would.tolerance) continue
          expect(remains(position), `${position.key} with ${slack} more than it needs`).toBe(slack > 0)
        }
      }
      yield* check
    }
  })

describe("cross margin", () => {
  it.live(
    "[exchange/collateral, exchange/liquidation.equity, exchange/liquidation.hedge] is worth no more after a liquidation, and has prices that agree with what happens, in any plan",
    () =>
      Effect.gen(function* () {
        const property = FastCheck.asyncProperty(draws, (plan) =>
          Effect.runPromise(Effect.provide(play(plan), TestContext.TestContext))
        )
        yield* Effect.promise(() => FastCheck.assert(property, { numRuns: runs, seed: 20_260_701, endOnFailure: true }))
        for (const met of [
          "open 0",
          "open 110007",
          "both prices",
          "a hedge with a price",
          "taken over",
          "taken over by force"
        ]) {
          expect(tally.get(met) ?? 0, met).toBeGreaterThan(0)
        }
      })
  )
})

const btc = { category: "linear", symbol: "BTCUSDT" } as const
const inverse = { category: "inverse", symbol: "BTCUSD" } as const

const market = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const world = yield* Traders.world()
  for (const { category, price, symbol } of markets) {
    yield* world.control.setPrice({ category, symbol, price: String(price) })
  }
  yield* world.control.setPrice({ category: "spot", symbol: "BTCUSDT", price: "40000" })
  return world
})

/** An account with almost all of its money in another coin than USDT. */
const owner = (world: Effect.Effect.Success<typeof market>, options = {}) =>
  world.trader({ funds: { BTC: "10", USDT: "100" }, ...options })

const coin = (trader: Traders.Trader, name: string, accountType = "UNIFIED") =>
  Effect.map(trader.rows("account/wallet-balance", { accountType, coin: name }), ([row]): Traders.Row => row?.coin[0])

const order = { ...btc, side: "Buy", orderType: "Market", qty: "1" } as const

describe("collateral", () => {
  const uses: ReadonlyArray<readonly [string, (trader: Traders.Trader) => Effect.Effect<number | undefined>]> = [
    ["a market order", (trader) => trader.code("order/create", order)],
    ["a limit order", (trader) => trader.code("order/create", { ...order, orderType: "Limit", price: "39000" })],
    [
      "a contract that another coin settles",
      (trader) => trader.code("order/create", { ...order, category: "inverse", symbol: "ETHUSD", qty: "40000" })
    ],
    [
      "an order of a batch",
      (trader) =>
        Effect.map(
          trader.post("order/create-batch", { category: "linear", request: [{ ...order, category: undefined }] }),
          ({ json }): number => json.retExtInfo.list[0].code
        )
    ],
    [
      "an amendment to a larger quantity",
      (trader) =>
        Effect.gen(function* () {
          const limit = { ...order, orderType: "Limit", price: "39000", qty: "0.001" }
          const orderId = yield* trader.place(limit)
          return yield* trader.code("order/amend", { ...btc, orderId, qty: "2" })
        })
    ],
    [
      "a smaller leverage",
      (trader) =>
        Effect.gen(function* () {
          yield* trader.place({ ...order, qty: "0.01" })
          return yield* trader.code("position/set-leverage", { ...btc, buyLeverage: "1", sellLeverage: "1" })
        })
    ]
  ]
  for (const [title, use] of uses) {
    it.effect(`[exchange/collateral] of other coins pays for ${title}, in cross margin only`, () =>
      Effect.gen(function* () {
        const world = yield* market
        expect(yield* use(yield* owner(world))).toBe(0)
        const [isolated, classic] = [
          yield* owner(world, { tradeMode: "isolated" }),
          yield* owner(world, { unified: false })
        ]
        for (const other of [isolated, classic]) expect([110007, 110012]).toContain(yield* use(other))
        yield* world.holds
      })
    )
  }

  it.effect("[exchange/collateral] is at most totalAvailableBalance", () =>
    Effect.gen(function* () {
      const world = yield* market
      const trader = yield* owner(world)
      const limit = { ...order, orderType: "Limit", price: "40000" }
      yield* trader.code("position/set-leverage", { ...btc, buyLeverage: "1", sellLeverage: "1" })
      // 400,100 USD buy 10 at 40,000 with a leverage of 1, and fees.
      expect(yield* trader.code("order/create", { ...limit, qty: "10.003" })).toBe(110007)
      expect(yield* trader.code("order/create", { ...limit, price: "39000", qty: "10" })).toBe(0)
      const [wallet] = yield* trader.rows("account/wallet-balance", { accountType: "UNIFIED" })
      expect(wallet?.totalAvailableBalance).toBe("10100")
      expect((yield* coin(trader, "USDT")).availableToWithdraw).toBe("10100")
      expect((yield* coin(trader, "BTC")).availableToWithdraw).toBe("0.2525")
      expect((yield* coin(trader, "ETH")).availableToWithdraw).toBe("5.05")
      expect(yield* trader.code("order/create", { ...limit, price: "39000", qty: "0.259" })).toBe(110007)
      expect(yield* trader.code("order/create", { ...limit, price: "39000", qty: "0.258" })).toBe(0)
      yield* world.holds
    })
  )

  it.effect("[exchange/collateral] leaves the wallet and buys on spot as coins that the account has", () =>
    Effect.gen(function* () {
      const world = yield* market
      const trader = yield* owner(world)
      yield* trader.code("position/set-leverage", { ...btc, buyLeverage: "1", sellLeverage: "1" })
      yield* trader.place({ ...order, orderType: "Limit", price: "39000", qty: "5" })
      let count = 0
      const move = (name: string, amount: string) =>
        trader.code("/private/v1/asset/transfer/single-account-transfer", {
          requestId: `00000000-0000-4000-8000-${String((count += 1)).padStart(12, "0")}`,
          coin: name,
          amount,
          fromAccountType: "UNIFIED",
          toAccountType: "FUND"
        })
      expect((yield* coin(trader, "USDT")).availableToWithdraw).toBe("205100")
      expect(yield* move("USDT", "100.000001")).toBe(131212)
      const spot = { category: "spot", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", price: "40000" }
      expect(yield* trader.code("order/create", { ...spot, qty: "0.0026" })).toBe(170131)
      expect(yield* move("USDT", "100")).toBe(0)
      // 205,000 USD are free.
      expect(yield* move("BTC", "5.12500001")).toBe(131212)
      expect(yield* move("BTC", "5.125")).toBe(0)
      expect(yield* move("BTC", "0.00000001")).toBe(131212)
      yield* world.holds
    })
  )

  it.effect("[exchange/collateral] pays losses in another coin, and is lost when all of it is", () =>
    Effect.gen(function* () {
      const world = yield* market
      const trader = yield* world.trader({ funds: { BTC: "1" } })
      yield* trader.place({ ...order, side: "Sell" })
      yield* world.control.setPrice({ ...btc, price: "60000" })
      yield* trader.place({ ...order, qty: "0.5" })
      const usdt = yield* coin(trader, "USDT")
      expect(Number(usdt.walletBalance)).toBeLessThan(-10_000)
      expect(Number(usdt.availableToWithdraw)).toBeGreaterThan(0)
      // What backs the position falls, not its own price.
      yield* world.control.setPrice({ ...inverse, price: "21000" })
      expect((yield* trader.position("linear", "BTCUSDT")).side).toBe("Sell")
      yield* world.control.setPrice({ ...inverse, price: "20100" })
      expect(yield* trader.position("linear", "BTCUSDT")).toMatchObject({ side: "", positionStatus: "Liq" })
      const [wallet] = yield* trader.rows("account/wallet-balance", { accountType: "UNIFIED" })
      expect(Number(wallet?.totalEquity)).toBeCloseTo(0, 0)
      expect((yield* coin(trader, "BTC")).walletBalance).toBe("1")
      yield* world.holds
    })
  )
})
