/** What every request must be, by the tables of the service's document: what is sent for it, or why it is refused before anything is sent. */
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, DateTime } from "effect"
import * as Account from "../src/domains/Account.js"
import * as ApiLimits from "../src/domains/ApiLimits.js"
import * as Assets from "../src/domains/Assets.js"
import * as Broker from "../src/domains/Broker.js"
import * as Executions from "../src/domains/Executions.js"
import * as Instruments from "../src/domains/Instruments.js"
import * as Orders from "../src/domains/Orders.js"
import * as Positions from "../src/domains/Positions.js"
import { each, fields, notEmpty, requests, type Row } from "./requests.js"

const day = 86_400_000
const from = 1_700_000_000_000
const any = each("spot", "linear", "inverse")
const contract = each("linear", "inverse")

const noCategory = "category: must be spot, linear or inverse"
const aboveZero = (name: string) => `${name}: must be a decimal greater than 0`
const notNegative = (name: string) => `${name}: must be a decimal of at least 0`
const notANumber = (name: string, value: number) =>
  `${name}: must be decimal text such as "0.01", not the number ${value}`
const aDecimal = (name: string) => `${name}: must be a decimal`

/** The size of a page. */
const size = (rest: object, max: number, name = "limit"): ReadonlyArray<Row> => [
  [{ ...rest, [name]: each(1, max) }],
  [{ ...rest, [name]: each(0, max + 1, 1.5, -1, NaN, Infinity) }, `${name}: must be a whole number from 1 to ${max}`]
]

/** A range of at most 7 days between two instants in milliseconds. */
const week = (rest: object, start = from): ReadonlyArray<Row> => {
  const sent = (end: number) => ({ ...rest, startTime: String(start), endTime: String(end) })
  return [
    [{ ...rest, startTime: start, endTime: start + 7 * day }, sent(start + 7 * day)],
    [{ ...rest, startTime: start, endTime: start }, sent(start)],
    [{ ...rest, startTime: start, endTime: start + 7 * day + 1 }, "endTime: must be at most 7d after startTime"],
    [{ ...rest, startTime: start, endTime: start - 1 }, "endTime: must not be before startTime"]
  ]
}

/** One end of a range, in the forms that an instant has. */
const instants = (rest: object): ReadonlyArray<Row> => [
  [
    { ...rest, startTime: each(from, new Date(from), "2023-11-14T22:13:20Z") },
    { ...rest, startTime: String(from) }
  ],
  [
    { ...rest, endTime: each(DateTime.unsafeMake(from), DateTime.unsafeMakeZoned(from, { timeZone: "Asia/Tokyo" })) },
    { ...rest, endTime: String(from) }
  ],
  [
    { ...rest, startTime: "2023-11-14T22:13:20Z", endTime: DateTime.unsafeMake(from + 7 * day + 1) },
    "endTime: must be at most 7d after startTime"
  ],
  ...fields("startTime endTime", (name): Row => [
    { ...rest, [name]: each("soon", NaN, new Date(NaN), 0.5, null, {}) },
    `${name}: must be an instant (DateTime, Date, ISO text or milliseconds)`
  ])
]

/** A range of any length between two instants on whole seconds. */
const seconds = (
  rest: object,
  [start, end]: readonly [string, string] = ["startTime", "endTime"],
  [startWire, endWire]: readonly [string, string] = [start, end]
): ReadonlyArray<Row> => [
  [
    { ...rest, [start]: from },
    { ...rest, [startWire]: "1700000000" }
  ],
  [
    { ...rest, [end]: "2023-11-14T22:13:20Z" },
    { ...rest, [endWire]: "1700000000" }
  ],
  [
    { ...rest, [start]: from, [end]: from },
    { ...rest, [startWire]: "1700000000", [endWire]: "1700000000" }
  ],
  [
    { ...rest, [start]: from, [end]: from + 365 * day },
    { ...rest, [startWire]: "1700000000", [endWire]: "1731536000" }
  ],
  [{ ...rest, [start]: from, [end]: from - 1000 }, `${end}: must not be before ${start}`],
  ...fields(`${start} ${end}`, (name): Row => [
    { ...rest, [name]: each(from + 1, from + 999, "2023-11-14T22:13:20.5Z", "later") },
    `${name}: must be an instant on a whole second (DateTime, Date, ISO text or milliseconds)`
  ])
]

