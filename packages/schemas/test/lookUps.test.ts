/** What is found out about a write whose answer never came, by the records that would show it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as Assets from "../src/Assets.js"
import type * as Endpoint from "../src/Endpoint.js"
import * as Endpoints from "../src/Endpoints.js"
import * as Orders from "../src/Orders.js"
import * as Positions from "../src/Positions.js"
import { answer, sent } from "./helpers.js"

type Request = Readonly<Record<string, unknown>>

const executed = (endpoint: Endpoint.Properties, request: Request, read: Endpoint.ReadCall<never>): string =>
  endpoint.lookUp === undefined
    ? "no look-up"
    : Effect.runSync(Effect.map(endpoint.lookUp(request, read), (finding) => finding.executed))

// What is asked for decides what is given, which a function of every endpoint cannot say.
const giving = (page: (name: string) => object): Endpoint.ReadCall<never> => {
  return ({ name }) => Effect.succeed(page(name) as never)
}

describe("the look-up of an order", () => {
  const page = answer(Orders.history, "orders.history")
  const of = (change: object | undefined) => ({
    ...page,
    list: change === undefined ? [] : page.list.map((order) => ({ ...order, ...change }))
  })
  /** With an order on the book or in the history, changed so. */
  const find = (endpoint: Endpoint.Properties, request: Request, found: { open?: object; history?: object }) =>
    executed(
      endpoint,
      request,
      giving((name) => of(name === "orders.open" ? found.open : found.history))
    )

  const [category, symbol] = ["linear", "ETHUSDT"]
  const ordered = { symbol, side: "Sell", orderType: "Limit", price: "1187.05", qty: "0.1", orderLinkId: "YLxaWKMiHU" }
  const placed = { category, ...ordered }
  const named = { symbol, orderId: "14bad3a1-6454-43d8-bcf2-5345896cf74d" }
  const batch = (...request: ReadonlyArray<object>) => ({ category, request })

  it.each([
    ["an order of its name is open", placed, { open: {} }, "yes"],
    ["one is in the history", placed, { history: {} }, "yes"],
    ["that one was rejected", placed, { history: { orderStatus: "Rejected" } }, "no"],
    ["there is none", placed, {}, "undetermined"],
    ["it has no name", { ...placed, orderLinkId: undefined }, { open: {} }, "undetermined"]
  ] as const)("that was placed, if %s", (_, request, found, outcome) => {
    expect(find(Orders.create, request, found)).toBe(outcome)
  })

  it.each([
    ...["Cancelled", "Deactivated", "PartiallyFilledCanceled"].map((status) => [status, "yes"] as const),
    ...["Filled", "Rejected"].map((status) => [status, "no"] as const),
    ...["New", "PartiallyFilled", "Triggered"].map((status) => [status, "undetermined"] as const)
  ])("that was cancelled returns, for the status %s, %s", (orderStatus, outcome) => {
    expect(find(Orders.cancel, { category, ...named }, { open: { orderStatus } })).toBe(outcome)
  })

  it("that was cancelled also searches the history", () => {
    expect(find(Orders.cancel, { category, ...named }, { history: {} })).toBe("yes")
    expect(find(Orders.cancel, { category, ...named }, {})).toBe("undetermined")
  })

  it("of a batch is decided only if all orders agree", () => {
    expect(find(Orders.createBatch, batch(ordered, ordered), { open: {} })).toBe("yes")
    expect(find(Orders.createBatch, batch(ordered), { open: { orderStatus: "Rejected" } })).toBe("no")
    expect(find(Orders.createBatch, batch(ordered, { ...ordered, side: "Buy" }), { open: {} })).toBe("undetermined")
    expect(find(Orders.cancelBatch, batch(named), { open: {} })).toBe("yes")
    expect(Orders.amendBatch.lookUp).toBeDefined()
  })
})

