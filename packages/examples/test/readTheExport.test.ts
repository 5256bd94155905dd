/** The queries of docs/read-the-export.md, over an export of the sandbox that was continued. */
import * as Breadth from "@effect-venue/testing/Breadth"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Chunk, Clock, Effect, Layer, Stream } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { ask } from "../src/parquet.js"

const day = 86_400_000

const page = readFileSync(new URL("../../../docs/read-the-export.md", import.meta.url), "utf8")

const queries = Array.from(page.matchAll(/```sql\n([\s\S]*?)```/g), ([, query = ""]) => query)

const [python = ""] = Array.from(page.matchAll(/```python\n([\s\S]*?)```/g), ([, code = ""]) => code)

const hasPackages = spawnSync("python3", ["-c", "import duckdb, pandas, polars, pyarrow"]).status === 0

const exchange = Layer.merge(
  Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" }))),
  Layer.succeed(Limits.Limits, Limits.none)
)

const sinks = {
  parquet: (folder: string) => Sink.parquet(folder),
  "ndjson.gz by month": (folder: string) => Sink.ndjson(folder, { gzip: true, partition: "month" }),
  csv: (folder: string) => Sink.csv(folder)
}

const zero = BigDecimal.fromBigInt(0n)

/** The sum of a column, whose decimals are text. */
const total = (rows: Iterable<Readonly<Record<string, unknown>>>, column: string): string =>
  BigDecimal.format(
    BigDecimal.normalize(
      Array.from(rows).reduce((sum, row) => BigDecimal.sum(sum, BigDecimal.unsafeFromString(String(row[column]))), zero)
    )
  )

/** Closed profits of which each third one has grown when it is read for the second time. */
const growing = (begin: number) => {
  let readings = 0
  const rows = (from: number, to: number): ReadonlyArray<Dataset.Row> =>
    Array.from({ length: 40 }, (_, index) => ({
      symbol: index % 2 === 0 ? "BTCUSDT" : "ETHUSDT",
      orderId: `o-${index}`,
      closedPnl: readings > 1 && index % 3 === 0 ? "2.50" : "-0.1",
      createdTime: String(begin + index * (day / 10)),
      updatedTime: String(begin + index * (day / 10))
    })).filter(({ createdTime }) => Number(createdTime) >= from && Number(createdTime) <= to)
  const part: Part.Part = {
    ...Part.make(Datasets.closedPnl, { category: "linear" }),
    page: ({ from, to }) => Effect.sync(() => ({ rows: rows(from, to), next: "" }))
  }
  return Effect.sync(() => {
    readings += 1
    return part
  })
}

describe("the queries of read-the-export.md", () => {
  it("are about the views", () => {
    expect(queries).toHaveLength(3)
    for (const query of queries) expect(query).toMatch(/FROM "(executions|closed-pnl)-linear"/)
  })

  it.live("have the memory that the page sets, in the shell and in Python", () =>
    Effect.gen(function* () {
      const limits = Array.from(page.matchAll(/memory_limit\W+(\d+GB)/g), ([, limit = ""]) => limit)
      expect(limits).toEqual(["1GB", "1GB"])
      const inForce = (setting = "") => ask(`${setting} SELECT current_setting('memory_limit') AS "limit"`)
      expect(yield* inForce()).toEqual(yield* inForce(`SET memory_limit = '${limits[0]}';`))
    })
  )

  it.scopedLive.each(Breadth.some(Object.entries(sinks), 3, 0))(
    "return the sums of the current records, from %s",
    ([, sink]) =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const now = yield* Clock.currentTimeMillis
        const begin = now - 10 * day
        const closed = growing(begin)
        const night = (to: number) =>
          Effect.gen(function* () {
            const parts = [Part.make(Datasets.executions, { category: "linear" }), yield* closed]
            return yield* History.runAll(parts, { from: begin, to }, sink(folder), {
              incremental: { overlap: "3 days" }
            })
          })
        yield* night(now - 6 * day)
        const manifest = yield* night(now - day)
        for (const { files } of manifest.parts) expect(files.length).toBeGreaterThanOrEqual(2)

        const views = yield* fs.readFileString(path.join(folder, "views.sql"))
        const answers = yield* Effect.forEach(queries, (query) =>
          ask(`SET file_search_path = '${folder}'; ${views} ${query}`)
        )
        const current = yield* Effect.forEach(manifest.parts, (part) =>
          Effect.map(Stream.runCollect(Sink.rows(folder, manifest, part)), Chunk.toReadonlyArray)
        )
        const [byMonth = [], funding = [], profit = []] = answers
        const [executions = [], profits = []] = current
        const feesOf = (type: string) =>
          total(
            executions.filter(({ execType }) => execType === type),
            "execFee"
          )
        expect(total(byMonth, "fees")).toBe(feesOf("Trade"))
        expect(total(byMonth, "fills")).toBe(String(executions.filter(({ execType }) => execType === "Trade").length))
        expect(total(funding, "paid")).toBe(feesOf("Funding"))
        expect([total(profit, "closed"), total(profit, "profit")]).toEqual(["40", total(profits, "closedPnl")])
        // The files have those that have grown twice.
        const stored = manifest.parts[1]?.files.reduce((sum, { rows }) => sum + rows, 0)
        expect(stored).toBeGreaterThan(40)
        expect(byMonth[0]).toMatchObject({ month: expect.stringMatching(/^\d{4}-\d\d$/), symbol: expect.any(String) })
      }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )
})

