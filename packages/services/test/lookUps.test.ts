import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, DateTime, Effect, Stream } from "effect"
import { enveloped, serve, venueAt } from "./utils/server.js"

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
    record: position,
    differs: { symbol: "ETHUSDT", leverage: "8" }
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

/** A server that resets the connection of every write, and lists some records. */
const listing = (records: () => ReadonlyArray<Fields>) =>
  serve(({ method, path }) =>
    method === "POST"
      ? "reset"
      : enveloped({
          list: path.endsWith("/order/realtime") ? records().map(capitalised) : records(),
          category: "linear",
          nextPageCursor: "",
          cursor: ""
        })
  )

const endpointOf = (name: string): Endpoint.Any => {
  const found = Endpoints.all.find((endpoint) => endpoint.name === name)
  if (found === undefined) throw new Error(`no operation ${name}`)
  return found
}

/** Sends a write whose connection is reset, and looks up its outcome, with rate limits of its own. */
const lookedUp = (url: string, name: string, request: Fields) =>
  Effect.gen(function* () {
    const transport = yield* Transport.Transport
    const failure = yield* Effect.flip(transport.call(endpointOf(name), request))
    return failure._tag === "OutcomeUnknown"
      ? (yield* failure.lookUp).executed
      : yield* Effect.dieMessage(failure.message)
  }).pipe(Effect.provide(venueAt(url)))

describe("the look-up of a write whose answer is lost", () => {
  it("is tested for every write with a look-up", () => {
    const withLookUp = Endpoints.all.flatMap(({ lookUp, name }) => (lookUp === undefined ? [] : [name]))
    expect([...Object.keys(rows), ...withoutRecord].sort()).toEqual([...withLookUp].sort())
  })

  for (const [name, { differs, record, request }] of Object.entries(rows)) {
    it.scopedLive(`of ${name} returns "yes" for the record of the write, and not for one that differs in a field`, () =>
      Effect.gen(function* () {
        let listed = record
        const { url } = yield* listing(() => [listed])
        const executed: Record<string, string> = { "the same record": yield* lookedUp(url, name, request) }
        for (const [field, value] of Object.entries(differs)) {
          listed = { ...record, [field]: value }
          executed[field] = yield* lookedUp(url, name, request)
        }
        expect(executed).toEqual({
          "the same record": "yes",
          ...Object.fromEntries(Object.keys(differs).map((field) => [field, "undetermined"]))
        })
      })
    )
  }

  it.scopedLive(
    'of orders.cancelAll returns "undetermined" when a later page may have orders, or another category is listed',
    () =>
      Effect.gen(function* () {
        let page: Fields = { category: "linear", nextPageCursor: "" }
        const { received, url } = yield* serve(({ method }) =>
          method === "POST" ? "reset" : enveloped({ list: [], ...page })
        )
        const none = yield* lookedUp(url, "orders.cancelAll", market)
        page = { category: "linear", nextPageCursor: "more" }
        const later = yield* lookedUp(url, "orders.cancelAll", market)
        page = { category: "spot", nextPageCursor: "" }
        const other = yield* lookedUp(url, "orders.cancelAll", market)
        yield* lookedUp(url, "orders.cancelAll", { category: "spot", orderFilter: "tpslOrder" })
        expect({ none, later, other }).toEqual({ none: "yes", later: "undetermined", other: "undetermined" })
        expect(received.at(-1)?.parameters).toMatchObject({ category: "spot", orderFilter: "tpslOrder" })
      })
  )
})

describe("reconcile", () => {
  it.scopedLive("leaves a transfer open while its record is pending, or if another transfer has its id", () =>
    Effect.gen(function* () {
      const { record, request } = rows["assets.transfer"] ?? { record: {}, request: {} }
      let listed: Fields = record
      const { url } = yield* listing(() => [listed])
      const storage = WriteJournal.memoryStorage()
      const program = Effect.gen(function* () {
        const transport = yield* Transport.Transport
        const { host, key } = transport.account.identity
        const at = DateTime.toEpochMillis(yield* DateTime.now) - 60_000
        const intent = { id: "1", operation: "assets.transfer", host, key, parameters: request, recvWindow: 5_000, at }
        const reconciled = Effect.gen(function* () {
          storage.entries = [{ intent, outcome: undefined }]
          const found = yield* Stream.runCollect(OpenWrites.reconcile()).pipe(
            Effect.provideService(WriteJournal.WriteJournal, yield* WriteJournal.makeMemory(storage))
          )
          const [item] = Chunk.toReadonlyArray(found)
          return [item?._tag === "Closed" ? item.executed : item?._tag, storage.entries.length]
        })
        const results: Record<string, unknown> = { SUCCESS: yield* reconciled }
        for (const status of ["PENDING", "STATUS_UNKNOWN", "FAILED"]) {
          listed = { ...record, status }
          results[status] = yield* reconciled
        }
        listed = { ...record, amount: "1" }
        return { ...results, another: yield* reconciled }
      })
      expect(yield* Effect.provide(program, venueAt(url))).toEqual({
        SUCCESS: ["yes", 0],
        PENDING: ["StillOpen", 1],
        STATUS_UNKNOWN: ["StillOpen", 1],
        FAILED: ["no", 0],
        another: ["StillOpen", 1]
      })
    })
  )
})
