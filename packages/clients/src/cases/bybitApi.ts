import * as assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { type Case, farBelow, pause, sixtyDays, v1, v3, week } from "../Case.js"
import type { Json, Methods } from "../peers.js"

type LibraryCase = Case<Methods>

const linear = { category: "linear", symbol: "BTCUSDT" } as const

const method = (client: Methods, name: string) => {
  const found = client[name]
  assert.ok(found !== undefined, `there is no ${name}`)
  return (...args: ReadonlyArray<unknown>): Promise<Json> => found.apply(client, [...args])
}

/** Calls a method that must succeed, and returns its result. */
const call = async (client: Methods, name: string, ...args: ReadonlyArray<unknown>): Promise<Json> => {
  const answer = await method(client, name)(...args)
  assert.equal(answer.retCode, 0, `${name}: ${String(answer.retCode)} ${String(answer.retMsg)}`)
  return answer.result
}

/** Calls a method that must be refused, and returns its code. */
const codeOf = async (client: Methods, name: string, ...args: ReadonlyArray<unknown>): Promise<unknown> =>
  (await method(client, name)(...args)).retCode

const rows = async (client: Methods, name: string, values: object): Promise<ReadonlyArray<Json>> => {
  const found: Array<Json> = []
  for (let cursor = ""; ;) {
    const page = await call(client, name, cursor === "" ? values : { ...values, cursor })
    found.push(...page.list)
    cursor = page.nextPageCursor
    if (cursor === "") return found
    // The client does not limit its rate.
    await pause(110)
  }
}

const position = async (client: Methods, symbol = "BTCUSDT"): Promise<Json> =>
  (await call(client, "getPositionInfo", { category: "linear", symbol })).list[0]

const order = async (client: Methods) => ({
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  qty: "0.01",
  price: farBelow((await position(client)).markPrice)
})

const find = async (client: Methods, orderId: string): Promise<Json> =>
  (await call(client, "getActiveOrders", { ...linear, orderId })).list[0]