describe("the look-up of a setting", () => {
  const page = answer(Positions.list, "positions.list")
  const pair = page.list.slice(0, 2)
  const all = (change: Partial<Positions.Position>) => pair.map((position) => ({ ...position, ...change }))
  const btc = { category: "linear", symbol: "BTCUSDT" }
  const leverage = (buyLeverage: string, sellLeverage: string) => ({ ...btc, buyLeverage, sellLeverage })
  const full = { ...btc, tpSlMode: "Full" }

  it.each([
    ["the leverage of each side", Positions.setLeverage, leverage("10", "10.0"), pair, "yes"],
    ["another of one side", Positions.setLeverage, leverage("10", "12"), pair, "undetermined"],
    ["another of the other side", Positions.setLeverage, leverage("12", "10"), pair, "undetermined"],
    ["no position", Positions.setLeverage, leverage("10", "10"), [], "undetermined"],
    ["the mode of stops", Positions.setTpslMode, full, all({ tpslMode: Option.some("Full") }), "yes"],
    ["another mode", Positions.setTpslMode, full, all({ tpslMode: Option.some("Partial") }), "undetermined"],
    ["no mode", Positions.setTpslMode, full, all({ tpslMode: Option.none() }), "undetermined"],
    ["no mark", Positions.confirmNewRiskLimit, btc, all({ isReduceOnly: false }), "yes"],
    ["a mark on both", Positions.confirmNewRiskLimit, btc, all({ isReduceOnly: true }), "undetermined"],
    ["a mark on one", Positions.confirmNewRiskLimit, btc, pair, "undetermined"]
  ] as const)("finds %s", (_, endpoint, request, list, outcome) => {
    expect(pair.map(({ positionIdx }) => positionIdx)).toStrictEqual([1, 2])
    expect(
      executed(
        endpoint,
        request,
        giving(() => ({ ...page, list }))
      )
    ).toBe(outcome)
  })
})

type Fields = Readonly<Record<string, unknown>>

interface Row {
  readonly request: Fields
  /** The record that the service lists if the write was executed, in lower camel case. */
  readonly record: Fields
  /** Other values for every field of the record that a parameter of the request states. */
  readonly differs: Fields
}

const order = {
  orderId: "o-1",
  orderLinkId: "link-1",
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  timeInForce: "PostOnly",
  price: "100.5",
  qty: "0.01",
  triggerPrice: "101",
  triggerDirection: 1,
  triggerBy: "MarkPrice",
  positionIdx: 1,
  reduceOnly: false,
  closeOnTrigger: false,
  takeProfit: "120",
  stopLoss: "90",
  tpslMode: "Partial",
  tpLimitPrice: "119",
  slLimitPrice: "91",
  tpTriggerBy: "LastPrice",
  slTriggerBy: "IndexPrice",
  orderStatus: "New",
  cumExecQty: "0",
  cumExecValue: "0",
  cumExecFee: "0",
  createdTime: "1700000000000",
  updatedTime: "1700000000000"
}

const otherOrder = {
  symbol: "ETHUSDT",
  side: "Sell",
  orderType: "Market",
  timeInForce: "GTC",
  price: "100.6",
  qty: "0.02",
  triggerPrice: "102",
  triggerDirection: 2,
  triggerBy: "LastPrice",
  positionIdx: 2,
  reduceOnly: true,
  closeOnTrigger: true,
  takeProfit: "121",
  stopLoss: "",
  tpslMode: "Full",
  tpLimitPrice: "118",
  slLimitPrice: "92",
  tpTriggerBy: "MarkPrice",
  slTriggerBy: "MarkPrice",
  orderLinkId: "link-2",
  orderId: "o-2"
}

const pick = (from: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.map((name) => [name, from[name]]))

const ofCreate = [
  ...["orderLinkId", "symbol", "side", "orderType", "timeInForce", "price", "qty", "triggerPrice", "triggerDirection"],
  ...["triggerBy", "positionIdx", "reduceOnly", "closeOnTrigger", "takeProfit", "stopLoss", "tpslMode"],
  ...["tpLimitPrice", "slLimitPrice", "tpTriggerBy", "slTriggerBy"]
]

