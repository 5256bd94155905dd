import * as assert from "node:assert/strict"
import { type Case, farBelow, pause, sixtyDays, v1, v3, week } from "../Case.js"
import type { Json, Methods } from "../peers.js"

type CcxtCase = Case<Methods>

const symbol = "BTC/USDT:USDT"

const spot = "BTC/USDT"

const inverse = "BTC/USD:BTC"

const call = (client: Methods, name: string, ...args: ReadonlyArray<unknown>): Promise<Json> => {
  const method = client[name]
  assert.ok(method !== undefined, `there is no ${name}`)
  return method.apply(client, [...args])
}

const price = async (client: Methods): Promise<number> =>
  Number(farBelow(String((await call(client, "fetchPosition", symbol)).markPrice)))

const placeOrder = async (client: Methods): Promise<string> =>
  (await call(client, "createOrder", symbol, "limit", "buy", 0.01, await price(client))).id

const openOrder = (client: Methods, id: string): Promise<Json> => call(client, "fetchOpenOrder", id, symbol)

const statusOf = async (client: Methods, id: string): Promise<unknown> =>
  (await call(client, "fetchOrder", id, symbol, { acknowledged: true })).status

/** Runs with temporarily changed settings. */
const withChanged = async (client: Methods, changes: Json, run: () => Promise<unknown>): Promise<void> => {
  const settings: Json = client
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, settings[name]]))
  Object.assign(settings, changes)
  await run().finally(() => Object.assign(settings, before))
}

const idsOf = (records: ReadonlyArray<Json>): ReadonlyArray<string> => records.map(({ id }) => String(id)).toSorted()

const markets: ReadonlyArray<CcxtCase> = [
  {
    call: "loadMarkets (fetchSpotMarkets, fetchFutureMarkets), fetchCurrencies",
    paths: [v3("market/instruments-info"), v1("asset/coin/query-info")],
    result:
      "markets of spot, linear and inverse with tick, step and bounds; currencies, without networks: the document names the fields of a coin differently",
    run: async (client) => {
      const markets: ReadonlyArray<Json> = Object.values(await call(client, "loadMarkets"))
      for (const type of ["spot", "linear", "inverse"]) assert.ok(markets.some((market) => market[type] === true))
      for (const { limits, precision } of markets) {
        assert.ok(precision.price > 0 && precision.amount > 0 && limits.amount.min > 0)
      }
      const market = markets.find((candidate) => candidate.symbol === symbol)
      assert.deepEqual([market.precision.price, market.precision.amount, market.limits.leverage.max], [0.1, 0.001, 100])
      assert.equal((await call(client, "fetchCurrencies")).USDT.code, "USDT")
    }
  }
]

