/**
 * Exports a quarter of fills to a Parquet file, and queries it with SQL.
 *
 *     node --import tsx packages/examples/src/parquet.ts
 */
import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { DuckDBInstance } from "@duckdb/node-api"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isMain } from "./main.js"

/** Without it, DuckDB takes up to 80 % of the memory of the machine. */
const memoryLimit = "1GB"

/** Runs a query in a temporary database. */
export const ask = (question: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        Effect.promise(() => DuckDBInstance.create(":memory:", { memory_limit: memoryLimit })),
        (instance) => Effect.sync(() => instance.closeSync())
      )
      const connection = yield* Effect.acquireRelease(
        Effect.promise(() => database.connect()),
        (connection) => Effect.sync(() => connection.closeSync())
      )
      return yield* Effect.promise(async () => (await connection.runAndReadAll(question)).getRowObjectsJson())
    })
  )

/**
 * Exports the fills of the last days and sums them by symbol: traded value, fees, and the maker's share. Decimals are DECIMAL in the file,
 * so the sums are exact.
 */
export const feesBySymbol = (days: number, folder: string) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const to = yield* Clock.currentTimeMillis
    const query = { category: "linear", from: to - days * 86_400_000, to } as const
    const manifest = yield* History.run(History.executions, query, Sink.parquet(folder))
    // A result from half of the rows would look like a complete one.
    if (manifest.verdict !== "complete") return yield* Effect.dieMessage("the export is incomplete")
    const files = manifest.parts.flatMap((part) => part.files.map(({ name }) => `'${path.join(folder, name)}'`))
    const rows = yield* ask(`
      SELECT symbol, count(*)::INTEGER AS fills, sum(execFee)::VARCHAR AS fees, sum(execValue)::VARCHAR AS turnover,
        round(100.0 * count(*) FILTER (isMaker) / count(*))::INTEGER AS makerPercent
      FROM read_parquet([${files.join(", ")}]) WHERE execType = 'Trade' GROUP BY symbol ORDER BY sum(execValue) DESC`)
    return { manifest, rows }
  })

const main = Effect.gen(function* () {
  const folder = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
  const { manifest, rows } = yield* feesBySymbol(90, folder)
  yield* Console.log(`${manifest.rows} rows`)
  yield* Console.table(rows)
}).pipe(Effect.scoped)

if (isMain(import.meta.url)) {
  const exchange = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" })))
  await Effect.runPromise(main.pipe(Effect.provide(Layer.merge(exchange, NodeContext.layer))))
}
