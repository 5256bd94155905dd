/**
 * Parameters as they are on the wire: required or not, accepted values, refused values. `schemas/test/requests.test.ts` tests the rules of every
 * parameter; these tests show that the sandbox applies them, and what depends on the account.
 */
import * as Specification from "@effect-venue/testing/Specification"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rules from "./utils.js"
import { readFileSync } from "node:fs"

const { sections } = JSON.parse(readFileSync(new URL("./rules.json", import.meta.url), "utf8")) as {
  readonly sections: ReadonlyArray<{ readonly rules: Readonly<Record<string, string>> }>
}

/** The rules by id. */
const rules = Object.fromEntries(sections.flatMap((section) => Object.entries<string>(section.rules)))

/** Whether a rule of an operation is about a parameter: its id or its text names it. */
const describesParameter = (operation: Rules.Operation, parameter: string): boolean => {
  const name = parameter.replace(/^.*\./, "")
  return Object.entries(rules).some(
    ([id, text]) =>
      id.startsWith(`${operation}/`) &&
      (id.slice(operation.length + 1).split(".")[0] === name || new RegExp(`\\b${name}\\b`).test(text))
  )
}

describe("of every documented operation", () => {
  it.each(Specification.namesOf("documented"))("%s have a rule each, and its result has one", (operation) => {
    const parameters = Object.keys(Specification.specification[operation].parameters ?? {})
    const missing = parameters.filter((parameter) => !describesParameter(operation, parameter))
    expect(missing, `parameters of ${operation} without a rule in rules.json`).toEqual([])
    expect(Object.keys(rules)).toContain(`${operation}/result`)
  })
})

const without = (parameters: Rules.Parameters, field: string): Rules.Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== field))

/** Defines tests of one operation, by a request that it accepts. The name of a field ends in `!` if the field is required. */
const parametersOf =
  (operation: Rules.Operation, valid: Rules.Parameters, accepts = 0) =>
  (
    title: string,
    name: string,
    accepted: ReadonlyArray<unknown>,
    refused: ReadonlyArray<unknown>,
    more: object = {}
  ) => {
    const field = name.replace("!", "")
    const request = { ...valid, ...more }
    const absent = without(request, field)
    const withValues = (values: ReadonlyArray<unknown>) => values.map((value) => ({ ...request, [field]: value }))
    const [right, wrong] =
      field === name
        ? [[absent, ...withValues(accepted)], withValues(refused)]
        : [
            [request, ...withValues(accepted)],
            [absent, ...withValues(["", ...refused])]
          ]
    it.effect(title, () =>
      Effect.gen(function* () {
        for (const parameters of [...right, ...wrong]) {
          // Each request has a world, because writes change it.
          const code = yield* Effect.provide(Rules.code(operation, parameters), Rules.world)
          expect([code, parameters]).toEqual([right.includes(parameters) ? accepts : 10001, parameters])
        }
      })
    )
  }

const btc = { category: "linear", symbol: "BTCUSDT" }

describe("of reads", () => {
  const bonus = parametersOf("assets.bonusUsage", { coin: "USDT" })
  bonus("[assets.bonusUsage/coin] is USDT", "coin!", [], ["BTC", "usdt"])

  const open = parametersOf("orders.open", btc)
  open("[orders.open/openOnly] is 0 or 1", "openOnly", [0, 1], [3, -1, "true"])

  const direction = parametersOf("assets.subAccountTransfers", {})
  const words = ["Prev", "Next", "Sideways"]
  direction(
    "[assets.subAccountTransfers/direction] is an integer, or any word",
    "direction",
    [0, 1, 2, -1, ...words],
    []
  )

  const limits = parametersOf("apiLimits.query", { uids: "10000001" })
  limits("[apiLimits.query/uids] are separated by commas", "uids!", ["10000001,10000101"], [",", "10000001,"])
})

