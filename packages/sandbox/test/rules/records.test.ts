/**
 * The shapes of what is answered: fields and their kinds, on every record of a page, and what the values of some of them are.
 */
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { describe, expect } from "@effect/vitest"
import { BigDecimal, DateTime, Effect, Option } from "effect"
import * as Rules from "./utils.js"

const linear = { category: "linear" }
const inverse = { category: "inverse" }
const spot = { category: "spot" }
const before = { startTime: -760 * Rules.day }

const ofList = "string: category nextPageCursor; array: list"
const orderKinds = `string: OrderId OrderLinkId Symbol Price Qty Side IsLeverage OrderStatus CancelType RejectReason AvgPrice
  LeavesQty LeavesValue CumExecQty CumExecValue CumExecFee TimeInForce OrderType StopOrderType OrderIv MarketUnit TriggerPrice
  TakeProfit StopLoss TpslMode TpLimitPrice SlLimitPrice TpTriggerBy SlTriggerBy TriggerBy LastPriceOnCreated CreatedTime
  UpdatedTime; integer: PositionIdx TriggerDirection; boolean: ReduceOnly CloseOnTrigger`
const positionKinds = `string: riskLimitValue symbol side size avgPrice positionValue positionStatus leverage markPrice liqPrice
  bustPrice positionIM positionMM takeProfit stopLoss trailingStop unrealisedPnl cumRealisedPnl createdTime updatedTime
  mmrSysUpdatedTime leverageSysUpdatedTime tpslMode; integer: positionIdx riskId autoAddMargin adlRankIndicator;
  boolean: isReduceOnly`
const executionKinds = `string: symbol orderId side orderPrice orderQty leavesQty orderType stopOrderType execFee execId execPrice
  execQty execValue execType execTime feeRate markPrice closedSize; boolean: isMaker`
const contractKinds = {
  "": ofList,
  list: `string: symbol contractType status baseCoin quoteCoin launchTime priceScale settleCoin offlineTime deliveryTime
    deliveryFeeRate;
    object: leverageFilter priceFilter lotSizeFilter; array: tags; integer: fundingInterval`,
  "list.leverageFilter": "string: minLeverage maxLeverage leverageStep",
  "list.priceFilter": "string: minPrice maxPrice tickSize",
  "list.lotSizeFilter": "string: maxOrderQty maxMktOrderQty minOrderQty minNotionalValue qtyStep"
}

const closedPnlKinds = {
  "": ofList,
  list: `string: symbol orderId side qty orderPrice orderType execType closedSize cumEntryValue avgEntryPrice cumExitValue
    avgExitPrice closedPnl fillCount leverage createdTime updatedTime`
}

/**
 * The kinds of fields, by where they are in a result: the result has these fields and no others, a record of it has them among others. A place is
 * in every record that has it.
 */
const shapes: ReadonlyArray<
  readonly [
    title: string,
    operation: Rules.Operation,
    parameters: Rules.Parameters,
    kinds: Readonly<Record<string, string>>,
    role?: Rules.More["role"]
  ]