const orders: ReadonlyArray<CcxtCase> = [
  {
    call: "createOrder, fetchOpenOrder, fetchOpenOrders, editOrder, cancelOrder, fetchOrder",
    paths: [v3("order/create"), v3("order/realtime"), v3("order/amend"), v3("order/cancel")],
    result: "the order is open as placed, then with the new price, then canceled",
    run: async (client) => {
      const id = await placeOrder(client)
      const order = await openOrder(client, id)
      assert.deepEqual(
        [order.status, order.side, order.amount, order.price],
        ["open", "buy", 0.01, await price(client)]
      )
      assert.ok(idsOf(await call(client, "fetchOpenOrders", symbol)).includes(id))
      await call(client, "editOrder", id, symbol, "limit", "buy", 0.02, order.price - 100)
      const edited = await openOrder(client, id)
      assert.deepEqual([edited.amount, edited.price], [0.02, order.price - 100])
      await call(client, "cancelOrder", id, symbol)
      assert.equal(await statusOf(client, id), "canceled")
    }
  },
  {
    call: "createOrders, editOrders, cancelOrders",
    paths: [v3("order/create-batch"), v3("order/amend-batch"), v3("order/cancel-batch")],
    result: "two orders placed, changed and cancelled",
    run: async (client) => {
      await pause(1000)
      const order = { symbol, type: "limit", side: "buy", amount: 0.01, price: await price(client) }
      const ids = (await call(client, "createOrders", [order, order])).map(({ id }: Json) => String(id))
      assert.equal(new Set(ids).size, 2)
      await call(
        client,
        "editOrders",
        ids.map((id: string) => ({ ...order, id, amount: 0.03 }))
      )
      for (const id of ids) assert.equal((await openOrder(client, id)).amount, 0.03)
      await call(client, "cancelOrders", ids, symbol)
      for (const id of ids) assert.equal(await statusOf(client, id), "canceled")
    }
  },
  {
    call: "cancelOrdersForSymbols, cancelAllOrders",
    paths: [v3("order/cancel-batch"), v3("order/cancel-all")],
    result: "an order is cancelled by each",
    run: async (client) => {
      const first = await placeOrder(client)
      await call(client, "cancelOrdersForSymbols", [{ id: first, symbol }])
      assert.equal(await statusOf(client, first), "canceled")
      const second = await placeOrder(client)
      await call(client, "cancelAllOrders", symbol)
      assert.equal(await statusOf(client, second), "canceled")
    }
  },
  {
    call: "createOrder of a market order, fetchOrderTrades",
    paths: [v3("order/create"), v3("execution/list")],
    result: "the order is filled, by trades of its amount, on linear and on spot",
    run: async (client) => {
      for (const market of [symbol, spot]) {
        const params = market === spot ? { marketUnit: "baseCoin" } : {}
        const { id } = await call(client, "createOrder", market, "market", "buy", 0.01, undefined, params)
        await pause(50)
        const trades: ReadonlyArray<Json> = await call(client, "fetchOrderTrades", id, market)
        const sum = trades.reduce((total: number, { amount }) => total + Number(amount), 0)
        assert.equal(sum.toFixed(6), "0.010000")
        assert.ok(trades.every(({ fee, side }) => side === "buy" && fee.cost > 0))
      }
    }
  },
  {
    call: "createOrder with a stop loss, with reduceOnly, with a trigger price",
    paths: [v3("order/create")],
    result: "each is open with the requested values",
    run: async (client) => {
      const at = await price(client)
      const withLoss = await call(client, "createOrder", symbol, "limit", "buy", 0.01, at, {
        stopLoss: { triggerPrice: at - 1000 }
      })
      assert.equal((await openOrder(client, withLoss.id)).stopLossPrice, at - 1000)
      const reducing = await call(client, "createOrder", symbol, "limit", "sell", 0.01, at * 2, { reduceOnly: true })
      assert.equal((await openOrder(client, reducing.id)).reduceOnly, true)
      const triggered = await call(client, "createOrder", symbol, "limit", "buy", 0.01, at, {
        triggerPrice: at + 100,
        triggerDirection: "below"
      })
      assert.equal((await openOrder(client, triggered.id)).triggerPrice, at + 100)
      await call(client, "cancelAllOrders", symbol)
    }
  },
  {
    call: "createOrder, fetchOpenOrders, editOrder, cancelAllOrders on spot and inverse",
    paths: [v3("order/create"), v3("order/realtime"), v3("order/amend"), v3("order/cancel-all")],
    result: "the order is open as placed, then with the new amount, then canceled",
    run: async (client) => {
      for (const [market, amount] of [
        [spot, 0.01],
        [inverse, 100]
      ] as const) {
        const at = await price(client)
        const { id } = await call(client, "createOrder", market, "limit", "buy", amount, at)
        const open = async (): Promise<ReadonlyArray<Json>> => call(client, "fetchOpenOrders", market)
        const order = (await open()).find((candidate) => candidate.id === id)
        assert.deepEqual([order.symbol, order.status, order.amount, order.price], [market, "open", amount, at])
        await call(client, "editOrder", id, market, "limit", "buy", amount * 2, at)
        assert.equal((await open()).find((candidate) => candidate.id === id).amount, amount * 2)
        await call(client, "cancelAllOrders", market)
        assert.ok(!idsOf(await open()).includes(id))
      }
    }
  },
  {
    call: "createMarketBuyOrderWithCost, createMarketSellOrderWithCost",
    paths: [v3("order/create"), v3("execution/list")],
    result: "trades on spot of the cost, to a step of the amount",
    run: async (client) => {
      for (const [method, side] of [
        ["createMarketBuyOrderWithCost", "buy"],
        ["createMarketSellOrderWithCost", "sell"]
      ] as const) {
        const { id } = await call(client, method, spot, 50)
        const trades: ReadonlyArray<Json> = await call(client, "fetchOrderTrades", id, spot)
        const cost = trades.reduce((total: number, trade) => total + Number(trade.cost), 0)
        assert.ok(cost > 49.5 && cost <= 50.5, `${method}: ${cost}`)
        assert.ok(trades.every((trade) => trade.side === side))
      }
    }
  },
  {
    call: "createOrder and cancelOrder, refused",
    paths: [v3("order/create"), v3("order/cancel")],
    result:
      "the client knows each code: OrderNotFound, InsufficientFunds on spot, an unmapped code beyond the risk limit, AuthenticationError for a wrong secret, RateLimitExceeded without pacing",
    run: async (client) => {
      const expectName = (name: string) => (error: unknown) => {
        assert.equal(error instanceof Error ? error.name : error, name, String(error))
        return true
      }
      const unknown = "41a20515-029d-7000-85ec-000000000000"
      await assert.rejects(call(client, "cancelOrder", unknown, symbol), expectName("OrderNotFound"))
      await assert.rejects(
        call(client, "editOrder", unknown, symbol, "limit", "buy", 1, 20_000),
        expectName("OrderNotFound")
      )
      const at = await price(client)
      await assert.rejects(call(client, "createOrder", symbol, "limit", "buy", 400, at), /110090/)
      await assert.rejects(call(client, "createOrder", spot, "limit", "buy", 150, at), expectName("InsufficientFunds"))
      await withChanged(client, { secret: "another" }, () =>
        assert.rejects(call(client, "fetchBalance"), expectName("AuthenticationError"))
      )
      await withChanged(client, { enableRateLimit: false }, async () => {
        const calls = Array.from({ length: 30 }, () => call(client, "fetchClosedOrders", symbol, undefined, 1))
        const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === "rejected")
        assert.ok(refused.length >= 20)
        for (const outcome of refused)
          if (outcome.status === "rejected") expectName("RateLimitExceeded")(outcome.reason)
      })
      await pause(1100)
    }
  },
  {
    call: "createOrder that protects a position: trailingAmount, stopLossPrice with takeProfitPrice",
    paths: [v3("position/trading-stop")],
    result:
      "with positionIdx, which the document requires, the position has the distance, then both prices; without it, as the client sends by default, 10001",
    run: async (client) => {
      const { markPrice } = await call(client, "fetchPosition", symbol)
      const trailing = { trailingAmount: "1000", positionIdx: 0 }
      await call(client, "createOrder", symbol, "market", "sell", 0, undefined, trailing)
      const asByDefault = call(client, "createOrder", symbol, "market", "sell", 0, undefined, {
        trailingAmount: "1000"
      })
      await assert.rejects(asByDefault, /10001.*positionIdx/)
      assert.equal(Number((await call(client, "fetchPosition", symbol)).info.trailingStop), 1000)
      const [low, high] = [Math.floor(markPrice * 0.8), Math.floor(markPrice * 1.2)]
      const both = { stopLossPrice: low, takeProfitPrice: high, positionIdx: 0 }
      await call(client, "createOrder", symbol, "market", "sell", 0, undefined, both)
      const { stopLossPrice, takeProfitPrice } = await call(client, "fetchPosition", symbol)
      assert.deepEqual([stopLossPrice, takeProfitPrice], [low, high])
    }
  },
  {
    call: "fetchClosedOrders, fetchClosedOrder, fetchCanceledOrders, fetchCanceledAndClosedOrders, fetchOrdersClassic",
    paths: [v3("order/history")],
    result: "filled orders, one of them by its id, cancelled ones, both, and orders in any status",
    run: async (client) => {
      const closed: ReadonlyArray<Json> = await call(client, "fetchClosedOrders", symbol)
      assert.ok(closed.length > 0 && closed.every(({ status }) => status === "closed"))
      const canceled: ReadonlyArray<Json> = await call(client, "fetchCanceledOrders", symbol)
      assert.ok(canceled.length > 0 && canceled.every(({ status }) => status === "canceled"))
      const both = idsOf(await call(client, "fetchCanceledAndClosedOrders", symbol, undefined, 50))
      assert.equal(new Set(both).size, 50)
      const [{ id }] = closed
      assert.equal((await call(client, "fetchClosedOrder", id, symbol)).id, id)
      const any: ReadonlyArray<Json> = await call(client, "fetchOrdersClassic", symbol)
      assert.ok(any.length > 0 && any.every((order) => order.symbol === symbol))
    }
  }
]