describe("orders", () => {
  const linear = { category: "linear", symbol: "BTCUSDT" }
  const spot = { category: "spot" }
  const noneOf = "symbol: one of symbol, baseCoin, settleCoin is required"
  const noId = "orderId: one of orderId, orderLinkId is required"

  requests(Orders.open, [
    [{}, "category: is required"],
    [{ category: "option", symbol: "BTCUSDT" }, noCategory],
    [{ category: each("spot", "inverse") }],
    [{ category: "linear", orderId: each("1", undefined) }, noneOf],
    [{ category: "linear", symbol: undefined }, noneOf],
    ...fields("symbol baseCoin settleCoin", (name) => [{ category: "linear", [name]: "BTC" }]),
    [{ category: each("spot", "inverse"), settleCoin: "USDT" }, "settleCoin: is not a parameter"],
    [{ category: "inverse", baseCoin: "BTC" }],
    [{ ...spot, baseCoin: "BTC" }, "baseCoin: is not a parameter"],
    [{ ...spot, orderFilter: each("Order", "tpslOrder") }],
    [{ ...spot, orderFilter: "StopOrder" }, "orderFilter: must be Order or tpslOrder"],
    [{ ...linear, category: contract, orderFilter: each("Order", "StopOrder") }],
    [{ ...linear, category: contract, orderFilter: "tpslOrder" }, "orderFilter: must be Order or StopOrder"],
    [{ ...spot, openOnly: each(0, 1) }],
    [{ ...spot, openOnly: each(2, -1) }, "openOnly: must be 0 or 1"],
    ...size(spot, 50),
    [{ ...spot, symbol: "A", orderId: "o1", orderLinkId: "l1", cursor: "page_token%3D39380%26" }],
    ...notEmpty("symbol orderId orderLinkId", spot),
    ...fields("symbol orderId orderLinkId", (name) => [{ ...spot, [name]: 7 }, `${name}: must be text`]),
    [{ ...spot, colour: "red" }, "colour: is not a parameter"],
    [
      { ...spot, limit: 51, openOnly: 2, symbol: "" },
      ...["symbol: must not be empty", "openOnly: must be 0 or 1", "limit: must be a whole number from 1 to 50"]
    ]
  ])

  const history = { category: "inverse", symbol: "A", orderId: "1", orderLinkId: "l", orderFilter: "StopOrder" }
  requests(Orders.history, [
    [{ category: "spot" }],
    ...week({ category: "linear" }),
    [{ category: "linear", startTime: 0 }, "endTime: is required when startTime is given"],
    [{ category: "linear", endTime: 0 }, "startTime: is required when endTime is given"],
    ...size(spot, 50),
    [{ ...history, orderStatus: each("Filled", "Held"), cursor: "c" }],
    [{ ...spot, orderFilter: each("Order", "tpslOrder") }],
    [{ ...spot, orderFilter: "StopOrder" }, "orderFilter: must be Order or tpslOrder"],
    [{ category: contract, orderFilter: each("Order", "StopOrder") }],
    [{ category: contract, orderFilter: "tpslOrder" }, "orderFilter: must be Order or StopOrder"]
  ])

  const amendment = { symbol: "BTCUSDT", orderId: "o1" }
  const ofSpot = { category: "spot", ...amendment }
  const ofContract = { category: contract, ...amendment }
  requests(Orders.amend, [
    [amendment, "category: is required"],
    [{ category: "linear", orderId: "o1" }, "symbol: is required"],
    [{ ...ofSpot, symbol: "" }, "symbol: must not be empty"],
    [{ category: any, symbol: "BTCUSD" }, noId],
    [{ category: any, symbol: "BTCUSD", orderId: "o1" }],
    [{ category: any, symbol: "BTCUSD", orderLinkId: "l1" }],
    ...fields("qty price triggerPrice orderIv tpLimitPrice slLimitPrice", (name) => [
      { ...ofSpot, [name]: "0.00000001" }
    ]),
    ...fields("qty price triggerPrice tpLimitPrice slLimitPrice", (name) => [
      { ...ofSpot, [name]: each("0", "-1", "", "1,5", "abc") },
      aboveZero(name)
    ]),
    ...fields("qty price triggerPrice orderIv tpLimitPrice slLimitPrice", (name) => [
      { ...ofSpot, [name]: 5 },
      notANumber(name, 5)
    ]),
    [{ ...ofSpot, orderIv: each("0", "-1") }],
    [{ ...ofSpot, orderIv: each("", "1,5", "abc") }, aDecimal("orderIv")],
    ...fields("takeProfit stopLoss", (name) => [{ ...ofContract, [name]: "0" }]),
    ...fields("takeProfit stopLoss", (name) => [{ ...ofContract, [name]: each("-0.1", "") }, notNegative(name)]),
    [{ ...ofContract, tpslMode: each("Full", "Partial"), triggerBy: "MarkPrice" }],
    [{ ...ofContract, tpslMode: "Half" }, "tpslMode: must be Full or Partial"],
    ...fields("tpslMode triggerBy", (name) => [{ ...ofSpot, [name]: "Full" }, `${name}: is not a parameter`]),
    // Without the mode it works if the order has partial limit stops already.
    ...fields("tpLimitPrice slLimitPrice", (name) => [{ ...ofContract, tpslMode: "Partial", [name]: "5" }]),
    ...fields("tpLimitPrice slLimitPrice", (name) => [{ ...ofContract, [name]: "5" }]),
    ...fields("tpLimitPrice slLimitPrice", (name) => [
      { ...ofContract, tpslMode: "Full", [name]: "5" },
      `${name}: is allowed only with tpslMode=Partial`
    ]),
    [{ ...ofContract, qty: "0.0100", orderIv: "0.0000001", takeProfit: "5" }],
    [
      { ...linear, orderId: "o1", price: BigDecimal.make(2700050n, 2), triggerPrice: BigDecimal.make(1n, -3) },
      { ...linear, orderId: "o1", price: "27000.50", triggerPrice: "1000" }
    ],
    [{ ...ofSpot, tpTriggerBy: "LastPrice", slTriggerBy: "IndexPrice" }],
    [{ ...ofSpot, tpTriggerBy: each("FuturePrice", "UNKNOWN") }],
    [{ ...ofSpot, tpTriggerBy: "" }, "tpTriggerBy: must not be empty"],
    [{ ...ofSpot, tpTriggerBy: 1 }, "tpTriggerBy: must be text"],
    ...fields("tpOrderType slOrderType", (name) => [
      { ...ofContract, tpslMode: "Partial", [name]: each("Market", "Limit") }
    ]),
    ...fields("tpOrderType slOrderType", (name) => [
      { ...ofContract, tpslMode: "Full", [name]: "Limit" },
      `${name}: must be Market with tpslMode=Full`
    ])
  ])

  requests(Orders.cancel, [
    [{ category: any, symbol: "A" }, noId],
    [{ category: any, orderId: "1" }, "symbol: is required"],
    [{ category: any, symbol: "A", orderId: "1", orderLinkId: "l" }],
    [{ ...ofSpot, orderFilter: "tpslOrder" }],
    [{ ...ofSpot, orderFilter: "StopOrder" }, "orderFilter: must be Order or tpslOrder"],
    [{ ...ofContract, orderFilter: "Order" }, "orderFilter: is not a parameter"]
  ])

  const stops = { ...linear, orderFilter: "StopOrder" }
  requests(Orders.cancelAll, [
    [{}, "category: is required"],
    [spot],
    [{ category: contract, orderFilter: "Order" }, noneOf],
    ...fields("symbol baseCoin settleCoin", (name) => [{ category: contract, [name]: "BTC" }]),
    [{ ...spot, settleCoin: "USDT" }, "settleCoin: is not a parameter"],
    [{ category: any, baseCoin: "1INCH" }],
    [{ category: any, symbol: "BTCUSDT", baseCoin: each("btc", "Btc") }, "baseCoin: must be upper case"],
    [{ ...spot, orderFilter: "tpslOrder" }],
    [{ ...spot, orderFilter: "StopOrder" }, "orderFilter: must be Order or tpslOrder"],
    [{ ...linear, category: contract, orderFilter: "tpslOrder" }, "orderFilter: must be Order or StopOrder"],
    [stops],
    [{ ...stops, stopOrderType: "Stop" }],
    [{ ...stops, stopOrderType: "TakeProfit" }, "stopOrderType: must be Stop"],
    [{ ...spot, stopOrderType: "Stop" }, "stopOrderType: is not a parameter"],
    [
      { ...linear, stopOrderType: "Stop", orderFilter: each("Order", undefined) },
      "stopOrderType: is allowed only with orderFilter=StopOrder"
    ]
  ])
})

