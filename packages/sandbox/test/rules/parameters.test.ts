/**
 * What each parameter may be: that it is required or not, what is taken, what is refused. What it means is tested with its
 * domain. A request is taken when it is not refused for its parameters: `answers` says with what code where that is not 0.
 */
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rules from "./utils.js"

interface Case {
  readonly title: string
  readonly operation: Rules.Operation
  /** A request that is taken. */
  readonly valid: Rules.Parameters
  readonly field: string
  readonly required: boolean
  readonly taken?: ReadonlyArray<unknown>
  readonly refused?: ReadonlyArray<unknown>
  /** The code of a request that was understood. Defaults to 0. */
  readonly answers?: number
}

const categories = { taken: ["spot", "linear", "inverse"], refused: ["option", "Linear", "1"] }
const open = { category: "linear", symbol: "BTCUSDT" }
const amend = { category: "linear", symbol: "BTCUSDT", orderId: "none", qty: "1" }
const stop = { category: "linear", symbol: "BTCUSDT", positionIdx: 0, tpslMode: "Full", trailingStop: "150" }
const margin = { category: "linear", symbol: "ETHUSDT", margin: "1" }
const risk = { category: "linear", symbol: "BTCUSDT", riskId: 2 }
const transfer = {
  requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16",
  coin: "USDT",
  amount: "1",
  fromAccountType: "FUND",
  toAccountType: "UNIFIED"
}
const withdrawal = { requestId: "w1", coin: "USDT", addressType: 3, address: "20000001", amount: "1" }
const moving = { fromAccountType: "FUND", toAccountType: "UNIFIED" }

