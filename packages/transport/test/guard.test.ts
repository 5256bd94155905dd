import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either } from "effect"
import { costOf, type Measures, type Write } from "../src/guard/cost.js"

const decimal = BigDecimal.unsafeFromString

const measures: Measures = {
  currencies: ["USDT", "USDC", "USD", "T"],
  coins: ["USDT", "BTC"],
  marketPrice: (symbol) => (symbol.startsWith("ETH") ? decimal("3000") : undefined),
  named: undefined
}

const write = (
  name: string,
  parameters: Write["parameters"],
  properties: Omit<Write["endpoint"], "name"> = {}
): Write => ({
  endpoint: { name, ...properties },
  parameters
})

/** The amounts as text, or why they are not known. */
const shown = (write: Write, by: Partial<Measures> = {}): string =>
  Either.match(costOf(write, { ...measures, ...by }), {
    onLeft: ({ detail, index }) => `${index}: ${detail}`,
    onRight: (amounts) =>
      amounts.map(({ index, kind, unit, value }) => `${index} ${kind} ${BigDecimal.format(value)} ${unit}`).join(", ")
  })

const limit = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.5", price: "60000" }
const market = { symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "0.5" }
const sell = { ...limit, side: "Sell" }
const [linear, spot, inverse] = [{ category: "linear" }, { category: "spot" }, { category: "inverse" }]
const eth = { symbol: "ETHUSDT" }
const trigger = { triggerPrice: "1", triggerDirection: 2 }

const noPrice = "0: an order without a price has no notional: give the guard a marketPrice, or the order a price"
const noMarket = "0: a sell is filled at the market if that is higher: give the guard a marketPrice"
const noRest = "0: the guard does not know the rest of the order: amend qty and price together"
const noAttached = "0: the guard does not know how much its take profit or stop loss sells"
const noQuantity = "0: its qty is not a number above 0"

type CostRow = readonly [title: string, parameters: Write["parameters"], cost: string]

