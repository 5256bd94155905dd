/** Parameters that leave some records of a list out: those that are given are exactly those of the whole list that the parameter means. */
import { describe, expect } from "@effect/vitest"
import * as Rules from "./utils.js"

const { day, usdt } = Rules
const linear = { category: "linear" }
const deposits = { type: 2, pageSize: 50 }
const bonuses = { coin: "USDT", limit: 50 }
const fifty = { limit: 50 }
const before = { ...linear, startTime: -760 * day, limit: 100 }

const is = (field: string, value: unknown) => (row: Rules.Row) => row[field] === value

type Narrower = readonly [
  title: string,
  operation: Rules.Operation,
  common: Rules.Parameters,
  narrower: Rules.Parameters,
  keeps: (row: Rules.Row) => boolean
]

const narrower: ReadonlyArray<Narrower> = [
  ["[assets.deposits/type] deposits on chain", "assets.deposits", deposits, { type: 0 }, is("type", "0")],
  ["[assets.deposits/type] internal deposits", "assets.deposits", deposits, { type: 1 }, is("type", "1")],
  ["[assets.deposits/chain] of a chain", "assets.deposits", { pageSize: 50 }, { chain: "TRX" }, is("chain", "TRX")],
  ["[assets.deposits/coin] of a coin", "assets.deposits", deposits, { coin: "BTC" }, is("coin", "BTC")],
  ["[assets.bonusUsage/awardType] bonuses", "assets.bonusUsage", bonuses, { awardType: 1 }, is("award_type", 1)],
  ["[assets.bonusUsage/awardType] coupons", "assets.bonusUsage", bonuses, { awardType: 2 }, is("award_type", 2)],
  ["[assets.transfers/coin] of a coin", "assets.transfers", fifty, { coin: "BTC" }, is("coin", "BTC")],
  [
    "[assets.subAccountTransfers/coin] of a coin",
    "assets.subAccountTransfers",
    fifty,
    { coin: "BTC" },
    is("coin", "BTC")
  ],
  ["[executions.list/execType] trades", "executions.list", linear, { execType: "Trade" }, is("execType", "Trade")],
  ["[executions.list/execType] funding", "executions.list", linear, { execType: "Funding" }, is("execType", "Funding")],
  ["[executions.list/priority] of a symbol", "executions.list", linear, { symbol: "BTCUSDT" }, is("symbol", "BTCUSDT")],
  [
    "[executions.preUpgrade/symbol] of a symbol",
    "executions.preUpgrade",
    before,
    { symbol: "BTCUSDT" },
    is("symbol", "BTCUSDT")
  ],
  [
    "[positions.preUpgradeClosedPnl/symbol] of a symbol, which can be left out",
    "positions.preUpgradeClosedPnl",
    before,
    { symbol: "BTCUSDT" },
    is("symbol", "BTCUSDT")
  ],
  ["[orders.open/orderFilter] active", "orders.open", usdt, { orderFilter: "Order" }, (row) => !isConditional(row)],
  [
    "[orders.open/orderFilter] conditional",
    "orders.open",
    usdt,
    { orderFilter: "StopOrder" },
    (row) => isConditional(row)
  ],
  ["[orders.open/baseCoin] linear", "orders.open", usdt, { baseCoin: "ETH" }, is("Symbol", "ETHUSDT")],
  [
    "[orders.open/baseCoin] inverse",
    "orders.open",
    { category: "inverse" },
    { baseCoin: "ETH" },
    is("Symbol", "ETHUSD")
  ],
  ["[positions.list/baseCoin] of a coin", "positions.list", usdt, { baseCoin: "BTC" }, is("symbol", "BTCUSDT")],
  ["[instruments.list/symbol] of a symbol", "instruments.list", linear, { symbol: "BTCUSDT" }, is("symbol", "BTCUSDT")]
]

const isConditional = is("OrderStatus", "Untriggered")

/** The field of a record that a parameter names. */
const named: ReadonlyArray<
  readonly [title: string, operation: Rules.Operation, common: Rules.Parameters, parameter: string, field: string]