> = [
  ["[records/order, orders.open/result]", "orders.open", Rules.usdt, { "": ofList, list: orderKinds }],
  ["[records/order] inverse", "orders.open", inverse, { list: orderKinds }],
  ["[records/order] spot", "orders.open", spot, { list: orderKinds }],
  ["[records/order] closed, spot", "orders.open", { ...spot, openOnly: 1 }, { list: orderKinds }],
  ["[records/order] closed", "orders.open", { ...Rules.usdt, openOnly: 1 }, { list: orderKinds }],
  ["[records/position, positions.list/result]", "positions.list", Rules.usdt, { "": ofList, list: positionKinds }],
  ["[records/position] inverse", "positions.list", { ...inverse, settleCoin: "BTC" }, { list: positionKinds }],
  ["[records/position] empty", "positions.list", { ...linear, symbol: "LTCUSDT" }, { list: positionKinds }],
  ["[records/position] of hedge mode", "positions.list", { ...linear, symbol: "ADAUSDT" }, { list: positionKinds }],
  [
    "[records/execution, executions.list/result]",
    "executions.list",
    linear,
    { "": ofList, list: `${executionKinds}; string: createType; integer: seq` }
  ],
  ["[records/execution] spot", "executions.list", spot, { list: executionKinds }],
  ...["linear", "inverse", "spot"].map(
    (category) =>
      [
        "[records/pre-upgrade-execution, executions.preUpgrade/result] all categories",
        "executions.preUpgrade",
        { category, ...before },
        { "": ofList, list: executionKinds }
      ] as const
  ),
  ["[records/closed-pnl] of a unified account", "positions.closedPnl", linear, closedPnlKinds],
  [
    "[records/closed-pnl, positions.preUpgradeClosedPnl/result]",
    "positions.preUpgradeClosedPnl",
    { ...linear, ...before },
    closedPnlKinds
  ],
  ["[records/instrument, instruments.list/result] linear", "instruments.list", linear, contractKinds],
  ["[records/instrument, instruments.list/result] inverse", "instruments.list", inverse, contractKinds],
  [
    "[records/wallet, account.walletBalance/result]",
    "account.walletBalance",
    { accountType: "UNIFIED" },
    {
      "": "array: list",
      list: `string: accountType accountIMRate accountMMRate totalWalletBalance totalMarginBalance totalAvailableBalance
        totalInitialMargin totalMaintenanceMargin totalEquity totalPerpUPL; array: coin`,
      "list.coin": `string: coin equity usdValue walletBalance availableToWithdraw totalOrderIM totalPositionIM totalPositionMM
        unrealisedPnl cumRealisedPnl bonus borrowAmount accruedInterest availableToBorrow`
    }
  ],
  ...["FUND", "SPOT"].map((accountType) => {
    const account = accountType.toLowerCase()
    const kinds = {
      [account]: "string: status; array: assets",
      [`${account}.assets`]: "string: coin free total_balance"
    }
    return [
      "[records/funding, assets.fundingAssets/result] both accounts",
      "assets.fundingAssets",
      { accountType },
      { "": `object: ${account}`, ...kinds },
      "classic"
    ] as const
  }),
  [
    "[records/coin, assets.coins/result]",
    "assets.coins",
    {},
    {
      "": "array: rows",
      rows: "string: coin coin_name; integer: accuracy; array: deposit_chains withdraw_chains",
      "rows.deposit_chains": "string: chain chain_name deposit_min deposit_confirmation; integer: can_deposit",
      "rows.withdraw_chains": "string: chain chain_name withdraw_min withdraw_fee; integer: can_withdraw"
    }
  ],
  [
    "[records/deposit, assets.deposits/result]",
    "assets.deposits",
    { type: 2 },
    {
      "": "array: rows; string: cursor",
      rows: "string: type chain coin amount address status time transaction_id tx_id; integer: create_time"
    }
  ],
  [
    "[records/transfer, assets.transfers/result]",
    "assets.transfers",
    {},
    {
      "": "array: list; string: cursor",
      list: "string: transferId coin amount fromAccountType toAccountType status timestamp"
    }
  ],
  [
    "[records/sub-account-transfer, assets.subAccountTransfers/result]",
    "assets.subAccountTransfers",
    {},
    {
      "": "array: list; string: cursor",
      list: "string: transfer_id coin amount status timestamp type; integer: user_id sub_user_id"
    }
  ],
  [
    "[records/bonus, assets.bonusUsage/result]",
    "assets.bonusUsage",
    { coin: "USDT" },
    { "": "array: rows", rows: "integer: award_type time type; string: symbol coin amount order_id" }
  ],
  [
    "[records/volume, broker.tradeVolume/result]",
    "broker.tradeVolume",
    {},
    {
      "": "array: list; string: next_cursor",
      list: "string: user_id; array: coins",
      "list.coins": "string: coin trade_volume fee"
    }
  ],
  [
    "[records/api-limit, apiLimits.query/result]",
    "apiLimits.query",
    { uids: "10000001,10000101" },
    { "": "array: list", list: "string: uids bizType; integer: rate" }
  ],
  [
    "[assets.transferableCoins/result]",
    "assets.transferableCoins",
    { fromAccountType: "FUND", toAccountType: "UNIFIED" },
    { "": "array: coins" }
  ],
  ["[broker.customers/result]", "broker.customers", {}, { "": "array: user_list" }]
]