describe("orders that are placed", () => {
  const limit = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "9" }
  const market = { symbol: "BTCUSDT", side: "Sell", orderType: "Market", qty: "1" }
  const [ofAny, ofContract] = [
    { category: any, ...market },
    { category: contract, ...market }
  ]
  const ofSpot = { category: "spot", ...market }
  const waiting = "marketUnit: is allowed only with orderType=Market and orderFilter=Order"
  const slips =
    "slippageToleranceType: is allowed only with orderType=Market, without takeProfit, stopLoss or triggerPrice"
  const ticks = { ...ofAny, slippageToleranceType: "TickSize", slippageTolerance: "10000" }
  const percent = { ...ofAny, slippageToleranceType: "Percent", slippageTolerance: "0.01" }
  const triggered = { ...ofContract, ...limit, triggerPrice: "5" }

  /** Of a take profit or a stop loss. */
  const stop = (price: string, side: string): ReadonlyArray<Row> => {
    const [type, limitPrice, trigger] = [`${side}OrderType`, `${side}LimitPrice`, `${side}TriggerBy`]
    const partial = { ...ofContract, tpslMode: "Partial", [price]: "5" }
    const onlyPartial = `${limitPrice}: is allowed only with tpslMode=Partial and ${type}=Limit`
    return [
      [{ ...ofAny, [price]: "5" }],
      [{ ...ofAny, [price]: "5", [type]: "Market" }],
      [{ ...ofAny, [price]: each("0", "-1") }],
      [{ ...ofAny, [price]: "" }, aDecimal(price)],
      [{ ...ofAny, [type]: "Stop" }, `${type}: must be Market or Limit`],
      [{ ...ofSpot, [price]: "5", [type]: "Limit", [limitPrice]: "4" }],
      [
        { ...ofAny, [price]: "5", [type]: "Limit" },
        `${limitPrice}: is required when ${price} is set with ${type}=Limit`
      ],
      [{ ...ofSpot, [price]: "5", [limitPrice]: "4" }, `${limitPrice}: is allowed only with ${type}=Limit`],
      [{ ...partial, [type]: "Limit", [limitPrice]: "4", [trigger]: "IndexPrice" }],
      [{ ...partial, [limitPrice]: "4" }, onlyPartial],
      [{ ...ofContract, [type]: "Limit", [limitPrice]: "4" }, onlyPartial],
      [{ ...ofContract, tpslMode: "Full", [type]: "Limit" }, `${type}: must be Market with tpslMode=Full`]
    ]
  }

  const rows: ReadonlyArray<Row> = [
    [ofAny],
    [{ ...ofAny, ...limit }],
    [{ ...ofAny, symbol: "" }, "symbol: must not be empty"],
    [{ ...ofAny, side: "None" }, "side: must be Buy or Sell"],
    [{ ...ofAny, orderType: "Stop" }, "orderType: must be Market or Limit"],
    [{ ...ofAny, qty: each("0", "-1", "") }, aboveZero("qty")],
    [{ category: "linear", symbol: "A", side: "Buy", orderType: "Market" }, "qty: is required"],
    [{ ...ofAny, ...limit, price: undefined }, "price: is required when orderType is Limit"],
    [{ ...ofAny, price: "9" }, "price: is allowed only with orderType=Limit"],
    [{ ...ofAny, ...limit, price: "0" }, aboveZero("price")],
    [{ ...ofAny, orderLinkId: "aB-_0".repeat(7) + "x" }],
    [
      { ...ofAny, orderLinkId: each("", "a".repeat(37), "a b", "ä", "a.b") },
      "orderLinkId: must be 1 to 36 letters, digits, - or _"
    ],
    [{ ...ofAny, ...limit, timeInForce: each("PostOnly", "Forever"), smpType: each("CancelMaker", "CancelAll") }],
    ...notEmpty("timeInForce smpType", ofAny),
    [{ ...ofSpot, marketUnit: "quoteCoin" }],
    [{ ...ofSpot, marketUnit: "baseCoin", orderFilter: "Order" }],
    [{ ...ofSpot, ...limit, marketUnit: "quoteCoin" }, waiting],
    [{ ...ofSpot, marketUnit: "quoteCoin", orderFilter: "tpslOrder", triggerPrice: "5" }, waiting],
    [{ ...ofSpot, marketUnit: "coin" }, "marketUnit: must be baseCoin or quoteCoin"],
    [{ ...ofContract, marketUnit: "quoteCoin" }, "marketUnit: is not a parameter"],
    [{ ...ticks, slippageTolerance: each("1", "10000") }],
    [{ ...percent, slippageTolerance: each("0.01", "10") }],
    [{ ...ticks, ...limit }, slips],
    ...fields("takeProfit stopLoss", (name): Row => [{ ...ticks, [name]: "5" }, slips]),
    [{ ...ticks, category: contract, triggerPrice: "5" }, slips],
    [{ ...ticks, category: "spot", triggerPrice: "5", orderFilter: "tpslOrder" }, slips],
    [
      { ...ticks, slippageTolerance: each("0.5", "1.5", "10001") },
      "slippageTolerance: must be a whole number from 1 to 10000 with slippageToleranceType=TickSize"
    ],
    [
      { ...percent, slippageTolerance: each("0.009", "10.01", "1.234") },
      "slippageTolerance: must be from 0.01 to 10 with at most 2 decimals with slippageToleranceType=Percent"
    ],
    [{ ...ofAny, slippageTolerance: "1" }, "slippageToleranceType: is required when slippageTolerance is given"],
    [
      { ...ofAny, slippageToleranceType: "Percent" },
      "slippageTolerance: is required when slippageToleranceType is given"
    ],
    [{ ...ofSpot, orderFilter: "tpslOrder", triggerPrice: "5" }],
    [{ ...ofSpot, orderFilter: "tpslOrder" }, "triggerPrice: is required when orderFilter is tpslOrder"],
    [
      { ...ofSpot, triggerPrice: "5", orderFilter: each("Order", undefined) },
      "triggerPrice: is allowed only with orderFilter=tpslOrder"
    ],
    [
      { ...ofSpot, orderFilter: each("StopOrder", "OcoOrder"), triggerPrice: "5" },
      "orderFilter: must be Order or tpslOrder"
    ],
    [{ ...ofContract, orderFilter: "Order" }, "orderFilter: is not a parameter"],
    [{ ...triggered, triggerDirection: each(1, 2), triggerBy: "MarkPrice" }],
    [{ ...ofContract, triggerPrice: "5", triggerDirection: 2 }],
    [{ ...triggered, triggerDirection: 3 }, "triggerDirection: must be 1 or 2"],
    [{ ...ofContract, triggerDirection: 1 }, "triggerDirection: is allowed only with triggerPrice"],
    [{ ...ofContract, triggerBy: "MarkPrice" }, "triggerBy: is allowed only with triggerPrice"],
    [
      { ...ofSpot, orderFilter: "tpslOrder", triggerPrice: "5", triggerDirection: 1 },
      "triggerDirection: is not a parameter"
    ],
    [{ ...ofContract, positionIdx: each(0, 1, 2), reduceOnly: true, closeOnTrigger: true }],
    [{ ...ofContract, positionIdx: 3 }, "positionIdx: must be 0, 1 or 2"],
    [{ ...ofContract, reduceOnly: false, takeProfit: "5", stopLoss: "3" }],
    ...fields("takeProfit stopLoss", (name): Row => [
      { ...ofContract, reduceOnly: true, [name]: "5" },
      "reduceOnly: must not be true with takeProfit or stopLoss"
    ]),
    ...fields("positionIdx reduceOnly closeOnTrigger tpslMode tpTriggerBy slTriggerBy", (name): Row => [
      { ...ofSpot, [name]: "Full" },
      `${name}: is not a parameter`
    ]),
    [{ ...ofContract, tpslMode: "Half" }, "tpslMode: must be Full or Partial"],
    ...stop("takeProfit", "tp"),
    ...stop("stopLoss", "sl")
  ]

  requests(Orders.create, rows)

  // In a batch an order has the rules of a single one.
  requests(Orders.createBatch, rows, {
    within: ({ category, ...order }) => ({ category, request: [market, order] }),
    at: "request.1."
  })
})

