/** What is found out about a write whose answer never came, by the records that would show it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, type ParseResult, Schema } from "effect"
import * as ApiLimits from "../src/domains/ApiLimits.js"
import * as Assets from "../src/domains/Assets.js"
import type * as Endpoint from "../src/endpoint/Endpoint.js"
import * as Endpoints from "../src/document/Endpoints.js"
import * as Enumerations from "../src/scalars/Enumerations.js"
import { sent } from "./helpers.js"

type Fields = Readonly<Record<string, unknown>>

/** A write, with the record that the service lists if it was executed and nobody changed it since. */
interface Row {
  readonly name: string
  readonly request: Fields
  /** In lower camel case. */
  readonly record: Fields
  /** For each parameter: how the record differs from the request after somebody else changed it. */
  readonly changed: Readonly<Record<string, Fields>>
  /** Parameters that no record shows. */
  readonly unseen?: Readonly<Record<string, Fields>>
  /** The row does not apply to the items of a batch. */
  readonly isSingle?: true
  /** Parameters that select what is read. */
  readonly selecting?: ReadonlyArray<string>
  /** The outcome for each state in which the service lists the record. */
  readonly states: ReadonlyArray<readonly [state: string, change: Fields, outcome: Executed]>
}

type Executed = Endpoint.Finding["executed"]

// Orders ------------------------------------------------------------------------------------------------------------

type Status = (typeof Enumerations.OrderStatus)["known"][number] | "of a later version"

/** The outcomes of an order of which nothing, a part, and everything was executed. */
type Outcomes = readonly [nothing: Executed, part: Executed, everything: Executed]

const unknown = "undetermined"
const open: Outcomes = ["yes", "yes", unknown]
const never: Outcomes = [unknown, unknown, unknown]
const always: Outcomes = ["yes", "yes", "yes"]

const outcomes: Readonly<Record<"create" | "amend" | "cancel", Readonly<Record<Status, Outcomes>>>> = {
  create: {
    Created: always,
    New: always,
    PartiallyFilled: always,
    Untriggered: always,
    Triggered: always,
    Active: always,
    PendingCancel: always,
    Filled: always,
    Cancelled: always,
    Deactivated: always,
    PartiallyFilledCanceled: always,
    Rejected: ["no", "yes", "yes"],
    "of a later version": [unknown, "yes", "yes"]
  },
  amend: {
    Created: open,
    New: open,
    PartiallyFilled: open,
    Untriggered: open,
    Triggered: open,
    Active: never,
    PendingCancel: never,
    Filled: never,
    Cancelled: never,
    Deactivated: never,
    PartiallyFilledCanceled: never,
    Rejected: never,
    "of a later version": never
  },
  cancel: {
    Created: never,
    New: never,
    PartiallyFilled: never,
    Untriggered: never,
    Triggered: never,
    Active: never,
    PendingCancel: never,
    Filled: ["no", unknown, "no"],
    Cancelled: ["yes", "yes", unknown],
    Deactivated: ["yes", "yes", unknown],
    PartiallyFilledCanceled: ["yes", "yes", unknown],
    Rejected: ["no", unknown, unknown],
    "of a later version": never
  }
}

const quantities = [
  ["nothing", "0"],
  ["a part", "0.004"],
  ["everything", "0.01"]
] as const

const statesOf = (write: keyof typeof outcomes): Row["states"] =>
  Object.entries(outcomes[write]).flatMap(([orderStatus, expected]) =>
    quantities.map(
      ([executed, cumExecQty], index) =>
        [`${orderStatus}, ${executed} executed`, { orderStatus, cumExecQty }, expected[index] ?? unknown] as const
    )
  )

const order = {
  orderId: "o-1",
  orderLinkId: "link-1",
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  timeInForce: "PostOnly",
  price: "100.5",
  qty: "0.01",
  positionIdx: 1,
  reduceOnly: false,
  closeOnTrigger: false,
  orderStatus: "New",
  cumExecQty: "0",
  cumExecValue: "0",
  cumExecFee: "0",
  createdTime: "1700000000000",
  updatedTime: "1700000000000"
}