/** BTCUSDT has no market price, and that of ETH is 3,000. */
const created: ReadonlyArray<CostRow> = [
  ["limit", { ...linear, ...limit }, "0 orders 30000 USDT"],
  ["limit with its quantity as a number", { ...linear, ...limit, qty: 0.5 }, "0 orders 30000 USDT"],
  ["limit with a trigger far below its price", { ...linear, ...limit, ...trigger }, "0 orders 30000 USDT"],
  ["sell limit of an unknown market", { ...linear, ...sell }, noMarket],
  ["sell limit below the market", { ...linear, ...sell, ...eth, price: "1" }, "0 orders 1500 USDT"],
  ["sell limit above the market", { ...linear, ...sell, ...eth, price: "4000" }, "0 orders 2000 USDT"],
  ["buy limit above the market", { ...linear, ...limit, ...eth, price: "4000" }, "0 orders 2000 USDT"],
  ["sell limit with a trigger above it", { ...linear, ...sell, ...eth, triggerPrice: "70000" }, "0 orders 35000 USDT"],
  ["limit without a price", { ...linear, ...market, orderType: "Limit", price: "" }, noPrice],
  ["market", { ...linear, ...market }, noPrice],
  ["market with a price, which it does not use", { ...linear, ...market, price: "1" }, noPrice],
  ["market with a trigger only", { ...linear, ...market, ...trigger }, noPrice],
  ["market of a known price", { ...linear, ...market, ...eth }, "0 orders 1500 USDT"],
  ["market that triggers below the market", { ...linear, ...market, ...eth, ...trigger }, "0 orders 1500 USDT"],
  ["market that triggers above it", { ...linear, ...market, ...eth, triggerPrice: "5000" }, "0 orders 2500 USDT"],
  ["another type", { ...linear, ...limit, orderType: "Iceberg" }, "0: its orderType is neither Limit nor Market"],
  ["quantity 0, which closes a position", { ...linear, ...limit, qty: "0" }, noQuantity],
  ["a stop of a contract, which only reduces", { ...linear, ...limit, stopLoss: "1" }, "0 orders 30000 USDT"],
  ["another category", { ...limit, category: "option" }, "0: its category is not spot, linear or inverse"],
  ["inverse limit", { ...inverse, ...limit, symbol: "BTCUSD", qty: "700" }, "0 orders 700 USD"],
  ["inverse market", { ...inverse, ...market, symbol: "BTCUSD", qty: "700" }, "0 orders 700 USD"],
  ["inverse with a trigger", { ...inverse, ...market, ...trigger, symbol: "BTCUSD", qty: "7" }, "0 orders 7 USD"],
  ["spot limit", { ...spot, ...limit }, "0 orders 30000 USDT"],
  ["spot limit in quote coin", { ...spot, ...limit, price: "0.1", marketUnit: "quoteCoin" }, "0 orders 0.5 USDT"],
  ["spot market buy", { ...spot, ...market, qty: "250" }, "0 orders 250 USDT"],
  ["spot market buy in base coin", { ...spot, ...market, marketUnit: "baseCoin" }, noPrice],
  ["the same with a price", { ...spot, ...market, ...eth, marketUnit: "baseCoin" }, "0 orders 1500 USDT"],
  ["spot market sell", { ...spot, ...market, ...eth, side: "Sell" }, "0 orders 1500 USDT"],
  [
    "spot market sell in quote coin",
    { ...spot, ...market, side: "Sell", marketUnit: "quoteCoin" },
    "0 orders 0.5 USDT"
  ],
  ["spot stop that buys, by an unstated unit", { ...spot, ...market, orderFilter: "tpslOrder" }, noPrice],
  [
    "the same of a known price",
    { ...spot, ...market, ...eth, ...trigger, orderFilter: "tpslOrder" },
    "0 orders 1500 USDT"
  ],
  [
    "spot stop that sells in quote coin",
    { ...spot, ...market, ...trigger, side: "Sell", marketUnit: "quoteCoin", orderFilter: "tpslOrder" },
    "0 orders 0.5 USDT"
  ],
  [
    "spot limit with a take profit and its limit",
    { ...spot, ...limit, qty: "1", price: "100", takeProfit: "200", tpLimitPrice: "90000" },
    "0 orders 90100 USDT"
  ],
  ["spot market in quote coin with a take profit", { ...spot, ...market, takeProfit: "9" }, noAttached],
  ["the longest currency", { ...spot, ...limit, symbol: "BTCUSDC" }, "0 orders 30000 USDC"],
  ["no cap", { ...spot, ...limit, symbol: "BTCEUR" }, "0: no cap of orders is for the quote coin of BTCEUR"],
  ["lower case", { ...spot, ...limit, symbol: "btcusdt" }, "0: no cap of orders is for the quote coin of btcusdt"]
]

const id = { symbol: "BTCUSDT", orderId: "1" }

const amended: ReadonlyArray<CostRow> = [
  ["quantity and price", { ...linear, ...id, qty: "2", price: "10" }, "0 orders 20 USDT"],
  ["the same below the market", { ...linear, ...id, ...eth, qty: "2", price: "10" }, "0 orders 6000 USDT"],
  [
    "the same with a higher trigger",
    { ...linear, ...id, qty: "2", price: "10", triggerPrice: "20" },
    "0 orders 40 USDT"
  ],
  ["quantity", { ...linear, ...id, qty: "2" }, noRest],
  ["price", { ...linear, ...id, price: "2" }, noRest],
  ["trigger", { ...linear, ...id, triggerPrice: "2" }, noRest],
  ["quantity and trigger", { ...linear, ...id, qty: "500", triggerPrice: "1.5" }, noRest],
  ["quantity 0", { ...linear, ...id, qty: "0", price: "2" }, noRest],
  ["a stop of a contract", { ...linear, ...id, takeProfit: "9" }, ""],
  ["a stop of a spot order", { ...spot, ...id, takeProfit: "9" }, noRest],
  ["no stop of a spot order", { ...spot, ...id, takeProfit: "0" }, ""],
  ["spot", { ...spot, ...id, qty: "2", price: "10", tpLimitPrice: "30" }, "0 orders 80 USDT"],
  ["spot in an unknown unit", { ...spot, ...id, qty: "2", price: "0.1" }, "0 orders 2 USDT"],
  ["inverse quantity", { ...inverse, symbol: "BTCUSD", orderId: "1", qty: "9000" }, "0 orders 9000 USD"],
  ["inverse price", { ...inverse, symbol: "BTCUSD", orderId: "1", price: "9" }, ""]
]

