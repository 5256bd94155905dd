import { listen } from "@effect-venue/testing/Listening"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { NodeContext } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { PGlite } from "@electric-sql/pglite"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Clock, Effect, Layer, Option, Redacted } from "effect"
import { createServer } from "node:net"
import { fees, update } from "../src/postgres.js"

const day = 86_400_000

/** Takes the pieces of a connection, and returns the messages that are whole: a long statement arrives in several pieces. */
const messages = () => {
  let rest = Buffer.alloc(0)
  // The first message of a connection has no letter before its length.
  let letter = 0
  return (bytes: Buffer): Buffer => {
    rest = Buffer.concat([rest, bytes])
    let end = 0
    while (rest.length >= end + letter + 4) {
      const next = end + letter + rest.readInt32BE(end + letter)
      if (next > rest.length) break
      end = next
      letter = 1
    }
    const whole = rest.subarray(0, end)
    rest = rest.subarray(end)
    return whole
  }
}

/** Postgres in this process, behind a socket: the client on the other side is the real one. */
const database = Layer.unwrapScoped(
  Effect.gen(function* () {
    const db = yield* Effect.acquireRelease(
      Effect.promise(() => PGlite.create()),
      (db) => Effect.promise(() => db.close())
    )
    let before: Promise<unknown> = Promise.resolve()
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy())
      const wholeOf = messages()
      socket.on("data", (bytes) => {
        const whole = wholeOf(bytes)
        if (whole.length === 0) return
        before = before.then(async () => {
          const answer = await db.execProtocolRaw(new Uint8Array(whole))
          if (!socket.destroyed) socket.write(answer)
        })
      })
    })
    const { port } = yield* listen(server)
    return PgClient.layer({
      host: "127.0.0.1",
      port,
      username: "postgres",
      database: "postgres",
      password: Redacted.make("none"),
      ssl: false,
      maxConnections: 1
    })
  })
)

const venue = Transport.layerStandalone.pipe(Layer.provideMerge(Sandbox.layer({ seed: 7, limits: "off" })))

describe("history in Postgres", () => {
  it.scopedLive("is brought up to date, row for row, and can be verified", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const to = yield* Clock.currentTimeMillis
      const from = to - 12 * day
      const first = yield* update({ from, to: to - 2 * day })
      const second = yield* update({ from, to })
      expect([first.verdict, second.verdict]).toEqual(["complete", "complete"])
      const { executions } = yield* sandbox.holds({ category: "linear", from, to })
      expect(executions.count).toBeGreaterThan(100)
      expect(second.parts[0]?.rows).toBe(executions.count)
      const sums = yield* fees
      const held = (yield* sandbox.snapshot).accounts.get(sandbox.uids.main)?.executions.linear ?? []
      const trades = held.filter(
        ({ execTime, execType }) =>
          execTime.epochMillis >= from && execTime.epochMillis < to && Option.contains(execType, "Trade")
      )
      expect(trades.length).toBeLessThan(executions.count)
      expect(sums.reduce((fills, row) => fills + Number(row.fills), 0)).toBe(trades.length)
      const paid = trades.reduce((sum, { execFee }) => BigDecimal.sum(sum, execFee), BigDecimal.fromBigInt(0n))
      const summed = sums.reduce(
        (sum, { fee }) => BigDecimal.sum(sum, BigDecimal.unsafeFromString(fee)),
        BigDecimal.fromBigInt(0n)
      )
      expect(BigDecimal.format(BigDecimal.normalize(summed))).toBe(BigDecimal.format(BigDecimal.normalize(paid)))
      expect(yield* SqlSink.verify()).toEqual({ manifest: second, findings: [] })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE venue_executions SET ${sql("execFee")} = ${sql("execFee")} + 1 WHERE venue_window = 1`
      expect((yield* SqlSink.verify()).findings).toMatchObject([{ _tag: "ChangedRows", file: "venue_executions" }])
    }).pipe(Effect.provide(Layer.mergeAll(venue, database, NodeContext.layer)))
  )
})
