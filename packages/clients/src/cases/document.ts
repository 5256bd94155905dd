import * as assert from "node:assert/strict"
import { type Case, farBelow, pause, sixtyDays, v1, v3, week } from "../Case.js"
import type { DocumentClient, Json } from "../documentClient.js"
import * as records from "./records.js"

type DocumentCase = Case<DocumentClient>

const linear = { category: "linear", symbol: "BTCUSDT" } as const

const all = async (rows: AsyncGenerator<Json>): Promise<ReadonlyArray<Json>> => {
  const found: Array<Json> = []
  for await (const row of rows) found.push(row)
  return found
}

const place = async (client: DocumentClient, more: object = {}): Promise<{ orderId: string; price: string }> => {
  const [{ markPrice }] = (await client.positions(linear)).list
  const price = farBelow(markPrice)
  const order = { ...linear, side: "Buy", orderType: "Limit", qty: "0.01", price, ...more }
  return { orderId: (await client.create(order)).orderId, price }
}

const find = async (client: DocumentClient, orderId: string): Promise<Json> =>
  (await client.openOrders({ ...linear, orderId })).list[0]

const orders: ReadonlyArray<DocumentCase> = [
  {
    call: "create, openOrders, amend, cancel",
    paths: [v3("position/list"), v3("order/create"), v3("order/realtime"), v3("order/amend"), v3("order/cancel")],
    result: "the order is open as placed, then with the new quantity, then Cancelled",
    run: async (client) => {
      const { orderId, price } = await place(client)
      const placed = await find(client, orderId)
      assert.deepEqual(
        [placed.OrderStatus, Number(placed.Price), Number(placed.Qty), placed.Side],
        ["New", Number(price), 0.01, "Buy"]
      )
      await client.amend({ ...linear, orderId, qty: "0.02" })
      assert.equal(Number((await find(client, orderId)).Qty), 0.02)
      assert.equal((await client.cancel({ ...linear, orderId })).orderId, orderId)
      assert.equal((await find(client, orderId)).OrderStatus, "Cancelled")
    }
  },
  {
    call: "createBatch, amendBatch, cancelBatch",
    paths: [v3("order/create-batch"), v3("order/amend-batch"), v3("order/cancel-batch")],
    result: "three orders placed, changed and cancelled, each with its code",
    run: async (client) => {
      const [{ markPrice }] = (await client.positions(linear)).list
      const price = farBelow(markPrice)
      const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price }
      const { list } = await client.createBatch({ category: "linear", request: [order, order, order] })
      const ids = list.map(({ orderId }: Json) => ({ symbol: "BTCUSDT", orderId }))
      assert.equal(new Set(list.map(({ orderId }: Json) => orderId)).size, 3)
      const amended = ids.map((id: object) => ({ ...id, qty: "0.03" }))
      assert.equal((await client.amendBatch({ category: "linear", request: amended })).list.length, 3)
      for (const { orderId } of ids) assert.equal(Number((await find(client, orderId)).Qty), 0.03)
      assert.equal((await client.cancelBatch({ category: "linear", request: ids })).list.length, 3)
      for (const { orderId } of ids) assert.equal((await find(client, orderId)).OrderStatus, "Cancelled")
    }
  },
  {
    call: "cancelAll",
    paths: [v3("order/cancel-all")],
    result: "the id of the open order is in the list, and it is Cancelled",
    run: async (client) => {
      const { orderId } = await place(client)
      const { list } = await client.cancelAll({ ...linear, orderFilter: "Order" })
      assert.ok(list.some((order: Json) => order.orderId === orderId))
      assert.equal((await find(client, orderId)).OrderStatus, "Cancelled")
    }
  },
  {
    call: "orderHistory",
    paths: [v3("order/history")],
    result: "every page of 7 days, newest first, no order twice",
    run: async (client) => {
      const found = await all(client.rows(client.orderHistory, { category: "linear", limit: 50 }))
      assert.ok(found.length > 50)
      assert.equal(new Set(found.map(({ orderId }) => orderId)).size, found.length)
      const times = found.map(({ createdTime }) => Number(createdTime))
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a)
      )
    }
  }
]

