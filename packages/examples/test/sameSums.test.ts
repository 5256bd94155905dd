/** An export by month, loaded into DuckDB by its views and into Postgres by the SQL of `venue schema`: the same sums everywhere. */
import * as Datasets from "@effect-venue/history/Datasets"
import * as DatasetSchema from "@effect-venue/history/DatasetSchema"
import * as History from "@effect-venue/history/History"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as Reader from "@effect-venue/history/Reader"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Servers from "@effect-venue/testing/Servers"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Clock, Effect, Layer, Stream } from "effect"
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { ask } from "../src/parquet.js"

const day = 86_400_000
const days = process.env.VENUE_TESTS === "long" ? 365 : 40

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

/** Lines `part month rows sum`, decimals without zeros at their end. */
const lines = (rows: Iterable<readonly [part: string, month: string, rows: number, sum: BigDecimal.BigDecimal]>) =>
  Array.from(rows, ([part, month, rows, sum]) =>
    [part, month, rows, BigDecimal.format(BigDecimal.normalize(sum))].join(" ")
  ).sort()

const parsed = (part: string, month: string, rows: string, sum: string) =>
  [part, month, Number(rows), BigDecimal.unsafeFromString(sum)] as const

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Of the rows as they were exported. */
const inRows = (folder: string, manifest: Manifest.Manifest) =>
  Effect.gen(function* () {
    const sums = new Map<string, readonly [string, string, number, BigDecimal.BigDecimal]>()
    for (const part of manifest.parts) {
      const [amount = "", instant = ""] = columns[part.dataset] ?? []
      yield* Stream.runForEach(Reader.rows(folder, manifest, part), (row) =>
        Effect.sync(() => {
          const at = Number(row[instant])
          const month = new Date(at < 1e11 ? at * 1000 : at).toISOString().slice(0, 7)
          const [, , rows, sum] = sums.get(`${part.name} ${month}`) ?? ["", "", 0, BigDecimal.fromBigInt(0n)]
          const added = BigDecimal.sum(sum, BigDecimal.unsafeFromString(String(row[amount])))
          sums.set(`${part.name} ${month}`, [part.name, month, rows + 1, added])
        })
      )
    }
    return lines(sums.values())
  })

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
    `are the same in its rows, DuckDB and ${server.label}${psql}`,
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const to = (yield* Clock.currentTimeMillis) - day
        const sink = Sink.csv(folder, { partition: "month" })
        const manifest = yield* History.runAll(parts, { from: to - days * day, to }, sink).pipe(
          Effect.provide(exchange)
        )
        expect(manifest.verdict).toBe("complete")
        expect((yield* Verify.verify(folder)).findings).toEqual([])
        const expected = yield* inRows(folder, manifest)
        expect(expected.length).toBeGreaterThan(2 * 5)
        expect(yield* inDuckDb(folder, manifest)).toEqual(expected)
        expect(inPostgres(folder, manifest)).toEqual(expected)
      }).pipe(Effect.provide(NodeContext.layer))
  )
})