const limitStops = { tpOrderType: "Limit", slOrderType: "Limit" }

const ofAmend = [
  ...["symbol", "price", "qty", "triggerPrice", "triggerBy", "takeProfit", "stopLoss", "tpslMode"],
  ...["tpLimitPrice", "slLimitPrice", "tpTriggerBy", "slTriggerBy"]
]

const position = {
  symbol: "BTCUSDT",
  positionIdx: 1,
  side: "Buy",
  size: "1",
  riskId: 2,
  leverage: "7",
  tpslMode: "Full",
  takeProfit: "120",
  stopLoss: "90",
  trailingStop: "5",
  isReduceOnly: false
}

const otherPosition = { symbol: "ETHUSDT", positionIdx: 2, takeProfit: "121", stopLoss: "", trailingStop: "6" }

const market = { category: "linear", symbol: "BTCUSDT" }

const single: Readonly<Record<string, Row>> = {
  "orders.create": {
    request: { category: "linear", ...limitStops, ...pick(order, ofCreate) },
    record: order,
    differs: pick(otherOrder, ofCreate)
  },
  "orders.amend": {
    request: { category: "linear", ...pick(order, ["orderLinkId", ...ofAmend]) },
    record: order,
    differs: pick(otherOrder, ["orderLinkId", ...ofAmend])
  },
  "orders.cancel": {
    request: { ...market, orderId: "o-1" },
    record: { ...order, orderStatus: "Cancelled" },
    differs: { orderId: "o-2", symbol: "ETHUSDT" }
  },
  "positions.setTradingStop": {
    request: {
      category: "linear",
      ...pick(position, ["symbol", "positionIdx", "takeProfit", "stopLoss", "trailingStop"])
    },
    record: position,
    differs: otherPosition
  },
  "positions.setRiskLimit": {
    request: { ...market, riskId: 2, positionIdx: 1 },
    record: position,
    differs: { symbol: "ETHUSDT", positionIdx: 2, riskId: 3 }
  },
  "positions.setLeverage": {
    request: { ...market, buyLeverage: "7", sellLeverage: "7" },
    record: { ...position, positionIdx: 0 },
    differs: { symbol: "ETHUSDT", positionIdx: 1, leverage: "8" }
  },
  "positions.setTpslMode": {
    request: { ...market, tpSlMode: "Full" },
    record: position,
    differs: { symbol: "ETHUSDT", tpslMode: "Partial" }
  },
  "positions.confirmNewRiskLimit": {
    request: market,
    record: position,
    differs: { symbol: "ETHUSDT", isReduceOnly: true }
  },
  "assets.transfer": {
    request: {
      requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16",
      coin: "USDT",
      amount: "50",
      fromAccountType: "FUND",
      toAccountType: "UNIFIED"
    },
    record: {
      transferId: "42C0CFB0-6bca-4242-bc76-4e6df6cbcb16",
      coin: "USDT",
      amount: "50.00",
      fromAccountType: "FUND",
      toAccountType: "UNIFIED",
      status: "SUCCESS",
      timestamp: "1700000000"
    },
    differs: {
      transferId: "52c0cfb0-6bca-4242-bc76-4e6df6cbcb16",
      coin: "USDC",
      amount: "1",
      fromAccountType: "UNIFIED",
      toAccountType: "FUND",
      status: "PENDING"
    }
  }
}

const batchOf = ({ differs, record, request: { category, ...request } }: Row): Row => ({
  request: { category, request: [request] },
  record,
  differs
})

const rows: Readonly<Record<string, Row>> = {
  ...single,
  ...Object.fromEntries(
    Object.entries(single).flatMap(([name, row]) =>
      name === "orders.create" || name === "orders.amend" || name === "orders.cancel"
        ? [[`${name}Batch`, batchOf(row)]]
        : []
    )
  )
}