const trades: ReadonlyArray<CcxtCase> = [
  {
    call: "fetchMyTrades with paginate",
    paths: [v3("execution/list")],
    result: "60 days of linear, inverse and spot in windows of 7 days: exactly the trades that the sandbox holds",
    run: async (client, { tradeIds }) => {
      const { from, to, windows } = sixtyDays()
      for (const [category, type] of [
        ["linear", { type: "swap", subType: "linear" }],
        ["inverse", { type: "swap", subType: "inverse" }],
        ["spot", { type: "spot" }]
      ] as const) {
        const ids: Array<string> = []
        for (const { endTime, startTime } of windows) {
          const params = { paginate: true, paginationCalls: 100, until: endTime, ...type }
          ids.push(...idsOf(await call(client, "fetchMyTrades", undefined, startTime, undefined, params)))
        }
        assert.deepEqual(ids.toSorted(), (await tradeIds(category, from, to)).toSorted())
      }
    }
  },
  {
    call: "fetchOpenOrders with paginate",
    paths: [v3("order/realtime"), v3("order/create-batch")],
    result: "60 orders on pages of at most 50, each once",
    run: async (client) => {
      const order = { symbol, type: "limit", side: "buy", amount: 0.001, price: await price(client) }
      const ids: Array<string> = []
      // Batches of a tenth, because a batch takes as many places of the limit as it has orders.
      for (let batch = 0; batch < 6; batch++) {
        await pause(1050)
        ids.push(
          ...idsOf(
            await call(
              client,
              "createOrders",
              Array.from({ length: 10 }, () => order)
            )
          )
        )
      }
      const params = { paginate: true, paginationCalls: 10 }
      const open = idsOf(await call(client, "fetchOpenOrders", symbol, 1, undefined, params))
      assert.equal(new Set(open).size, open.length)
      assert.deepEqual(
        ids.filter((id) => !open.includes(id)),
        []
      )
      await call(client, "cancelAllOrders", symbol)
      assert.deepEqual(
        idsOf(await call(client, "fetchOpenOrders", symbol)).filter((id) => ids.includes(id)),
        []
      )
    }
  },
  {
    call: "fetchMyTrades with paginate, without an end",
    paths: [v3("execution/list")],
    result: "the first 7 of 60 days, exactly: with startTime alone the document gives startTime to 7 days later",
    run: async (client, { tradeIds }) => {
      const { from: since } = sixtyDays()
      const params = { paginate: true, paginationCalls: 100, type: "swap", subType: "linear" }
      const ids = idsOf(await call(client, "fetchMyTrades", undefined, since, undefined, params))
      assert.deepEqual(ids, (await tradeIds("linear", since, since + week + 1)).toSorted())
    }
  },
  {
    call: "fetchMyLiquidations, fetchFundingHistory",
    paths: [v3("execution/list")],
    result: "no liquidations, and payments of funding of the symbol: the seeded history has no liquidation",
    run: async (client) => {
      assert.deepEqual(await call(client, "fetchMyLiquidations", symbol), [])
      const funding: ReadonlyArray<Json> = await call(client, "fetchFundingHistory", symbol)
      assert.ok(funding.length > 0 && funding.every((payment) => payment.symbol === symbol))
    }
  }
]