describe("the coin of a fee in the views", () => {
  it.scopedLive.each(Breadth.some(Object.entries(sinks), 3, 1))(
    "is the one that the fee was paid in, from %s",
    ([, sink]) =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const to = (yield* Clock.currentTimeMillis) - day
        const parts = (["linear", "inverse", "spot"] as const).map((category) =>
          Part.make(Datasets.executions, { category })
        )
        yield* History.runAll(parts, { from: to - 30 * day, to }, sink(folder))
        const views = yield* fs.readFileString(path.join(folder, "views.sql"))
        const coins = (category: string) =>
          Effect.map(
            ask(
              `SET file_search_path = '${folder}'; ${views} SELECT symbol, side, "feeCoin" FROM "executions-${category}" WHERE execFee > 0`
            ),
            (rows) =>
              rows.map(({ feeCoin, side, symbol }) =>
                [symbol, side, feeCoin].map((value) => (typeof value === "string" ? value : ""))
              )
          )
        const [linear, inverse, spot] = yield* Effect.all([coins("linear"), coins("inverse"), coins("spot")])
        expect(Math.min(linear.length, inverse.length, spot.length)).toBeGreaterThan(0)
        for (const [symbol = "", , coin] of linear) expect([symbol, coin]).toEqual([symbol, "USDT"])
        for (const [symbol = "", , coin] of inverse) expect(`${symbol} ${coin}`).toBe(`${symbol} ${symbol.slice(0, 3)}`)
        for (const [symbol = "", side, coin] of spot) {
          expect([symbol, side, coin]).toEqual([symbol, side, side === "Buy" ? symbol.slice(0, -4) : "USDT"])
        }
      }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )
})

describe("the Python of read-the-export.md", () => {
  const title = "reads exact sums into polars and pandas, by month"
  const install = "pip install duckdb polars pandas pyarrow"
  it.scopedLive.skipIf(!hasPackages)(hasPackages ? title : `${title} (${install})`, () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const to = (yield* Clock.currentTimeMillis) - day
      const query = { category: "linear", from: to - 40 * day, to } as const
      const year = path.join(folder, "year")
      const manifest = yield* History.run(Datasets.executions, query, Sink.parquet(year, { partition: "month" }))
      const [part] = manifest.parts
      if (part === undefined) return yield* Effect.dieMessage("no part")
      const rows = Chunk.toReadonlyArray(yield* Stream.runCollect(Sink.rows(year, manifest, part)))
      const trades = rows.filter(({ execType }) => execType === "Trade")
      const sums = [...new Set(trades.map(({ symbol }) => String(symbol)))].sort().map((symbol) => [
        symbol,
        total(
          trades.filter((row) => row.symbol === symbol),
          "execFee"
        )
      ])
      const print = `import json
print(json.dumps([[symbol, format(fee.normalize(), "f")] for symbol, fee in in_polars.iter_rows()]))
print(json.dumps([[symbol, format(fee.normalize(), "f")] for symbol, fee in in_pandas.items()]))`
      const ended = spawnSync("python3", ["-c", `${python}\n${print}`], { cwd: folder, encoding: "utf8" })
      expect(ended.stderr).toBe("")
      expect(
        ended.stdout
          .trim()
          .split("\n")
          .map((line): unknown => JSON.parse(line))
      ).toEqual([sums, sums])
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )
})