const moves = { movesFunds: true } as const
const noAmount = "0: it has no coin and amount in decimal text"

const others: ReadonlyArray<readonly [title: string, write: Write, cost: string]> = [
  ["a transfer", write("assets.transfer", { coin: "BTC", amount: "0.1" }), "0 transfers 0.1 BTC"],
  ["a withdrawal", write("assets.withdrawInternal", { coin: "BTC", amount: "0.1" }), "0 transfers 0.1 BTC"],
  ["a coin without a cap", write("assets.transfer", { coin: "ETH", amount: "1" }), "0: no cap of transfers is for ETH"],
  ["a cancellation", write("orders.cancel", { ...linear, ...id }), ""],
  ["a trading stop", write("positions.setTradingStop", { ...linear, ...id, slSize: "100", slLimitPrice: "1" }), ""],
  ["funds without a coin", write("assets.sweep", { to: "x" }, moves), noAmount],
  ["funds of the application", write("assets.sweep", { coin: "BTC", amount: "3" }, moves), "0 transfers 3 BTC"],
  [
    "an operation of the application that declares its cost",
    write("orders.spread", {}, { spends: () => [{ kind: "orders", unit: "USDT", amount: "70" }] }),
    "0 orders 70 USDT"
  ],
  [
    "one that declares no number",
    write("orders.spread", {}, { spends: () => [{ kind: "orders", unit: "USDT", amount: "-1" }] }),
    noAmount
  ]
]

describe("the cost of a new order", () => {
  it.each(created)("%s", (_, parameters, cost) => {
    expect(shown(write("orders.create", parameters))).toBe(cost)
    const { category, ...order } = parameters
    expect(shown(write("orders.createBatch", { category, request: [order] }))).toBe(cost)
  })

  it("is the sum of its batch, or names the order whose cost is unknown", () => {
    const batch = (second: object) => write("orders.createBatch", { ...linear, request: [limit, second] })
    expect(shown(batch({ ...limit, qty: "2" }))).toBe("0 orders 30000 USDT, 1 orders 120000 USDT")
    expect(shown(batch(market))).toBe(noPrice.replace("0", "1"))
  })
})

describe("the cost of an amended order", () => {
  it.each(amended)("%s", (_, parameters, cost) => {
    expect(shown(write("orders.amend", parameters))).toBe(cost)
    const { category, ...order } = parameters
    expect(shown(write("orders.amendBatch", { category, request: [order] }))).toBe(cost)
  })
})

describe("the cost of a write", () => {
  it.each(others)("%s", (_, write, cost) => {
    expect(shown(write)).toBe(cost)
  })

  it("is known for every write of this library, except for added margin", () => {
    const unknown = Endpoints.all
      .filter(({ name, safety }) => safety !== "read" && shown(write(name, {})).includes("name "))
      .map(({ name }) => name)
    expect(unknown).toEqual(["positions.addMargin"])
  })

  it("need not be known if the guard names the operation, or has no caps", () => {
    const margin = write("positions.addMargin", { ...linear, symbol: "BTCUSDT", margin: "1000000" })
    expect(shown(margin)).toContain("name positions.addMargin in operations")
    expect(shown(margin, { named: new Set(["positions.addMargin"]) })).toBe("")
    const free = { currencies: undefined, coins: undefined }
    for (const each of [
      margin,
      write("orders.create", { ...linear, ...market }),
      write("assets.transfer", { coin: "ETH", amount: "1" })
    ]) {
      expect(shown(each, free)).toBe("")
    }
  })
})