const orders: ReadonlyArray<LibraryCase> = [
  {
    call: "submitOrder, getActiveOrders, amendOrder, cancelOrder",
    paths: [v3("order/create"), v3("order/realtime"), v3("order/amend"), v3("order/cancel")],
    result: "the order is open as placed, then with the new quantity, then Cancelled",
    run: async (client) => {
      const placed = await order(client)
      const { orderId } = await call(client, "submitOrder", { category: "linear", ...placed })
      const open = await find(client, orderId)
      assert.deepEqual([open.orderStatus, Number(open.price), open.side], ["New", Number(placed.price), "Buy"])
      await call(client, "amendOrder", { ...linear, orderId, qty: "0.02" })
      assert.equal(Number((await find(client, orderId)).qty), 0.02)
      await call(client, "cancelOrder", { ...linear, orderId })
      assert.equal((await find(client, orderId)).orderStatus, "Cancelled")
    }
  },
  {
    call: "batchSubmitOrders, batchAmendOrders, batchCancelOrders",
    paths: [v3("order/create-batch"), v3("order/amend-batch"), v3("order/cancel-batch")],
    result: "two orders placed, changed and cancelled",
    run: async (client) => {
      await pause(1000)
      const request = await order(client)
      const { list } = await call(client, "batchSubmitOrders", "linear", [request, request])
      const ids = list.map(({ orderId }: Json) => ({ symbol: "BTCUSDT", orderId }))
      await call(
        client,
        "batchAmendOrders",
        "linear",
        ids.map((id: object) => ({ ...id, qty: "0.03" }))
      )
      for (const { orderId } of ids) assert.equal(Number((await find(client, orderId)).qty), 0.03)
      await call(client, "batchCancelOrders", "linear", ids)
      for (const { orderId } of ids) assert.equal((await find(client, orderId)).orderStatus, "Cancelled")
    }
  },
  {
    call: "cancelAllOrders",
    paths: [v3("order/cancel-all")],
    result: "the id of the open order is in the list, and it is Cancelled",
    run: async (client) => {
      const { orderId } = await call(client, "submitOrder", { category: "linear", ...(await order(client)) })
      const { list } = await call(client, "cancelAllOrders", { ...linear, orderFilter: "Order" })
      assert.ok(list.some((cancelled: Json) => cancelled.orderId === orderId))
      assert.equal((await find(client, orderId)).orderStatus, "Cancelled")
    }
  },
  {
    call: "submitOrder, getActiveOrders, amendOrder, cancelOrder on spot and inverse",
    paths: [v3("order/create"), v3("order/realtime"), v3("order/amend"), v3("order/cancel")],
    result: "the order is open as placed, then with the new quantity, then Cancelled, found by its orderLinkId",
    run: async (client) => {
      const { price } = await order(client)
      for (const market of [
        { category: "spot", symbol: "BTCUSDT", qty: "0.01", more: "0.02" },
        { category: "inverse", symbol: "BTCUSD", qty: "100", more: "200" }
      ]) {
        const { category, more, qty, symbol } = market
        const own = { category, symbol, orderLinkId: `own-${category}` }
        await call(client, "submitOrder", {
          ...own,
          side: "Buy",
          orderType: "Limit",
          qty,
          price,
          timeInForce: "PostOnly"
        })
        const found = async () => (await call(client, "getActiveOrders", own)).list[0]
        const placed = await found()
        assert.deepEqual([placed.orderStatus, Number(placed.qty), placed.timeInForce], ["New", Number(qty), "PostOnly"])
        await call(client, "amendOrder", { ...own, qty: more })
        assert.equal(Number((await found()).qty), Number(more))
        await call(client, "cancelOrder", own)
        assert.equal((await found()).orderStatus, "Cancelled")
      }
    }
  },
  {
    call: "submitOrder, amendOrder, cancelOrder, refused",
    paths: [v3("order/create"), v3("order/amend"), v3("order/cancel")],
    result:
      "110001 for an unknown order, 10001 without an id, 110090 beyond the risk limit, 170131 on spot without the balance, 10001 for a quantity that is not a number, 110072 for a used id",
    run: async (client) => {
      const valid = { category: "linear", ...(await order(client)) }
      const orderId = "41a20515-029d-7000-85ec-000000000000"
      assert.equal(await codeOf(client, "cancelOrder", { ...linear, orderId }), 110001)
      assert.equal(await codeOf(client, "amendOrder", { ...linear, orderId, qty: "1" }), 110001)
      assert.equal(await codeOf(client, "cancelOrder", linear), 10001)
      assert.equal(await codeOf(client, "submitOrder", { ...valid, qty: "400" }), 110090)
      assert.equal(await codeOf(client, "submitOrder", { ...valid, category: "spot", qty: "150" }), 170131)
      assert.equal(await codeOf(client, "submitOrder", { ...valid, qty: "some" }), 10001)
      const own = { ...valid, orderLinkId: "twice" }
      await call(client, "submitOrder", own)
      assert.equal(await codeOf(client, "submitOrder", own), 110072)
      await call(client, "cancelOrder", { ...linear, orderLinkId: "twice" })
    }
  },
  {
    call: "getHistoricOrders",
    paths: [v3("order/history")],
    result: "every page of 7 days, no order twice",
    run: async (client) => {
      const found = await rows(client, "getHistoricOrders", { category: "linear", limit: 50 })
      assert.ok(found.length > 50)
      assert.equal(new Set(found.map(({ orderId }) => orderId)).size, found.length)
    }
  }
]

