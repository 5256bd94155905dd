import * as Guard from "@effect-venue/transport/Guard"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Chunk, Context, DateTime, Effect, Stream } from "effect"
import { enveloped, serve, venueAt } from "./utils/server.js"

const transfer = { coin: "USDT", amount: "50", fromAccountType: "FUND", toAccountType: "UNIFIED" }
const transferId = "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16"
const request = { ...transfer, requestId: transferId }
const record = { ...transfer, transferId, status: "SUCCESS", timestamp: "1700000000" }

describe("reconcile", () => {
  it.scopedLive("leaves a transfer open while its record is pending, or if another transfer has its id", () =>
    Effect.gen(function* () {
      let listed: object = record
      const { url } = yield* serve(() => enveloped({ list: [listed], cursor: "" }))
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

type Fields = Readonly<Record<string, unknown>>

const order: Fields = {
  orderId: "o-1",
  orderLinkId: "link-1",
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  price: "100.5",
  qty: "0.01",
  orderStatus: "New",
  cumExecQty: "0",
  cumExecValue: "0",
  cumExecFee: "0",
  createdTime: "1700000000000",
  updatedTime: "1700000000000"
}

const placed = {
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  price: "100.5",
  qty: "0.01",
  orderLinkId: "link-1"
}
const lists = ["realtime", "history"] as const

/** What the service lists: open orders and the history. */
interface Listed {
  readonly realtime?: Fields
  readonly history?: Fields
}

const page = (...list: ReadonlyArray<Fields>): Fields => ({ list })
const both = (page: Fields): Listed => ({ realtime: page, history: page })

const capitalised = (record: Fields): Fields =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value])
  )

/** An exchange that lists these orders, with the spelling of each list. */
const serveOrders = (listed: Listed) =>
  serve(({ parameters, path }) => {
    const list = lists.find((list) => path.endsWith(list)) ?? "history"
    const found = listed[list] ?? {}
    const orders = Array.isArray(found.list) ? (found.list as ReadonlyArray<Fields>) : []
    const named = orders.filter(
      (order) =>
        parameters.orderLinkId === undefined ||
        order.isUnrelated === true ||
        order.orderLinkId === parameters.orderLinkId
    )
    return enveloped({
      category: "linear",
      nextPageCursor: "",
      ...found,
      list: list === "realtime" ? named.map(capitalised) : named
    })
  })

describe("a restart", () => {
  const create = { category: "linear", ...placed }
  const second = { ...placed, orderLinkId: "link-2" }
  const batch = { category: "linear", request: [placed, second] }
  const rejected = { ...order, orderStatus: "Rejected" }

  it.scopedLive.each<readonly [string, string, Fields, Listed, string]>([
    ["nothing is listed", "orders.create", create, {}, "no"],
    ["it was rejected", "orders.create", create, { history: page(rejected) }, "no"],
    ["it is open", "orders.create", create, { realtime: page(order) }, "yes"],
    ["it was cancelled", "orders.create", create, { history: page({ ...order, orderStatus: "Cancelled" }) }, "yes"],
    [
      "a part of it was executed",
      "orders.create",
      create,
      { history: page({ ...rejected, cumExecQty: "0.004" }) },
      "yes"
    ],
    ["it was amended since", "orders.create", create, { realtime: page({ ...order, qty: "0.02" }) }, "unknowable"],
    [
      "a rejected one was amended",
      "orders.create",
      create,
      { history: page({ ...rejected, qty: "0.02" }) },
      "unknowable"
    ],
    [
      "its status is of a later version",
      "orders.create",
      create,
      { history: page({ ...order, orderStatus: "Gone" }) },
      "unknowable"
    ],
    [
      "a parameter is not shown",
      "orders.create",
      { ...create, smpType: "CancelMaker" },
      { realtime: page(order) },
      "unknowable"
    ],
    ["it has no id", "orders.create", { ...create, orderLinkId: "" }, {}, "unknowable"],
    ["the lists have another page", "orders.create", create, both({ nextPageCursor: "more" }), "unknowable"],
    ["the lists are of another category", "orders.create", create, both({ category: "spot" }), "unknowable"],
    [
      "the history is of other orders",
      "orders.create",
      create,
      { history: page({ ...order, orderLinkId: "x", isUnrelated: true }) },
      "unknowable"
    ],
    [
      "another symbol has its id",
      "orders.create",
      create,
      { history: page({ ...order, symbol: "ETHUSDT" }) },
      "unknowable"
    ],
    ["a part of the batch is listed", "orders.createBatch", batch, { realtime: page(order) }, "partly"],
    [
      "a part of the batch was rejected",
      "orders.createBatch",
      batch,
      { history: page(order, { ...rejected, orderLinkId: "link-2" }) },
      "partly"
    ],
    ["no part of the batch is listed", "orders.createBatch", batch, {}, "no"],
    [
      "the amended order is closed",
      "orders.amend",
      { category: "linear", symbol: "BTCUSDT", orderLinkId: "link-1", price: "100.5" },
      { realtime: page({ ...order, orderStatus: "Cancelled" }) },
      "unknowable"
    ],
    [
      "the amended order is open",
      "orders.amend",
      { category: "linear", symbol: "BTCUSDT", orderLinkId: "link-1", price: "100.5" },
      { realtime: page(order) },
      "yes"
    ]
  ])(
    "releases the amount of a guard only if the write was not executed: %s",
    ([, operation, parameters, listed, executed]) =>
      Effect.gen(function* () {
        const { url } = yield* serveOrders(listed)
        const storage = WriteJournal.memoryStorage()
        const reconciled = Effect.gen(function* () {
          const { host, key } = (yield* Transport.Transport).account.identity
          const at = DateTime.toEpochMillis(yield* DateTime.now) - 60_000
          const amounts = [{ kind: "orders", unit: "USDT", value: "40", index: 0 }] as const
          const intent = { id: "1", operation, host, key, parameters, recvWindow: 5_000, at, amounts }
          storage.entries = [{ intent, outcome: undefined }]
          const journal = yield* WriteJournal.makeMemory(storage)
          const found = yield* Stream.runCollect(OpenWrites.reconcile()).pipe(
            Effect.provideService(WriteJournal.WriteJournal, journal)
          )
          return Chunk.toReadonlyArray(found).map((item) => (item._tag === "Closed" ? item.executed : item._tag))
        })
        expect(yield* Effect.provide(reconciled, venueAt(url))).toEqual([executed])
        const counted = yield* Effect.provideServiceEffect(
          Guard.makeJournalled({ orders: { USDT: { perDay: "100" } } }),
          WriteJournal.WriteJournal,
          WriteJournal.makeMemory(storage)
        )
        const { day } = yield* Context.get(counted, Guard.Guard).used("orders", "USDT")
        expect(BigDecimal.format(day)).toBe(executed === "no" ? "0" : "40")
      })
  )
})
