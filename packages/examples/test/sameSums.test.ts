/**
 * An export by month, loaded into DuckDB by its views and into Postgres by the SQL of `venue schema`, as a log, and tapped into SQLite: the
 * same sums everywhere.
 */
import * as Breadth from "@effect-venue/testing/Breadth"
import * as Books from "@effect-venue/books/Books"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as DatasetSchema from "@effect-venue/history/siblings/DatasetSchema"
import * as History from "@effect-venue/history/History"
import * as Singer from "@effect-venue/history/Singer"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Servers from "@effect-venue/testing/Servers"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Chunk, Clock, Effect, Layer, Stream } from "effect"
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { ask } from "../src/parquet.js"

const day = 86_400_000
const days = Breadth.repeats(365, 40)

const exchange = Layer.merge(
  Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" }))),
  Layer.succeed(Limits.Limits, Limits.none)
)

const parts = [
  ...(["linear", "inverse", "spot"] as const).map((category) => Part.make(Datasets.executions, { category })),
  ...(["linear", "inverse"] as const).map((category) => Part.make(Datasets.closedPnl, { category })),
  Part.make(Datasets.deposits, {}),
  Part.make(Datasets.transfers, {})
]

/** The column that is summed up, and the instant by which a row is of a month. */
const columns: Readonly<Record<string, readonly [amount: string, instant: string]>> = {
  executions: ["execFee", "execTime"],
  "closed-pnl": ["closedPnl", "createdTime"],
  deposits: ["amount", "create_time"],
  transfers: ["amount", "timestamp"]
}

const tableOf = ({ dataset }: Manifest.Part): string => dataset.replaceAll("-", "_")

/** The rows of a part in a month, and the sum of its amounts. */
interface Sum {
  readonly part: string
  readonly month: string
  readonly rows: number
  readonly sum: BigDecimal.BigDecimal
}

const zero = BigDecimal.fromBigInt(0n)

/** Sums up rows by part and month. */
const summing = () => {
  const sums = new Map<string, Sum>()
  return {
    add: (part: string, month: string, amount: BigDecimal.BigDecimal) => {
      const { rows, sum } = sums.get(`${part} ${month}`) ?? { rows: 0, sum: zero }
      sums.set(`${part} ${month}`, { part, month, rows: rows + 1, sum: BigDecimal.sum(sum, amount) })
    },
    all: () => Array.from(sums.values())
  }
}

/** Lines `part month rows sum`, decimals without zeros at their end. */
const lines = (sums: ReadonlyArray<Sum>) =>
  sums
    .map(({ month, part, rows, sum }) => [part, month, rows, BigDecimal.format(BigDecimal.normalize(sum))].join(" "))
    .sort()

const parsed = (part: string, month: string, rows: string, sum: string): Sum => ({
  ...{ part, month, rows: Number(rows), sum: BigDecimal.unsafeFromString(sum) }
})

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** Of the rows as they were exported. */
const inRows = (folder: string, manifest: Manifest.Manifest) =>
  Effect.gen(function* () {
    const sums = summing()
    for (const part of manifest.parts) {
      const [amount = "", instant = ""] = columns[part.dataset] ?? []
      yield* Stream.runForEach(Sink.rows(folder, manifest, part), (row) =>
        Effect.sync(() => {
          const at = Number(row[instant])
          sums.add(part.name, monthOf(at < 1e11 ? at * 1000 : at), BigDecimal.unsafeFromString(String(row[amount])))
        })
      )
    }
    return sums.all()
  })

/** The fees and funding of all categories, by month. */
const feesIn = (sums: ReadonlyArray<Sum>) => {
  const fees = new Map<string, BigDecimal.BigDecimal>()
  for (const { month, part, sum } of sums) {
    if (part.startsWith("executions-")) fees.set(month, BigDecimal.sum(fees.get(month) ?? zero, sum))
  }
  return Array.from(fees, ([month, sum]) => [month, BigDecimal.format(BigDecimal.normalize(sum))].join(" ")).sort()
}

/** The fees and funding of the log of an export, by month. */
const inLog = (folder: string, manifest: Manifest.Manifest) =>
  Effect.gen(function* () {
    const log = yield* Books.log({ manifest, rows: (part) => Sink.rows(folder, manifest, part) })
    const sums = summing()
    yield* Stream.runForEach(log.transactions, ({ at, changes }) =>
      Effect.sync(() => {
        for (const { amount, kind } of changes) {
          if (kind === "fee" || kind === "funding") sums.add("executions-", monthOf(at), BigDecimal.negate(amount))
        }
      })
    )
    return feesIn(sums.all())
  })

