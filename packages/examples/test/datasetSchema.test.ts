/** The schemas of datasets, over an export of everything that the sandbox has. */
import * as Datasets from "@effect-venue/history/Datasets"
import * as DatasetSchema from "@effect-venue/history/DatasetSchema"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Clock, Effect, Layer } from "effect"
import { ask } from "../src/parquet.js"

const day = 86_400_000

const exchange = Layer.merge(
  Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" }))),
  Layer.succeed(Limits.Limits, Limits.none)
)

const parts = [
  ...(["linear", "spot"] as const).flatMap((category) => [
    Part.make(Datasets.executions, { category }),
    Part.make(Datasets.orderHistory, { category })
  ]),
  Part.make(Datasets.preUpgradeExecutions, { category: "linear" }),
  Part.make(Datasets.closedPnl, { category: "linear" }),
  Part.make(Datasets.preUpgradeClosedPnl, { category: "linear" }),
  Part.make(Datasets.deposits, {}),
  Part.make(Datasets.transfers, {}),
  Part.make(Datasets.subAccountTransfers, {}),
  Part.make(Datasets.bonusUsage, {}),
  Part.make(Datasets.brokerVolume, {})
]

/** Exports twenty days into a folder. */
const exported = (sink: (folder: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const to = (yield* Clock.currentTimeMillis) - day
    return { folder, manifest: yield* History.runAll(parts, { from: to - 20 * day, to }, sink(folder)) }
  }).pipe(Effect.provide(exchange))

// The formats are hints for readers, which no validator knows.
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })

const fieldsOf = (dataset: Parameters<typeof DatasetSchema.jsonSchema>[0]) =>
  DatasetSchema.jsonSchema(dataset).properties as Readonly<Record<string, Readonly<Record<string, string>>>>

const { amount } = fieldsOf(Datasets.deposits)
const meaningOfAmount = `${amount?.description ?? ""}. Unit: ${amount?.["x-unit"] ?? ""}`

const validators = new Map(
  Datasets.datasets.map((dataset) => [dataset.name, ajv.compile(DatasetSchema.jsonSchema(dataset))])
)

describe("the schema of a dataset", () => {
  it("has the columns of the dataset in their order, each with its meaning", () => {
    for (const dataset of Datasets.datasets) {
      const fields = Object.entries(fieldsOf(dataset))
      expect(fields.map(([name]) => name)).toEqual(dataset.columns.map(({ name }) => name))
      for (const [name, { description }] of fields) expect(description, `${dataset.name} ${name}`).toMatch(/\w/)
    }
  })

  it.scopedLive("is fitted by every row of an export, and by no row without its id or with an amount as number", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const fs = yield* FileSystem.FileSystem
      const { folder, manifest } = yield* exported(Sink.ndjson)
      const filled = new Set<string>()
      for (const { dataset, files } of manifest.parts) {
        const validate = validators.get(dataset)
        const text = yield* fs.readFileString(path.join(folder, files[0]?.name ?? ""))
        for (const line of text.trimEnd().split("\n").filter(Boolean)) {
          filled.add(dataset)
          expect(validate?.(JSON.parse(line)), `${dataset} ${line} ${ajv.errorsText(validate?.errors)}`).toBe(true)
        }
      }
      expect(filled.size).toBeGreaterThan(6)
      const execution = { symbol: "BTCUSDT", orderId: "o", side: "Buy", execId: "e", execFee: "0.1", execPrice: "1" }
      const whole = { ...execution, execQty: "1", execTime: "1780000000000" }
      const validate = validators.get("executions")
      expect(validate?.(whole)).toBe(true)
      expect(validate?.({ ...whole, execId: undefined })).toBe(false)
      expect(validate?.({ ...whole, execFee: 0.1 })).toBe(false)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("is a table of DuckDB that takes the rows of every format", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const fs = yield* FileSystem.FileSystem
      const sums: Array<unknown> = []
      for (const sink of [Sink.parquet, Sink.csv, Sink.ndjson]) {
        const { folder, manifest } = yield* exported((folder) => sink(folder))
        const views = yield* fs.readFileString(path.join(folder, "views.sql"))
        const tables = Datasets.datasets.map((dataset) => DatasetSchema.createTable(dataset, "duckdb"))
        const loads = manifest.parts.map(
          ({ dataset, name }) =>
            `INSERT INTO "${dataset.replaceAll("-", "_")}" BY NAME SELECT * FROM memory.main."${name}";`
        )
        const count = Datasets.datasets.map(
          ({ name }) => `(SELECT count(*) FROM "${name.replaceAll("-", "_")}")::INTEGER`
        )
        const [row] = yield* ask(
          `SET file_search_path = '${folder}'; ${views} CREATE SCHEMA books; USE books; ${tables.join("")} ${loads.join("\n")}
          SELECT sum("execFee")::VARCHAR AS fees, max("execTime") > TIMESTAMP '2020-01-01' AS isRecent,
            ${count.join(" + ")} AS rows,
            (SELECT comment FROM duckdb_columns() WHERE schema_name = 'books' AND table_name = 'deposits' AND column_name = 'amount') AS meaning
          FROM executions`
        )
        expect(row).toMatchObject({ isRecent: true, rows: manifest.rows, meaning: meaningOfAmount })
        sums.push(row?.fees)
      }
      expect(new Set(sums).size).toBe(1)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