describe("batches", () => {
  const market = { symbol: "A", side: "Sell", orderType: "Market", qty: "1" }
  const item = { symbol: "A", orderId: "1" }
  const of = (count: number, order: object) => Array.from({ length: count }, () => order)
  const noId = "request.1.orderId: one of orderId, orderLinkId is required"
  const counts = (order: object): ReadonlyArray<Row> => [
    [{ category: any, request: each(of(1, order), of(20, order)) }],
    [{ category: any, request: each([], of(21, order)) }, "request: must be 1 to 20 orders"]
  ]
  const named = (...links: ReadonlyArray<string>) => links.map((orderLinkId) => ({ ...market, orderLinkId }))

  requests(Orders.createBatch, [
    ...counts(market),
    [{ category: "linear", request: named("a", "b") }],
    [{ category: "linear", request: named("a", "b", "a") }, "request: must not have an orderLinkId twice"]
  ])
  requests(Orders.amendBatch, [
    ...counts(item),
    [{ category: any, request: [item, { symbol: "A" }] }, noId],
    [{ category: any, request: [{ ...item, qty: "0" }] }, aboveZero("request.0.qty")],
    [
      { category: contract, request: [{ ...item, tpslMode: "Full", tpLimitPrice: "1" }] },
      "request.0.tpLimitPrice: is allowed only with tpslMode=Partial"
    ],
    [{ category: "spot", request: [{ ...item, tpslMode: "Full" }] }, "request.0.tpslMode: is not a parameter"]
  ])
  requests(Orders.cancelBatch, [
    ...counts(item),
    [{ category: any, request: [item, { symbol: "A" }] }, noId],
    [{ category: "spot", request: [{ ...item, orderFilter: "Order" }] }, "request.0.orderFilter: is not a parameter"]
  ])

  it("count as one call per order", () => {
    for (const { cost } of [Orders.createBatch, Orders.amendBatch, Orders.cancelBatch]) {
      expect([0, 1, 20].map((count) => cost?.({ category: "spot", request: of(count, item) }))).toEqual([1, 1, 20])
    }
  })
})