const positions: ReadonlyArray<CcxtCase> = [
  {
    call: "fetchPosition, fetchPositions, fetchPositionsADLRank",
    paths: [v3("position/list")],
    result: "the position with its size, side and prices; all positions of the settle coin; a rank",
    run: async (client) => {
      const position = await call(client, "fetchPosition", symbol)
      assert.ok(position.contracts > 0 && position.entryPrice > 0 && position.side === "long")
      const all: ReadonlyArray<Json> = await call(client, "fetchPositions", undefined, { settle: "USDT" })
      assert.ok(all.length > 1 && all.some((candidate) => candidate.symbol === symbol))
      const [rank]: ReadonlyArray<Json> = await call(client, "fetchPositionsADLRank", [symbol])
      assert.equal(rank.symbol, symbol)
    }
  },
  {
    call: "fetchPositionsHistory",
    paths: [v3("position/closed-pnl")],
    result: "closed profits with entry and exit price",
    run: async (client) => {
      const found: ReadonlyArray<Json> = await call(client, "fetchPositionsHistory", [symbol])
      assert.ok(found.length > 0 && found.every(({ entryPrice, lastPrice }) => entryPrice > 0 && lastPrice > 0))
    }
  },
  {
    call: "setLeverage, fetchLeverage",
    paths: [v3("position/set-leverage"), v3("position/list")],
    result: "the leverage that was set",
    run: async (client) => {
      await call(client, "setLeverage", 7, "LTC/USDT:USDT")
      assert.equal((await call(client, "fetchLeverage", "LTC/USDT:USDT")).longLeverage, 7)
    }
  }
]