const trigger = { triggerPrice: "101", triggerDirection: 1, triggerBy: "MarkPrice" }

const stops = {
  takeProfit: "120",
  stopLoss: "90",
  tpslMode: "Partial",
  tpLimitPrice: "119",
  slLimitPrice: "91",
  tpTriggerBy: "LastPrice",
  slTriggerBy: "IndexPrice"
}

/** Another value for each field of an order. */
const other: Fields = {
  orderId: "o-2",
  orderLinkId: "link-2",
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
  orderIv: "0.6",
  takeProfit: "121",
  stopLoss: "",
  tpslMode: "Full",
  tpLimitPrice: "118",
  slLimitPrice: "92",
  tpTriggerBy: "MarkPrice",
  slTriggerBy: "MarkPrice",
  marketUnit: "baseCoin",
  stopOrderType: "Stop"
}

const changedIn = (record: Fields, ...names: ReadonlyArray<string>): Row["changed"] =>
  Object.fromEntries(names.map((name) => [name, { [name]: name in record ? record[name] : other[name] }]))

/** Each parameter of a request changes the field of the same name. */
const changedAs = (request: Fields, more: Row["changed"] = {}): Row["changed"] => ({
  ...changedIn({}, ...Object.keys(request).filter((name) => name !== "category" && name in other)),
  ...more
})

const pick = (from: Fields, ...names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.map((name) => [name, from[name]]))

const placed = pick(order, "orderLinkId", "symbol", "side", "orderType", "timeInForce", "price", "qty")
const limitStops = { tpOrderType: "Limit", slOrderType: "Limit" }
const withoutLimit = { tpOrderType: { tpLimitPrice: "" }, slOrderType: { slLimitPrice: "" } }

const marketOrder = { ...order, orderType: "Market", price: "103.1", timeInForce: "IOC" }
const atMarket = { ...pick(order, "orderLinkId", "symbol", "side", "qty"), orderType: "Market" }
const differently = changedAs({ ...atMarket, orderType: undefined }, { orderType: { orderType: "Limit" } })

const creations: ReadonlyArray<Omit<Row, "name" | "states">> = [
  {
    request: {
      category: "linear",
      ...placed,
      ...trigger,
      ...stops,
      ...limitStops,
      ...pick(order, "positionIdx", "reduceOnly", "closeOnTrigger")
    },
    record: { ...order, ...trigger, ...stops },
    changed: changedAs(
      { ...placed, ...trigger, ...stops, positionIdx: 1, reduceOnly: false, closeOnTrigger: false },
      withoutLimit
    ),
    unseen: { smpType: { smpType: "CancelMaker" } }
  },
  {
    // Somebody else adds what the request leaves out.
    request: { category: "linear", ...placed },
    record: order,
    changed: changedAs(pick(order, "orderLinkId", "symbol", "side"), {
      ...changedIn({ stopLoss: "92" }, "triggerPrice", "takeProfit", "stopLoss", "tpLimitPrice", "slLimitPrice")
    })
  },
  {
    request: { category: "inverse", ...placed, reduceOnly: true, closeOnTrigger: true },
    record: { ...order, reduceOnly: true, closeOnTrigger: true },
    changed: changedIn({ reduceOnly: false, closeOnTrigger: false }, "reduceOnly", "closeOnTrigger")
  },
  {
    // The service fills in the worst price of a market order, and its time in force.
    request: { category: "linear", ...atMarket, price: "", timeInForce: "GTC" },
    record: marketOrder,
    changed: differently,
    unseen: {
      slippageTolerance: { slippageTolerance: "1", slippageToleranceType: "Percent" },
      slippageToleranceType: { slippageTolerance: "1", slippageToleranceType: "TickSize" }
    }
  },
  {
    request: {
      category: "linear",
      ...placed,
      ...pick(stops, "takeProfit", "stopLoss"),
      tpslMode: "Full",
      tpOrderType: "Market",
      slOrderType: "Market"
    },
    record: { ...order, ...pick(stops, "takeProfit", "stopLoss"), tpslMode: "Full" },
    changed: {
      tpslMode: { tpslMode: "Partial" },
      tpOrderType: { tpLimitPrice: "119" },
      slOrderType: { slLimitPrice: "91" }
    }
  },
  {
    request: { category: "spot", ...atMarket, marketUnit: "quoteCoin", orderFilter: "Order" },
    record: { ...marketOrder, marketUnit: "quoteCoin", positionIdx: 0 },
    changed: { ...differently, ...changedIn({}, "marketUnit"), orderFilter: { stopOrderType: "tpslOrder" } }
  },
  {
    request: { category: "spot", ...placed, triggerPrice: "101", orderFilter: "tpslOrder" },
    record: { ...order, triggerPrice: "101", stopOrderType: "tpslOrder" },
    changed: { triggerPrice: { triggerPrice: "" }, orderFilter: { stopOrderType: "Stop" } }
  }
]

