/**
 * The shapes of what is answered: fields and their kinds, on every record of a page, and what the values of some of them are.
 */
import type * as State from "@effect-venue/sandbox/State"
import { describe, expect, it, layer } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Rules from "./utils.js"

const linear = { category: "linear" }
const inverse = { category: "inverse" }
const spot = { category: "spot" }
const before = { startTime: -760 * Rules.day }

const orderKinds = {
  ...Rules.every(
    "string",
    "OrderId",
    "OrderLinkId",
    "Symbol",
    "Price",
    "Qty",
    "Side",
    "IsLeverage",
    "OrderStatus",
    "CancelType",
    "RejectReason",
    "AvgPrice",
    "LeavesQty",
    "LeavesValue",
    "CumExecQty",
    "CumExecValue",
    "CumExecFee",
    "TimeInForce",
    "OrderType",
    "StopOrderType",
    "OrderIv",
    "MarketUnit",
    "TriggerPrice",
    "TakeProfit",
    "StopLoss",
    "TpslMode",
    "TpLimitPrice",
    "SlLimitPrice",
    "TpTriggerBy",
    "SlTriggerBy",
    "TriggerBy",
    "LastPriceOnCreated",
    "CreatedTime",
    "UpdatedTime"
  ),
  ...Rules.every("integer", "PositionIdx", "TriggerDirection"),
  ...Rules.every("boolean", "ReduceOnly", "CloseOnTrigger")
}

const positionKinds = {
  ...Rules.every(
    "string",
    "riskLimitValue",
    "symbol",
    "side",
    "size",
    "avgPrice",
    "positionValue",
    "positionStatus",
    "leverage",
    "markPrice",
    "liqPrice",
    "bustPrice",
    "positionIM",
    "positionMM",
    "takeProfit",
    "stopLoss",
    "trailingStop",
    "unrealisedPnl",
    "cumRealisedPnl",
    "createdTime",
    "updatedTime"
  ),
  ...Rules.every("integer", "positionIdx", "riskId", "autoAddMargin")
}

const executionKinds = {
  ...Rules.every(
    "string",
    "symbol",
    "orderId",
    "side",
    "orderPrice",
    "orderQty",
    "leavesQty",
    "orderType",
    "stopOrderType",
    "execFee",
    "execId",
    "execPrice",
    "execQty",
    "execValue",
    "execType",
    "execTime",
    "feeRate",
    "markPrice",
    "closedSize"
  ),
  isMaker: "boolean"
}

const closedPnlKinds = Rules.every(
  "string",
  "symbol",
  "orderId",
  "side",
  "qty",
  "orderPrice",
  "orderType",
  "execType",
  "closedSize",
  "cumEntryValue",
  "avgEntryPrice",
  "cumExitValue",
  "avgExitPrice",
  "closedPnl",
  "fillCount",
  "leverage",
  "createdTime",
  "updatedTime"
)

const positions = Effect.gen(function* () {
  const held = yield* Rules.rows("positions.list", Rules.usdt)
  const coins = yield* Rules.rows("positions.list", { ...inverse, settleCoin: "BTC" })
  const empty = yield* Rules.rows("positions.list", { ...linear, symbol: "LTCUSDT" })
  const hedged = yield* Rules.rows("positions.list", { ...linear, symbol: "ADAUSDT" })
  return [...held, ...coins, ...empty, ...hedged]
})

/** What is on the books in every category, open and closed. */
const everyOrder = Effect.gen(function* () {
  const found: Array<Rules.Row> = []
  for (const query of [Rules.usdt, { ...linear, openOnly: 1, settleCoin: "USDT" }, inverse, spot]) {
    found.push(...(yield* Rules.orders(query)))
  }
  found.push(...(yield* Rules.orders({ ...spot, openOnly: 1 })))
  return found
})

const milliseconds = (value: unknown) => {
  expect(value).toMatch(/^-?\d+$/)
  // Within some years of the beginning of time, not a thousandth of them.
  expect(Math.abs(Number(value))).toBeLessThan(1001 * Rules.day)
}

const seconds = (value: unknown) => expect(Math.abs(Number(value))).toBeLessThan((910 * Rules.day) / 1000)