> = [
  ["[assets.deposits/txId] finds the deposit with a hash", "assets.deposits", {}, "txId", "tx_id"],
  ["[assets.transfers/transferId] finds one", "assets.transfers", {}, "transferId", "transferId"],
  [
    "[assets.subAccountTransfers/transfer_id] finds one",
    "assets.subAccountTransfers",
    {},
    "transfer_id",
    "transfer_id"
  ],
  ["[orders.open/orderId] finds one", "orders.open", usdt, "orderId", "OrderId"],
  ["[orders.open/orderLinkId] finds one", "orders.open", usdt, "orderLinkId", "OrderLinkId"]
]

/** Ranges in seconds: of records in seconds, or in milliseconds. */
const ranges: ReadonlyArray<
  readonly [
    title: string,
    operation: Rules.Operation,
    common: Rules.Parameters,
    ends: readonly [string, string],
    second: (row: Rules.Row) => number
  ]
> = [
  [
    "[assets.deposits/time] of deposits",
    "assets.deposits",
    deposits,
    ["startTime", "endTime"],
    (row) => row.create_time
  ],
  [
    "[assets.transfers/time] of transfers",
    "assets.transfers",
    fifty,
    ["startTime", "endTime"],
    (row) => Number(row.timestamp)
  ],
  [
    "[assets.subAccountTransfers/time] of records in milliseconds",
    "assets.subAccountTransfers",
    fifty,
    ["start_time", "end_time"],
    (row) => Number(row.timestamp) / 1000
  ]
]

describe("a parameter of a list", () => {
  for (const [title, operation, common, some, keeps] of narrower) {
    Rules.rule(`${title} gives those of ${JSON.stringify(some)} alone`, function* () {
      const every = yield* Rules.all(operation, common)
      const expected = every.filter(keeps)
      expect(expected.length).toBeGreaterThan(0)
      expect(expected.length).toBeLessThan(every.length)
      expect(yield* Rules.all(operation, { ...common, ...some })).toEqual(expected)
    })
  }

  for (const [title, operation, common, parameter, field] of named) {
    Rules.rule(title, function* () {
      const [, some] = (yield* Rules.rows(operation, common)).filter((row) => row[field] !== "")
      expect(yield* Rules.rows(operation, { ...common, [parameter]: some![field] })).toEqual([some])
      expect(yield* Rules.rows(operation, { ...common, [parameter]: "none" })).toEqual([])
    })
  }

  for (const [title, operation, common, [start, end], second] of ranges) {
    Rules.rule(`${title} gives those between two seconds, both included`, function* () {
      const found = yield* Rules.all(operation, common)
      const [from, to] = [second(found[6]!), second(found[2]!)]
      const range = (parameters: Rules.Parameters) => Rules.all(operation, { ...common, ...parameters })
      expect(yield* range({ [start]: from, [end]: to })).toEqual(found.slice(2, 7))
      expect(yield* range({ [start]: from })).toEqual(found.slice(0, 7))
      expect(yield* range({ [end]: to })).toEqual(found.slice(2))
      expect(yield* Rules.code(operation, { [start]: to, [end]: from })).toBe(10001)
      expect(yield* Rules.code(operation, { [start]: "soon" })).toBe(10001)
    })
  }

  for (const [title, operation] of [
    ["[assets.transfers/status] gives those of a status: all were made", "assets.transfers"],
    ["[assets.subAccountTransfers/status] gives those of a status: all were made", "assets.subAccountTransfers"]
  ] as const) {
    Rules.rule(title, function* () {
      const every = yield* Rules.all(operation, fifty)
      expect(yield* Rules.all(operation, { ...fifty, status: "SUCCESS" })).toEqual(every)
      expect(yield* Rules.all(operation, { ...fifty, status: "FAILED" })).toEqual([])
    })
  }

  Rules.rule("[assets.deposits/type] on chain is the default", function* () {
    const usual = yield* Rules.all("assets.deposits", { pageSize: 50 })
    expect(usual).toEqual(yield* Rules.all("assets.deposits", { ...deposits, type: 0 }))
  })
})