const amendable = {
  orderIv: "0.5",
  ...pick(trigger, "triggerPrice", "triggerBy"),
  ...stops,
  ...pick(order, "price", "qty")
}

const amendments: ReadonlyArray<Omit<Row, "name" | "states">> = [
  {
    request: { category: "linear", symbol: "BTCUSDT", orderLinkId: "link-1", ...amendable, ...limitStops },
    record: { ...order, ...amendable },
    changed: changedAs({ symbol: "", orderLinkId: "", ...amendable }, withoutLimit)
  },
  {
    request: { category: "spot", symbol: "BTCUSDT", orderId: "o-1", price: "100.5" },
    record: order,
    changed: changedIn({}, "orderId", "symbol", "price")
  },
  {
    request: { category: "inverse", symbol: "BTCUSDT", orderId: "o-1", takeProfit: "0" },
    record: { ...order, takeProfit: "" },
    changed: changedIn({}, "takeProfit")
  }
]

const cancellations: ReadonlyArray<Omit<Row, "name" | "states">> = [
  {
    request: { category: "linear", symbol: "BTCUSDT", orderId: "o-1" },
    record: order,
    changed: changedIn({}, "orderId", "symbol")
  },
  {
    request: { category: "spot", symbol: "BTCUSDT", orderLinkId: "link-1", orderFilter: "tpslOrder" },
    record: order,
    changed: changedIn({}, "orderLinkId", "symbol"),
    isSingle: true
  },
  {
    request: { category: "inverse", symbol: "BTCUSDT", orderLinkId: "link-1" },
    record: order,
    changed: changedIn({}, "orderLinkId")
  }
]

const ofOrders = [
  ["create", creations, ["orderId"]],
  ["amend", amendments, []],
  ["cancel", cancellations, ["orderFilter"]]
] as const

// Positions ---------------------------------------------------------------------------------------------------------

const position = {
  symbol: "BTCUSDT",
  positionIdx: 1,
  side: "Buy",
  size: "1",
  positionStatus: "Normal",
  riskId: 2,
  leverage: "7",
  tpslMode: "Full",
  takeProfit: "120",
  stopLoss: "90",
  trailingStop: "5",
  isReduceOnly: false
}

const positionStates = (withoutPosition: Executed): Row["states"] =>
  Enumerations.PositionStatus.known.flatMap((positionStatus) => [
    [positionStatus, { positionStatus }, "yes"] as const,
    [`${positionStatus}, closed`, { positionStatus, size: "0", side: "" }, withoutPosition] as const
  ])

const market = { category: "linear", symbol: "BTCUSDT" }
const changedSymbol = { symbol: { symbol: "ETHUSDT" } }
const changedIndex = { positionIdx: { positionIdx: 2 } }