const positions: ReadonlyArray<LibraryCase> = [
  {
    call: "getPositionInfo",
    paths: [v3("position/list")],
    result: "positions with a size for a settle coin",
    run: async (client) => {
      await pause(1000)
      const { list } = await call(client, "getPositionInfo", { category: "linear", settleCoin: "USDT" })
      assert.ok(list.length > 0 && list.every(({ size }: Json) => Number(size) > 0))
    }
  },
  {
    call: "addOrReduceMargin",
    paths: [v3("position/add-margin")],
    result: "the isolated position has 10 more of initial margin",
    run: async (client) => {
      const before = await position(client, "ETHUSDT")
      const isolated = { category: "linear", symbol: "ETHUSDT", margin: "10", positionIdx: 0 }
      const after = await call(client, "addOrReduceMargin", isolated)
      assert.equal(Number(after.positionIM).toFixed(4), (Number(before.positionIM) + 10).toFixed(4))
    }
  },
  {
    call: "setTradingStop",
    paths: [v3("position/trading-stop")],
    result: "the position has the take profit",
    run: async (client) => {
      const takeProfit = String(Math.floor(Number((await position(client)).markPrice) * 1.5))
      await call(client, "setTradingStop", { ...linear, positionIdx: 0, tpslMode: "Full", takeProfit })
      assert.equal(Number((await position(client)).takeProfit), Number(takeProfit))
    }
  },
  {
    call: "setRiskLimit, confirmNewRiskLimit",
    paths: [v3("position/set-risk-limit"), v3("position/confirm-pending-mmr")],
    result: "the position has risk id 2; 110082: there is no mark to lift",
    run: async (client) => {
      await call(client, "setRiskLimit", { ...linear, riskId: 2, positionIdx: 0 })
      assert.equal((await position(client)).riskId, 2)
      assert.equal(await codeOf(client, "confirmNewRiskLimit", linear), 110082)
    }
  },
  {
    call: "setLeverage, setTPSLMode",
    paths: [v3("position/set-leverage"), v3("position/set-tpsl-mode")],
    result: "the position has the leverage, and 110043 the second time; the mode in the answer",
    run: async (client) => {
      const leverage = { category: "linear", symbol: "LTCUSDT", buyLeverage: "4", sellLeverage: "4" }
      await call(client, "setLeverage", leverage)
      assert.equal(Number((await position(client, "LTCUSDT")).leverage), 4)
      assert.equal(await codeOf(client, "setLeverage", leverage), 110043)
      const mode = { category: "linear", symbol: "LTCUSDT", tpSlMode: "Partial" }
      assert.equal((await call(client, "setTPSLMode", mode)).tpSlMode, "Partial")
    }
  },
  {
    call: "getClosedPnL, getPreUpgradeClosedPnl",
    paths: [v3("position/closed-pnl"), v3("pre-upgrade/position/closed-pnl")],
    result: "every page of 7 days; rows of the requested week",
    run: async (client, { preUpgrade }) => {
      assert.ok((await rows(client, "getClosedPnL", { category: "linear", limit: 100 })).length > 100)
      const to = (await preUpgrade()).at(-1)?.at ?? 0
      const range = { ...linear, startTime: to - week, endTime: to }
      const found = await rows(client, "getPreUpgradeClosedPnl", range)
      assert.ok(found.length > 0 && found.every(({ updatedTime }) => Number(updatedTime) >= to - week))
    }
  }
]

