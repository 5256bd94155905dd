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
import { BigDecimal, Clock, Effect, Layer } from "effect"
import { ask, feesBySymbol } from "../src/parquet.js"

const parts = [Part.make(Datasets.executions, { category: "linear" })]
const day = 86_400_000
const lastDays = Effect.map(Clock.currentTimeMillis, (now) => ({ from: now - 5 * day, to: now - day }))

const exchange = Layer.merge(
  Transport.layerStandalone.pipe(Layer.provideMerge(Sandbox.layer({ seed: 3, limits: "off" }))),
  Layer.succeed(Limits.Limits, Limits.none)
)

const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

const linesOf = (file: string) =>
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(file)),
    (text) =>
      text
        .trim()
        .split("\n")
        // The wire's own fields, all of them text or numbers.
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  )

const plain = (text: unknown) => BigDecimal.format(BigDecimal.normalize(BigDecimal.unsafeFromString(String(text))))

describe("an independent reader", () => {
  it.scopedLive("finds the rows of a Parquet file, decimals and instants equal", () =>
    Effect.gen(function* () {
      const range = yield* lastDays
      const path = yield* Path.Path
      const directory = yield* folder
      yield* History.runAll(parts, range, Sink.parquet(path.join(directory, "parquet"), { rowGroup: 200 }))
      yield* History.runAll(parts, range, Sink.ndjson(path.join(directory, "ndjson")))
      const rows = yield* linesOf(path.join(directory, "ndjson", "executions-linear.ndjson"))
      const file = path.join(directory, "parquet", "executions-linear.parquet")
      const types = yield* ask(`DESCRIBE SELECT * FROM '${file}'`)
      const typeOf = Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type]))
      expect(typeOf).toMatchObject({
        execId: "VARCHAR",
        execPrice: "DECIMAL(38,18)",
        execFee: "DECIMAL(38,18)",
        execTime: "TIMESTAMP WITH TIME ZONE",
        isMaker: "BOOLEAN",
        seq: "BIGINT"
      })
      const read = yield* ask(
        `SELECT execId, execPrice::VARCHAR AS price, execFee::VARCHAR AS fee, epoch_ms(execTime)::VARCHAR AS at FROM '${file}'`
      )
      expect(rows.length).toBeGreaterThan(400)
      expect(read.map(({ at, execId, fee, price }) => [execId, plain(price), plain(fee), at])).toEqual(
        rows.map(({ execFee, execId, execPrice, execTime }) => [execId, plain(execPrice), plain(execFee), execTime])
      )
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )

  it.scopedLive("is given the text of a decimal that does not fit, in extra", () =>
    Effect.gen(function* () {
      const range = yield* lastDays
      const path = yield* Path.Path
      const directory = yield* folder
      const rows = ["1.5", "0.1234567890123456789"].map((execPrice, index) => ({
        execId: String(index),
        execPrice,
        execFee: "-0.000000000000000001",
        execTime: String(range.from + index)
      }))
      const [part] = parts
      const odd: Part.Part = {
        ...(part ?? Part.make(Datasets.executions, { category: "linear" })),
        page: ({ from }) => Effect.succeed({ rows: from < range.from ? rows : [], next: "" })
      }
      yield* History.runAll([odd], range, Sink.parquet(directory)).pipe(Effect.provide(exchange))
      const read = yield* ask(
        `SELECT execPrice::VARCHAR AS price, extra, execFee::VARCHAR AS fee FROM '${path.join(directory, "executions-linear.parquet")}'`
      )
      const fee = "-0.000000000000000001"
      expect(read).toEqual([
        { price: "1.500000000000000000", extra: null, fee },
        { price: null, extra: '{"execPrice":"0.1234567890123456789"}', fee }
      ])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("sums up fees by symbol as the rows do", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const directory = yield* folder
      const { manifest, rows } = yield* feesBySymbol(5, path.join(directory, "fees"))
      expect(manifest.rows).toBeGreaterThan(400)
      yield* History.runAll(parts, { from: manifest.from, to: manifest.to }, Sink.ndjson(path.join(directory, "rows")))
      const sums = new Map<unknown, BigDecimal.BigDecimal>()
      for (const { execFee, execType, symbol } of yield* linesOf(
        path.join(directory, "rows", "executions-linear.ndjson")
      )) {
        if (execType !== "Trade") continue
        const fee = BigDecimal.unsafeFromString(String(execFee))
        sums.set(symbol, BigDecimal.sum(sums.get(symbol) ?? BigDecimal.fromBigInt(0n), fee))
      }
      expect(Object.fromEntries(rows.map(({ fees, symbol }) => [symbol, plain(fees)]))).toEqual(
        Object.fromEntries([...sums].map(([symbol, fees]) => [symbol, BigDecimal.format(BigDecimal.normalize(fees))]))
      )
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )
})