const positions: ReadonlyArray<DocumentCase> = [
  {
    call: "positions",
    paths: [v3("position/list")],
    result: "positions with a size for a settle coin; one without a size for its symbol",
    run: async (client) => {
      const open = (await client.positions({ category: "linear", settleCoin: "USDT" })).list
      assert.ok(open.length > 0 && open.every(({ size }: Json) => Number(size) > 0))
      const [empty] = (await client.positions({ category: "linear", symbol: "LTCUSDT" })).list
      assert.deepEqual([empty.side, Number(empty.size)], ["", 0])
    }
  },
  {
    call: "addMargin",
    paths: [v3("position/add-margin")],
    result: "the isolated position has 10 more of initial margin",
    run: async (client) => {
      const isolated = { category: "linear", symbol: "ETHUSDT" }
      const [before] = (await client.positions(isolated)).list
      const after = await client.addMargin({ ...isolated, margin: "10", positionIdx: 0 })
      assert.equal(Number(after.positionIM).toFixed(4), (Number(before.positionIM) + 10).toFixed(4))
    }
  },
  {
    call: "tradingStop",
    paths: [v3("position/trading-stop")],
    result: "an empty object; the position has the take profit, and none after it is set to 0",
    run: async (client) => {
      const [{ markPrice }] = (await client.positions(linear)).list
      const takeProfit = String(Math.floor(Number(markPrice) * 1.5))
      assert.deepEqual(await client.tradingStop({ ...linear, positionIdx: 0, tpslMode: "Full", takeProfit }), {})
      assert.equal(Number((await client.positions(linear)).list[0].takeProfit), Number(takeProfit))
      await client.tradingStop({ ...linear, positionIdx: 0, tpslMode: "Full", takeProfit: "0" })
      assert.equal(Number((await client.positions(linear)).list[0].takeProfit), 0)
    }
  },
  {
    call: "setRiskLimit",
    paths: [v3("position/set-risk-limit")],
    result: "category, risk id 2 and its value; the position has both",
    run: async (client) => {
      const answer = await client.setRiskLimit({ ...linear, riskId: 2, positionIdx: 0 })
      const [position] = (await client.positions(linear)).list
      assert.deepEqual([answer.category, answer.riskId], ["linear", 2])
      assert.deepEqual([position.riskId, position.riskLimitValue], [2, answer.riskLimitValue])
    }
  },
  {
    call: "confirmRiskLimit",
    paths: [v3("position/confirm-pending-mmr")],
    result: "110082: there is no mark to lift",
    run: (client) => assert.rejects(client.confirmRiskLimit(linear), /110082/)
  },
  {
    call: "setLeverage",
    paths: [v3("position/set-leverage")],
    result: "the position has the leverage; the same again is 110043",
    run: async (client) => {
      const leverage = { category: "linear", symbol: "LTCUSDT", buyLeverage: "4", sellLeverage: "4" }
      await client.setLeverage(leverage)
      assert.equal(Number((await client.positions({ category: "linear", symbol: "LTCUSDT" })).list[0].leverage), 4)
      await assert.rejects(client.setLeverage(leverage), /110043/)
    }
  },
  {
    call: "setTpslMode",
    paths: [v3("position/set-tpsl-mode")],
    result: "the mode in the answer",
    run: async (client) =>
      assert.deepEqual(await client.setTpslMode({ category: "linear", symbol: "LTCUSDT", tpSlMode: "Partial" }), {
        tpSlMode: "Partial"
      })
  },
  {
    call: "closedPnl",
    paths: [v3("position/closed-pnl")],
    result: "every page of 7 days; profit is exit value less entry value less fees, for each row of a side that agrees",
    run: async (client) => {
      const found = await all(client.rows(client.closedPnl, { category: "linear", limit: 100 }))
      assert.ok(found.length > 100)
      for (const { closedPnl, cumEntryValue, cumExitValue, side } of found) {
        const gross = (Number(cumExitValue) - Number(cumEntryValue)) * (side === "Sell" ? 1 : -1)
        // Fees are below 0.2 % of the traded value.
        assert.ok(Math.abs(gross - Number(closedPnl)) <= 0.002 * Number(cumExitValue) + 1e-6)
      }
    }
  },
  {
    call: "preUpgradeClosedPnl",
    paths: [v3("pre-upgrade/position/closed-pnl")],
    result: "rows of the requested week, newest updatedTime first",
    run: async (client, { preUpgrade }) => {
      const to = (await preUpgrade()).at(-1)?.at ?? 0
      const range = { category: "linear", symbol: "BTCUSDT", startTime: to - week, endTime: to }
      const found = await all(client.rows(client.preUpgradeClosedPnl, range))
      const times = found.map(({ updatedTime }) => Number(updatedTime))
      assert.ok(times.length > 0 && times.every((at) => at >= to - week && at <= to))
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a)
      )
    }
  }
]