describe("positions", () => {
  const linear = { category: "linear", symbol: "BTCUSDT" }
  const btc = { category: contract, symbol: "BTCUSDT" }
  const noSpot = "category: must be linear or inverse"
  const noneOf = "symbol: one of symbol, settleCoin is required"

  requests(Positions.list, [
    [{ symbol: "BTCUSDT" }, "category: is required"],
    [{ category: "spot" }],
    [{ category: contract, baseCoin: each("BTC", undefined) }, noneOf],
    ...[{ symbol: "BTCUSD" }, { settleCoin: "USDT" }, { symbol: "A", settleCoin: "USDT" }].map((by): Row => [
      { category: contract, ...by }
    ]),
    // The document's table says nothing else of it.
    [{ category: "spot", settleCoin: "USDT" }],
    ...size({ category: "spot" }, 200),
    [{ category: contract, settleCoin: "USDT", cursor: "a%3D" }],
    [{ category: contract, symbol: "", settleCoin: "USDT" }],
    [{ category: contract, symbol: "" }, noneOf],
    ...notEmpty("baseCoin", { category: "spot" }),
    ...notEmpty("settleCoin", { category: "linear" })
  ])

  const margin = { category: any, symbol: "BTCUSDT", margin: "10" }
  requests(Positions.addMargin, [
    [{}, "category: is required", "symbol: is required", "margin: is required"],
    [{ ...margin, category: "option" }, "category: must be spot, linear or inverse"],
    ...notEmpty("symbol", margin),
    [{ ...margin, margin: each("10", "0.0001", "1.2345", "-1.0001", "1.2000", "5") }],
    [
      { ...linear, margin: BigDecimal.make(-12345n, 4) },
      { ...linear, margin: "-1.2345" }
    ],
    [
      { ...margin, margin: each("0.00001", "1.23456", "1.50000", "-1.00001", "0", "0.0000", "", "ten") },
      "margin: must be a decimal other than 0 with at most 4 decimals"
    ],
    [{ ...margin, margin: 10 }, notANumber("margin", 10)],
    [{ ...margin, positionIdx: each(0, 1, 2) }],
    [{ ...margin, positionIdx: each(3, -1, 0.5, "1") }, "positionIdx: must be 0, 1 or 2"]
  ])

  const stop = { category: any, symbol: "BTCUSDT", positionIdx: 0 }
  const [full, partial] = [
    { ...stop, tpslMode: "Full" },
    { ...stop, tpslMode: "Partial" }
  ]
  requests(Positions.setTradingStop, [
    [{}, "category: is required", "symbol: is required", "positionIdx: is required"],
    [{ ...stop, category: "margin" }, "category: must be spot, linear or inverse"],
    ...notEmpty("symbol", stop),
    [{ ...stop, positionIdx: each(0, 1, 2) }],
    [{ ...stop, positionIdx: 3 }, "positionIdx: must be 0, 1 or 2"],
    [full],
    [{ ...stop, tpslMode: "full" }, "tpslMode: must be Full or Partial"],
    ...fields("takeProfit stopLoss trailingStop", (name): Row => [{ ...stop, [name]: each("0", "0.5") }]),
    ...fields("takeProfit stopLoss trailingStop", (name): Row => [
      { ...stop, [name]: each("-0.01", "", "x") },
      notNegative(name)
    ]),
    ...fields("takeProfit stopLoss trailingStop", (name): Row => [{ ...stop, [name]: 0 }, notANumber(name, 0)]),
    [{ ...stop, trailingStop: "50", activePrice: "27500.5", tpTriggerBy: "MarkPrice", slTriggerBy: "IndexPrice" }],
    [{ ...stop, activePrice: each("0", "-1") }],
    [{ ...stop, activePrice: "" }, aDecimal("activePrice")],
    [{ ...stop, slTriggerBy: "FuturePrice" }],
    [{ ...stop, slTriggerBy: 1 }, "slTriggerBy: must be text"],
    // Without a mode the service judges by the one in force.
    ...fields("tpSize slSize", (name): Row => [{ ...stop, tpslMode: "Partial", [name]: "1" }]),
    ...fields("tpSize slSize", (name): Row => [{ ...stop, [name]: "1" }]),
    ...fields("tpSize slSize", (name): Row => [
      { ...full, [name]: "1" },
      `${name}: is allowed only with tpslMode=Partial`
    ]),
    ...fields("tpSize slSize", (name): Row => [{ ...partial, [name]: "0" }]),
    [{ ...partial, tpSize: "1.0", slSize: "1.00" }],
    [
      { ...linear, positionIdx: 0, tpSize: BigDecimal.make(25n, 1), slSize: "2.5" },
      { ...linear, positionIdx: 0, tpSize: "2.5", slSize: "2.5" }
    ],
    [{ ...partial, tpSize: "1", slSize: "2" }, "slSize: must equal tpSize"],
    ...["tp", "sl"].flatMap((side): ReadonlyArray<Row> => {
      const [price, type] = [`${side}LimitPrice`, `${side}OrderType`]
      const onlyPartial = `${price}: is allowed only with tpslMode=Partial and ${type}=Limit`
      const set = side === "tp" ? "takeProfit" : "stopLoss"
      return [
        [{ ...partial, [set]: "6", [type]: "Limit" }, `${price}: is required when ${set} is set with ${type}=Limit`],
        [{ ...partial, [set]: "0", [type]: "Limit" }],
        [{ ...partial, [price]: "5", [type]: "Limit" }],
        [{ ...stop, [price]: "5", [type]: "Limit" }],
        [{ ...partial, [price]: "5", [type]: each("Market", undefined) }, onlyPartial],
        [{ ...stop, [price]: "5" }, onlyPartial],
        [{ ...full, [price]: "5", [type]: "Market" }, onlyPartial],
        [{ ...partial, [price]: "0", [type]: "Limit" }, aboveZero(price)],
        [{ ...full, [type]: "Market" }],
        [{ ...partial, [type]: each("Market", "Limit") }],
        [{ ...full, [type]: "Limit" }, `${type}: must be Market with tpslMode=Full`],
        [{ ...partial, [type]: "Stop" }, `${type}: must be Market or Limit`]
      ]
    }),
    [
      { ...full, tpSize: "1", slSize: "2", tpOrderType: "Limit" },
      ...[
        "tpSize: is allowed only with tpslMode=Partial",
        "slSize: is allowed only with tpslMode=Partial",
        "slSize: must equal tpSize"
      ],
      "tpOrderType: must be Market with tpslMode=Full"
    ]
  ])

  const risk = { ...btc, riskId: 2 }
  requests(Positions.setRiskLimit, [
    [{}, "category: is required", "symbol: is required", "riskId: is required"],
    [risk],
    [{ ...risk, category: "spot" }, noSpot],
    ...notEmpty("symbol", risk),
    [{ ...risk, riskId: each(0, -1) }],
    [{ ...risk, riskId: each("2", 1.5) }, "riskId: must be a whole number"],
    [{ ...risk, positionIdx: each(0, 1, 2) }],
    [{ ...risk, positionIdx: 3 }, "positionIdx: must be 0, 1 or 2"]
  ])

  const leverage = { ...btc, buyLeverage: "1", sellLeverage: "12.5" }
  requests(Positions.setLeverage, [
    [leverage],
    [
      { ...linear, buyLeverage: BigDecimal.make(25n, 1), sellLeverage: "2.5" },
      { ...linear, buyLeverage: "2.5", sellLeverage: "2.5" }
    ],
    [{ ...btc, buyLeverage: "2" }, "sellLeverage: is required"],
    [{ ...leverage, category: "spot" }, noSpot],
    ...fields("buyLeverage sellLeverage", (name): Row => [
      { ...leverage, [name]: each("0.99", "0", "-5", "") },
      `${name}: must be a decimal of at least 1`
    ])
  ])

  requests(Positions.setTpslMode, [
    // Only this operation has it under that name.
    [{ ...btc, tpSlMode: each("Full", "Partial") }],
    [{ ...btc, tpSlMode: "Half" }, "tpSlMode: must be Full or Partial"],
    [{ ...btc, tpSlMode: "Full", tpslMode: "Full" }, "tpslMode: is not a parameter"],
    ...notEmpty("symbol", { ...btc, tpSlMode: "Full" }),
    [{ ...btc, category: "spot", tpSlMode: "Full" }, noSpot]
  ])

  requests(Positions.confirmNewRiskLimit, [
    [btc],
    [{ category: contract }, "symbol: is required"],
    [{ ...btc, category: "spot" }, noSpot]
  ])

  requests(Positions.closedPnl, [
    [{ category: contract, symbol: "A", cursor: "c" }],
    [{ category: "spot" }, noSpot],
    ...week({ category: "linear" }),
    // One end alone is 7 days from or up to it.
    [{ category: "linear", endTime: 5 }],
    ...size({ category: "linear" }, 100)
  ])

  requests(Positions.preUpgradeClosedPnl, [
    [{}, "category: is required"],
    [{ category: contract, symbol: "BTCUSDT", cursor: "c" }],
    [{ category: contract }],
    [{ category: "spot" }, noSpot],
    ...notEmpty("symbol", { category: "linear" }),
    ...week({ category: "linear" }),
    ...instants({ category: "linear" }),
    ...size({ category: "linear" }, 100)
  ])
})

