import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Verify from "@effect-venue/history/Verify"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Transport from "@effect-venue/transport/Transport"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { type FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Clock, Effect, Stream, TestClock } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, linesOf, onStillExchange, today } from "./utils/world.js"

const market = { category: "linear", symbol: "XRPUSDT" } as const

const parts = [
  Part.make(Datasets.orderHistory, market),
  Part.make(Datasets.closedPnl, market),
  Part.make(Datasets.deposits, {}),
  Part.make(Datasets.brokerVolume, {})
]

const held = { incremental: true } as const
const export_ = <R>(sink: Sink.Sink<R>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    settle(History.runAll(parts, { from: today - 5 * day, to: now }, sink, held))
  )

const place = (side: "Buy" | "Sell", qty: string, more: object = {}) =>
  Effect.gen(function* () {
    const transport = yield* Transport.Transport
    const ack = yield* settle(
      transport.call(Orders.create, {
        ...market,
        side,
        qty,
        orderType: "Limit",
        timeInForce: "GTC",
        price: side === "Buy" ? "0.1" : "9",
        ...more
      })
    )
    return ack.orderId
  })

const file = (directory: string, name: string) => Effect.map(Path.Path, (path) => path.join(directory, name))

/** What all files of a part hold, oldest file first. */
const contents = (directory: string, part: Manifest.Part | undefined) =>
  Effect.forEach(part?.files ?? [], ({ name }) => Effect.flatMap(file(directory, name), linesOf))

/** Opens what is still to come, exports, lets days pass in which it comes, and exports on. */
const story = <R>(sink: Sink.Sink<R>) =>
  Effect.gen(function* () {
    const { control, uids } = yield* Sandbox.Sandbox
    // A position to close, which is closed in two steps, days apart.
    yield* place("Buy", "100", { orderType: "Market", timeInForce: "IOC", price: undefined })
    const closing = yield* place("Sell", "60", { reduceOnly: true })
    const filled = yield* place("Buy", "100")
    const cancelled = yield* place("Buy", "200")
    const open = yield* place("Buy", "300")
    yield* control.fill({ orderId: closing, qty: "20" })
    const { transactionId } = yield* control.deposit({ uid: uids.main, coin: "USDT", amount: "50", takes: "4 days" })
    yield* TestClock.adjust("3 days")
    const one = yield* export_(sink)
    yield* TestClock.adjust("2 days")
    yield* control.fill({ orderId: closing })
    yield* control.fill({ orderId: filled })
    const transport = yield* Transport.Transport
    yield* settle(transport.call(Orders.cancel, { ...market, orderId: cancelled }))
    yield* TestClock.adjust("3 hours")
    const two = yield* export_(sink)
    yield* TestClock.adjust("1 days")
    const three = yield* export_(sink)
    return { one, two, three, closing, filled, cancelled, open, transactionId }
  })

