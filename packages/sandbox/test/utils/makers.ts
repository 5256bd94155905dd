import { expect } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import * as Model from "./model.js"
import * as Traders from "./traders.js"

// What the market does of itself is at full seconds. Commands come in bursts of hundredths of a second, and never at a full one.
const start = 1_779_926_400_501
const burst = 8

const markets = [
  { category: "linear", symbol: "LTCUSDT", price: 10_000, digits: 2, step: 1, lot: 1, most: 400 },
  { category: "linear", symbol: "SOLUSDT", price: 100_000, digits: 3, step: 10, lot: 1, most: 300 },
  { category: "inverse", symbol: "BTCUSD", price: 400_005, digits: 1, step: 5, lot: 0, most: 5000 },
  { category: "spot", symbol: "SOLUSDT", price: 10_000, digits: 2, step: 1, lot: 3, most: 9000 }
] as const

const categories = ["spot", "linear", "inverse"] as const

/** How an account is opened. */
export interface Modes {
  readonly tradeMode: Model.TradeMode
  readonly positionMode: "oneWay" | "hedge"
}

/** Pairs of accounts in which every mode comes up. */
export const mixtures: ReadonlyArray<readonly [Modes, Modes]> = [
  [
    { tradeMode: "isolated", positionMode: "oneWay" },
    { tradeMode: "cross", positionMode: "hedge" }
  ],
  [
    { tradeMode: "isolated", positionMode: "hedge" },
    { tradeMode: "cross", positionMode: "oneWay" }
  ]
]

const indexesOf = ({ positionMode }: Modes): ReadonlyArray<0 | 1 | 2> => (positionMode === "hedge" ? [1, 2] : [0])