/** Look-ups that are not about the fields of one record: one has nothing to compare, the other wants no record at all. */
const withoutRecord = ["positions.addMargin", "orders.cancelAll"]

const capitalised = (record: Fields): Fields =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value])
  )

const endpointOf = (name: string): Endpoint.Any => Endpoints.all.find((endpoint) => endpoint.name === name)!

/** What the look-up of a write concludes from a page of each list, as the service sends it. */
const concluded = (name: string, request: Fields, page: Fields, reads: Array<unknown> = []): string => {
  const read = ((list: Endpoint.Any, asked: unknown) => {
    reads.push(asked)
    const rows = page.list as ReadonlyArray<Fields>
    const spelt = list.name === "orders.open" ? rows.map(capitalised) : rows
    return Effect.succeed(Schema.decodeUnknownSync(list.result)({ ...page, list: spelt }))
  }) as Endpoint.ReadCall<never>
  const endpoint = endpointOf(name)
  return executed(endpoint, sent(endpoint, request) as Request, read)
}

const listing = (...list: ReadonlyArray<Fields>): Fields => ({
  list,
  category: "linear",
  nextPageCursor: "",
  cursor: ""
})

describe("the look-up", () => {
  it("is tested for every write with a look-up", () => {
    const withLookUp = Endpoints.all.flatMap(({ lookUp, name }) => (lookUp === undefined ? [] : [name]))
    expect([...Object.keys(rows), ...withoutRecord].sort()).toEqual([...withLookUp].sort())
  })

  it.each(Object.entries(rows))(
    'of %s returns "yes" for the record of the write, and not for one that differs in a field',
    (name, { differs, record, request }) => {
      expect(concluded(name, request, listing(record))).toBe("yes")
      for (const [field, value] of Object.entries(differs)) {
        const found = concluded(name, request, listing({ ...record, [field]: value }))
        expect([field, found]).toEqual([field, "undetermined"])
      }
    }
  )

  it.each([
    ["FAILED", "no"],
    ["STATUS_UNKNOWN", "undetermined"]
  ])("of a transfer returns, for the status %s, %s", (status, outcome) => {
    const { record, request } = single["assets.transfer"]!
    expect(concluded("assets.transfer", request, listing({ ...record, status }))).toBe(outcome)
    expect(concluded("assets.transfer", request, listing())).toBe("undetermined")
  })

  // In partial mode, or if the mode is unknown, the stop of the position proves nothing about the write.
  it.each([
    ["120.0", "120", "Full", "yes"],
    ["120", "120", "Partial", "undetermined"],
    ["120", "120", "", "undetermined"],
    ["120", "", "Full", "undetermined"],
    ["0", "", "Full", "yes"],
    ["0", "", "", "undetermined"],
    ["0", "120", "Full", "undetermined"]
  ])("of a take profit at %s returns, for %j in mode %s, %s", (takeProfit, found, tpslMode, outcome) => {
    const request = { ...market, positionIdx: 1, takeProfit }
    const page = listing({ ...position, takeProfit: found, tpslMode })
    expect(concluded("positions.setTradingStop", request, page)).toBe(outcome)
  })

  it("of orders.cancelAll needs the last page of its category", () => {
    const reads: Array<unknown> = []
    const page = (more: Fields) => concluded("orders.cancelAll", market, { ...listing(), ...more }, reads)
    expect(page({})).toBe("yes")
    expect(page({ nextPageCursor: "more" })).toBe("undetermined")
    expect(page({ category: "spot" })).toBe("undetermined")
    concluded("orders.cancelAll", { category: "spot", orderFilter: "tpslOrder" }, listing(), reads)
    expect(reads.at(-1)).toMatchObject({ category: "spot", orderFilter: "tpslOrder" })
  })

  it("of a withdrawal does not exist", () => {
    expect(Assets.withdrawInternal).not.toHaveProperty("lookUp")
  })
})