const executions: ReadonlyArray<LibraryCase> = [
  {
    call: "getExecutionList",
    paths: [v3("execution/list")],
    result: "60 days in windows of 7 days: exactly the executions that the sandbox holds",
    run: async (client, { executionIds }) => {
      const { from, to, windows } = sixtyDays()
      const ids: Array<string> = []
      for (const { endTime, startTime } of windows) {
        const window = { category: "linear", startTime, endTime, limit: 100 }
        ids.push(...(await rows(client, "getExecutionList", window)).map(({ execId }) => String(execId)))
        await pause(110)
      }
      assert.deepEqual(ids.toSorted(), (await executionIds("linear", from, to)).toSorted())
    }
  },
  {
    call: "getPreUpgradeTradeHistory",
    paths: [v3("pre-upgrade/execution/list")],
    result: "the week before the last of them, as the sandbox holds it",
    run: async (client, { preUpgrade }) => {
      const records = await preUpgrade()
      const to = records.at(-1)?.at ?? 0
      const range = { category: "linear", startTime: to - week, endTime: to }
      const found = (await rows(client, "getPreUpgradeTradeHistory", range)).map(({ execId }) => String(execId))
      assert.deepEqual(
        found.toSorted(),
        records
          .filter(({ at }) => at >= to - week && at <= to)
          .map(({ id }) => id)
          .toSorted()
      )
    }
  },
  {
    call: "getInstrumentsInfo",
    paths: [v3("market/instruments-info")],
    result: "the same symbols page by page as at once",
    run: async (client) => {
      const { list } = await call(client, "getInstrumentsInfo", { category: "linear" })
      assert.deepEqual(await rows(client, "getInstrumentsInfo", { category: "linear", limit: 4 }), list)
    }
  }
]

const others: ReadonlyArray<LibraryCase> = [
  {
    call: "getWalletBalance, getFeeRate",
    paths: [v3("account/wallet-balance"), v3("account/fee-rate")],
    result: "the requested coins; the rates of the symbol",
    run: async (client) => {
      const [{ coin }] = (await call(client, "getWalletBalance", { accountType: "UNIFIED", coin: "USDT,BTC" })).list
      assert.deepEqual(coin.map(({ coin }: Json) => coin).toSorted(), ["BTC", "USDT"])
      assert.equal((await call(client, "getFeeRate", linear)).list[0].symbol, "BTCUSDT")
    }
  },
  {
    call: "createInternalTransfer, getInternalTransferRecords, getAssetInfo",
    paths: [
      v1("asset/transfer/single-account-transfer"),
      v1("asset/transfer/list"),
      v3("asset/transfer/query-asset-info")
    ],
    result: "the funding account has 1.25 less, and the record is there",
    run: async (client) => {
      const free = async () =>
        Number((await call(client, "getAssetInfo", { accountType: "FUND", coin: "USDT" })).fund.assets[0].free)
      const before = await free()
      const args = [randomUUID(), "USDT", "1.25", "FUND", "UNIFIED"]
      const { transferId } = await call(client, "createInternalTransfer", ...args)
      assert.equal((before - (await free())).toFixed(4), "1.2500")
      const [record] = (await call(client, "getInternalTransferRecords", { transferId })).list
      assert.deepEqual([record.amount, record.status], ["1.25", "SUCCESS"])
    }
  },
  {
    call: "getTransferableCoinList, getCoinInfo, getDepositRecords",
    paths: [v1("asset/transfer/query-coins"), v1("asset/coin/query-info"), v1("asset/deposit/query-record")],
    result: "USDT can be moved; its record; only its deposits",
    run: async (client) => {
      assert.ok((await call(client, "getTransferableCoinList", "FUND", "UNIFIED")).coins.includes("USDT"))
      assert.equal((await call(client, "getCoinInfo", "USDT")).rows[0].coin, "USDT")
      const { rows } = await call(client, "getDepositRecords", { coin: "USDT" })
      assert.ok(rows.length > 0 && rows.every(({ coin }: Json) => coin === "USDT"))
    }
  },
  {
    call: "setApiRateLimit, queryApiRateLimit",
    paths: [v3("apilimit/set"), v3("apilimit/query")],
    result: "a master account cannot set its UID; its rates",
    run: async (client, { uid }) => {
      const { result } = await call(client, "setApiRateLimit", {
        list: [{ uids: uid, bizType: "DERIVATIVES", rate: 20 }]
      })
      assert.equal(result[0].success, false)
      assert.ok((await call(client, "queryApiRateLimit", { uids: uid })).list.length > 0)
    }
  }
]

/** The cases, which run in sequence in one sandbox. */
export const cases: ReadonlyArray<LibraryCase> = [...orders, ...positions, ...executions, ...others]