/** In `npm test` one format, and tables; `npm run test:long` runs all of them. */
const formats: ReadonlyArray<readonly [string, (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>]> = [
  ["ndjson", Sink.ndjson],
  ["csv", Sink.csv],
  ["parquet", Sink.parquet]
]

describe("an export that continues another one", () => {
  for (const [name, sink] of Breadth.isLong ? formats : formats.slice(0, 1)) {
    onStillExchange(`exports orders that were open before and records that have changed since (${name})`, function* () {
      const directory = yield* folder
      const { cancelled, closing, filled, one, open, three, transactionId, two } = yield* story(sink(directory))
      expect([one.verdict, two.verdict, three.verdict]).toEqual(["complete", "complete", "complete"])
      const [orders, profits, deposits, volumes] = three.parts
      const added = (part: number, of: Manifest.Manifest, before: Manifest.Manifest | undefined) =>
        (of.parts[part]?.rows ?? 0) - (before?.parts[part]?.rows ?? 0)
      // Three orders were closed between the first and the second, the last is open still.
      expect(added(0, two, one)).toBe(3)
      expect(added(0, three, two)).toBe(0)
      const { snapshot, uids } = yield* Sandbox.Sandbox
      const still = ((yield* snapshot).accounts.get(uids.main)?.openOrders ?? [])
        .filter(
          ({ category, createdTime, symbol }) =>
            category === market.category && symbol === market.symbol && createdTime.epochMillis >= three.from
        )
        .map(({ createdTime }) => createdTime.epochMillis)
      // One entry for each order, also of those of one instant.
      expect(orders?.unsettled).toEqual(still.toSorted((one, other) => one - other).map((at) => ({ at, kind: "open" })))
      // The order that was cancelled three hours before is settled, the one that is open still is not.
      expect(two.parts[0]?.unsettled.length).toBe((one.parts[0]?.unsettled.length ?? 0) - 3)
      // The closing order was recorded, then its later version; the same for the deposit.
      expect(added(1, two, one)).toBe(1)
      expect(added(1, three, two)).toBe(0)
      expect(added(2, two, one)).toBe(1)
      expect(added(2, three, two)).toBe(0)
      // The other deposit that is in progress is one of the seed's, and stays so.
      expect(one.parts[2]?.windows.at(-1)).toMatchObject({ unsettled: 2, changed: 0 })
      const sums = (part: Manifest.Part | undefined, of: "changed" | "unsettled") =>
        (part?.windows ?? []).reduce((sum, window) => sum + window[of], 0)
      expect([sums(profits, "changed"), sums(deposits, "changed")]).toEqual([1, 1])
      expect([one, two, three].map(({ parts }) => parts[2]?.unsettled.length)).toEqual([2, 1, 1])
      // A sum of a stretch is not summed again.
      expect(volumes?.windows.map(({ from }) => from)).toEqual([one.from, one.to, two.to])
      expect((yield* Verify.verify(directory)).findings).toEqual([])
      // Read again, each record is there once, in its last version.
      const last = (part: Manifest.Part | undefined) =>
        part === undefined
          ? Effect.succeed([])
          : Effect.map(Stream.runCollect(Sink.rows(directory, three, part)), (rows) => [...rows])
      const profit = (yield* last(profits)).filter(({ orderId }) => orderId === closing)
      expect(profit.map(({ closedSize }) => closedSize)).toEqual(["60"])
      const deposit = (yield* last(deposits)).filter((row) => row.transaction_id === transactionId)
      expect(deposit.map(({ status }) => String(status))).toEqual(["1"])
      expect([(yield* last(profits)).length, (yield* last(deposits)).length]).toEqual([
        (profits?.rows ?? 0) - 1,
        (deposits?.rows ?? 0) - 1
      ])
      if (name !== "ndjson") return
      const ids = (yield* contents(directory, orders)).map((rows) => rows.map(({ orderId }) => orderId))
      for (const id of [closing, filled, cancelled]) {
        expect(ids[0]).not.toContain(id)
        expect(ids[1]).toContain(id)
        // A part without new rows has no file of that run.
        expect(ids[2] ?? []).not.toContain(id)
      }
      expect(ids.flat()).not.toContain(open)
      expect(new Set(ids.flat()).size).toBe(ids.flat().length)
      const counts = (yield* contents(directory, profits)).map((rows) =>
        rows.filter(({ orderId }) => orderId === closing).map(({ closedSize }) => closedSize)
      )
      const found = (all: ReadonlyArray<ReadonlyArray<unknown>>) => all.filter((values) => values.length > 0)
      expect(found(counts)).toEqual([["20"], ["60"]])
      const states = (yield* contents(directory, deposits)).map((rows) =>
        rows.filter((row) => row.transaction_id === transactionId).map(({ status }) => status)
      )
      expect(found(states)).toEqual([["0"], ["1"]])
    })
  }

  onStillExchange("replaces the earlier versions in tables", function* () {
    const path = yield* Path.Path
    const directory = yield* folder
    const database = path.join(directory, "history.db")
    const { closing, filled, three, transactionId } = yield* story(SqliteSink.make(database))
    const rows = yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [orders] = yield* sql`SELECT count(*) AS n FROM venue_order_history WHERE orderId = ${filled}`
      const profits = yield* sql`SELECT closedSize FROM venue_closed_pnl WHERE orderId = ${closing}`
      const deposits = yield* sql`SELECT status FROM venue_deposits WHERE transaction_id = ${transactionId}`
      const [volumes] = yield* sql`SELECT count(*) AS n FROM venue_broker_volume`
      return { orders: orders?.n, profits, deposits, volumes: volumes?.n }
    }).pipe(Effect.provide(LibsqlClient.layer({ url: `file:${database}` })), Effect.scoped)
    expect(rows).toMatchObject({ orders: 1, profits: [{ closedSize: "60" }], deposits: [{ status: "1" }] })
    expect(rows.volumes).toBe(three.parts[3]?.rows)
    // Rows that took the place of earlier ones are counted where they are now.
    expect(yield* SqliteSink.verify(database)).toEqual({ manifest: three, findings: [] })
  })
})