const partial = (stop: "tp" | "sl") => ({
  [`${stop}Size`]: { tpslMode: "Partial", [`${stop}Size`]: "0.5" },
  [`${stop}LimitPrice`]: { tpslMode: "Partial", [`${stop}OrderType`]: "Limit", [`${stop}LimitPrice`]: "119" },
  [`${stop}OrderType`]: { tpslMode: "Partial", [`${stop}OrderType`]: "Limit", [`${stop}LimitPrice`]: "119" },
  [`${stop}TriggerBy`]: { [`${stop}TriggerBy`]: "MarkPrice" }
})

const ofPositions: ReadonlyArray<Row> = [
  {
    name: "positions.setTradingStop",
    request: {
      ...market,
      positionIdx: 1,
      tpslMode: "Full",
      takeProfit: "120",
      stopLoss: "90",
      trailingStop: "5",
      tpOrderType: "Market",
      slOrderType: "Market"
    },
    record: position,
    changed: {
      ...changedSymbol,
      ...changedIndex,
      tpslMode: { tpslMode: "Partial" },
      takeProfit: { takeProfit: "121" },
      stopLoss: { stopLoss: "" },
      trailingStop: { trailingStop: "6" }
    },
    unseen: { ...partial("tp"), ...partial("sl"), activePrice: { activePrice: "130" } },
    states: positionStates(unknown)
  },
  {
    name: "positions.setTradingStop",
    request: { ...market, positionIdx: 1, takeProfit: "0" },
    record: { ...position, takeProfit: "" },
    changed: { takeProfit: { takeProfit: "120" }, tpslMode: { tpslMode: "" } },
    states: positionStates(unknown)
  },
  {
    name: "positions.setRiskLimit",
    request: { ...market, riskId: 2, positionIdx: 1 },
    record: position,
    changed: { ...changedSymbol, ...changedIndex, riskId: { riskId: 3 } },
    states: positionStates("yes")
  },
  {
    name: "positions.setLeverage",
    request: { ...market, buyLeverage: "7", sellLeverage: "7" },
    record: { ...position, positionIdx: 0 },
    // The position of one side does not show the leverage of the other.
    changed: {
      ...changedSymbol,
      buyLeverage: { positionIdx: 2 },
      sellLeverage: { positionIdx: 1 },
      leverage: { leverage: "8" }
    },
    states: positionStates("yes")
  },
  {
    name: "positions.setTpslMode",
    request: { ...market, tpSlMode: "Full" },
    record: position,
    changed: { ...changedSymbol, tpSlMode: { tpslMode: "Partial" } },
    states: positionStates("yes")
  },
  {
    name: "positions.confirmNewRiskLimit",
    request: market,
    record: position,
    changed: { ...changedSymbol, flag: { isReduceOnly: true } },
    states: positionStates("yes")
  },
  {
    name: "positions.addMargin",
    request: { ...market, positionIdx: 1, margin: "10" },
    record: position,
    changed: { ...changedSymbol, ...changedIndex },
    unseen: { margin: {} },
    states: positionStates(unknown).map(([state, change]) => [state, change, unknown] as const)
  }
]

// Transfers and all -------------------------------------------------------------------------------------------------

const transfer: Row = {
  name: "assets.transfer",
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
    timestamp: "1700000000"
  },
  changed: {
    requestId: { transferId: "52c0cfb0-6bca-4242-bc76-4e6df6cbcb16" },
    coin: { coin: "USDC" },
    amount: { amount: "1" },
    fromAccountType: { fromAccountType: "UNIFIED" },
    toAccountType: { toAccountType: "FUND" }
  },
  states: [
    ["SUCCESS", { status: "SUCCESS" }, "yes"],
    ["FAILED", { status: "FAILED" }, "no"],
    ["PENDING", { status: "PENDING" }, unknown],
    ["STATUS_UNKNOWN", { status: "STATUS_UNKNOWN" }, unknown],
    ["of a later version", { status: "of a later version" }, unknown]
  ]
}

/** An order that is still listed, in whatever state, shows that not all are cancelled. */
const cancelledAll: Row = {
  name: "orders.cancelAll",
  request: { category: "linear", symbol: "BTCUSDT" },
  record: order,
  changed: {},
  selecting: ["symbol", "baseCoin", "settleCoin", "orderFilter", "stopOrderType"],
  states: statesOf("cancel").map(([state, change]) => [state, change, unknown] as const)
}