describe("executions", () => {
  const common: ReadonlyArray<Row> = [
    [{}, "category: is required"],
    [{ category: any }],
    [{ category: any, symbol: "BTCUSDT", cursor: "132766%3A2" }],
    ...notEmpty("symbol", { category: "linear" }),
    ...week({ category: "linear" }),
    ...instants({ category: "spot" }),
    ...size({ category: "linear" }, 100)
  ]
  requests(Executions.list, [
    ...common,
    [{ category: "option" }, "category: must be spot, linear or inverse"],
    [{ category: any, orderId: "o1", execType: each("Funding", "Rebate") }],
    ...notEmpty("orderId execType", { category: "linear" })
  ])
  requests(Executions.preUpgrade, [
    ...common,
    [{ category: "option" }, noCategory],
    [{ category: contract, execType: each("Trade", "Rebate") }],
    [{ category: "spot", execType: "Trade" }, "execType: is not a parameter"],
    [{ category: contract, orderId: "o1" }, "orderId: is not a parameter"]
  ])
})

describe("instruments and the account", () => {
  requests(Instruments.list, [
    [{}, "category: is required"],
    [{ category: "option" }, noCategory],
    [{ category: any }],
    [{ category: any, status: each("Trading", "PreLaunch", "Auction") }],
    [{ category: contract, baseCoin: "BTC" }],
    [{ category: "spot", baseCoin: "BTC" }, "baseCoin: is not a parameter"],
    ...notEmpty("symbol baseCoin status", { category: "linear" }),
    ...size({ category: any }, 1000),
    [{ category: any, symbol: "BTCUSDT", cursor: "first%3DA" }]
  ])

  const unified = { accountType: "UNIFIED" }
  requests(Account.walletBalance, [
    [{}, "accountType: is required"],
    ...notEmpty("accountType"),
    [{ accountType: each("UNIFIED", "VAULT") }],
    [
      { ...unified, coin: ["BTC"] },
      { ...unified, coin: "BTC" }
    ],
    [
      { ...unified, coin: ["BTC", "USDT"] },
      { ...unified, coin: "BTC,USDT" }
    ],
    [{ ...unified, coin: [] }, "coin: must name at least one"],
    [{ ...unified, coin: each(["A", ""], ["A", "B,C"]) }, "coin: [1] must not be empty or contain a comma"]
  ])
  requests(Account.feeRate, [
    [{}, "category: is required"],
    [{ category: "option" }, "category: must be spot, linear or inverse"],
    [{ category: any }],
    [{ category: any, symbol: "A" }],
    ...notEmpty("symbol", { category: "spot" }),
    [{ category: "linear", baseCoin: "BTC" }, "baseCoin: is not a parameter"]
  ])
})

