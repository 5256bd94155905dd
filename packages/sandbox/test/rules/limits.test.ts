import * as Samples from "@effect-venue/testing/Samples"
import { describe, expect } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Raw from "../utils/raw.js"
import * as Resting from "@effect-venue/testing/Resting"
import * as Rules from "./utils.js"

interface Limit {
  readonly title: string
  readonly operation: Rules.Operation
  readonly parameters: Rules.Parameters
  readonly count: number
  readonly window: number
}

const contract = { category: "linear", symbol: "BTCUSDT" }
const moving = { fromAccountType: "FUND", toAccountType: "UNIFIED" }

// What is asked for is refused where it can be: it counts all the same. Of an operation that is not here the example is asked for.
const asked: Partial<Record<Rules.Operation, readonly [title: string, parameters: Rules.Parameters]>> = {
  "orders.amend": ["[limits/orders.amend] amending an order", { ...contract, orderId: "none", qty: "1" }],
  "orders.cancelAll": ["[limits/orders.cancelAll] cancelling all orders", { category: "linear", baseCoin: "LTC" }],
  "orders.open": ["[limits/orders.open] open orders", { ...contract, limit: 1 }],
  "positions.list": ["[limits/positions.list] positions", { ...contract, settleCoin: "USDT" }],
  "executions.list": ["[limits/executions.list] executions", { category: "linear", limit: 1 }],
  "positions.setRiskLimit": ["[limits/positions.setRiskLimit] setting the risk limit", { ...contract, riskId: 99 }],
  "positions.setTradingStop": [
    "[limits/positions.setTradingStop] setting a trading stop",
    { ...contract, positionIdx: 0, tpslMode: "Full" }
  ],
  "orders.create": [
    "[limits/orders.create] placing an order",
    { ...contract, side: "Buy", orderType: "Limit", qty: "1.5", price: "0.00001" }
  ],
  "orders.cancel": ["[limits/orders.cancel] cancelling an order", { ...contract, orderId: "none" }],
  "orders.history": ["[limits/orders.history] closed orders", { category: "linear", limit: 1 }],
  "positions.closedPnl": ["[limits/positions.closedPnl] closed profits", { category: "linear", limit: 1 }],
  "positions.setLeverage": [
    "[limits/positions.setLeverage] setting the leverage",
    { ...contract, buyLeverage: "999", sellLeverage: "999" }
  ],
  "positions.setTpslMode": [
    "[limits/positions.setTpslMode] setting the mode of stops",
    { ...contract, tpSlMode: "Full" }
  ],
  "account.walletBalance": ["[limits/account.walletBalance] the wallet", { accountType: "UNIFIED", coin: "BTC" }],
  "assets.deposits": ["[limits/assets.deposits] deposits", { pageSize: 1 }],
  "assets.coins": ["[limits/assets.coins] coins", {}],
  "assets.bonusUsage": ["[limits/assets.bonusUsage] bonus usage", { coin: "USDT", limit: 1 }],
  "assets.withdrawInternal": [
    "[limits/assets.withdrawInternal] internal withdrawal",
    { requestId: "w1", coin: "USDT", addressType: 3, address: "20000001", amount: "1" }
  ],
  "assets.transfer": [
    "[limits/assets.transfer] making a transfer",
    { requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16", coin: "USDT", amount: "1", ...moving }
  ],
  "assets.transferableCoins": ["[limits/assets.transferableCoins] transferable coins", moving],
  "broker.customers": ["[limits/broker.customers] direct customers", {}],
  "broker.tradeVolume": ["[limits/broker.tradeVolume] trade volume", { limit: 1 }],
  "apiLimits.set": [
    "[limits/apiLimits.set] setting API rate limits",
    { list: [{ uids: "10000101", bizType: "GOLD", rate: 20 }] }
  ],
  "apiLimits.query": ["[limits/apiLimits.query] querying API rate limits", { uids: "10000001" }],
  "account.feeRate": ["[limits/account.feeRate] fee rates", { category: "linear", symbol: "BTCUSDT" }]
}

const units = { s: 1000, min: 60_000 }

/** The stated limits, without those of batches: a batch counts as its orders do. */
const limits: ReadonlyArray<Limit> = Rules.names.flatMap((operation) => {
  const { limit: stated } = Rules.routeOf(operation)
  const [, count, unit] = /^(\d+)\/(s|min)/.exec(stated ?? "") ?? []
  if (count === undefined || operation.endsWith("Batch")) return []
  const example = Samples.all.find(({ name }) => name === operation)?.wire ?? {}
  const [title, parameters] = asked[operation] ?? [operation, example]
  return [{ title, parameters, operation, count: Number(count), window: units[unit === "s" ? "s" : "min"] }]
})

const isPerCategory = ({ operation }: Limit): boolean =>
  Rules.routeOf(operation).limit?.includes(" per category") === true
const perCategory = limits.filter(isPerCategory)
const perUid = limits.filter((limit) => !isPerCategory(limit))
const limitOf = (operation: Rules.Operation): Limit => limits.find((limit) => limit.operation === operation)!

const ask = ({ operation, parameters }: Limit, more: Rules.More = {}) => Rules.send(operation, parameters, more)
const code = (limit: Limit, more: Rules.More = {}) => Effect.map(ask(limit, more), (answer) => answer.code)

/** Spends all that there is at once, and no more. */
const exhaust = (limit: Limit) =>
  Effect.gen(function* () {
    for (let call = 0; call < limit.count; call++) {
      // The IP's own limit is not to be met: it is 600 in 5 seconds.
      expect(yield* code(limit)).not.toBe(10006)
    }
    expect(yield* code(limit)).toBe(10006)
  })

const amending = limitOf("orders.amend")
const cancelling = limitOf("orders.cancelAll")
const reading = limitOf("executions.list")

describe("limits of a UID", () => {
  for (const limit of limits) {
    Rules.limitedRule(limit.title, function* () {
      yield* exhaust(limit)
      yield* TestClock.adjust(limit.window - 1)
      expect(yield* code(limit)).toBe(10006)
      yield* TestClock.adjust(1)
      expect(yield* code(limit)).not.toBe(10006)
    })
  }

  Rules.limitedRule("[limits/rolling] are rolling: places become free one at a time", function* () {
    for (let call = 0; call < 10; call++) {
      expect(yield* code(reading)).toBe(0)
      yield* TestClock.adjust("50 millis")
    }
    yield* TestClock.setTime(999)
    expect(yield* code(reading)).toBe(10006)
    for (let call = 0; call < 10; call++) {
      yield* TestClock.setTime(1000 + call * 50)
      expect([yield* code(reading), yield* code(reading)]).toEqual([0, 10006])
    }
  })

  Rules.limitedRule("[limits/per-uid] are counted per UID, and not per key", function* () {
    yield* exhaust(reading)
    expect(yield* code(reading, { role: "readOnly" })).toBe(10006)
    expect(yield* code(reading, { role: "sub" })).toBe(0)
  })

  Rules.limitedRule("[limits/per-category] are counted separately for linear and inverse", function* () {
    for (const limit of perCategory) {
      yield* exhaust(limit)
      const inverse = { ...limit.parameters, category: "inverse", symbol: "BTCUSD" }
      expect(yield* code({ ...limit, parameters: inverse })).not.toBe(10006)
      yield* TestClock.adjust("6 seconds")
    }
  })

  Rules.limitedRule("[limits/per-category] are counted separately for each operation", function* () {
    yield* exhaust(reading)
    expect(yield* code(cancelling)).toBe(0)
  })

  Rules.limitedRule(
    "[limits/header.limit, limits/header.status, limits/header.reset] are in the headers of every response",
    function* () {
      yield* TestClock.setTime(7000)
      const told = Effect.map(ask(reading), ({ code, headers }) => [
        code,
        headers["X-Bapi-Limit"],
        headers["X-Bapi-Limit-Status"],
        headers["X-Bapi-Limit-Reset-Timestamp"]
      ])
      for (let left = 9; left >= 0; left--) expect(yield* told).toEqual([0, "10", String(left), "7000"])
      yield* TestClock.adjust("300 millis")
      // Exceeded: when the first of them comes free again.
      expect(yield* told).toEqual([10006, "10", "0", "8000"])
      for (const limit of perUid) {
        const { headers } = yield* ask(limit)
        expect([headers["X-Bapi-Limit"], headers["X-Bapi-Limit-Status"]]).toEqual([
          String(limit.count),
          String(limit.count - 1)
        ])
      }
      // Also where the request is refused for what it asks.
      const refused = yield* ask({ ...amending, parameters: { category: "linear" } })
      expect([refused.code, refused.headers["X-Bapi-Limit-Status"]]).toEqual([10001, "9"])
    }
  )

  Rules.limitedRule(
    "[limits/header.exceptions] are missing if the document states no limit or the request has no UID",
    function* () {
      const names = ["X-Bapi-Limit", "X-Bapi-Limit-Status", "X-Bapi-Limit-Reset-Timestamp"]
      const namesOf = ({ headers }: Raw.Answered) => names.filter((name) => headers[name] !== undefined)
      for (const operation of Rules.names) {
        const isStated = Rules.routeOf(operation).limit !== undefined
        const answer = yield* Rules.send(operation, { category: "linear" })
        expect([operation, namesOf(answer)]).toEqual([operation, isStated ? names : []])
      }
      const unsigned = yield* Raw.bare({ target: Rules.routeOf("account.walletBalance").path })
      const forged = yield* Rules.send("account.walletBalance", { accountType: "UNIFIED" }, { secret: "wrong" })
      for (const refused of [yield* Raw.bare({ target: "/nowhere" }), unsigned, forged]) {
        expect(namesOf(refused)).toEqual([])
      }
    }
  )

  Rules.limitedRule("[limits/upper.not-automatic] are the documented ones until higher ones are granted", function* () {
    const inForce = (limit: Limit, role: "main" | "sub" | "classic") =>
      Effect.map(ask(limit, { role }), ({ headers }) => headers["X-Bapi-Limit"])
    for (const role of ["main", "sub", "classic"] as const) {
      for (const limit of perCategory) expect(yield* inForce(limit, role)).toBe("10")
    }
    const grant = { list: [{ uids: "10000101", bizType: "DERIVATIVES", rate: 30 }] }
    expect((yield* Rules.result("apiLimits.set", grant)).result[0].success).toBe(true)
    for (const limit of perCategory) {
      const isUpgradable = ["orders.create", "orders.amend", "orders.cancel"].includes(limit.operation)
      expect(yield* inForce(limit, "sub")).toBe(isUpgradable ? "30" : "10")
      expect(yield* inForce(limit, "main")).toBe("10")
    }
  })

  Rules.limitedRule("[errors/3] a response beyond the limit is JSON with the message Too many visits!", function* () {
    for (const [limit, message] of [
      [reading, "retMsg"],
      [limitOf("assets.coins"), "ret_msg"]
    ] as const) {
      yield* exhaust(limit)
      const refused = yield* ask(limit)
      expect(refused.status).toBe(200)
      expect(refused.json[message]).toBe("Too many visits!")
    }
  })
})

const { symbol } = Resting.market
const resting = { symbol, side: "Buy", orderType: "Limit", qty: "1", price: Resting.price }
const linear = { category: "linear" }
const batchOf = (count: number, from = 0) => ({
  ...linear,
  request: Array.from({ length: count }, (_, index) => ({ ...resting, orderLinkId: `of-${from + index}` }))
})
/** What is still to come in a batch of the same orders: another price for each, or its end. */
const namesOf = (count: number, more: object = {}) => ({
  ...linear,
  request: Array.from({ length: count }, (_, index) => ({ symbol, orderLinkId: `of-${index}`, ...more }))
})
const codesOf = ({ json }: Raw.Answered): ReadonlyArray<number> =>
  json.retExtInfo.list.map((slot: Rules.Row): number => slot.code)
const times = (count: number, code: number): ReadonlyArray<number> => Array.from({ length: count }, () => code)
const onTheBook = Effect.map(Rules.orders({ ...Resting.market, orderFilter: "Order" }), (found) =>
  found
    .map((row): string => row.OrderLinkId)
    .filter((name) => name.startsWith("of-"))
    .toSorted()
)

const batches = [
  ["orders.createBatch", (count: number) => batchOf(count)],
  ["orders.amendBatch", (count: number) => namesOf(count, { price: "19" })],
  ["orders.cancelBatch", (count: number) => namesOf(count)]
] as const

describe("batches", () => {
  Rules.rule(
    "[limits/batch.size] have 1 to 20 orders",
    function* () {
      for (const [operation, batch] of batches) {
        for (const count of [0, 21]) expect(yield* Rules.code(operation, batch(count))).toBe(10001)
        expect(codesOf(yield* Rules.send(operation, batch(20)))).toEqual(times(20, 0))
      }
    },
    Rules.held(Rules.world)
  )

  Rules.limitedRule("[limits/batch.consumption] count as one request per order", function* () {
    for (const [operation, batch] of batches) {
      const left = (count: number) =>
        Effect.map(Rules.send(operation, batch(count)), ({ code, headers }) => [code, headers["X-Bapi-Limit-Status"]])
      expect(yield* left(7)).toEqual([0, "3"])
      expect(yield* left(2)).toEqual([0, "1"])
      expect(yield* left(1)).toEqual([0, "0"])
      expect(yield* left(1)).toEqual([10006, "0"])
      yield* TestClock.adjust("1 second")
      expect(yield* left(1)).toEqual([0, "9"])
    }
  })

  Rules.rule(
    "[limits/batch.partial, errors/4] have the orders beyond the limit refused, and the others accepted",
    function* () {
      const first = yield* Rules.send("orders.createBatch", batchOf(15))
      expect([first.code, codesOf(first)]).toEqual([0, [...times(10, 0), ...times(5, 10006)]])
      const placed = Array.from({ length: 10 }, (_, index) => `of-${index}`)
      expect(first.json.result.list.map((slot: Rules.Row): string => slot.orderLinkId)).toEqual([
        ...placed,
        ...Array.from({ length: 5 }, () => "")
      ])
      expect(yield* onTheBook).toEqual(placed)
      yield* TestClock.adjust("1 second")
      // What counts is the second, not the batch.
      expect(codesOf(yield* Rules.send("orders.createBatch", batchOf(8, 20)))).toEqual(times(8, 0))
      expect(codesOf(yield* Rules.send("orders.createBatch", batchOf(5, 30)))).toEqual([0, 0, 10006, 10006, 10006])
      yield* TestClock.adjust("1 second")
      expect(yield* onTheBook).toHaveLength(20)
      for (const [operation, batch] of [
        ["orders.amendBatch", namesOf(15, { price: "19" })],
        ["orders.cancelBatch", namesOf(15)]
      ] as const) {
        const answer = yield* Rules.send(operation, batch)
        expect(codesOf(answer)).toEqual([...times(10, 0), ...times(5, 10006)])
        expect(answer.json.retExtInfo.list[10].msg).toMatch(/^Too many visits!/)
      }
      expect(yield* onTheBook).toHaveLength(10)
    },
    Rules.held(Rules.limited)
  )
})

describe("the limit of an IP", () => {
  const market = `${Rules.routeOf("instruments.list").path}?category=inverse&limit=1`
  const status = Effect.map(Raw.bare({ target: market }), (answer) => answer.status)
  const spend = (count: number) =>
    Effect.gen(function* () {
      for (let call = 0; call < count; call++) expect(yield* status).toBe(200)
    })

  Rules.limitedRule("[limits/ip] is 600 requests in 5 seconds", function* () {
    yield* spend(600)
    yield* TestClock.adjust("5 seconds")
    yield* spend(600)
    yield* TestClock.adjust("4999 millis")
    expect(yield* status).toBe(403)
  })

  Rules.limitedRule("[limits/ip.all-traffic] includes refused requests", function* () {
    for (let call = 0; call < 200; call++) {
      yield* Raw.bare({ target: "/nowhere" })
      yield* Raw.bare({ target: Rules.routeOf("account.walletBalance").path })
      yield* code(reading)
    }
    expect(yield* status).toBe(403)
  })

  Rules.limitedRule(
    "[limits/ip.ban, errors/2.status, errors/2.wait, errors/2.lifts] causes a 403 for 10 minutes after a breach",
    function* () {
      yield* spend(600)
      const refused = yield* Raw.bare({ target: market })
      expect([refused.status, refused.text]).toEqual([403, "access too frequent"])
      // Everything is shut out, whichever account it is from.
      expect((yield* ask(reading)).status).toBe(403)
      yield* TestClock.adjust("599999 millis")
      expect(yield* status).toBe(403)
      yield* TestClock.adjust("1 millis")
      expect(yield* status).toBe(200)
      expect((yield* ask(reading)).status).toBe(200)
    }
  )
})
