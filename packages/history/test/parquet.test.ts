import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import { DuckDBInstance } from "@duckdb/node-api"
import { Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect } from "effect"
import { day, exchange, folder, linesOf, onThatDay, settle, today } from "./utils/world.js"

const parts = [Part.make(Datasets.executions, { category: "linear" })]
const range = { from: today - 8 * day, to: today - day }

const plain = (text: unknown) => BigDecimal.format(BigDecimal.normalize(BigDecimal.unsafeFromString(String(text))))

const asked = (query: string) =>
  Effect.promise(async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect()
    return (await connection.runAndReadAll(query)).getRowObjectsJson()
  })

describe("an independent reader", () => {
  it.scoped("finds the rows of a Parquet file, decimals and instants equal", () =>
    onThatDay(
      Effect.gen(function* () {
        const path = yield* Path.Path
        const directory = yield* folder
        yield* settle(History.runAll(parts, range, Sink.parquet(path.join(directory, "parquet"), { rowGroup: 200 })))
        yield* settle(History.runAll(parts, range, Sink.ndjson(path.join(directory, "ndjson"))))
        const rows = yield* linesOf(path.join(directory, "ndjson", "executions-linear.ndjson"))
        const file = path.join(directory, "parquet", "executions-linear.parquet")
        const types = yield* asked(`DESCRIBE SELECT * FROM '${file}'`)
        const typeOf = Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type]))
        expect(typeOf).toMatchObject({
          execId: "VARCHAR",
          execPrice: "DECIMAL(38,18)",
          execFee: "DECIMAL(38,18)",
          execTime: "TIMESTAMP WITH TIME ZONE",
          isMaker: "BOOLEAN",
          seq: "BIGINT"
        })
        const read = yield* asked(
          `SELECT execId, execPrice::VARCHAR AS price, execFee::VARCHAR AS fee, epoch_ms(execTime)::VARCHAR AS at FROM '${file}'`
        )
        expect(rows.length).toBeGreaterThan(400)
        expect(read.map(({ at, execId, fee, price }) => [execId, plain(price), plain(fee), at])).toEqual(
          rows.map(({ execFee, execId, execPrice, execTime }) => [execId, plain(execPrice), plain(execFee), execTime])
        )
      }).pipe(Effect.provide(exchange()))
    ).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("is given text where a decimal does not fit", () =>
    Effect.gen(function* () {
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
      yield* onThatDay(History.runAll([odd], range, Sink.parquet(directory)).pipe(Effect.provide(exchange())))
      const read = yield* asked(
        `SELECT execPrice, execFee::VARCHAR AS fee FROM '${path.join(directory, "executions-linear.parquet")}'`
      )
      expect(read).toEqual(rows.map(({ execFee, execPrice }) => ({ execPrice, fee: execFee })))
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