const wallets: ReadonlyArray<CcxtCase> = [
  {
    call: "fetchBalance, fetchTradingFee, fetchTradingFees",
    paths: [v3("account/wallet-balance"), v3("account/fee-rate")],
    result:
      "free and used are the total; maker and taker rates; of all symbols only with a category, which the client leaves out: without it 10001",
    run: async (client) => {
      const { USDT } = await call(client, "fetchBalance")
      assert.ok(USDT.total > 0 && Math.abs(Number(USDT.free) + Number(USDT.used) - Number(USDT.total)) < 1e-6)
      const fee = await call(client, "fetchTradingFee", symbol)
      assert.deepEqual([fee.maker, fee.taker], [0.0002, 0.00055])
      assert.equal((await call(client, "fetchTradingFees", { category: "linear" }))[symbol].taker, 0.00055)
      await assert.rejects(call(client, "fetchTradingFees"), /10001/)
    }
  },
  {
    call: "transfer, fetchTransfers",
    paths: [v1("asset/transfer/single-account-transfer"), v1("asset/transfer/list")],
    result: "the transfer is the newest of the list",
    run: async (client) => {
      const { id } = await call(client, "transfer", "USDT", 1.25, "funding", "unified")
      const [record]: ReadonlyArray<Json> = await call(client, "fetchTransfers", "USDT", undefined, undefined, {
        transferId: id
      })
      assert.deepEqual([record.id, record.amount, record.status], [id, 1.25, "ok"])
    }
  },
  {
    call: "fetchDeposits, fetchDepositWithdrawFees",
    paths: [v1("asset/deposit/query-record"), v1("asset/coin/query-info")],
    result: "deposits with amount and currency; fees without networks, as of currencies",
    run: async (client) => {
      const found: ReadonlyArray<Json> = await call(client, "fetchDeposits", "USDT")
      assert.ok(found.length > 0 && found.every(({ amount, currency }) => amount > 0 && currency === "USDT"))
      assert.deepEqual((await call(client, "fetchDepositWithdrawFees", ["USDT"])).USDT.networks, {})
    }
  }
]

/** The cases, which run in sequence in one sandbox. */
export const cases: ReadonlyArray<CcxtCase> = [...markets, ...orders, ...trades, ...positions, ...wallets]

/** Methods with a mapped path but without a case, with the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  fetchOptionMarkets: "the document has no options"
}