const single: ReadonlyArray<Row> = [
  ...ofOrders.flatMap(([write, rows, selecting]) =>
    rows.map((row) => ({
      ...row,
      name: `orders.${write}`,
      selecting: [...selecting, ...(row.selecting ?? [])],
      states: statesOf(write)
    }))
  ),
  ...ofPositions,
  transfer,
  cancelledAll
]

const batched = ({ category, ...request }: Fields): Fields => ({ category, request: [request] })

interface Case extends Row {
  /** The request on the wire. */
  readonly wire: (request: Fields) => Fields
}

const cases: ReadonlyArray<Case> = single.flatMap((row) => {
  const isBatched = row.isSingle !== true && ofOrders.some(([write]) => row.name === `orders.${write}`)
  return [
    { ...row, wire: (request) => request },
    ...(isBatched ? [{ ...row, name: `${row.name}Batch`, wire: batched }] : [])
  ]
})

// Looking up --------------------------------------------------------------------------------------------------------

const capitalised = (record: Fields): Fields =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value])
  )

const endpointOf = (name: string): Endpoint.Any => Endpoints.all.find((endpoint) => endpoint.name === name)!

type PageOf = (list: string, asked: Fields) => Fields

const decoders = new Map<string, (page: unknown) => Either.Either<unknown, ParseResult.ParseError>>()

const decoderOf = ({ name, result }: Endpoint.Any) => {
  const decoder = decoders.get(name) ?? Schema.decodeUnknownEither(result)
  decoders.set(name, decoder)
  return decoder
}

/** The finding of a look-up on the pages that the service sends. `request` is on the wire side. */
const findIn = (
  name: string,
  request: Fields,
  pageOf: PageOf
): Either.Either<Endpoint.Finding, ParseResult.ParseError> => {
  const read = ((list: Endpoint.Any, asked: Fields) => {
    const page = pageOf(list.name, asked)
    const rows = page.list as ReadonlyArray<Fields>
    const spelt = list.name === "orders.open" ? rows.map(capitalised) : rows
    return decoderOf(list)({ ...page, list: spelt })
  }) as Endpoint.ReadCall<ParseResult.ParseError>
  return Effect.runSync(Effect.either(endpointOf(name).lookUp!(request, read)))
}

const pageFor = (request: Fields, ...list: ReadonlyArray<Fields>): Fields => ({
  list,
  category: request.category ?? "linear",
  nextPageCursor: "",
  cursor: ""
})

const outcomeIn = (name: string, request: Fields, pageOf: PageOf): Executed =>
  Either.match(findIn(name, request, pageOf), {
    // A record without a field that it must have is not read, so it decides nothing.
    onLeft: () => unknown,
    onRight: ({ executed }) => executed
  })

const concluded = (name: string, request: Fields, ...list: ReadonlyArray<Fields>): Executed =>
  outcomeIn(name, request, () => pageFor(request, ...list))

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name))

const isFilled = (value: unknown): boolean => value !== undefined && value !== "" && value !== false && value !== "0"