/** A target of Singer: a table for each stream, whose key is that of the tap. */
const inSqlite = (folder: string, range: { readonly from: number; readonly to: number }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const messages = yield* Stream.runCollect(
      Stream.flattenIterables(
        Singer.tap(parts, { ...range, onIncomplete: () => Effect.dieMessage("rows are missing") })
      )
    )
    const columnsOf = new Map(parts.map(({ dataset, name }) => [name, columns[dataset.name]]))
    const rows = new Map<string, Array<Record<"venue_key" | "at" | "amount", string>>>()
    for (const message of messages) {
      const [amount, instant] = columnsOf.get("stream" in message ? message.stream : "") ?? ["", ""]
      if (message.type === "SCHEMA") {
        rows.set(message.stream, [])
        yield* sql`CREATE TABLE ${sql(message.stream)} (venue_key TEXT PRIMARY KEY, at TEXT, amount TEXT)`
      }
      if (message.type === "RECORD") {
        const { record } = message
        rows
          .get(message.stream)
          ?.push({ venue_key: text(record.venue_key), at: text(record[instant]), amount: text(record[amount]) })
      }
    }
    const sums = summing()
    for (const [table, all] of rows) {
      for (const some of Chunk.chunksOf(Chunk.unsafeFromArray(all), 5000))
        yield* sql`INSERT INTO ${sql(table)} ${sql.insert(Chunk.toReadonlyArray(some))}`
      const found = yield* sql<{
        readonly month: string
        readonly amount: string
      }>`SELECT substr(at, 1, 7) AS month, amount FROM ${sql(table)}`
      for (const { amount, month } of found) sums.add(table, month, BigDecimal.unsafeFromString(amount))
    }
    return lines(sums.all())
  }).pipe(Effect.provide(LibsqlClient.layer({ url: `file:${path.join(folder, "tapped.db")}` })), Effect.scoped)

/** By the views, whose column `month` is the name of the folder. */
const inDuckDb = (folder: string, manifest: Manifest.Manifest) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const views = yield* fs.readFileString(path.join(folder, "views.sql"))
    const queries = manifest.parts
      .filter(({ rows }) => rows > 0)
      .map(({ dataset, name }) => {
        const [amount = ""] = columns[dataset] ?? []
        return `SELECT '${name}' AS part, month, count(*)::VARCHAR AS rows, sum("${amount}")::VARCHAR AS sum FROM "${name}" GROUP BY month`
      })
    const found = yield* ask(`SET file_search_path = '${folder}'; ${views} ${queries.join(" UNION ALL ")}`)
    return lines(found.map(({ month, part, rows, sum }) => parsed(text(part), text(month), text(rows), text(sum))))
  })

const server = await Servers.postgres()
const hasPsql = spawnSync("psql", ["--version"]).status === 0

/** Through `psql`, as the page says, in a schema that is dropped afterwards. */
const inPostgres = (folder: string, manifest: Manifest.Manifest): ReadonlyArray<string> => {
  const tables = new Map(manifest.parts.map((part) => [tableOf(part), part.dataset] as const))
  const datasets = Datasets.datasets.filter(({ name }) => Array.from(tables.values()).includes(name))
  const schema = `venue_sums_${process.pid}`
  const copies = manifest.parts.flatMap((part) =>
    part.files.map(
      ({ name }) => `\\copy "${tableOf(part)}" from '${path.join(folder, name)}' with (format csv, header)`
    )
  )
  const queries = manifest.parts.map((part) => {
    const [amount = "", instant = ""] = columns[part.dataset] ?? []
    const month = `to_char("${instant}" AT TIME ZONE 'UTC', 'YYYY-MM')`
    const isOfPart = part.parameters.category === undefined ? "true" : `category = '${part.parameters.category}'`
    return `SELECT '${part.name}', ${month}, count(*), sum("${amount}") FROM "${tableOf(part)}" WHERE ${isOfPart} GROUP BY 2;`
  })
  const script = [
    `CREATE SCHEMA ${schema}; SET search_path = ${schema};`,
    ...datasets.map((dataset) => DatasetSchema.createTable(dataset, "postgres")),
    ...copies,
    ...queries,
    `SET client_min_messages = error; DROP SCHEMA ${schema} CASCADE;`
  ].join("\n")
  const options = ["-X", "-q", "-t", "-A", "-F", " ", "-v", "ON_ERROR_STOP=1"]
  const { status, stderr, stdout } = spawnSync("psql", [server.url, ...options], { input: script, encoding: "utf8" })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  return lines(
    stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => {
        const [part = "", month = "", rows = "", sum = ""] = line.split(" ")
        return parsed(part, month, rows, sum)
      })
  )
}

describe("the sums of an export by month", () => {
  const psql = hasPsql ? "" : ", without psql: apt-get install postgresql-client"
  it.scopedLive.skipIf(server.isSkipped || !hasPsql)(
    `are the same in its rows, DuckDB, its log, SQLite and ${server.label}${psql}`,
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const to = (yield* Clock.currentTimeMillis) - day
        const range = { from: to - days * day, to }
        const manifest = yield* History.runAll(parts, range, Sink.csv(folder, { partition: "month" }))
        expect(manifest.verdict).toBe("complete")
        expect((yield* Verify.verify(folder)).findings).toEqual([])
        const sums = yield* inRows(folder, manifest)
        expect(sums.length).toBeGreaterThan(2 * 5)
        expect(yield* inDuckDb(folder, manifest)).toEqual(lines(sums))
        expect(inPostgres(folder, manifest)).toEqual(lines(sums))
        expect(yield* inLog(folder, manifest)).toEqual(feesIn(sums))
        expect(yield* inSqlite(yield* fs.makeTempDirectoryScoped(), range)).toEqual(lines(sums))
      }).pipe(Effect.provide([exchange, NodeContext.layer]))
  )
})