layer(Rules.world)("records", (it) => {
  it.effect("[records/order, orders.open/result] an order has its fields in capitals", () =>
    Effect.gen(function* () {
      Rules.expectKinds(yield* everyOrder, orderKinds)
      const page = yield* Rules.result("orders.open", Rules.usdt)
      expect(Rules.kinds(page)).toEqual({ category: "string", list: "array", nextPageCursor: "string" })
      expect(page.category).toBe("linear")
    })
  )

  it.effect("[records/order.side, records/order.orderStatus, records/order.orderType] its words", () =>
    Effect.gen(function* () {
      const found = yield* everyOrder
      expect(new Set(found.map((row) => row.Side))).toEqual(new Set(["Buy", "Sell"]))
      expect(new Set(found.map((row) => row.OrderType))).toEqual(new Set(["Market", "Limit"]))
      const seen = Rules.distinct(found.map((row): string => row.OrderStatus))
      expect(seen).toEqual(expect.arrayContaining(["New", "PartiallyFilled", "Filled", "Cancelled"]))
      // What a take profit becomes when it triggers is a market order.
      const profit = found.filter((row) => row.StopOrderType === "TakeProfit" && row.OrderStatus === "Untriggered")
      expect(profit.map((row) => row.OrderType)).toEqual(["Market"])
    })
  )

  it.effect(
    "[records/order.avgPrice, records/order.leaves, records/order.executed] its fills and its remaining quantity",
    () =>
      Effect.gen(function* () {
        const found = yield* everyOrder
        const filled = found.filter((row) => Number(row.CumExecQty) > 0)
        const untouched = found.filter((row) => Number(row.CumExecQty) === 0)
        expect(filled.length).toBeGreaterThan(100)
        expect(untouched.length).toBeGreaterThan(50)
        expect(untouched.every((row) => row.AvgPrice === "" && Number(row.CumExecValue) === 0)).toBe(true)
        expect(filled.every((row) => Number(row.AvgPrice) > 0 && Number(row.CumExecValue) > 0)).toBe(true)
        const open = found.filter((row) => ["New", "PartiallyFilled", "Untriggered"].includes(row.OrderStatus))
        for (const row of open) expect(Number(row.LeavesQty)).toBeCloseTo(Number(row.Qty) - Number(row.CumExecQty), 9)
        for (const row of open.filter((one) => one.OrderType === "Limit" && one.Symbol.endsWith("USDT"))) {
          expect(Number(row.LeavesValue)).toBeCloseTo(Number(row.LeavesQty) * Number(row.Price), 6)
        }
        const partly = open.find((row) => row.OrderStatus === "PartiallyFilled")!
        const fills = yield* Rules.all("executions.list", {
          ...linear,
          orderId: partly.OrderId,
          startTime: Number(partly.CreatedTime)
        })
        const sum = (field: string) => fills.reduce((total, row) => total + Number(row[field]), 0)
        expect(fills.length).toBeGreaterThan(0)
        expect(Number(partly.CumExecQty)).toBeCloseTo(sum("execQty"), 9)
        expect(Number(partly.CumExecValue)).toBeCloseTo(sum("execValue"), 6)
        expect(Number(partly.CumExecFee)).toBeCloseTo(sum("execFee"), 6)
      })
  )

  it.effect("[records/order.marketUnit] its unit, on market orders of spot alone", () =>
    Effect.gen(function* () {
      const found = yield* everyOrder
      const withUnit = found.filter((row) => row.MarketUnit !== "")
      expect(withUnit.length).toBeGreaterThan(0)
      expect(withUnit.every((row) => row.OrderType === "Market")).toBe(true)
      expect(withUnit.every((row) => ["baseCoin", "quoteCoin"].includes(row.MarketUnit))).toBe(true)
      const contracts = yield* Rules.orders({ ...Rules.usdt, openOnly: 1 })
      expect(contracts.every((row) => row.MarketUnit === "")).toBe(true)
    })
  )

  it.effect("[records/order.tpslMode, records/order.triggerDirection, records/order.reduceOnly] its stops", () =>
    Effect.gen(function* () {
      const found = yield* Rules.orders({ ...linear, symbol: "BTCUSDT" })
      const of = (type: string) => found.find((row) => row.StopOrderType === type)!
      expect(of("TakeProfit")).toMatchObject({ TpslMode: "Full", TriggerDirection: 1, ReduceOnly: true })
      expect(of("StopLoss")).toMatchObject({ TpslMode: "Full", TriggerDirection: 2, ReduceOnly: true })
      expect(of("Stop")).toMatchObject({ TriggerDirection: 1, ReduceOnly: false })
      const [rising, falling] = [of("TakeProfit"), of("StopLoss")]
      expect(Number(rising.TriggerPrice)).toBeGreaterThan(Number(rising.LastPriceOnCreated))
      expect(Number(falling.TriggerPrice)).toBeLessThan(Number(falling.LastPriceOnCreated))
    })
  )

  it.effect("[records/position, positions.list/result] a position's fields", () =>
    Effect.gen(function* () {
      Rules.expectKinds(yield* positions, {
        ...positionKinds,
        mmrSysUpdatedTime: "string",
        leverageSysUpdatedTime: "string",
        tpslMode: "string",
        isReduceOnly: "boolean",
        adlRankIndicator: "integer"
      })
      const page = yield* Rules.result("positions.list", Rules.usdt)
      expect(Rules.kinds(page)).toEqual({ category: "string", list: "array", nextPageCursor: "string" })
      expect(page.category).toBe("linear")
    })
  )

  it.effect("[records/position.positionIdx, records/position.side, records/position.positionStatus] its words", () =>
    Effect.gen(function* () {
      const found = yield* positions
      for (const row of found) {
        expect(row.side === "").toBe(Number(row.size) === 0)
        expect(["", "Buy", "Sell"]).toContain(row.side)
        expect(["Normal", "Liq", "Adl"]).toContain(row.positionStatus)
        expect(row.positionIdx).toBe(row.symbol === "ADAUSDT" ? row.positionIdx : 0)
      }
      expect(found.filter((row) => row.symbol === "ADAUSDT").map((row) => row.positionIdx)).toEqual([1, 2])
      expect(found.some((row) => row.side === "")).toBe(true)
    })
  )

  it.effect(
    "[records/position.mmrSysUpdatedTime, records/position.leverageSysUpdatedTime, records/position.autoAddMargin] what the system has not adjusted",
    () =>
      Effect.gen(function* () {
        for (const row of yield* positions) {
          expect(row).toMatchObject({ isReduceOnly: false, mmrSysUpdatedTime: "", leverageSysUpdatedTime: "" })
          expect([0, 1]).toContain(row.autoAddMargin)
          expect(["Full", "Partial"]).toContain(row.tpslMode)
        }
      })
  )

  it.effect("[records/position.liqPrice] lies within the instrument's prices, or is empty", () =>
    Effect.gen(function* () {
      const found = yield* positions
      const instruments = yield* Rules.rows("instruments.list", linear)
      const filter = (symbol: string) => instruments.find((one) => one.symbol === symbol)!.priceFilter
      const isolated = found.find((row) => row.symbol === "ETHUSDT")!
      expect(Number(isolated.liqPrice)).toBeGreaterThan(Number(filter("ETHUSDT").minPrice))
      expect(Number(isolated.liqPrice)).toBeLessThan(Number(isolated.markPrice))
      // So much is behind a cross position that no price could take it away.
      expect(found.find((row) => row.symbol === "BTCUSDT")).toMatchObject({ side: "Buy", liqPrice: "" })
      expect(found.find((row) => row.symbol === "LTCUSDT")).toMatchObject({ side: "", liqPrice: "" })
    })
  )

  it.effect("[records/execution, executions.list/result] an execution's fields", () =>
    Effect.gen(function* () {
      Rules.expectKinds(yield* Rules.rows("executions.list", linear), {
        ...executionKinds,
        createType: "string",
        seq: "integer"
      })
      Rules.expectKinds(yield* Rules.rows("executions.list", spot), executionKinds)
      const page = yield* Rules.result("executions.list", linear)
      expect(Rules.kinds(page)).toEqual({ category: "string", list: "array", nextPageCursor: "string" })
      expect(page.category).toBe("linear")
    })
  )

  it.effect("[records/execution.createType, records/execution.seq.spot] are absent for spot", () =>
    Effect.gen(function* () {
      for (const row of yield* Rules.rows("executions.list", spot)) {
        expect(row).not.toHaveProperty("createType")
        expect(row).not.toHaveProperty("seq")
      }
      for (const row of yield* Rules.rows("executions.list", { ...inverse, execType: "Trade" })) {
        expect(row).toHaveProperty("createType")
        expect(row).toHaveProperty("seq")
      }
    })
  )

  it.effect("[records/execution.stopOrderType, records/execution.isMaker] words of an execution", () =>
    Effect.gen(function* () {
      const trades = { ...linear, startTime: -14 * Rules.day, execType: "Trade", limit: 100 }
      const found = yield* Rules.all("executions.list", trades)
      for (const row of found) {
        const plain = ["", "UNKNOWN"].includes(row.stopOrderType)
        expect(plain).toBe(!/TakeProfit|StopLoss/.test(row.createType))
      }
      expect(found.some((row) => row.stopOrderType === "StopLoss" || row.stopOrderType === "TakeProfit")).toBe(true)
      expect(new Set(found.map((row) => row.isMaker))).toEqual(new Set([true, false]))
      // Who takes pays more.
      const rates = (isMaker: boolean) =>
        Rules.distinct(found.filter((row) => row.isMaker === isMaker).map((row) => Number(row.feeRate)))
      expect(Math.max(...rates(true))).toBeLessThan(Math.min(...rates(false)))
      // A market order never makes.
      expect(found.every((row) => row.orderType !== "Market" || !row.isMaker)).toBe(true)
      expect((yield* Rules.rows("executions.list", spot)).every((row) => row.stopOrderType === "")).toBe(true)
    })
  )

  it.effect(
    "[records/execution.seq] is one for what a symbol executed at a time, and may be another symbol's too",
    () =>
      Effect.gen(function* () {
        const found: Array<Rules.Row> = []
        for (let from = -20 * Rules.week; from < 0; from += Rules.week) {
          const range = { startTime: from, endTime: from + Rules.week - 1 }
          found.push(...(yield* Rules.all("executions.list", { ...linear, ...range, limit: 100 })))
        }
        const group = (key: (row: Rules.Row) => string, value: (row: Rules.Row) => string) => {
          const groups = new Map<string, Set<string>>()
          for (const row of found) groups.set(key(row), (groups.get(key(row)) ?? new Set()).add(value(row)))
          return Array.from(groups.values(), (one) => one.size)
        }
        const time = (row: Rules.Row) => `${row.symbol} ${row.execTime}`
        const seq = (row: Rules.Row) => `${row.symbol} ${row.seq}`
        expect(Math.max(...group(time, seq))).toBe(1)
        expect(Math.max(...group(seq, time))).toBe(1)
        expect(found.length).toBeGreaterThan(Rules.distinct(found.map(seq)).length)
        expect(
          Math.max(
            ...group(
              (row) => String(row.seq),
              (row) => row.symbol
            )
          )
        ).toBeGreaterThan(1)
      })
  )

  it.effect("[records/pre-upgrade-execution, executions.preUpgrade/result] a pre-upgrade execution's fields", () =>
    Effect.gen(function* () {
      for (const category of ["linear", "inverse", "spot"]) {
        const found = yield* Rules.rows("executions.preUpgrade", { category, ...before })
        Rules.expectKinds(found, executionKinds)
        expect(found.every((row) => !("createType" in row) && !("seq" in row))).toBe(true)
      }
      const page = yield* Rules.result("executions.preUpgrade", linear)
      expect(Rules.kinds(page)).toEqual({ category: "string", list: "array", nextPageCursor: "string" })
    })
  )

  it.effect("[records/pre-upgrade-execution.spot] leaves six of them empty for spot", () =>
    Effect.gen(function* () {
      const unsupported = ["leavesQty", "execType", "execValue", "feeRate", "markPrice", "stopOrderType"]
      for (const row of yield* Rules.rows("executions.preUpgrade", { ...spot, ...before })) {
        expect(unsupported.map((name) => row[name])).toEqual(unsupported.map(() => ""))
      }
      for (const row of yield* Rules.rows("executions.preUpgrade", { ...linear, ...before })) {
        expect(unsupported.map((name) => row[name])).not.toContain("")
      }
    })
  )

  it.effect(
    "[records/closed-pnl, records/closed-pnl.values, records/closed-pnl.times, positions.preUpgradeClosedPnl/result] a closed profit's fields",
    () =>
      Effect.gen(function* () {
        const found = yield* Rules.rows("positions.preUpgradeClosedPnl", { ...linear, ...before })
        expect(Object.keys(closedPnlKinds)).toHaveLength(17)
        Rules.expectKinds(found, closedPnlKinds)
        for (const row of found) {
          expect(["Market", "Limit"]).toContain(row.orderType)
          expect(["Trade", "BustTrade", "SessionSettlePnL", "Settle"]).toContain(row.execType)
          milliseconds(row.createdTime)
          milliseconds(row.updatedTime)
        }
        const page = yield* Rules.result("positions.preUpgradeClosedPnl", linear)
        expect(Rules.kinds(page)).toEqual({ category: "string", list: "array", nextPageCursor: "string" })
      })
  )

  it.effect("[records/instrument, instruments.list/result] an instrument's fields", () =>
    Effect.gen(function* () {
      for (const category of ["linear", "inverse"]) {
        const found = yield* Rules.rows("instruments.list", { category })
        Rules.expectKinds(found, {
          ...Rules.every(
            "string",
            "symbol",
            "contractType",
            "status",
            "baseCoin",
            "quoteCoin",
            "launchTime",
            "priceScale",
            "settleCoin",
            "offlineTime"
          ),
          ...Rules.every("object", "leverageFilter", "priceFilter", "lotSizeFilter"),
          tags: "array",
          fundingInterval: "integer"
        })
        Rules.expectKinds(
          found.map((row) => ({ ...row.leverageFilter, ...row.priceFilter, ...row.lotSizeFilter })),
          Rules.every(
            "string",
            "minLeverage",
            "maxLeverage",
            "leverageStep",
            "minPrice",
            "maxPrice",
            "tickSize",
            "maxOrderQty",
            "maxMktOrderQty",
            "minOrderQty",
            "minNotionalValue",
            "qtyStep"
          )
        )
        for (const row of found) milliseconds(row.launchTime)
      }
      const page = yield* Rules.result("instruments.list", linear)
      expect(Rules.kinds(page)).toEqual({ category: "string", list: "array", nextPageCursor: "string" })
      expect(page.category).toBe("linear")
    })
  )

  it.effect("[records/instrument.status, states/instrument, records/instrument.contractType] a contract's words", () =>
    Effect.gen(function* () {
      for (const [category, type] of [
        ["linear", "LinearPerpetual"],
        ["inverse", "InversePerpetual"]
      ]) {
        const found = yield* Rules.rows("instruments.list", { category })
        expect(Rules.distinct(found.map((row) => row.status))).toEqual(["Trading"])
        expect(Rules.distinct(found.map((row) => row.contractType))).toEqual([type])
        expect(yield* Rules.rows("instruments.list", { category, status: "Trading" })).toEqual(found)
        expect(yield* Rules.rows("instruments.list", { category, status: "Closed" })).toEqual([])
      }
    })
  )

  it.effect("[records/instrument.fundingInterval] minutes: eight hours of them", () =>
    Effect.gen(function* () {
      const found = yield* Rules.rows("instruments.list", linear)
      expect(found.every((row) => row.fundingInterval === 480)).toBe(true)
    })
  )

  it.effect("[records/wallet, account.walletBalance/result] a wallet's fields", () =>
    Effect.gen(function* () {
      const page = yield* Rules.result("account.walletBalance", { accountType: "UNIFIED" })
      expect(Rules.kinds(page)).toEqual({ list: "array" })
      Rules.expectKinds(page.list, {
        ...Rules.every(
          "string",
          "accountType",
          "accountIMRate",
          "accountMMRate",
          "totalWalletBalance",
          "totalMarginBalance",
          "totalAvailableBalance",
          "totalInitialMargin",
          "totalMaintenanceMargin",
          "totalEquity",
          "totalPerpUPL"
        ),
        coin: "array"
      })
      Rules.expectKinds(
        page.list[0].coin,
        Rules.every(
          "string",
          "coin",
          "equity",
          "usdValue",
          "walletBalance",
          "availableToWithdraw",
          "totalOrderIM",
          "totalPositionIM",
          "totalPositionMM",
          "unrealisedPnl",
          "cumRealisedPnl",
          "bonus",
          "borrowAmount",
          "accruedInterest"
        )
      )
    })
  )

  it.effect(
    "[records/wallet.totalWalletBalance, records/wallet.totalMarginBalance, records/wallet.totalAvailableBalance] the sums of a wallet",
    () =>
      Effect.gen(function* () {
        const [wallet] = (yield* Rules.result("account.walletBalance", { accountType: "UNIFIED" })).list
        const number = (name: string) => Number(wallet[name])
        const usd = wallet.coin.reduce(
          (sum: number, row: Rules.Row) =>
            sum + Number(row.walletBalance) * (Number(row.usdValue) / Number(row.equity)),
          0
        )
        expect(number("totalWalletBalance")).toBeCloseTo(usd, 1)
        expect(number("totalPerpUPL")).not.toBe(0)
        expect(number("totalInitialMargin")).toBeGreaterThan(0)
        expect(number("totalMarginBalance")).toBeCloseTo(number("totalWalletBalance") + number("totalPerpUPL"), 7)
        expect(number("totalAvailableBalance")).toBeCloseTo(
          number("totalMarginBalance") - number("totalInitialMargin"),
          7
        )
      })
  )

  it.effect("[records/wallet.available, records/wallet.totalPositionIM] the margins of a coin", () =>
    Effect.gen(function* () {
      const [wallet] = (yield* Rules.result("account.walletBalance", { accountType: "UNIFIED", coin: "USDT" })).list
      const [usdt] = wallet.coin
      const number = (name: string) => Number(usdt[name])
      expect(Math.min(number("totalPositionIM"), number("totalOrderIM"), number("bonus"))).toBeGreaterThan(0)
      const held = yield* Rules.rows("positions.list", Rules.usdt)
      const sum = (amount: (row: Rules.Row) => number) => held.reduce((total, row) => total + amount(row), 0)
      expect(number("totalPositionIM")).toBeCloseTo(
        sum((row) => Number(row.positionIM)),
        6
      )
      // Locked: what isolated positions have of their own beyond their margin of today, and what the others have lost.
      const isolated = sum((row) => (row.tradeMode === 1 ? row.positionBalance - row.positionIM : 0))
      const lost = Math.max(0, -sum((row) => (row.tradeMode === 0 ? Number(row.unrealisedPnl) : 0)))
      expect(number("availableToWithdraw")).toBeCloseTo(
        number("walletBalance") -
          number("totalPositionIM") -
          number("totalOrderIM") -
          (isolated + lost) -
          number("bonus"),
        6
      )
    })
  )

  it.effect("[records/funding, assets.fundingAssets/result] a funding account's fields", () =>
    Effect.gen(function* () {
      for (const accountType of ["FUND", "SPOT"]) {
        const page = yield* Rules.result("assets.fundingAssets", { accountType }, { role: "classic" })
        expect(Object.keys(page)).toEqual([accountType.toLowerCase()])
        const account = page[accountType.toLowerCase()]
        expect(Rules.kinds(account)).toEqual({ status: "string", assets: "array" })
        Rules.expectKinds(account.assets, Rules.every("string", "coin", "free", "total_balance"))
      }
    })
  )

  it.effect("[records/coin, records/coin.can, assets.coins/result] a coin's fields", () =>
    Effect.gen(function* () {
      const page = yield* Rules.result("assets.coins")
      expect(Rules.kinds(page)).toEqual({ rows: "array" })
      Rules.expectKinds(page.rows, {
        ...Rules.every("string", "coin", "coin_name"),
        accuracy: "integer",
        ...Rules.every("array", "deposit_chains", "withdraw_chains")
      })
      const chains = (name: string): ReadonlyArray<Rules.Row> => page.rows.flatMap((row: Rules.Row) => row[name])
      Rules.expectKinds(chains("deposit_chains"), {
        ...Rules.every("string", "chain", "chain_name", "deposit_min", "deposit_confirmation"),
        can_deposit: "integer"
      })
      Rules.expectKinds(chains("withdraw_chains"), {
        ...Rules.every("string", "chain", "chain_name", "withdraw_min", "withdraw_fee"),
        can_withdraw: "integer"
      })
      expect(new Set(chains("withdraw_chains").map((row) => row.can_withdraw))).toEqual(new Set([0, 1]))
      expect(chains("deposit_chains").every((row) => [0, 1].includes(row.can_deposit))).toBe(true)
    })
  )

  it.effect("[records/deposit, assets.deposits/result, states/deposit] a deposit's fields", () =>
    Effect.gen(function* () {
      const page = yield* Rules.result("assets.deposits", { type: 2 })
      expect(Rules.kinds(page)).toEqual({ rows: "array", cursor: "string" })
      const found = yield* Rules.all("assets.deposits", { type: 2, pageSize: 50 })
      Rules.expectKinds(found, {
        ...Rules.every(
          "string",
          "type",
          "chain",
          "coin",
          "amount",
          "address",
          "status",
          "time",
          "transaction_id",
          "tx_id"
        ),
        create_time: "integer"
      })
      expect(new Set(found.map((row) => row.status))).toEqual(new Set(["0", "1", "2"]))
    })
  )

  it.effect(
    "[records/deposit.type, records/deposit.address, records/deposit.time, records/deposit.transactionId, records/deposit.txId] a deposit's values",
    () =>
      Effect.gen(function* () {
        const found = yield* Rules.all("assets.deposits", { type: 2, pageSize: 50 })
        expect(new Set(found.map((row) => row.type))).toEqual(new Set(["0", "1"]))
        expect(Rules.distinct(found.map((row) => row.transaction_id))).toHaveLength(found.length)
        for (const row of found) {
          const isInternal = row.type === "1"
          expect(/^\d{8}$/.test(row.address)).toBe(isInternal)
          expect(row.tx_id === "").toBe(isInternal)
          expect(Number(row.time)).toBeGreaterThanOrEqual(row.create_time)
          seconds(row.time)
          seconds(row.create_time)
        }
        expect(found.some((row) => Math.abs(row.create_time) > 86_400)).toBe(true)
      })
  )

  it.effect(
    "[records/transfer, records/transfer.accountTypes, states/transfer, assets.transfers/result] a transfer's fields",
    () =>
      Effect.gen(function* () {
        const page = yield* Rules.result("assets.transfers")
        expect(Rules.kinds(page)).toEqual({ list: "array", cursor: "string" })
        const found = yield* Rules.all("assets.transfers", { limit: 50 })
        const expected = Rules.every(
          "string",
          "transferId",
          "coin",
          "amount",
          "fromAccountType",
          "toAccountType",
          "status",
          "timestamp"
        )
        for (const row of found) {
          expect(Rules.kinds(row)).toEqual(expected)
          expect(row.status).toBe("SUCCESS")
          seconds(row.timestamp)
        }
        const types = found.flatMap((row) => [row.fromAccountType, row.toAccountType])
        expect(types).toEqual(expect.arrayContaining(["SPOT", "UNIFIED", "CONTRACT"]))
      })
  )

  it.effect(
    "[records/sub-account-transfer, records/sub-account-transfer.timestamp, records/sub-account-transfer.type, assets.subAccountTransfers/result] a sub-account transfer's fields",
    () =>
      Effect.gen(function* () {
        const page = yield* Rules.result("assets.subAccountTransfers")
        expect(Rules.kinds(page)).toEqual({ list: "array", cursor: "string" })
        Rules.expectKinds(page.list, {
          ...Rules.every("string", "transfer_id", "coin", "amount", "status", "timestamp", "type"),
          ...Rules.every("integer", "user_id", "sub_user_id")
        })
        for (const row of page.list) milliseconds(row.timestamp)
        expect(Math.max(...page.list.map((row: Rules.Row) => Math.abs(Number(row.timestamp))))).toBeGreaterThan(
          Rules.day
        )
        expect(new Set(page.list.map((row: Rules.Row) => row.type))).toEqual(new Set(["IN", "OUT"]))
      })
  )

  it.effect(
    "[records/bonus, records/bonus.awardType, records/bonus.type, records/bonus.time, records/bonus.orderId, assets.bonusUsage/result] a bonus usage's fields",
    () =>
      Effect.gen(function* () {
        const page = yield* Rules.result("assets.bonusUsage", { coin: "USDT", limit: 50 })
        expect(Rules.kinds(page)).toEqual({ rows: "array" })
        Rules.expectKinds(page.rows, {
          ...Rules.every("integer", "award_type", "time", "type"),
          ...Rules.every("string", "symbol", "coin", "amount", "order_id")
        })
        const values = (name: string) => new Set(page.rows.map((row: Rules.Row) => row[name]))
        expect(values("award_type")).toEqual(new Set([1, 2]))
        expect(values("type")).toEqual(new Set([1, 2, 3]))
        for (const row of page.rows) {
          seconds(row.time)
          // No order stands behind a funding fee.
          expect(row.order_id === "").toBe(row.type === 3)
        }
      })
  )

  it.effect("[records/volume, records/volume.fee, broker.tradeVolume/result] a volume's fields", () =>
    Effect.gen(function* () {
      const page = yield* Rules.result("broker.tradeVolume", {})
      expect(Rules.kinds(page)).toEqual({ list: "array", next_cursor: "string" })
      Rules.expectKinds(page.list, { user_id: "string", coins: "array" })
      const coins = page.list.flatMap((row: Rules.Row) => row.coins)
      Rules.expectKinds(coins, Rules.every("string", "coin", "trade_volume", "fee"))
      const users = page.list.map((row: Rules.Row) => row.user_id)
      expect(new Set(users).size).toBe(users.length)
      const last = yield* Rules.result("broker.tradeVolume", { cursor: page.next_cursor })
      expect(last.next_cursor).toBe("")
    })
  )

  it.effect("[records/api-limit, apiLimits.query/result] a rate limit's fields", () =>
    Effect.gen(function* () {
      const page = yield* Rules.result("apiLimits.query", { uids: "10000001,10000101" })
      const entries: ReadonlyArray<Rules.Row> = page.result ?? page.list
      expect(entries).toHaveLength(4)
      for (const entry of entries) {
        expect(Rules.kinds(entry)).toEqual({ uids: "string", bizType: "string", rate: "integer" })
      }
      expect(new Set(entries.map((entry) => entry.bizType))).toEqual(new Set(["SPOT", "DERIVATIVES"]))
      expect(new Set(entries.flatMap((entry) => entry.uids.split(",")))).toEqual(new Set(["10000001", "10000101"]))
    })
  )

  it.effect("[assets.transferableCoins/result, broker.customers/result] two lists of texts", () =>
    Effect.gen(function* () {
      const moving = { fromAccountType: "FUND", toAccountType: "UNIFIED" }
      const { coins } = yield* Rules.result("assets.transferableCoins", moving)
      expect(coins).toContain("USDT")
      const { user_list } = yield* Rules.result("broker.customers")
      expect(user_list).toHaveLength(24)
      for (const text of [...coins, ...user_list]) expect(typeof text).toBe("string")
    })
  )

  it.effect("[records/strings] prices, quantities, balances and fees are decimals in strings", () =>
    Effect.gen(function* () {
      const decimal = /^-?\d+(\.\d+)?$/
      const check = (found: ReadonlyArray<Rules.Row>, ...names: ReadonlyArray<string>) => {
        expect(found.length).toBeGreaterThan(0)
        for (const row of found) for (const name of names) expect(row[name]).toMatch(decimal)
      }
      check(yield* Rules.orders(Rules.usdt), "Qty", "CumExecQty", "CumExecFee")
      check(yield* Rules.rows("positions.list", Rules.usdt), "size", "avgPrice", "positionValue", "leverage")
      check(yield* Rules.rows("executions.list", linear), "execPrice", "execQty", "execValue", "execFee", "feeRate")
      const [wallet] = (yield* Rules.result("account.walletBalance", { accountType: "UNIFIED" })).list
      check(wallet.coin, "equity", "walletBalance", "usdValue")
    })
  )

  it.effect("[records/timestamps, records/order.times, records/position.times] instants are milliseconds", () =>
    Effect.gen(function* () {
      for (const row of yield* everyOrder) {
        milliseconds(row.CreatedTime)
        milliseconds(row.UpdatedTime)
        expect(Number(row.UpdatedTime)).toBeGreaterThanOrEqual(Number(row.CreatedTime))
      }
      for (const row of yield* positions) {
        milliseconds(row.createdTime)
        milliseconds(row.updatedTime)
      }
      const fills = yield* Rules.all("executions.list", { ...linear, limit: 100 })
      for (const row of fills) milliseconds(row.execTime)
      // A week of seconds would be a thousandth of that.
      expect(Number(fills.at(-1)!.execTime)).toBeLessThan(-6 * Rules.day)
    })
  )
})