// Reads leave the world as it is: they share one.
const reads: ReadonlyArray<Case> = [
  {
    title: "[orders.open/category] is required: spot, linear, inverse",
    operation: "orders.open",
    valid: { ...open, symbol: "BTCUSDT" },
    field: "category",
    required: true,
    taken: ["spot", "linear"],
    refused: ["option", "Linear", "1"]
  },
  {
    title: "[orders.open/openOnly] is 0 or 1",
    operation: "orders.open",
    valid: open,
    field: "openOnly",
    required: false,
    taken: [0, 1],
    refused: [3, -1, "true"]
  },
  {
    title: "[orders.open/orderFilter] of contracts is Order or StopOrder",
    operation: "orders.open",
    valid: open,
    field: "orderFilter",
    required: false,
    taken: ["Order", "StopOrder"],
    refused: ["tpslOrder", "order"]
  },
  {
    title: "[orders.open/orderFilter] of spot is Order or tpslOrder",
    operation: "orders.open",
    valid: { category: "spot" },
    field: "orderFilter",
    required: false,
    taken: ["Order", "tpslOrder"],
    refused: ["StopOrder", "order"]
  },
  {
    title: "[positions.list/category] is required: spot, linear, inverse",
    operation: "positions.list",
    valid: { category: "linear", settleCoin: "USDT" },
    field: "category",
    required: true,
    ...categories
  },
  {
    title: "[executions.list/category] is required: spot, linear, inverse",
    operation: "executions.list",
    valid: { category: "linear" },
    field: "category",
    required: true,
    ...categories
  },
  {
    title: "[executions.preUpgrade/category] is required: spot, linear, inverse",
    operation: "executions.preUpgrade",
    valid: { category: "linear" },
    field: "category",
    required: true,
    ...categories
  },
  {
    title: "[positions.preUpgradeClosedPnl/category] is required: linear, inverse",
    operation: "positions.preUpgradeClosedPnl",
    valid: { category: "linear" },
    field: "category",
    required: true,
    taken: ["linear", "inverse"],
    refused: ["spot", "option"]
  },
  {
    title: "[instruments.list/status] is any text",
    operation: "instruments.list",
    valid: { category: "linear" },
    field: "status",
    required: false,
    taken: ["Trading", "PreLaunch", "Auction"]
  },
  {
    title: "[assets.deposits/type] is 0, 1 or 2",
    operation: "assets.deposits",
    valid: {},
    field: "type",
    required: false,
    taken: [0, 1, 2],
    refused: [3, -1, "chain"]
  },
  {
    title: "[assets.bonusUsage/coin] is required: only USDT",
    operation: "assets.bonusUsage",
    valid: { coin: "USDT" },
    field: "coin",
    required: true,
    taken: ["USDT"],
    refused: ["BTC", "usdt"]
  },
  {
    title: "[assets.bonusUsage/awardType] is 1 or 2",
    operation: "assets.bonusUsage",
    valid: { coin: "USDT" },
    field: "awardType",
    required: false,
    taken: [1, 2],
    refused: [0, 3, "bonus"]
  },
  {
    title: "[assets.subAccountTransfers/direction] is an integer, or any word",
    operation: "assets.subAccountTransfers",
    valid: {},
    field: "direction",
    required: false,
    taken: [0, 1, 2, "Prev", "Next", "Sideways"],
    refused: []
  },
  {
    title: "[assets.fundingAssets/accountType] is required: FUND or SPOT",
    operation: "assets.fundingAssets",
    valid: { accountType: "FUND" },
    field: "accountType",
    required: true,
    taken: ["FUND", "SPOT"],
    refused: ["UNIFIED", "fund"]
  },
  {
    title: "[assets.transferableCoins/fromAccountType] is required",
    operation: "assets.transferableCoins",
    valid: moving,
    field: "fromAccountType",
    required: true,
    taken: ["FUND"]
  },
  {
    title: "[assets.transferableCoins/toAccountType] is required",
    operation: "assets.transferableCoins",
    valid: moving,
    field: "toAccountType",
    required: true,
    taken: ["UNIFIED"]
  },
  {
    title: "[broker.tradeVolume/productType] is ALL, SPOT or DERIVATIVES",
    operation: "broker.tradeVolume",
    valid: { limit: 1 },
    field: "productType",
    required: false,
    taken: ["ALL", "SPOT", "DERIVATIVES"],
    refused: ["OPTIONS", "spot"]
  },
  {
    title: "[broker.tradeVolume/contractType] is one of four",
    operation: "broker.tradeVolume",
    valid: { limit: 1 },
    field: "contractType",
    required: false,
    taken: ["LinearPerpetual", "InversePerpetual", "LinearFutures", "InverseFutures"]
  },
  {
    title: "[account.walletBalance/accountType] is required, and UNIFIED for a trading account",
    operation: "account.walletBalance",
    valid: { accountType: "UNIFIED" },
    field: "accountType",
    required: true,
    taken: ["UNIFIED"],
    refused: ["CONTRACT", "SPOT", "unified"]
  },
  {
    title: "[apiLimits.query/uids] are required",
    operation: "apiLimits.query",
    valid: { uids: "10000001" },
    field: "uids",
    required: true,
    taken: ["10000001", "10000001,10000101"],
    refused: [",", "10000001,"]
  }
]