describe("assets", () => {
  requests(Assets.deposits, [
    ...seconds({}),
    [{ type: each(0, 1, 2) }],
    [{ type: each(3, -1, "0") }, "type: must be 0, 1 or 2"],
    ...size({}, 50, "pageSize"),
    [{ limit: 10 }, "limit: is not a parameter"],
    [{}],
    [{ chain: "TRX", coin: "USDT", txId: "e5f7", cursor: "eyJtaW5JRCI6MX0=" }],
    ...notEmpty("chain coin txId")
  ])

  requests(Assets.coins, [[{}], [{ coin: "USDT" }], ...notEmpty("coin")])

  requests(Assets.bonusUsage, [
    ...seconds({ coin: "USDT" }),
    [{}, "coin: is required"],
    [{ coin: "USDT" }],
    [{ coin: each("BTC", "usdt", "") }, "coin: must be USDT"],
    [{ coin: "USDT", awardType: each(1, 2) }],
    [{ coin: "USDT", awardType: each(0, 3) }, "awardType: must be 1 or 2"],
    ...size({ coin: "USDT" }, 50),
    [{ coin: "USDT", cursor: "c" }, "cursor: is not a parameter"]
  ])

  requests(Assets.transfers, [
    ...seconds({}),
    ...size({}, 50),
    [{ transferId: "t1", coin: "USDT", status: each("PENDING", "REVERSED"), cursor: "a=b&c" }],
    ...notEmpty("transferId coin status")
  ])

  requests(Assets.subAccountTransfers, [
    ...seconds({}, ["startTime", "endTime"], ["start_time", "end_time"]),
    [
      { transferId: "t1", coin: "USDT", status: "SUCCESS", direction: 1, limit: 20, cursor: "c" },
      { transfer_id: "t1", coin: "USDT", status: "SUCCESS", direction: "1", limit: "20", cursor: "c" }
    ],
    [{ transfer_id: "t1" }, "transfer_id: is not a parameter: did you mean transferId?"],
    [{ direction: each(0, -1, "Prev", "Next", "sideways") }],
    [{ direction: each(0.5, "") }, "direction: must be a word or a whole number"],
    [{ limit: each(1, 51, 0, -1) }],
    [{ limit: 1.5 }, "limit: must be a whole number"],
    [{}],
    ...notEmpty("transferId coin")
  ])

  const id = "87c18caa-539a-449e-99cc-c39e4329bcc5"
  const transfer = { requestId: id, coin: "USDT", amount: "1.50", fromAccountType: "UNIFIED", toAccountType: "FUND" }
  requests(Assets.transfer, [
    [transfer],
    [{}, ...Object.keys(transfer).map((name) => `${name}: is required`)],
    ...notEmpty("coin fromAccountType toAccountType", transfer),
    [{ ...transfer, requestId: id.toUpperCase() }],
    [
      { ...transfer, requestId: each("", "t1", id.slice(1), id.replace("-", ""), id.replaceAll("-", "")) },
      "requestId: must be a UUID with dashes"
    ],
    [{ ...transfer, amount: each("0", "-1", "", "1,5") }, aboveZero("amount")],
    [{ ...transfer, amount: 1 }, notANumber("amount", 1)],
    [
      { ...transfer, amount: BigDecimal.make(1n, 18) },
      { ...transfer, amount: "0.000000000000000001" }
    ]
  ])

  const moving = { fromAccountType: "UNIFIED", toAccountType: "CONTRACT" }
  requests(Assets.transferableCoins, [
    [moving],
    [{}, "fromAccountType: is required", "toAccountType: is required"],
    ...notEmpty("fromAccountType toAccountType", moving)
  ])

  const withdrawal = { requestId: "w1", coin: "USDT", address: "100001", amount: "10", addressType: 3 }
  const phone = { ...withdrawal, addressType: 2, address: "5550100" }
  requests(Assets.withdrawInternal, [
    [withdrawal],
    ...fields("requestId coin addressType address amount", (name): Row => [
      Object.fromEntries(Object.entries(withdrawal).filter(([one]) => one !== name)),
      `${name}: is required`
    ]),
    ...notEmpty("coin address", withdrawal),
    [{ ...withdrawal, requestId: each("a", "aB3".padEnd(64, "Z")) }],
    [
      { ...withdrawal, requestId: each("", "a".repeat(65), "a-b", "a b", "é", "a\n") },
      "requestId: must be 1 to 64 letters and digits"
    ],
    [{ ...withdrawal, addressType: 1, address: "a@b.example" }],
    [{ ...withdrawal, addressType: each(0, 4, "3") }, "addressType: must be 1, 2 or 3"],
    [{ ...phone, areaCode: each(44, 0, -1) }],
    [phone, "areaCode: is required"],
    [{ ...phone, areaCode: each("44", 1.5) }, "areaCode: must be a whole number"],
    // The document ignores it but for phone numbers.
    [{ ...withdrawal, addressType: each(1, 3), areaCode: each(44, "44", 0, 1.5) }],
    [{ ...withdrawal, amount: "0.10" }],
    [{ ...withdrawal, amount: each("0", "-0.1", "") }, aboveZero("amount")],
    [{ ...withdrawal, amount: 1 }, notANumber("amount", 1)],
    // Characters, whatever their length in bytes.
    [{ ...withdrawal, remark: each("", "x".repeat(50), "😀".repeat(50)) }],
    [{ ...withdrawal, remark: each("x".repeat(51), "😀".repeat(51)) }, "remark: must be at most 50 characters"]
  ])

  requests(Assets.fundingAssets, [
    [{}, "accountType: is required"],
    [{ accountType: each("FUND", "SPOT", "UNIFIED", "fund") }],
    [{ accountType: "" }, "accountType: must not be empty"],
    [{ accountType: "SPOT", coin: "USDT" }],
    ...notEmpty("coin", { accountType: "FUND" })
  ])
})