describe("records that the seed has none of", () => {
  const unusual = Rules.altered((state, main) => {
    const account: State.Account = {
      ...main,
      banned: true,
      positions: main.positions.map((position) => ({ ...position, isReduceOnly: position.symbol === "BTCUSDT" }))
    }
    const short = account.positions.map((position) =>
      position.symbol === "ETHUSDT" ? { ...position, size: BigDecimal.negate(position.size) } : position
    )
    return {
      ...state,
      listings: state.listings.map((listing) =>
        listing.instrument.symbol === "XRPUSDT"
          ? {
              ...listing,
              instrument: {
                ...listing.instrument,
                tags: ["new"],
                offlineTime: Option.some(DateTime.unsafeMake(5_000_000))
              }
            }
          : listing
      ),
      accounts: new Map(state.accounts).set(account.uid, { ...account, positions: short })
    }
  })

  it.effect("[records/position.isReduceOnly] a position that may only be reduced says so, and others do not", () =>
    Effect.gen(function* () {
      const held = yield* Rules.rows("positions.list", Rules.usdt)
      expect(held.length).toBeGreaterThan(2)
      for (const row of held) expect(row.isReduceOnly).toBe(row.symbol === "BTCUSDT")
      // A short position is on the side Sell, with a size that has no sign.
      const short = held.find((row) => row.symbol === "ETHUSDT")!
      expect(short.side).toBe("Sell")
      expect(Number(short.size)).toBeGreaterThan(0)
    }).pipe(Effect.provide(unusual))
  )

  for (const [title, bound, price, short] of [
    ["[records/position.liqPrice] is empty where it would not be above minPrice", "minPrice", 2900, false],
    ["[records/position.liqPrice] is empty where it would not be below maxPrice", "maxPrice", 3000, true]
  ] as const) {
    const world = (limit: number | undefined) =>
      Rules.altered((state, main) => ({
        ...state,
        listings: state.listings.map((listing) =>
          limit !== undefined && listing.instrument.symbol === "ETHUSDT"
            ? {
                ...listing,
                instrument: {
                  ...listing.instrument,
                  priceFilter: {
                    ...listing.instrument.priceFilter,
                    [bound]: Option.some(BigDecimal.make(BigInt(limit), 0))
                  }
                }
              }
            : listing
        ),
        accounts: new Map(state.accounts).set(main.uid, {
          ...main,
          positions: main.positions.map((position) =>
            short && position.symbol === "ETHUSDT" ? { ...position, size: BigDecimal.negate(position.size) } : position
          )
        })
      }))
    it.effect(title, () =>
      Effect.gen(function* () {
        const liqPrice = Effect.map(
          Rules.rows("positions.list", { ...linear, symbol: "ETHUSDT" }),
          (found): string => found[0]!.liqPrice
        )
        const before = Number(yield* Effect.provide(liqPrice, world(undefined)))
        // Beyond the bound that there is in the other world.
        expect(short ? before > price : before > 0 && before < price).toBe(true)
        expect(yield* Effect.provide(liqPrice, world(price))).toBe("")
      })
    )
  }

  it.effect("[records/instrument.offlineTime] an instrument that goes offline says when, and others do not", () =>
    Effect.gen(function* () {
      for (const row of yield* Rules.rows("instruments.list", linear)) {
        expect(row.offlineTime).toBe(row.symbol === "XRPUSDT" ? "5000" : "")
        expect(row.tags).toEqual(row.symbol === "XRPUSDT" ? ["new"] : [])
      }
    }).pipe(Effect.provide(unusual))
  )

  it.effect("[states/account] a banned account says so, and another is normal", () =>
    Effect.gen(function* () {
      const status = (more: Rules.More = {}) =>
        Effect.map(Rules.result("assets.fundingAssets", { accountType: "FUND" }, more), (page) => page.fund.status)
      expect(yield* status()).toBe("ACCOUNT_STATUS_UNSPECIFIED")
      expect(yield* status({ role: "sub" })).toBe("ACCOUNT_STATUS_NORMAL")
    }).pipe(Effect.provide(unusual))
  )

  it.effect("[records/order.triggerPrice] a trailing stop's trigger price is what activates it", () =>
    Effect.gen(function* () {
      const names = { category: "linear", symbol: "BTCUSDT", positionIdx: 0, tpslMode: "Full" }
      yield* Rules.result("positions.setTradingStop", { ...names, trailingStop: "150", activePrice: "30000" })
      const trailing = (yield* Rules.orders({ ...linear, symbol: "BTCUSDT" })).filter(
        (row) => row.StopOrderType === "TrailingStop"
      )
      expect(trailing).toHaveLength(1)
      expect(Number(trailing[0]!.TriggerPrice)).toBe(30_000)
    }).pipe(Effect.provide(Rules.world))
  )

  it.effect("[records/instrument.postOnlyMaxOrderQty] a limit order may be as large as maxOrderQty says", () =>
    Effect.gen(function* () {
      const [instrument] = yield* Rules.rows("instruments.list", { ...linear, symbol: "XRPUSDT" })
      const { maxOrderQty, qtyStep } = instrument!.lotSizeFilter
      const order = (yield* Rules.orders({ ...linear, symbol: "XRPUSDT" })).find((row) => row.OrderStatus === "New")!
      const names = { ...linear, symbol: "XRPUSDT", orderId: order.OrderId }
      const beyond = String(Number(maxOrderQty) + Number(qtyStep))
      expect(yield* Rules.code("orders.amend", { ...names, qty: beyond })).toBe(10001)
      // It is more than the account can bear: that is another refusal.
      expect(yield* Rules.code("orders.amend", { ...names, qty: maxOrderQty })).toBe(110007)
    }).pipe(Effect.provide(Rules.world))
  )
})
