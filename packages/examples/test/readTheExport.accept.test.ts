/** The queries of docs/read-the-export.md, over an export of the sandbox. */
import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Clock, Effect, Layer, Stream } from "effect"
import { readFileSync } from "node:fs"
import { ask } from "../src/parquet.js"

const day = 86_400_000

const page = readFileSync(new URL("../../../docs/read-the-export.md", import.meta.url), "utf8")

const queries = Array.from(page.matchAll(/```sql\n([\s\S]*?)```/g), ([, query = ""]) => query)

const parts = [
  Part.make(Datasets.executions, { category: "linear" }),
  Part.make(Datasets.closedPnl, { category: "linear" })
]

const exchange = Layer.merge(
  Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" }))),
  Layer.succeed(Limits.Limits, Limits.none)
)

const zero = BigDecimal.fromBigInt(0n)

/** The sum of a column of answers, whose decimals are text. */
const total = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>, column: string): string =>
  BigDecimal.format(
    BigDecimal.normalize(
      rows.reduce((sum, row) => BigDecimal.sum(sum, BigDecimal.unsafeFromString(String(row[column]))), zero)
    )
  )

describe("the queries of read-the-export.md", () => {
  it.scopedLive("return the sums of the records, from Parquet, NDJSON and CSV alike", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const range = { from: now - 30 * day, to: now - day }
      const folder = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
      for (const sink of [Sink.parquet, Sink.ndjson, Sink.csv]) {
        yield* History.runAll(
          parts,
          range,
          sink(`${folder}/${sink === Sink.parquet ? "parquet" : sink === Sink.csv ? "csv" : "ndjson"}`)
        )
      }
      const answers = yield* Effect.forEach(queries, (query) =>
        ask(query.replaceAll(/'year\/([^']*)\.(parquet|ndjson|csv)'/g, `'${folder}/$2/$1.$2'`))
      )
      const feesOf = (type: string) =>
        History.stream(History.executions, { category: "linear", ...range }, { side: "domain" }).pipe(
          Stream.filter(({ execType }) => execType._tag === "Some" && execType.value === type),
          Stream.runFold(zero, (sum, { execFee }) => BigDecimal.sum(sum, execFee)),
          Effect.map((sum) => BigDecimal.format(BigDecimal.normalize(sum)))
        )
      const [byMonth = [], funding = [], profit = [], ndjson = [], csv = []] = answers
      const fees = yield* feesOf("Trade")
      expect(queries).toHaveLength(5)
      expect(total(byMonth, "fees")).toBe(fees)
      expect(total(ndjson, "fees")).toBe(fees)
      expect(total(csv, "fees")).toBe(fees)
      expect(total(funding, "paid")).toBe(yield* feesOf("Funding"))
      expect(profit.length).toBeGreaterThan(1)
      expect(byMonth[0]).toMatchObject({ month: expect.stringMatching(/^\d{4}-\d\d$/), symbol: expect.any(String) })
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )
})