// Every request of these has a world of its own where it is taken.
const writes: ReadonlyArray<Case> = [
  {
    title: "[orders.amend/category] is required: spot, linear, inverse",
    operation: "orders.amend",
    valid: amend,
    field: "category",
    required: true,
    taken: ["linear"],
    refused: ["option", "Linear"],
    answers: 110001
  },
  {
    title: "[orders.amend/symbol] is required",
    operation: "orders.amend",
    valid: amend,
    field: "symbol",
    required: true,
    taken: ["BTCUSDT"],
    refused: ["NOSUCHTHING"],
    answers: 110001
  },
  {
    title: "[orders.amend/id] orderId or orderLinkId is required",
    operation: "orders.amend",
    valid: amend,
    field: "orderId",
    required: true,
    taken: ["other"],
    answers: 110001
  },
  {
    title: "[orders.amend/tpslMode] is Full or Partial",
    operation: "orders.amend",
    valid: amend,
    field: "tpslMode",
    required: false,
    taken: ["Full", "Partial"],
    refused: ["full", "Both"],
    answers: 110001
  },
  {
    title: "[orders.cancelAll/category] is required: spot, linear, inverse",
    operation: "orders.cancelAll",
    valid: { category: "linear", baseCoin: "BTC" },
    field: "category",
    required: true,
    ...categories
  },
  {
    title: "[orders.cancelAll/baseCoin] is in upper case",
    operation: "orders.cancelAll",
    valid: { category: "linear", settleCoin: "USDT" },
    field: "baseCoin",
    required: false,
    taken: ["BTC"],
    refused: ["btc", "Btc"]
  },
  {
    title: "[orders.cancelAll/orderFilter.spot] is Order or tpslOrder",
    operation: "orders.cancelAll",
    valid: { category: "spot" },
    field: "orderFilter",
    required: false,
    taken: ["Order", "tpslOrder"],
    refused: ["StopOrder", "order"]
  },
  {
    title: "[orders.cancelAll/orderFilter] of contracts is Order or StopOrder",
    operation: "orders.cancelAll",
    valid: { category: "inverse", baseCoin: "BTC" },
    field: "orderFilter",
    required: false,
    taken: ["Order", "StopOrder"],
    refused: ["tpslOrder", "order"]
  },
  {
    title: "[orders.cancelAll/stopOrderType] is Stop",
    operation: "orders.cancelAll",
    valid: { category: "inverse", baseCoin: "BTC", orderFilter: "StopOrder" },
    field: "stopOrderType",
    required: false,
    taken: ["Stop"],
    refused: ["TakeProfit", "stop"]
  },
  {
    // There are no positions of spot. (docs/reference/contradictions.md#positions-of-spot)
    title: "[positions.addMargin/category] is required: linear, inverse",
    operation: "positions.addMargin",
    valid: margin,
    field: "category",
    required: true,
    taken: ["linear"],
    refused: ["spot", "option"]
  },
  {
    title: "[positions.addMargin/symbol] is required",
    operation: "positions.addMargin",
    valid: margin,
    field: "symbol",
    required: true,
    taken: ["ETHUSDT"],
    refused: ["NOSUCHTHING"]
  },
  {
    title: "[positions.addMargin/margin] is required, and a number other than 0",
    operation: "positions.addMargin",
    valid: margin,
    field: "margin",
    required: true,
    taken: ["1", "-1"],
    refused: ["0", "much"]
  },
  {
    title: "[positions.addMargin/margin.decimals, limits/margin] has at most 4 decimals",
    operation: "positions.addMargin",
    valid: margin,
    field: "margin",
    required: true,
    taken: ["0.0001", "10.1234", "-0.0001"],
    refused: ["0.00001", "10.12345", "-0.00001"]
  },
  {
    title: "[positions.addMargin/positionIdx] is 0, 1 or 2, and that of the position mode",
    operation: "positions.addMargin",
    valid: margin,
    field: "positionIdx",
    required: false,
    taken: [0],
    refused: [1, 2, 3, -1, "0"]
  },
  {
    title: "[positions.setTradingStop/category] is required: linear, inverse",
    operation: "positions.setTradingStop",
    valid: stop,
    field: "category",
    required: true,
    taken: ["linear"],
    refused: ["spot", "option"]
  },
  {
    title: "[positions.setTradingStop/symbol] is required",
    operation: "positions.setTradingStop",
    valid: stop,
    field: "symbol",
    required: true,
    taken: ["BTCUSDT"],
    refused: ["NOSUCHTHING"]
  },
  {
    title: "[positions.setTradingStop/positionIdx] is required: 0, 1 or 2, and that of the position mode",
    operation: "positions.setTradingStop",
    valid: stop,
    field: "positionIdx",
    required: true,
    taken: [0],
    refused: [1, 2, 3, "0"]
  },
  {
    title: "[positions.setTradingStop/tpslMode] is Full or Partial, and optional",
    operation: "positions.setTradingStop",
    valid: stop,
    field: "tpslMode",
    required: false,
    taken: ["Full", "Partial"],
    refused: ["full", "Both"]
  },
  {
    title: "[positions.setTradingStop/trailingStop] is at least 0",
    operation: "positions.setTradingStop",
    valid: { ...stop, stopLoss: "15000" },
    field: "trailingStop",
    required: false,
    taken: ["0", "0.5", "150"],
    refused: ["-0.5", "far"]
  },
  {
    title: "[positions.setTradingStop/takeProfit] is at least 0",
    operation: "positions.setTradingStop",
    valid: stop,
    field: "takeProfit",
    required: false,
    taken: ["0", "40000"],
    refused: ["-0.5", "far"]
  },
  {
    title: "[positions.setTradingStop/stopLoss] is at least 0",
    operation: "positions.setTradingStop",
    valid: stop,
    field: "stopLoss",
    required: false,
    taken: ["0", "15000"],
    refused: ["-0.5", "far"]
  },
  {
    title: "[positions.setTradingStop/orderType.full] is Market",
    operation: "positions.setTradingStop",
    valid: { ...stop, takeProfit: "40000" },
    field: "tpOrderType",
    required: false,
    taken: ["Market"],
    refused: ["Limit", "market"]
  },
  {
    title: "[positions.setTradingStop/orderType.full] for a stop loss as well",
    operation: "positions.setTradingStop",
    valid: { ...stop, stopLoss: "15000" },
    field: "slOrderType",
    required: false,
    taken: ["Market"],
    refused: ["Limit", "market"]
  },
  {
    title: "[positions.setTradingStop/size] is refused with Full, for take profits",
    operation: "positions.setTradingStop",
    valid: { ...stop, takeProfit: "40000" },
    field: "tpSize",
    required: false,
    refused: ["0.001"]
  },
  {
    title: "[positions.setTradingStop/size] is refused with Full, for stop losses",
    operation: "positions.setTradingStop",
    valid: { ...stop, stopLoss: "15000" },
    field: "slSize",
    required: false,
    refused: ["0.001"]
  },
  {
    title: "[positions.setTradingStop/size] is accepted with Partial",
    operation: "positions.setTradingStop",
    valid: { ...stop, tpslMode: "Partial", takeProfit: "40000" },
    field: "tpSize",
    required: false,
    taken: ["0.001", "0.198"],
    refused: ["0", "-0.001"]
  },
  {
    title: "[positions.setTradingStop/size.equal] two sizes must be the same",
    operation: "positions.setTradingStop",
    valid: { ...stop, tpslMode: "Partial", takeProfit: "40000", stopLoss: "15000", tpSize: "0.002" },
    field: "slSize",
    required: false,
    taken: ["0.002", "0.0020"],
    refused: ["0.001", "0.003"]
  },
  {
    title: "[positions.setTradingStop/limitPrice] is required with Partial and Limit",
    operation: "positions.setTradingStop",
    valid: {
      ...{ ...stop, tpslMode: "Partial", takeProfit: "40000", tpSize: "0.001" },
      ...{ tpOrderType: "Limit", tpLimitPrice: "38000" }
    },
    field: "tpLimitPrice",
    required: true,
    taken: ["39000"]
  },
  {
    title: "[positions.setTradingStop/limitPrice] is refused with Partial and Market",
    operation: "positions.setTradingStop",
    valid: { ...stop, tpslMode: "Partial", takeProfit: "40000", tpSize: "0.001", tpOrderType: "Market" },
    field: "tpLimitPrice",
    required: false,
    refused: ["39000"]
  },
  {
    title: "[positions.setTradingStop/limitPrice] for a stop loss: required with Partial and Limit",
    operation: "positions.setTradingStop",
    valid: {
      ...{ ...stop, tpslMode: "Partial", stopLoss: "15000", slSize: "0.001" },
      ...{ slOrderType: "Limit", slLimitPrice: "14800" }
    },
    field: "slLimitPrice",
    required: true,
    taken: ["14900"]
  },
  {
    title: "[positions.setTradingStop/limitPrice] for a stop loss: refused with Partial and Market",
    operation: "positions.setTradingStop",
    valid: { ...stop, tpslMode: "Partial", stopLoss: "15000", slSize: "0.001", slOrderType: "Market" },
    field: "slLimitPrice",
    required: false,
    refused: ["14900"]
  },
  {
    title: "[positions.setTradingStop/limitPrice] is refused with Full",
    operation: "positions.setTradingStop",
    valid: { ...stop, stopLoss: "15000" },
    field: "slLimitPrice",
    required: false,
    refused: ["14900"]
  },
  {
    title: "[positions.setRiskLimit/category] is required: linear, inverse",
    operation: "positions.setRiskLimit",
    valid: risk,
    field: "category",
    required: true,
    taken: ["linear"],
    refused: ["spot", "option"]
  },
  {
    title: "[positions.setRiskLimit/symbol] is required",
    operation: "positions.setRiskLimit",
    valid: risk,
    field: "symbol",
    required: true,
    taken: ["BTCUSDT"],
    refused: ["NOSUCHTHING"]
  },
  {
    title: "[positions.setRiskLimit/riskId] is required, and an integer",
    operation: "positions.setRiskLimit",
    valid: risk,
    field: "riskId",
    required: true,
    taken: [2, 3],
    refused: ["2", 1.5]
  },
  {
    title: "[positions.setRiskLimit/positionIdx] is 0, 1 or 2, and that of the position mode",
    operation: "positions.setRiskLimit",
    valid: risk,
    field: "positionIdx",
    required: false,
    taken: [0],
    refused: [1, 2, 3, "0"]
  },
  {
    title: "[positions.setRiskLimit/positionIdx] is required in hedge mode",
    operation: "positions.setRiskLimit",
    valid: { ...risk, symbol: "ADAUSDT", positionIdx: 1 },
    field: "positionIdx",
    required: true,
    taken: [1, 2],
    refused: [0]
  },
  {
    title: "[assets.transfer/requestId] is required, and a UUID",
    operation: "assets.transfer",
    valid: transfer,
    field: "requestId",
    required: true,
    taken: ["42c0cfb0-6bca-c242-bc76-4e6df6cbcb17"],
    refused: ["short", "42c0cfb0-6bca-c242-bc76-4e6df6cbcb1x", "42c0cfb0-6bca-c242-bc76-4e6df6cbcb1"]
  },
  {
    title: "[assets.transfer/coin] is required",
    operation: "assets.transfer",
    valid: transfer,
    field: "coin",
    required: true,
    taken: ["USDT"],
    refused: ["NIX"]
  },
  {
    title: "[assets.transfer/amount] is required, and positive",
    operation: "assets.transfer",
    valid: transfer,
    field: "amount",
    required: true,
    taken: ["0.5"],
    refused: ["0", "-1", "much"]
  },
  {
    title: "[assets.transfer/fromAccountType] is required",
    operation: "assets.transfer",
    valid: transfer,
    field: "fromAccountType",
    required: true,
    taken: ["FUND"]
  },
  {
    title: "[assets.transfer/toAccountType] is required",
    operation: "assets.transfer",
    valid: transfer,
    field: "toAccountType",
    required: true,
    taken: ["UNIFIED"]
  },
  {
    title: "[assets.withdrawInternal/requestId, limits/request-id] is required: 1 to 64 letters and digits",
    operation: "assets.withdrawInternal",
    valid: withdrawal,
    field: "requestId",
    required: true,
    taken: ["a", "Z9", "x".repeat(64)],
    refused: ["x".repeat(65), "a-b", "a b", "é"]
  },
  {
    title: "[assets.withdrawInternal/coin] is required",
    operation: "assets.withdrawInternal",
    valid: withdrawal,
    field: "coin",
    required: true,
    taken: ["USDT"],
    refused: ["NIX"]
  },
  {
    title: "[assets.withdrawInternal/addressType] is required: 1, 2 or 3",
    operation: "assets.withdrawInternal",
    valid: withdrawal,
    field: "addressType",
    required: true,
    taken: [3],
    refused: [0, 4, "3"]
  },
  {
    title: "[assets.withdrawInternal/address] is required",
    operation: "assets.withdrawInternal",
    valid: withdrawal,
    field: "address",
    required: true,
    taken: ["20000001"]
  },
  {
    title: "[assets.withdrawInternal/amount] is required, and positive",
    operation: "assets.withdrawInternal",
    valid: withdrawal,
    field: "amount",
    required: true,
    taken: ["0.5"],
    refused: ["0", "-1", "much"]
  },
  {
    title: "[assets.withdrawInternal/remark, limits/remark] has at most 50 characters",
    operation: "assets.withdrawInternal",
    valid: withdrawal,
    field: "remark",
    required: false,
    taken: ["x", "x".repeat(50)],
    refused: ["x".repeat(51)]
  },
  {
    title: "[apiLimits.set/list] is required, and an array",
    operation: "apiLimits.set",
    valid: { list: [{ uids: "10000101", bizType: "SPOT", rate: 20 }] },
    field: "list",
    required: true,
    refused: [[], "10000101", { uids: "10000101", bizType: "SPOT", rate: 20 }]
  },
  {
    title: "[apiLimits.set/uids] are required in every entry",
    operation: "apiLimits.set",
    valid: { list: [{ uids: "10000101", bizType: "SPOT", rate: 20 }] },
    field: "list",
    required: true,
    refused: [
      [{ bizType: "SPOT", rate: 20 }],
      [{ uids: "", bizType: "SPOT", rate: 20 }],
      [
        { uids: "10000101", bizType: "SPOT", rate: 20 },
        { bizType: "SPOT", rate: 20 }
      ]
    ]
  },
  {
    title: "[apiLimits.set/bizType] is required in every entry",
    operation: "apiLimits.set",
    valid: { list: [{ uids: "10000101", bizType: "SPOT", rate: 20 }] },
    field: "list",
    required: true,
    taken: [[{ uids: "10000101", bizType: "DERIVATIVES", rate: 20 }]],
    refused: [[{ uids: "10000101", rate: 20 }], [{ uids: "10000101", bizType: "", rate: 20 }]]
  },
  {
    title: "[apiLimits.set/rate] is required in every entry, and an integer",
    operation: "apiLimits.set",
    valid: { list: [{ uids: "10000101", bizType: "SPOT", rate: 20 }] },
    field: "list",
    required: true,
    refused: [
      [{ uids: "10000101", bizType: "SPOT" }],
      [{ uids: "10000101", bizType: "SPOT", rate: "20" }],
      [{ uids: "10000101", bizType: "SPOT", rate: 1.5 }]
    ]
  }
]