/** A reproducible draw. */
const drawOf = (seed: number) => {
  let state = seed >>> 0
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const scaled = (units: number, digits: number): string =>
  digits === 0
    ? String(units)
    : `${Math.floor(units / 10 ** digits)}.${String(units % 10 ** digits).padStart(digits, "0")}`

/** What of a run is looked at beside its books. */
export interface Report {
  readonly commands: number
  readonly refused: number
  readonly executions: number
  /** Trades of callers with each other. */
  readonly met: number
  readonly fundings: number
  readonly busts: number
  /** Changes of margin, leverage and trade mode. */
  readonly settings: number
}

interface Subject extends Traders.Trader {
  readonly modes: Modes
  readonly settings: Array<Model.Setting>
}

const v1 = (path: string) => `/private/v1/asset/${path}`

const instrumentsOf = (trader: Traders.Trader) =>
  Effect.gen(function* () {
    const instruments = new Map<string, Model.Instrument>()
    for (const { category, symbol } of markets) {
      const [row] = yield* trader.rows("market/instruments-info", { category, symbol })
      const [fees] = yield* trader.rows("account/fee-rate", { category, symbol })
      instruments.set(`${category}:${symbol}`, {
        category,
        symbol,
        base: row?.baseCoin,
        quote: row?.quoteCoin,
        settle: category === "inverse" ? row?.baseCoin : row?.quoteCoin,
        maker: Model.parse(fees?.makerFeeRate),
        taker: Model.parse(fees?.takerFeeRate)
      })
    }
    return instruments
  })

/** Everything of an account by its records alone, and by what the exchange answers: they agree to the last digit. */
const audit = (trader: Subject) =>
  Effect.gen(function* () {
    const indexes = indexesOf(trader.modes)
    const ledger = new Model.Ledger(yield* instrumentsOf(trader), { tradeMode: trader.modes.tradeMode, indexes })
    const indexOf = new Map<string, number>()
    for (const category of categories) {
      for (const row of yield* trader.all("order/history", { category, limit: 50 })) {
        indexOf.set(row.orderId, row.positionIdx)
      }
      const named = category === "linear" ? { category, settleCoin: "USDT" } : { category }
      for (const row of yield* trader.all("order/realtime", named)) indexOf.set(row.OrderId, row.PositionIdx)
    }
    const deposits = yield* trader.all(v1("deposit/query-record"), { type: 2, pageSize: 50 }, "rows")
    for (const row of deposits) ledger.deposit(row)
    for (const row of yield* trader.all(v1("transfer/list"), { limit: 50 })) ledger.transfer(row)
    const executions: Array<readonly [Model.Category, Traders.Row]> = []
    for (const category of categories) {
      for (const row of yield* trader.all("execution/list", { category, limit: 100 })) executions.push([category, row])
    }
    executions.sort(([, one], [, other]) => (one.execId < other.execId ? -1 : 1))
    const settings = [...trader.settings]
    for (const [category, row] of executions) {
      while (settings[0] !== undefined && settings[0].at < Number(row.execTime)) {
        const [setting] = settings.splice(0, 1)
        if (setting !== undefined) ledger.setting(setting)
      }
      ledger.execution(category, row, indexOf.get(row.orderId))
    }
    for (const setting of settings) ledger.setting(setting)
    expect(ledger.wrong).toEqual([])
    for (const coin of ["USDT", "BTC", "SOL"]) {
      const balance = yield* trader.balance(coin)
      expect(`${coin} ${Model.bare(balance)}`).toBe(
        `${coin} ${Model.print(ledger.wallets.get(`UNIFIED ${coin}`) ?? Model.zero)}`
      )
    }
    for (const category of ["linear", "inverse"] as const) {
      for (const { symbol } of markets.filter((one) => one.category === category)) {
        for (const index of indexes) {
          const row = yield* trader.position(category, symbol, index)
          const position = ledger.positions.get(Model.positionKey(category, symbol, index))
          const size = position?.size ?? Model.zero
          const isIsolated = (position?.tradeMode ?? trader.modes.tradeMode) === "isolated"
          const margin = position === undefined || !isIsolated ? Model.zero : Model.isolatedMargin(position)
          expect([
            symbol,
            row.side,
            row.tradeMode,
            ...[row.size, row.avgPrice, row.cumRealisedPnl, row.positionBalance].map(Model.bare)
          ]).toEqual([
            symbol,
            size.top === 0n ? "" : size.top > 0n ? "Buy" : "Sell",
            isIsolated ? 1 : 0,
            ...[Model.absolute(size), position?.price ?? Model.zero, position?.realised ?? Model.zero, margin].map(
              Model.print
            )
          ])
        }
      }
      for (const row of yield* trader.all("position/closed-pnl", { category, limit: 100 })) {
        const closed = ledger.closed.get(row.orderId)
        expect(
          [row.closedSize, row.avgEntryPrice, row.avgExitPrice, row.closedPnl]
            .map(Model.bare)
            .concat(String(row.fillCount))
        ).toEqual(
          [closed?.size, closed?.entry, closed?.exit, closed?.profit]
            .map((amount) => Model.print(amount ?? Model.zero))
            .concat(String(closed?.fills))
        )
        ledger.closed.delete(row.orderId)
      }
    }
    expect(Array.from(ledger.closed.keys())).toEqual([])
    const orders: Array<Traders.Row> = []
    for (const category of categories) {
      for (const row of yield* trader.all("order/history", { category, limit: 50 })) {
        orders.push(row)
        const filled = ledger.orders.get(row.orderId)
        if (filled === undefined) continue
        expect([row.cumExecQty, row.cumExecValue, row.cumExecFee, row.avgPrice].map(Model.bare)).toEqual(
          [filled.qty, filled.value, filled.fee, filled.price].map(Model.print)
        )
      }
    }
    return { executions, orders }
  })

/**
 * Two market makers and their market, with a count of commands over some seconds. Then all that was done and all that was executed is gone through
 * once more by the model.
 */
export const run = (options: {
  readonly seed: number
  readonly commands: number
  readonly seconds: number
  /** Of the two accounts. Defaults to cross margin and one-way mode for both. */
  readonly modes?: readonly [Modes, Modes]
}): Effect.Effect<Report> =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const draw = drawOf(options.seed)
    const world = yield* Traders.world({ seed: options.seed })
    const funds = { USDT: "50000", BTC: "2", SOL: "1000" }
    const simple = { tradeMode: "cross", positionMode: "oneWay" } as const
    const traders: ReadonlyArray<Subject> = yield* Effect.forEach(options.modes ?? [simple, simple], (modes) =>
      Effect.map(world.trader({ funds, ...modes }), (trader) => ({ ...trader, modes, settings: [] }))
    )
    const prices = markets.map(({ price }): number => price)
    const setPrice = (index: number) =>
      Effect.gen(function* () {
        const { category, digits, symbol } = markets[index] ?? expect.fail()
        yield* Effect.orDie(world.control.setPrice({ category, symbol, price: scaled(prices[index] ?? 0, digits) }))
      })
    for (const index of markets.keys()) yield* setPrice(index)
    const acts: Array<Model.Act> = []
    const open: Array<{
      readonly index: number
      readonly who: number
      readonly orderId: string
      readonly qty: number
    }> = []
    let refused = 0
    // A burst is on one market: there callers meet.
    let busy = 0

    // Within a dozen ticks of the market, on both sides of it; often between the market maker's prices, where only callers meet.
    const off = () => (draw(2) === 0 ? 0 : draw(25) - 12)

    const place = (who: number, index: number) =>
      Effect.gen(function* () {
        const { category, digits, lot, most, step, symbol } = markets[index] ?? expect.fail()
        const trader = traders[who] ?? expect.fail()
        const side = draw(2) === 0 ? "Buy" : "Sell"
        const isMarket = draw(5) === 0
        const price = (prices[index] ?? 0) + off() * step
        const units = 1 + Math.floor(most / 10) + draw(most)
        const quote = category === "spot" && isMarket && side === "Buy"
        const tif = ["GTC", "GTC", "GTC", "PostOnly", "IOC", "FOK"][draw(6)]
        const positionIdx = trader.modes.positionMode === "oneWay" ? 0 : 1 + draw(2)
        const { code, json } = yield* trader.post("order/create", {
          category,
          symbol,
          side,
          ...(category === "spot" || positionIdx === 0 ? {} : { positionIdx }),
          orderType: isMarket ? "Market" : "Limit",
          qty: quote ? String(10 + draw(500)) : scaled(units, lot),
          ...(isMarket ? {} : { price: scaled(price, digits), timeInForce: tif }),
          ...(category !== "spot" && draw(8) === 0 ? { reduceOnly: true } : {})
        })
        if (code !== 0) {
          refused += 1
          return
        }
        const { orderId } = json.result
        const at = yield* Clock.currentTimeMillis
        // An order that only reduces may be smaller than it was asked to be, and one by quote coin rests nowhere.
        const qty = quote ? "0" : (yield* trader.order(category, symbol, orderId)).Qty
        acts.push({
          kind: "place",
          at,
          uid: trader.uid,
          orderId,
          key: `${category}:${symbol}`,
          side,
          price: isMarket ? undefined : Model.parse(scaled(price, digits)),
          qty: Model.parse(qty)
        })
        if (!isMarket) open.push({ index, who, orderId, qty: units })
      })

    const change = (kind: "amend" | "cancel") =>
      Effect.gen(function* () {
        const [order] = open.length === 0 ? [] : open.splice(draw(open.length), 1)
        if (order === undefined) return
        const { category, digits, lot, step, symbol } = markets[order.index] ?? expect.fail()
        const trader = traders[order.who] ?? expect.fail()
        const named = { category, symbol, orderId: order.orderId }
        if (kind === "cancel") {
          if ((yield* trader.code("order/cancel", named)) !== 0) refused += 1
          return
        }
        const price = scaled((prices[order.index] ?? 0) + off() * step, digits)
        const units = draw(2) === 0 ? order.qty : 1 + draw(order.qty * 2)
        const qty = scaled(units, lot)
        open.push({ ...order, qty: units })
        const code = yield* trader.code("order/amend", { ...named, price, qty })
        if (code !== 0) refused += 1
        else {
          const at = yield* Clock.currentTimeMillis
          acts.push({ kind: "amend", at, orderId: order.orderId, price: Model.parse(price), qty: Model.parse(qty) })
        }
      })

    let transfers = 0
    const transfer = Effect.gen(function* () {
      const trader = traders[draw(2)] ?? expect.fail()
      transfers += 1
      const out = draw(2) === 0
      const { code } = yield* trader.post(v1("transfer/single-account-transfer"), {
        requestId: `00000000-0000-4000-8000-${String(transfers).padStart(12, "0")}`,
        coin: "USDT",
        amount: `${1 + draw(20)}.${draw(1000)}`,
        fromAccountType: out ? "UNIFIED" : "FUND",
        toAccountType: out ? "FUND" : "UNIFIED"
      })
      if (code !== 0) refused += 1
    })

    const contracts = markets.flatMap(({ category, symbol }) => (category === "spot" ? [] : [{ category, symbol }]))

    // What only isolated margin has, and the switch between the two.
    const set = (who: number) =>
      Effect.gen(function* () {
        const trader = traders[who] ?? expect.fail()
        const { category, symbol } = contracts[draw(contracts.length)] ?? expect.fail()
        const at = yield* Clock.currentTimeMillis
        const kind = draw(4)
        if (kind === 0) {
          const tradeMode = draw(2) === 0 ? "cross" : "isolated"
          const changed = yield* Effect.either(world.control.setModes({ uid: trader.uid, category, symbol, tradeMode }))
          if (changed._tag === "Right") trader.settings.push({ kind: "tradeMode", at, category, symbol, tradeMode })
          return
        }
        if (kind === 1) {
          const leverage = String(2 + draw(15))
          const changed = yield* trader.code("position/set-leverage", {
            category,
            symbol,
            buyLeverage: leverage,
            sellLeverage: leverage
          })
          if (changed === 0) {
            trader.settings.push({ kind: "leverage", at, category, symbol, leverage: Model.parse(leverage) })
          }
          return
        }
        const positionIdx = indexesOf(trader.modes)[draw(indexesOf(trader.modes).length)] ?? 0
        const unit = category === "inverse" ? "0.000" : "0."
        const margin = `${draw(3) === 0 ? "-" : ""}${unit}${1 + draw(9)}`
        if ((yield* trader.code("position/add-margin", { category, symbol, margin, positionIdx })) === 0) {
          trader.settings.push({ kind: "margin", at, category, symbol, positionIdx, amount: Model.parse(margin) })
        }
      })

    for (let command = 0; command < options.commands; command++) {
      const pause = Math.floor((options.seconds * burst) / options.commands)
      yield* TestClock.adjust(command % burst === 0 ? `${pause} seconds` : "10 millis")
      if (command % burst === 0) busy = draw(markets.length)
      // Accounts in cross margin and one-way mode have the commands that they always had.
      if (options.modes !== undefined && draw(6) === 0) {
        yield* set(draw(2))
        continue
      }
      const kind = draw(20)
      if (kind < 12) yield* place(draw(2), busy)
      else if (kind < 14) yield* change("amend")
      else if (kind < 16) yield* change("cancel")
      else if (kind < 19) {
        const index = draw(markets.length)
        prices[index] = (prices[index] ?? 0) + (draw(41) - 20) * (markets[index]?.step ?? 1)
        yield* setPrice(index)
      } else yield* transfer
    }
    // One of them is taken over at the end, in an instant of its own.
    yield* TestClock.adjust("10 millis")
    const [first] = traders
    for (const { category, symbol } of markets) {
      if (category === "spot" || first === undefined) continue
      for (const positionIdx of indexesOf(first.modes)) {
        yield* Effect.ignore(world.control.liquidate({ uid: first.uid, category, symbol, positionIdx }))
      }
    }
    yield* world.holds

    const audits = yield* Effect.forEach(traders, audit)
    const executions = audits.flatMap((one) => one.executions)
    const ends = new Map(
      audits.flatMap(({ orders }) =>
        orders.map(
          (row) => [row.orderId, { at: Number(row.updatedTime), filled: row.orderStatus === "Filled" }] as const
        )
      )
    )
    const deals = executions
      .filter(([, row]) => row.execType === "Trade")
      .map(([category, row]): Model.Deal => ({
        at: Number(row.execTime),
        execId: row.execId,
        key: `${category}:${row.symbol}`,
        orderId: row.orderId,
        side: row.side,
        isMaker: row.isMaker,
        price: Model.parse(row.execPrice),
        qty: Model.parse(row.execQty)
      }))
    const { met, wrong } = Model.outOfTurn(acts, deals, ends)
    expect(wrong).toEqual([])
    const count = (type: string) => executions.filter(([, row]) => row.execType === type).length
    return {
      commands: options.commands,
      refused,
      executions: executions.length,
      met,
      fundings: count("Funding"),
      busts: count("BustTrade"),
      settings: traders.reduce((total, { settings }) => total + settings.length, 0)
    }
  })