const executions: ReadonlyArray<DocumentCase> = [
  {
    call: "executions",
    paths: [v3("execution/list")],
    result: "60 days in windows of 7 days: exactly the executions that the sandbox holds",
    run: async (client, { executionIds }) => {
      const { from, to, windows } = sixtyDays()
      const ids: Array<string> = []
      for (const { endTime, startTime } of windows) {
        const range = { category: "linear", startTime, endTime, limit: 100 }
        for await (const { execId } of client.rows(client.executions, range)) ids.push(execId)
      }
      assert.deepEqual(ids.toSorted(), (await executionIds("linear", from, to)).toSorted())
    }
  },
  {
    call: "preUpgradeExecutions",
    paths: [v3("pre-upgrade/execution/list")],
    result: "the week before the last of them, as the sandbox holds it",
    run: async (client, { preUpgrade }) => {
      const preUpgradeRecords = await preUpgrade()
      const to = preUpgradeRecords.at(-1)?.at ?? 0
      const range = { category: "linear", startTime: to - week, endTime: to }
      const found = await all(client.rows(client.preUpgradeExecutions, range))
      const expected = preUpgradeRecords.filter(({ at }) => at >= to - week && at <= to).map(({ id }) => id)
      assert.deepEqual(found.map(({ execId }) => execId).toSorted(), expected.toSorted())
    }
  },
  {
    call: "instruments",
    paths: [v3("market/instruments-info")],
    result: "the same symbols page by page as at once",
    run: async (client) => {
      for (const category of ["linear", "inverse"]) {
        const { list } = await client.instruments({ category })
        const paged = await all(client.rows(client.instruments, { category, limit: 2 }))
        assert.deepEqual(paged, list)
      }
      assert.ok((await client.instruments({ category: "spot" })).list.length > 0)
    }
  }
]