describe("brokers", () => {
  requests(Broker.customers, [[{}], ...seconds({}, ["begin", "end"])])

  const volume = "contractType: is allowed only with contract trades, not with productType=SPOT"
  requests(Broker.tradeVolume, [
    [{}],
    [{ from: 0, to: from + 1 }],
    [{ from, to: from - 1 }, "to: must not be before from"],
    ...fields("from to", (name): Row => [
      { [name]: "x" },
      `${name}: must be an instant (DateTime, Date, ISO text or milliseconds)`
    ]),
    ...size({}, 50),
    [{ productType: each("ALL", "SPOT", "DERIVATIVES") }],
    [{ productType: "OPTIONS" }, "productType: must be ALL, SPOT or DERIVATIVES"],
    [{ productType: "DERIVATIVES", contractType: "InverseFutures" }],
    [{ contractType: "LinearPerpetual" }],
    [{ productType: "SPOT", contractType: "LinearPerpetual" }, volume],
    [
      { contractType: 1 },
      "contractType: must be one of InversePerpetual, LinearPerpetual, LinearFutures, InverseFutures"
    ],
    [{ uid: "100001", coin: "USDT", cursor: "100000" }],
    ...notEmpty("uid coin")
  ])
})

describe("API limits", () => {
  const entry = { uids: ["100001", "100002"], bizType: "DERIVATIVES", rate: 20 }
  const changed = (change: object): Row[0] => ({ list: [{ ...entry, ...change }] })
  const rate = "list.0.rate: must be a whole number"
  requests(ApiLimits.set, [
    [{}, "list: is required"],
    [{ list: [] }],
    [{ list: [entry] }, { list: [{ ...entry, uids: "100001,100002" }] }],
    [changed({ rate: 1, bizType: "EQUITIES" }), { list: [{ uids: "100001,100002", bizType: "EQUITIES", rate: 1 }] }],
    [{ list: [entry, {}] }, "list.1.uids: is required", "list.1.bizType: is required", "list.1.rate: is required"],
    [changed({ uids: [] }), "list.0.uids: must name at least one"],
    ...["", "1,2"].map((uid): Row => [
      changed({ uids: ["1", uid] }),
      "list.0.uids: [1] must not be empty or contain a comma"
    ]),
    [changed({ bizType: "" }), "list.0.bizType: must not be empty"],
    ...[0, -1].map((open): Row => [
      changed({ rate: open }),
      { list: [{ ...entry, uids: "100001,100002", rate: open }] }
    ]),
    ...[1.5, "20"].map((wrong): Row => [changed({ rate: wrong }), rate])
  ])
  requests(ApiLimits.query, [
    [{}, "uids: is required"],
    [{ uids: [] }, "uids: must name at least one"],
    [{ uids: ["1", "2,3"] }, "uids: [1] must not be empty or contain a comma"],
    [{ uids: ["100001"] }, { uids: "100001" }],
    [{ uids: ["100001", "100002"] }, { uids: "100001,100002" }]
  ])
})
