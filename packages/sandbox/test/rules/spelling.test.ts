/** How decimals are spelt: over every text of every answer, whatever field it is in. */
import * as Resting from "@effect-venue/testing/Resting"
import * as Samples from "@effect-venue/testing/Samples"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Rules from "./utils.js"

type Request = readonly [operation: Rules.Operation, parameters: Rules.Parameters]

const contracts = [
  { category: "linear", symbol: "BTCUSDT", settleCoin: "USDT" },
  { category: "inverse", symbol: "BTCUSD", settleCoin: "BTC" }
] as const

const ofCategory = (category: string, settleCoin?: string): ReadonlyArray<Request> => {
  const orders = { category, limit: 50, ...(settleCoin === undefined ? {} : { settleCoin }) }
  return [
    ["orders.open", orders],
    ["orders.open", { ...orders, openOnly: 1 }],
    ["orders.history", { category, limit: 50 }],
    ["executions.list", { category, limit: 100 }],
    ["executions.preUpgrade", { category, limit: 100 }],
    ["instruments.list", { category }],
    ["account.feeRate", { category }]
  ]
}

const ofContracts = ({ category, settleCoin, symbol }: (typeof contracts)[number]): ReadonlyArray<Request> => [
  ["positions.list", { category, settleCoin }],
  ["positions.list", { category, symbol }],
  ["positions.closedPnl", { category, limit: 100 }],
  ["positions.preUpgradeClosedPnl", { category, limit: 100 }]
]

const variants: ReadonlyArray<Request> = [
  ...ofCategory("spot"),
  ...contracts.flatMap((contract) => ofCategory(contract.category, contract.settleCoin)),
  ...contracts.flatMap(ofContracts),
  ["account.walletBalance", { accountType: "UNIFIED" }],
  ["account.walletBalance", { accountType: "CONTRACT" }],
  ["assets.deposits", { type: 2 }],
  ["assets.coins", {}],
  ["assets.transfers", {}],
  ["assets.subAccountTransfers", {}],
  ["broker.customers", {}],
  ["broker.tradeVolume", {}]
]

const varied = new Set(variants.map(([operation]) => operation))

/** The variants, and the sample of every other operation that reads. */
const reads: ReadonlyArray<Request> = [
  ...variants,
  ...Samples.all.flatMap(({ name, wire }): ReadonlyArray<Request> =>
    Rules.routeOf(name).method === "GET" && !varied.has(name) ? [[name, wire]] : []
  )
]

const writes: ReadonlyArray<Request> = [
  ["positions.addMargin", { category: "linear", symbol: "ETHUSDT", margin: "1.5000" }],
  ["positions.setRiskLimit", { category: "linear", symbol: "BTCUSDT", riskId: 2 }],
  ["orders.create", { ...Resting.market, side: "Buy", orderType: "Limit", qty: "1.0", price: `${Resting.price}.00` }]
]

/** Every text of an answer, by where it is. */
const texts = (value: unknown, at: string): ReadonlyArray<readonly [at: string, text: string]> => {
  if (typeof value === "string") return [[at, value]]
  if (Array.isArray(value)) return value.flatMap((item: unknown) => texts(item, at))
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, item]) => texts(item, `${at}.${name}`))
    : []
}

const isNumber = (text: string): boolean => /^[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?$/.test(text)
const isPlain = (text: string): boolean => /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/.test(text)

const answers = (requests: ReadonlyArray<Request>) =>
  Effect.forEach(
    (["main", "classic", "sub"] as const).flatMap((role) => requests.map((request) => ({ request, role }))),
    (one) => {
      const [operation, parameters] = one.request
      return Effect.map(Rules.send(operation, parameters, { role: one.role }), ({ json }) =>
        texts(json?.result, operation)
      )
    }
  )

describe("decimals", () => {
  it("are checked in the responses of all reads", () => {
    const all = Rules.names.filter((operation) => Rules.routeOf(operation).method === "GET")
    expect(Rules.distinct(reads.map(([operation]) => operation)).toSorted()).toEqual(all.toSorted())
  })

  Rules.rule(
    "[records/spelling, records/strings] are plain and without trailing zeros in every answer",
    function* () {
      const before = yield* answers(reads)
      const written = yield* answers(writes)
      yield* TestClock.adjust("9 hours")
      const after = yield* answers(reads)
      const numbers = [...before, ...written, ...after].flat().filter(([, text]) => isNumber(text))
      expect(numbers.length).toBeGreaterThan(10_000)
      expect(Rules.distinct(numbers.filter(([, text]) => !isPlain(text)).map(([at, text]) => `${at} ${text}`))).toEqual(
        []
      )
    },
    Rules.held(Rules.world)
  )
})