const without = (parameters: Rules.Parameters, field: string): Rules.Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== field))

const expectRefused = ({ field, operation, refused = [], required, valid }: Case) =>
  Effect.gen(function* () {
    if (required) {
      expect(yield* Rules.code(operation, without(valid, field))).toBe(10001)
      // Nothing between the quotes is nothing given.
      expect(yield* Rules.code(operation, { ...valid, [field]: "" })).toBe(10001)
    }
    for (const value of refused) {
      const answer = yield* Rules.send(operation, { ...valid, [field]: value })
      expect(answer.code, JSON.stringify(value)).toBe(10001)
    }
  })

const requestsTaken = ({ field, required, taken = [], valid }: Case): ReadonlyArray<Rules.Parameters> => [
  required ? valid : without(valid, field),
  ...taken.map((value) => ({ ...valid, [field]: value }))
]

layer(Rules.world)("parameters of reads", (it) => {
  for (const one of reads) {
    it.effect(one.title, () =>
      Effect.gen(function* () {
        for (const parameters of requestsTaken(one)) {
          expect(yield* Rules.code(one.operation, parameters), JSON.stringify(parameters)).toBe(one.answers ?? 0)
        }
        yield* expectRefused(one)
      })
    )
  }
})

describe("parameters of writes", () => {
  for (const one of writes) {
    it.effect(one.title, () =>
      Effect.gen(function* () {
        for (const parameters of requestsTaken(one)) {
          const taken = Effect.provide(Rules.code(one.operation, parameters), Rules.world)
          expect(yield* taken, JSON.stringify(parameters)).toBe(one.answers ?? 0)
        }
        yield* Effect.provide(expectRefused(one), Rules.world)
      })
    )
  }
})
