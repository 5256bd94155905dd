import type * as Singer from "@effect-venue/history/Singer"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { Array, BigDecimal, Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { ago, folder, linesOf, sharedExchange, venue } from "./utils/venue.js"

const shared = sharedExchange({ limits: "off" })

const within = (...names: ReadonlyArray<string>) => path.join(folder(), ...names)

/** Sums of decimals by a key, without trailing zeros. */
const sumsOf = (amounts: Iterable<readonly [key: string, amount: string]>) => {
  const sums = new Map<string, BigDecimal.BigDecimal>()
  for (const [key, amount] of amounts) {
    const value = BigDecimal.unsafeFromString(amount)
    const before = sums.get(key)
    sums.set(key, before === undefined ? value : BigDecimal.sum(before, value))
  }
  return new Map([...sums].sort().map(([key, sum]) => [key, Decimal.format(BigDecimal.normalize(sum))]))
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

interface Execution {
  readonly symbol: string
  readonly execId: string
  readonly execFee: string
}

/** Writes the records of a tap into a table of SQLite for each stream, by their keys, and reads the fees from there. */
const feesInSqlite = (messages: ReadonlyArray<Singer.Message>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const records = new Map<string, Array<Record<"symbol" | "execFee" | "venue_key", string>>>()
    for (const message of messages) {
      if (message.type === "SCHEMA") {
        records.set(message.stream, [])
        yield* sql`CREATE TABLE ${sql(message.stream)} (venue_key TEXT PRIMARY KEY, symbol TEXT, execFee TEXT)`
      }
      if (message.type === "RECORD") {
        const { execFee, symbol, venue_key } = message.record
        const row = { venue_key: text(venue_key), symbol: text(symbol), execFee: text(execFee) }
        records.get(message.stream)?.push(row)
      }
    }
    for (const [table, rows] of records) {
      for (const some of Array.chunksOf(rows, 5000)) yield* sql`INSERT INTO ${sql(table)} ${sql.insert(some)}`
    }
    const tables = messages.flatMap((message) => (message.type === "SCHEMA" ? [message.stream] : []))
    const rows = yield* Effect.forEach(tables, (table) => sql<Execution>`SELECT symbol, execFee FROM ${sql(table)}`)
    return rows.flat()
  }).pipe(Effect.provide(LibsqlClient.layer({ url: `file:${within("tapped.db")}` })), Effect.scoped, Effect.runPromise)

describe("one year of an account", () => {
  it("has the same fees as an export, as a log, and tapped into SQLite", async () => {
    const { variables } = shared.current()
    const [from, to] = [ago(365), ago(1)]
    const categories = ["linear", "inverse"]
    const flags = categories.flatMap((category) => ["--category", category])
    const range = ["--from", from, "--to", to, "--out", "year"]
    expect((await venue(["export", "executions", ...flags, ...range], variables)).code).toBe(0)
    const exported = categories.flatMap((category) =>
      linesOf(fs.readFileSync(within("year", `executions-${category}.ndjson`), "utf8")).map(
        (line) => JSON.parse(line) as Execution
      )
    )
    expect(exported.length).toBeGreaterThan(500)
    const fees = sumsOf(exported.map(({ execFee, symbol }) => [symbol, execFee]))

    const { out: log } = await venue(["log", "year", "--format", "ndjson"])
    const lines = linesOf(log).map((line) => JSON.parse(line) as Record<"change" | "record" | "symbol", string>)
    const logged = lines.filter(({ record }) => record === "executions")
    const minus = (amount: string) => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`)
    expect(sumsOf(logged.map(({ change, symbol }) => [symbol, minus(change)]))).toEqual(fees)

    const config = { start_date: from, end_date: to, datasets: ["executions"], categories }
    fs.writeFileSync(within("tap.json"), JSON.stringify(config))
    const { out: tapped } = await venue(["tap", "--config", "tap.json"], variables)
    const rows = await feesInSqlite(linesOf(tapped).map((line) => JSON.parse(line) as Singer.Message))
    expect(rows).toHaveLength(exported.length)
    expect(sumsOf(rows.map(({ execFee, symbol }) => [symbol, execFee]))).toEqual(fees)
  })
})