const wallets: ReadonlyArray<DocumentCase> = [
  {
    call: "walletBalance, feeRate",
    paths: [v3("account/wallet-balance"), v3("account/fee-rate")],
    result:
      "total margin balance is wallet balance plus unrealised profit; only the requested coins; rates of the symbol",
    run: async (client) => {
      const [{ totalMarginBalance, totalPerpUPL, totalWalletBalance }] = (
        await client.walletBalance({ accountType: "UNIFIED" })
      ).list
      const sum = Number(totalWalletBalance) + Number(totalPerpUPL)
      assert.equal(sum.toFixed(4), Number(totalMarginBalance).toFixed(4))
      const [{ coin }] = (await client.walletBalance({ accountType: "UNIFIED", coin: "USDT,BTC" })).list
      assert.deepEqual(coin.map(({ coin }: Json) => coin).toSorted(), ["BTC", "USDT"])
      const [rate] = (await client.feeRate(linear)).list
      assert.deepEqual(Object.keys(rate).toSorted(), ["makerFeeRate", "symbol", "takerFeeRate"])
    }
  },
  {
    call: "transfer, transfers, fundingAssets",
    paths: [
      v1("asset/transfer/single-account-transfer"),
      v1("asset/transfer/list"),
      v3("asset/transfer/query-asset-info")
    ],
    result:
      "the funding account has 1.25 less; the record has both account types; the same id again is the same transfer",
    run: async (client) => {
      const free = async () =>
        Number((await client.fundingAssets({ accountType: "FUND", coin: "USDT" })).fund.assets[0].free)
      const before = await free()
      const request = {
        requestId: client.uuid(),
        coin: "USDT",
        amount: "1.25",
        fromAccountType: "FUND",
        toAccountType: "UNIFIED"
      }
      const { transferId } = await client.transfer(request)
      assert.equal((before - (await free())).toFixed(4), "1.2500")
      await pause(1100)
      assert.equal((await client.transfer(request)).transferId, transferId)
      assert.equal((before - (await free())).toFixed(4), "1.2500")
      const [record] = (await client.transfers({ transferId })).list
      assert.deepEqual([record.fromAccountType, record.toAccountType, record.status], ["FUND", "UNIFIED", "SUCCESS"])
    }
  },
  {
    call: "transferableCoins, coins",
    paths: [v1("asset/transfer/query-coins"), v1("asset/coin/query-info")],
    result: "USDT can be moved; its chains with minimum and fee",
    run: async (client) => {
      const { coins } = await client.transferableCoins({ fromAccountType: "FUND", toAccountType: "UNIFIED" })
      assert.ok(coins.includes("USDT"))
      const [{ coin, deposit_chains, withdraw_chains }] = (await client.coins({ coin: "USDT" })).rows
      assert.ok(coin === "USDT" && deposit_chains.length > 0 && Number(withdraw_chains[0].withdraw_fee) > 0)
    }
  },
  {
    call: "deposits, bonusUsage, subAccountTransfers",
    paths: [v1("asset/deposit/query-record"), v1("asset/bonus/usage"), v1("asset/sub-member/transfer/list")],
    result: "deposits page by page as at once; bonuses of USDT; transfers of the sub-account",
    run: async (client) => {
      const { rows } = await client.deposits({ type: 2, pageSize: 50 })
      const paged = await all(client.rows(client.deposits, { type: 2, pageSize: 20 }, "rows", "cursor"))
      assert.deepEqual(paged.slice(0, rows.length), rows)
      assert.ok((await client.bonusUsage({ coin: "USDT" })).rows.every(({ coin }: Json) => coin === "USDT"))
      assert.ok((await client.subAccountTransfers()).list.length > 0)
    }
  },
  {
    call: "withdrawInternal",
    paths: [v1("asset/withdraw/inner-create")],
    result: "an id for a recipient of the address book, and the same id for the same request; 131093 for another one",
    run: async (client, { recipient }) => {
      const request = { requestId: "Withdrawal1", coin: "USDT", addressType: 3, address: recipient, amount: "12.5" }
      const { withdraw_id } = await client.withdrawInternal(request)
      assert.ok(withdraw_id !== "")
      await pause(1100)
      assert.equal((await client.withdrawInternal(request)).withdraw_id, withdraw_id)
      await pause(1100)
      const elsewhere = { ...request, requestId: "Withdrawal2", address: "1" }
      await assert.rejects(client.withdrawInternal(elsewhere), /131093/)
    }
  }
]

const others: ReadonlyArray<DocumentCase> = [
  {
    call: "customers, tradeVolume",
    paths: [v1("broker/query-direct-user-list"), v1("broker/trade-volume")],
    result: "one volume record for each customer, page by page",
    run: async (client) => {
      const { user_list } = await client.customers()
      const volumes = await all(client.rows(client.tradeVolume, { limit: 20 }, "list", "next_cursor"))
      assert.deepEqual(volumes.map(({ user_id }) => user_id).toSorted(), user_list.toSorted())
    }
  },
  {
    call: "setApiLimit, apiLimits",
    paths: [v3("apilimit/set"), v3("apilimit/query")],
    result: "a master account cannot set its UID; its rates are 10 a second",
    run: async (client, { uid }) => {
      const { result } = await client.setApiLimit({ list: [{ uids: uid, bizType: "DERIVATIVES", rate: 20 }] })
      assert.equal(result[0].success, false)
      const { list } = await client.apiLimits({ uids: uid })
      assert.ok(list.length > 0 && list.every(({ rate }: Json) => rate === 10))
    }
  }
]

/** The cases, which run in sequence in one sandbox. */
export const cases: ReadonlyArray<DocumentCase> = [
  ...orders,
  ...positions,
  ...executions,
  ...wallets,
  ...others,
  ...records.cases
]