describe("of orders", () => {
  const amend = parametersOf("orders.amend", { ...btc, orderId: "none", qty: "1" }, 110001)
  amend("[orders.amend/symbol] is listed", "symbol!", [], ["NOSUCHTHING"])

  const cancelAll = parametersOf("orders.cancelAll", { category: "linear", baseCoin: "BTC" })
  const others = ["option", "Linear", "1"]
  cancelAll("[orders.cancelAll/category] is spot, linear or inverse", "category!", ["spot", "inverse"], others)
})

/** Parameters that the document describes for other categories, with a value that those accept. */
const foreign: ReadonlyArray<readonly [Rules.Operation, Rules.Parameters, Rules.Parameters]> = [
  ["orders.open", { category: "spot" }, { baseCoin: "BTC", settleCoin: "USDT" }],
  ["orders.open", { category: "inverse" }, { settleCoin: "BTC" }],
  ["orders.cancelAll", { category: "spot" }, { settleCoin: "USDT", stopOrderType: "Stop" }],
  [
    "orders.create",
    { category: "spot", symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "50" },
    {
      ...{ positionIdx: 0, reduceOnly: true, closeOnTrigger: true, tpslMode: "Full", triggerDirection: 1 },
      ...{ triggerBy: "LastPrice", tpTriggerBy: "LastPrice", slTriggerBy: "LastPrice" }
    }
  ],
  ...["linear", "inverse"].map((category) => {
    const symbol = category === "linear" ? "BTCUSDT" : "BTCUSD"
    const order = { category, symbol, side: "Buy", orderType: "Market", qty: category === "linear" ? "0.01" : "100" }
    return ["orders.create", order, { marketUnit: "baseCoin", orderFilter: "Order" }] as const
  }),
  [
    "orders.amend",
    { category: "spot", symbol: "BTCUSDT", orderId: "none", qty: "1" },
    { tpslMode: "Full", tpOrderType: "Market", slOrderType: "Market", triggerBy: "LastPrice" }
  ],
  ["orders.cancel", { ...btc, orderId: "none" }, { orderFilter: "Order" }],
  ["orders.cancel", { category: "inverse", symbol: "BTCUSD", orderId: "none" }, { orderFilter: "Order" }],
  ["instruments.list", { category: "spot" }, { baseCoin: "BTC" }],
  ["executions.preUpgrade", { category: "spot" }, { execType: "Trade" }]
]

const batches: Readonly<Record<string, Rules.Operation>> = {
  "orders.create": "orders.createBatch",
  "orders.amend": "orders.amendBatch"
}

describe("of another category", () => {
  it.effect.each(foreign.map((row) => [row[0], row[1].category, row] as const))(
    "of %s with %s are refused and change nothing, alone and in a batch",
    ([, , [operation, valid, parameters]]) =>
      Effect.gen(function* () {
        const { category, ...order } = valid
        const batch = batches[operation]
        const before = (yield* (yield* Rules.sandbox).snapshot).issued
        for (const [name, value] of Object.entries(parameters)) {
          const refusal = (path: string) => `params error: ${path} is not for ${String(category)}`
          const alone = yield* Rules.send(operation, { ...valid, [name]: value })
          expect([alone.code, alone.json.retMsg]).toEqual([10001, refusal(name)])
          if (batch === undefined) continue
          const inBatch = yield* Rules.send(batch, { category, request: [order, { ...order, [name]: value }] })
          expect([inBatch.code, inBatch.json.retMsg]).toEqual([10001, refusal(`request.1.${name}`)])
        }
        expect((yield* (yield* Rules.sandbox).snapshot).issued).toBe(before)
        // Without them, the request is accepted, or refused for the id that does not exist.
        expect([0, 110001, 170213]).toContain(yield* Rules.code(operation, valid))
      }).pipe(Effect.provide(Rules.world))
  )
})