/** Fields by the names of their kinds: `string: a b; integer: c`. */
const kindsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(";").flatMap((part) => {
      const [kind = "", names = ""] = part.split(":").map((some) => some.trim())
      return names.split(/\s+/).map((name) => [name, kind])
    })
  )

const at = (result: Rules.Row, place: string): ReadonlyArray<Rules.Row> =>
  place === ""
    ? [result]
    : place.split(".").reduce<ReadonlyArray<Rules.Row>>((rows, field) => rows.flatMap((row) => row[field]), [result])

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

describe("records", () => {
  for (const [title, operation, parameters, kinds, role = "main"] of shapes) {
    Rules.rule(`${title} has its fields`, function* () {
      const result = yield* Rules.result(operation, parameters, { role })
      for (const [place, text] of Object.entries(kinds)) {
        if (place === "") expect(Rules.kinds(result)).toEqual(kindsOf(text))
        else Rules.expectKinds(at(result, place), kindsOf(text))
      }
      if ("category" in result) expect(result.category).toBe(parameters.category)
    })
  }

  Rules.rule(
    "[records/order.side, records/order.orderStatus, records/order.orderType] enumerations of an order",
    function* () {
      const found = yield* everyOrder
      expect(new Set(found.map((row) => row.Side))).toEqual(new Set(["Buy", "Sell"]))
      expect(new Set(found.map((row) => row.OrderType))).toEqual(new Set(["Market", "Limit"]))
      const seen = Rules.distinct(found.map((row): string => row.OrderStatus))
      expect(seen).toEqual(expect.arrayContaining(["New", "PartiallyFilled", "Filled", "Cancelled"]))
      // What a take profit becomes when it triggers is a market order.
      const profit = found.filter((row) => row.StopOrderType === "TakeProfit" && row.OrderStatus === "Untriggered")
      expect(profit.map((row) => row.OrderType)).toEqual(["Market"])
    }
  )

  Rules.rule(
    "[records/order.avgPrice, records/order.leaves, records/order.executed] fills and remaining quantity of an order",
    function* () {
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
    }
  )

  Rules.rule("[records/order.marketUnit] the unit of spot market orders only", function* () {
    const found = yield* everyOrder
    const withUnit = found.filter((row) => row.MarketUnit !== "")
    expect(withUnit.length).toBeGreaterThan(0)
    expect(withUnit.every((row) => row.OrderType === "Market")).toBe(true)
    expect(withUnit.every((row) => ["baseCoin", "quoteCoin"].includes(row.MarketUnit))).toBe(true)
    const contracts = yield* Rules.orders({ ...Rules.usdt, openOnly: 1 })
    expect(contracts.every((row) => row.MarketUnit === "")).toBe(true)
  })

  Rules.rule(
    "[records/order.tpslMode, records/order.triggerDirection, records/order.reduceOnly] the stops of an order",
    function* () {
      const found = yield* Rules.orders({ ...linear, symbol: "BTCUSDT" })
      const of = (type: string) => found.find((row) => row.StopOrderType === type)!
      expect(of("TakeProfit")).toMatchObject({ TpslMode: "Full", TriggerDirection: 1, ReduceOnly: true })
      expect(of("StopLoss")).toMatchObject({ TpslMode: "Full", TriggerDirection: 2, ReduceOnly: true })
      expect(of("Stop")).toMatchObject({ TriggerDirection: 1, ReduceOnly: false })
      const [rising, falling] = [of("TakeProfit"), of("StopLoss")]
      expect(Number(rising.TriggerPrice)).toBeGreaterThan(Number(rising.LastPriceOnCreated))
      expect(Number(falling.TriggerPrice)).toBeLessThan(Number(falling.LastPriceOnCreated))
    }
  )

  Rules.rule(
    "[records/position.positionIdx, records/position.side, records/position.positionStatus] enumerations of a position",
    function* () {
      const found = yield* positions
      for (const row of found) {
        expect(row.side === "").toBe(Number(row.size) === 0)
        expect(["", "Buy", "Sell"]).toContain(row.side)
        expect(["Normal", "Liq", "Adl"]).toContain(row.positionStatus)
        expect(row.positionIdx).toBe(row.symbol === "ADAUSDT" ? row.positionIdx : 0)
      }
      expect(found.filter((row) => row.symbol === "ADAUSDT").map((row) => row.positionIdx)).toEqual([1, 2])
      expect(found.some((row) => row.side === "")).toBe(true)
    }
  )

  Rules.rule(
    "[records/position.mmrSysUpdatedTime, records/position.leverageSysUpdatedTime, records/position.autoAddMargin] no adjustment by the system",
    function* () {
      for (const row of yield* positions) {
        expect(row).toMatchObject({ isReduceOnly: false, mmrSysUpdatedTime: "", leverageSysUpdatedTime: "" })
        expect([0, 1]).toContain(row.autoAddMargin)
        expect(["Full", "Partial"]).toContain(row.tpslMode)
      }
    }
  )

  Rules.rule("[records/position.liqPrice] is within the instrument's price range, or empty", function* () {
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

  Rules.rule(
    "[records/execution.createType, records/execution.seq.spot, records/pre-upgrade-execution] are absent for spot, and before the upgrade",
    function* () {
      const preUpgrade = ["linear", "inverse", "spot"].map((category) =>
        Rules.rows("executions.preUpgrade", { category, ...before })
      )
      for (const row of (yield* Effect.all([Rules.rows("executions.list", spot), ...preUpgrade])).flat()) {
        expect(row).not.toHaveProperty("createType")
        expect(row).not.toHaveProperty("seq")
      }
      for (const row of yield* Rules.rows("executions.list", { ...inverse, execType: "Trade" })) {
        expect(row).toHaveProperty("createType")
        expect(row).toHaveProperty("seq")
      }
    }
  )

  Rules.rule("[records/execution.stopOrderType, records/execution.isMaker] enumerations of an execution", function* () {
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

  Rules.rule(
    "[records/execution.seq] is the same for simultaneous executions of a symbol, and can be shared by other symbols",
    function* () {
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
    }
  )

  Rules.rule("[records/pre-upgrade-execution.spot] leaves six of them empty for spot", function* () {
    const unsupported = ["leavesQty", "execType", "execValue", "feeRate", "markPrice", "stopOrderType"]
    for (const row of yield* Rules.rows("executions.preUpgrade", { ...spot, ...before })) {
      expect(unsupported.map((name) => row[name])).toEqual(unsupported.map(() => ""))
    }
    for (const row of yield* Rules.rows("executions.preUpgrade", { ...linear, ...before })) {
      expect(unsupported.map((name) => row[name])).not.toContain("")
    }
  })

  Rules.rule(
    "[records/closed-pnl.values, records/closed-pnl.times] enumerations and times of a closed profit",
    function* () {
      for (const row of yield* Rules.rows("positions.preUpgradeClosedPnl", { ...linear, ...before })) {
        expect(Object.keys(row)).toHaveLength(17)
        expect(["Market", "Limit"]).toContain(row.orderType)
        expect(["Trade", "BustTrade", "SessionSettlePnL", "Settle"]).toContain(row.execType)
        milliseconds(row.createdTime)
        milliseconds(row.updatedTime)
      }
    }
  )

  Rules.rule(
    "[records/instrument.status, states/instrument, records/instrument.contractType] enumerations of a contract",
    function* () {
      for (const [category, type] of [
        ["linear", "LinearPerpetual"],
        ["inverse", "InversePerpetual"]
      ]) {
        const found = yield* Rules.rows("instruments.list", { category })
        expect(Rules.distinct(found.map((row) => row.status))).toEqual(["Trading"])
        expect(Rules.distinct(found.map((row) => row.contractType))).toEqual([type])
        for (const row of found) milliseconds(row.launchTime)
        expect(yield* Rules.rows("instruments.list", { category, status: "Trading" })).toEqual(found)
        expect(yield* Rules.rows("instruments.list", { category, status: "Closed" })).toEqual([])
      }
    }
  )

  Rules.rule("[records/instrument.fundingInterval] is in minutes: eight hours", function* () {
    const found = yield* Rules.rows("instruments.list", linear)
    expect(found.every((row) => row.fundingInterval === 480)).toBe(true)
  })

  Rules.rule(
    "[records/wallet.totalWalletBalance, records/wallet.totalMarginBalance, records/wallet.totalAvailableBalance] the sums of a wallet",
    function* () {
      const [wallet] = (yield* Rules.result("account.walletBalance", { accountType: "UNIFIED" })).list
      const number = (name: string) => Number(wallet[name])
      const usd = wallet.coin.reduce(
        (sum: number, row: Rules.Row) => sum + Number(row.walletBalance) * (Number(row.usdValue) / Number(row.equity)),
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
    }
  )

  Rules.rule("[records/wallet.totalPositionIM] the margins of a coin", function* () {
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
  })

  Rules.rule("[records/wallet.available] of every coin in cross margin is totalAvailableBalance", function* () {
    const [wallet] = (yield* Rules.result("account.walletBalance", { accountType: "UNIFIED" })).list
    expect(wallet.coin.length).toBeGreaterThan(2)
    for (const row of wallet.coin) {
      const indexPrice = Number(row.usdValue) / Number(row.equity)
      const available = Number(row.availableToWithdraw) * indexPrice
      expect(Math.abs(available / Number(wallet.totalAvailableBalance) - 1)).toBeLessThan(1e-6)
    }
  })

  Rules.rule("[records/coin.can] chains are paused or normal", function* () {
    const { rows } = yield* Rules.result("assets.coins")
    const flags = (chains: string, flag: string) =>
      new Set(rows.flatMap((row: Rules.Row) => row[chains].map((chain: Rules.Row) => chain[flag])))
    expect(flags("withdraw_chains", "can_withdraw")).toEqual(new Set([0, 1]))
    expect(new Set([0, 1])).toEqual(new Set([...flags("deposit_chains", "can_deposit"), 0]))
  })

  Rules.rule(
    "[states/deposit, records/deposit.type, records/deposit.address, records/deposit.time, records/deposit.transactionId, records/deposit.txId] a deposit's values",
    function* () {
      const found = yield* Rules.all("assets.deposits", { type: 2, pageSize: 50 })
      expect(new Set(found.map((row) => row.status))).toEqual(new Set(["0", "1", "2"]))
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
    }
  )

  Rules.rule("[records/transfer.accountTypes, states/transfer] enumerations and time of a transfer", function* () {
    const found = yield* Rules.all("assets.transfers", { limit: 50 })
    for (const row of found) {
      expect(Object.keys(row)).toHaveLength(7)
      expect(row.status).toBe("SUCCESS")
      seconds(row.timestamp)
    }
    const types = found.flatMap((row) => [row.fromAccountType, row.toAccountType])
    expect(types).toEqual(expect.arrayContaining(["SPOT", "UNIFIED", "CONTRACT"]))
  })

  Rules.rule(
    "[records/sub-account-transfer.timestamp, records/sub-account-transfer.type] enumerations and time of a sub-account transfer",
    function* () {
      const found = yield* Rules.rows("assets.subAccountTransfers")
      for (const row of found) milliseconds(row.timestamp)
      expect(Math.max(...found.map((row) => Math.abs(Number(row.timestamp))))).toBeGreaterThan(Rules.day)
      expect(new Set(found.map((row) => row.type))).toEqual(new Set(["IN", "OUT"]))
    }
  )

  Rules.rule(
    "[records/bonus.awardType, records/bonus.type, records/bonus.time, records/bonus.orderId] a bonus usage's values",
    function* () {
      const found = yield* Rules.rows("assets.bonusUsage", { coin: "USDT", limit: 50 })
      expect(new Set(found.map((row) => row.award_type))).toEqual(new Set([1, 2]))
      expect(new Set(found.map((row) => row.type))).toEqual(new Set([1, 2, 3]))
      for (const row of found) {
        seconds(row.time)
        // No order stands behind a funding fee.
        expect(row.order_id === "").toBe(row.type === 3)
      }
    }
  )

  Rules.rule("[records/api-limit] the kinds of business and the accounts of rate limits", function* () {
    const entries = yield* Rules.rows("apiLimits.query", { uids: "10000001,10000101" })
    expect(entries.map((entry) => Object.keys(entry).length)).toEqual([3, 3, 3, 3])
    expect(new Set(entries.map((entry) => entry.bizType))).toEqual(new Set(["SPOT", "DERIVATIVES"]))
    expect(new Set(entries.flatMap((entry) => entry.uids.split(",")))).toEqual(new Set(["10000001", "10000101"]))
  })

  Rules.rule("[assets.transferableCoins/result, broker.customers/result] lists of texts", function* () {
    const moving = { fromAccountType: "FUND", toAccountType: "UNIFIED" }
    const { coins } = yield* Rules.result("assets.transferableCoins", moving)
    expect(coins).toContain("USDT")
    const { user_list } = yield* Rules.result("broker.customers")
    expect(user_list).toHaveLength(24)
    for (const text of [...coins, ...user_list]) expect(typeof text).toBe("string")
  })

  Rules.rule(
    "[records/timestamps, records/order.times, records/position.times] instants are milliseconds",
    function* () {
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
    }
  )
})

describe("records that the seed does not contain", () => {
  const unusual = Rules.altered((state, main) => {
    const account: Exchange.Account = {
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

  Rules.rule(
    "[records/position.isReduceOnly] is true only for a position that can only be reduced",
    function* () {
      const held = yield* Rules.rows("positions.list", Rules.usdt)
      expect(held.length).toBeGreaterThan(2)
      for (const row of held) expect(row.isReduceOnly).toBe(row.symbol === "BTCUSDT")
      // A short position is on the side Sell, with a size that has no sign.
      const short = held.find((row) => row.symbol === "ETHUSDT")!
      expect(short.side).toBe("Sell")
      expect(Number(short.size)).toBeGreaterThan(0)
    },
    unusual
  )

  for (const [title, bound, price, short] of [
    ["[records/position.liqPrice] is empty if it would not be above minPrice", "minPrice", 2900, false],
    ["[records/position.liqPrice] is empty if it would not be below maxPrice", "maxPrice", 3000, true]
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
    const liqPrice = Effect.map(
      Rules.rows("positions.list", { ...linear, symbol: "ETHUSDT" }),
      (found): string => found[0]!.liqPrice
    )
    Rules.rule(
      title,
      function* () {
        const before = Number(yield* liqPrice)
        // Beyond the bound that there is in the other world.
        expect(short ? before > price : before > 0 && before < price).toBe(true)
        expect(yield* Effect.provide(liqPrice, world(price))).toBe("")
      },
      world(undefined)
    )
  }

  Rules.rule(
    "[records/instrument.offlineTime] is set only for an instrument that goes offline",
    function* () {
      for (const row of yield* Rules.rows("instruments.list", linear)) {
        expect(row.offlineTime).toBe(row.symbol === "XRPUSDT" ? "5000" : "")
        expect(row.tags).toEqual(row.symbol === "XRPUSDT" ? ["new"] : [])
      }
    },
    unusual
  )

  Rules.rule(
    "[states/account] is banned only for a banned account",
    function* () {
      const status = (more: Rules.More = {}) =>
        Effect.map(Rules.result("assets.fundingAssets", { accountType: "FUND" }, more), (page) => page.fund.status)
      expect(yield* status()).toBe("ACCOUNT_STATUS_UNSPECIFIED")
      expect(yield* status({ role: "sub" })).toBe("ACCOUNT_STATUS_NORMAL")
    },
    unusual
  )

  Rules.rule("[records/instrument.postOnlyMaxOrderQty] a limit order can be as large as maxOrderQty", function* () {
    const [instrument] = yield* Rules.rows("instruments.list", { ...linear, symbol: "XRPUSDT" })
    const { maxOrderQty, qtyStep } = instrument!.lotSizeFilter
    const order = (yield* Rules.orders({ ...linear, symbol: "XRPUSDT" })).find((row) => row.OrderStatus === "New")!
    const names = { ...linear, symbol: "XRPUSDT", orderId: order.OrderId }
    const beyond = String(Number(maxOrderQty) + Number(qtyStep))
    expect(yield* Rules.code("orders.amend", { ...names, qty: beyond })).toBe(10001)
    // It is more than the account can bear: that is another refusal.
    expect(yield* Rules.code("orders.amend", { ...names, qty: maxOrderQty })).toBe(110007)
  })
})