describe("the look-up of a write", () => {
  it("is tested with every parameter that the write can have", () => {
    const withLookUp = Endpoints.all.flatMap(({ lookUp, name }) => (lookUp === undefined ? [] : [name]))
    const tested = new Map<string, Set<string>>()
    for (const { changed, name, selecting = [], unseen = {} } of cases) {
      const names = tested.get(name) ?? new Set(["category"])
      for (const parameter of [...Object.keys(changed), ...Object.keys(unseen), ...selecting]) names.add(parameter)
      tested.set(name, names)
    }
    expect([...tested.keys()].sort()).toEqual([...withLookUp].sort())
    for (const [name, names] of tested) {
      const uses = Object.keys(endpointOf(name).lookUp!.uses).filter((parameter) => parameter !== "request")
      expect([name, uses.filter((parameter) => !names.has(parameter))]).toEqual([name, []])
    }
  })

  it.each(cases.map((row, index) => [`${row.name} (row ${index})`, row] as const))(
    "%s is decided only by a record that shows every parameter, in each state of the record",
    (_, { changed, name, record, request, states, unseen = {}, wire }) => {
      const wrong: Array<unknown> = []
      const { category } = request
      const look = (asked: Fields, listed: Fields) => concluded(name, wire(asked), listed)
      const expectOutcome = (what: unknown, found: Executed, expected: Executed) => {
        if (found !== expected) wrong.push([what, found, expected])
      }
      const valid = sent(endpointOf(name), wire(request)) as Fields
      for (const [state, change, outcome] of states) {
        const listed = { ...record, ...change }
        expectOutcome(state, concluded(name, valid, listed), outcome)
        for (const [parameter, difference] of Object.entries(changed)) {
          expectOutcome([state, "changed", parameter], look(request, { ...listed, ...difference }), unknown)
        }
        for (const [parameter, more] of Object.entries({ ...unseen, later: { later: "1" } })) {
          expectOutcome([state, "unseen", parameter], look({ ...request, ...more }, listed), unknown)
        }
      }
      const [, decisive] = states.find(([, , outcome]) => outcome === "yes") ?? states[0] ?? []
      const listed = { ...record, ...decisive }
      for (const field of Object.values(changed).flatMap((difference) => Object.keys(difference))) {
        if (isFilled(record[field]))
          expectOutcome(["without", field], look(request, { ...listed, [field]: "" }), unknown)
      }
      for (const parameter of Object.keys(request)) {
        const absent = look(without(request, parameter), listed)
        expectOutcome(["empty", parameter], look({ ...request, [parameter]: "" }, listed), absent)
      }
      if (category !== undefined) {
        const page = { ...pageFor(request, listed), category: category === "spot" ? "linear" : "spot" }
        const found = outcomeIn(name, wire(request), () => page)
        expectOutcome("of another category", found, unknown)
      }
      const isFulfilledByNone = name === "orders.cancelAll"
      expectOutcome("not listed", concluded(name, wire(request)), isFulfilledByNone ? "yes" : unknown)
      expect(wrong).toEqual([])
    }
  )

  it.each([
    ["tpslOrder", "Cancelled", "CancelByUser", "yes"],
    ["tpslOrder", "Cancelled", "UNKNOWN", unknown],
    ["tpslOrder", "Cancelled", "", unknown],
    ["tpslOrder", "Deactivated", "UNKNOWN", "yes"],
    ["Stop", "Cancelled", "UNKNOWN", "yes"],
    ["", "Cancelled", "", "yes"]
  ])(
    "of a cancellation, for an order of kind %j that is %s as %j, is %s",
    (stopOrderType, orderStatus, cancelType, outcome) => {
      const request = { category: "spot", symbol: "BTCUSDT", orderLinkId: "link-1" }
      const listed = { ...order, stopOrderType, orderStatus, cancelType }
      expect(concluded("orders.cancel", request, listed)).toBe(outcome)
      expect(concluded("orders.cancelBatch", batched(request), listed)).toBe(outcome)
    }
  )

  it("is never no for an order of which something was executed", () => {
    for (const { name, record, request, states, wire } of cases.filter(({ name }) =>
      name.startsWith("orders.create")
    )) {
      for (const [state, change] of states) {
        const found = concluded(name, wire(request), { ...record, ...change })
        expect([state, found === "no" && change.cumExecQty !== "0"]).toEqual([state, false])
      }
    }
  })

  it.each([
    [["yes", "yes"], "yes"],
    [["no", "no"], "no"],
    [["yes", "no"], unknown],
    [["no", unknown], unknown],
    [["yes", unknown], unknown]
  ] as const)("of a batch with the outcomes %j is %s", (parts, outcome) => {
    const stateOf = { yes: "New", no: "Rejected", undetermined: "of a later version" } as const
    const records = parts.map((part, index) => ({ ...order, orderLinkId: `b-${index}`, orderStatus: stateOf[part] }))
    const request = records.map(({ orderLinkId }) => ({ ...placed, orderLinkId }))
    const found = outcomeIn("orders.createBatch", { category: "linear", request }, (_, { orderLinkId }) =>
      pageFor(market, ...records.filter((record) => record.orderLinkId === orderLinkId))
    )
    expect(found).toBe(outcome)
  })

  it.each([
    ["both lists are empty", {}, {}, true],
    ["the open orders have another page", { nextPageCursor: "more" }, {}, false],
    ["the history has another page", {}, { nextPageCursor: "more" }, false],
    ["the open orders are of another category", { category: "spot" }, {}, false],
    ["the history is of another category", {}, { category: "spot" }, false],
    ["the open orders are not selected by the id", { list: [{ ...order, orderLinkId: "x" }] }, {}, false],
    ["the history is not selected by the id", {}, { list: [{ ...order, orderLinkId: "x" }] }, false],
    ["an order of another symbol has the id", { list: [{ ...order, symbol: "ETHUSDT" }] }, {}, false]
  ] as const)("states whether an order is listed under its id, if %s", (_, openPage, historyPage, isUnlisted) => {
    const request = { category: "linear", ...placed }
    const pageOf: PageOf = (list) => ({ ...pageFor(request), ...(list === "orders.open" ? openPage : historyPage) })
    const batch = { category: "linear", request: [placed] }
    for (const [name, parameters] of [
      ["orders.create", request],
      ["orders.createBatch", batch]
    ] as const) {
      const finding = Either.getOrThrow(findIn(name, parameters, pageOf))
      expect([finding.executed, finding.isUnlisted ?? false]).toEqual([unknown, isUnlisted])
    }
  })

  it("of an order without an id reads nothing", () => {
    const read = () => {
      throw new Error("it read a list")
    }
    expect(outcomeIn("orders.create", { category: "linear", ...without(placed, "orderLinkId") }, read)).toBe(unknown)
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
    const listed = { ...position, takeProfit: found, tpslMode }
    expect(concluded("positions.setTradingStop", request, listed)).toBe(outcome)
  })

  it.each([
    [{ category: "linear", symbol: "BTCUSDT" }, ["Order", "StopOrder"]],
    [{ category: "linear", baseCoin: "BTC", orderFilter: "" }, ["Order", "StopOrder"]],
    [{ category: "inverse", settleCoin: "BTC" }, ["Order", "StopOrder"]],
    [{ category: "linear", settleCoin: "USDT", orderFilter: "StopOrder", stopOrderType: "Stop" }, ["StopOrder"]],
    [{ category: "linear", symbol: "BTCUSDT", orderFilter: "Order" }, ["Order"]],
    [{ category: "spot" }, ["Order"]],
    [{ category: "spot", baseCoin: "BTC", orderFilter: "tpslOrder" }, ["tpslOrder"]]
  ])("of orders.cancelAll with %j needs the last page of every kind that it cancels: %j", (request, kinds) => {
    const pages = (change: (filter: unknown) => Fields): Executed =>
      outcomeIn("orders.cancelAll", request, (_, { orderFilter }) => ({ ...pageFor(request), ...change(orderFilter) }))
    const reads: Array<unknown> = []
    expect(pages((filter) => (reads.push(filter), {}))).toBe("yes")
    expect(reads).toEqual(kinds)
    for (const kind of kinds) {
      const only = (change: Fields) => pages((filter) => (filter === kind ? change : {}))
      expect(only({ list: [order] })).toBe(unknown)
      expect(only({ nextPageCursor: "more" })).toBe(unknown)
      expect(only({ category: request.category === "spot" ? "linear" : "spot" })).toBe(unknown)
    }
  })

  it("of an internal withdrawal and of rate limits does not exist", () => {
    expect(Assets.withdrawInternal).not.toHaveProperty("lookUp")
    expect(ApiLimits.set).not.toHaveProperty("lookUp")
  })
})