describe("of positions", () => {
  const margin = parametersOf("positions.addMargin", { category: "linear", symbol: "ETHUSDT", margin: "1" })
  const fine = ["0.00001", "10.12345", "-0.00001"]
  // There are no positions of spot. (docs/reference/contradictions.md#positions-of-spot)
  margin("[positions.addMargin/category] is linear or inverse", "category!", [], ["spot", "option"])
  margin("[positions.addMargin/symbol] is listed", "symbol!", [], ["NOSUCHTHING"])
  margin(
    "[positions.addMargin/margin.decimals, limits/margin] has at most 4 decimals",
    ...(["margin!", ["0.0001", "10.1234", "-0.0001"], fine] as const)
  )
  margin("[positions.addMargin/positionIdx] fits the position mode", "positionIdx", [0], [1, 2, 3, -1, "0"])

  const stop = parametersOf("positions.setTradingStop", {
    ...btc,
    positionIdx: 0,
    tpslMode: "Full",
    trailingStop: "150"
  })
  const [profit, loss] = [{ takeProfit: "40000" }, { stopLoss: "15000" }]
  const partial = { tpslMode: "Partial", ...profit }
  const both = { ...partial, ...loss, tpSize: "0.002" }
  stop("[positions.setTradingStop/category] is linear or inverse", "category!", [], ["spot", "option"])
  stop("[positions.setTradingStop/symbol] is listed", "symbol!", [], ["NOSUCHTHING"])
  stop("[positions.setTradingStop/positionIdx] fits the position mode", "positionIdx!", [], [1, 2, 3, "0"])
  stop("[positions.setTradingStop/orderType.full] is Market", "tpOrderType", ["Market"], ["Limit", "market"], profit)
  stop("[positions.setTradingStop/orderType.full] also of a loss", "slOrderType", ["Market"], ["Limit", "market"], loss)
  stop("[positions.setTradingStop/size] goes with Partial", "tpSize", ["0.001", "0.198"], ["0", "-0.001"], partial)
  stop("[positions.setTradingStop/size.equal] is one size", "slSize", ["0.002", "0.0020"], ["0.001", "0.003"], both)

  const risk = parametersOf("positions.setRiskLimit", { ...btc, riskId: 2 })
  const hedged = { symbol: "ADAUSDT", positionIdx: 1 }
  risk("[positions.setRiskLimit/symbol] is listed", "symbol!", [], ["NOSUCHTHING"])
  risk("[positions.setRiskLimit/positionIdx] fits the position mode", "positionIdx", [0], [1, 2, 3, "0"])
  risk("[positions.setRiskLimit/positionIdx] is required in hedge mode", "positionIdx!", [1, 2], [0], hedged)
})

describe("of assets and API limits", () => {
  const request = { requestId: "w1", coin: "USDT", addressType: 3, address: "20000001", amount: "1" }
  const withdrawal = parametersOf("assets.withdrawInternal", request)
  withdrawal(
    "[assets.withdrawInternal/requestId, limits/request-id] is 1 to 64 letters and digits",
    ...(["requestId!", ["a", "Z9", "x".repeat(64)], ["x".repeat(65), "a-b", "a b", "é"]] as const)
  )
  withdrawal("[assets.withdrawInternal/coin] is listed", "coin!", [], ["NIX"])
  withdrawal(
    "[assets.withdrawInternal/remark, limits/remark] has at most 50 characters",
    ...(["remark", ["x", "x".repeat(50)], ["x".repeat(51)]] as const)
  )

  const entry = { uids: "10000101", bizType: "SPOT", rate: 20 }
  const entries = (changes: ReadonlyArray<object>) => changes.map((change) => [{ ...entry, ...change }])
  parametersOf("apiLimits.set", { list: [entry] })(
    "[apiLimits.set/list, apiLimits.set/uids, apiLimits.set/bizType, apiLimits.set/rate] is a list of complete entries",
    "list!",
    entries([{ bizType: "DERIVATIVES" }]),
    [
      ...[[], "10000101", entry, [entry, without(entry, "uids")]],
      ...["uids", "bizType", "rate"].map((name) => [without(entry, name)]),
      ...entries([{ uids: "" }, { bizType: "" }, { rate: "20" }, { rate: 1.5 }])
    ]
  )
})
