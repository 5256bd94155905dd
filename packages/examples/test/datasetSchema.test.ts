/** The schemas of datasets and the messages of a tap, over everything that the sandbox has. */
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as DatasetSchema from "@effect-venue/history/siblings/DatasetSchema"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Singer from "@effect-venue/history/Singer"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Chunk, Clock, Effect, Layer, Stream } from "effect"
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

const lastDays = (days: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ from: now - (days + 1) * day, to: now - day }))

/** The days in which the sandbox has rows of most datasets. */
const mostDatasets = lastDays(20)

/** Exports into a folder. */
const exported = (sink: (folder: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>, range = mostDatasets) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    return { folder, manifest: yield* History.runAll(parts, yield* range, sink(folder)) }
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

  it.scopedLive("is a table of DuckDB that takes the rows of typed and of textual files", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const fs = yield* FileSystem.FileSystem
      const sums: Array<unknown> = []
      for (const sink of [Sink.parquet, Sink.csv]) {
        const { folder, manifest } = yield* exported((folder) => sink(folder), lastDays(5))
        const views = yield* fs.readFileString(path.join(folder, "views.sql"))
        const tables = Datasets.datasets.map((dataset) => DatasetSchema.createTable(dataset, "duckdb"))
        const loads = manifest.parts.map(({ dataset, name }) => {
          // The view has the coin of the fee, which is no column of the dataset.
          const columns = dataset.endsWith("executions") ? '* EXCLUDE ("feeCoin")' : "*"
          return `INSERT INTO "${dataset.replaceAll("-", "_")}" BY NAME SELECT ${columns} FROM memory.main."${name}";`
        })
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

/** The types that BigQuery has, with what stands behind BIGNUMERIC here: at most 38 digits more than the scale. */
const typeOfBigQuery = /^(?:BIGNUMERIC\(38, 18\)|BOOL|INT64|STRING|TIMESTAMP)$/

const literal = /'((?:[^'\\\n]|\\['\\])*)'/.source

describe("the SQL for BigQuery", () => {
  it.each(Datasets.datasets.map((dataset) => [dataset.name, dataset] as const))(
    "of %s has names, types and descriptions within the limits of BigQuery",
    (_, dataset) => {
      const [head = "", ...lines] = DatasetSchema.createTable(dataset, "bigquery").trimEnd().split("\n")
      expect(head).toBe(`CREATE TABLE \`${dataset.name.replaceAll("-", "_")}\` (`)
      const last = lines.pop() ?? ""
      expect(new RegExp(`^OPTIONS\\(description = ${literal}\\);$`).exec(last)?.[1]?.length).toBeLessThan(16_384)
      expect(lines.pop()).toBe(")")
      const definition = new RegExp(
        `^  \`([A-Za-z_][A-Za-z0-9_]{0,299})\` (.+) OPTIONS\\(description = ${literal}\\)(,?)$`
      )
      const columns = lines.map((line) => definition.exec(line) ?? expect.fail(line))
      for (const [, name = "", type = "", description = ""] of columns) {
        expect(type, name).toMatch(typeOfBigQuery)
        expect(description.length, name).toBeLessThanOrEqual(1024)
      }
      expect(columns.map(([, , , , comma]) => comma)).toEqual([...columns.slice(1).map(() => ","), ""])
      // Names of columns differ in more than case.
      const names = columns.map(([, name = ""]) => name.toLowerCase())
      expect([...new Set(names)]).toEqual(
        ["account", "category", ...dataset.columns.map(({ name }) => name), "extra"].map((name) => name.toLowerCase())
      )
    }
  )
})

const text = { type: "string", minLength: 1 }

const texts = { type: "array", items: text }

/** The messages as Singer's specification describes them. */
const isMessage = new Ajv({ allErrors: true }).compile({
  type: "object",
  required: ["type"],
  oneOf: [
    {
      required: ["stream", "schema", "key_properties"],
      additionalProperties: false,
      properties: {
        ...{ type: { const: "SCHEMA" }, stream: text, key_properties: texts, bookmark_properties: texts },
        schema: { type: "object", required: ["type", "properties"], properties: { type: { const: "object" } } }
      }
    },
    {
      required: ["stream", "record"],
      additionalProperties: false,
      properties: {
        ...{ type: { const: "RECORD" }, stream: text, record: { type: "object" } },
        ...{ version: { type: "integer" }, time_extracted: text }
      }
    },
    {
      required: ["value"],
      additionalProperties: false,
      properties: { type: { const: "STATE" }, value: { type: "object" } }
    }
  ]
})

/** A catalog as Singer's specification describes it. */
const isCatalogEntry = new Ajv({ allErrors: true }).compile({
  type: "object",
  required: ["stream", "tap_stream_id", "schema", "metadata"],
  properties: {
    ...{ stream: text, tap_stream_id: text, schema: { type: "object" }, key_properties: texts },
    metadata: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["metadata", "breadcrumb"],
        properties: { metadata: { type: "object" }, breadcrumb: texts }
      }
    }
  }
})

/** Validates records: targets use draft 7 and these formats. */
const recordValidator = new Ajv({
  allErrors: true,
  formats: {
    "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    "singer.decimal": /^-?\d+(?:\.\d+)?$/
  }
})

describe("the messages of a tap", () => {
  it.live("are messages of Singer's specification, and every record fits the schema of its stream", () =>
    Effect.gen(function* () {
      const range = yield* mostDatasets
      const all = Chunk.toReadonlyArray(
        yield* Stream.runCollect(
          Stream.flattenIterables(
            Singer.tap(parts, { ...range, onIncomplete: () => Effect.dieMessage("rows are missing") })
          )
        )
      )
      const streams = new Map<string, ReturnType<typeof recordValidator.compile>>()
      const counts = new Map<string, number>()
      for (const message of all) {
        expect(isMessage(message), `${JSON.stringify(message)} ${ajv.errorsText(isMessage.errors)}`).toBe(true)
        if (message.type === "SCHEMA") streams.set(message.stream, recordValidator.compile(message.schema as object))
        if (message.type !== "RECORD") continue
        const validate = streams.get(message.stream)
        counts.set(message.stream, (counts.get(message.stream) ?? 0) + 1)
        const found = validate?.(message.record)
        expect(found, `${message.stream} ${ajv.errorsText(validate?.errors)}`).toBe(true)
      }
      expect([...streams.keys()]).toEqual(parts.map(({ name }) => name))
      expect(counts.size).toBeGreaterThan(6)
      expect(all.at(-1)?.type).toBe("STATE")
    }).pipe(Effect.provide(exchange))
  )

  it("describe each column by its meaning, in the schema and in the catalog", () => {
    for (const dataset of Datasets.datasets) {
      const part = Part.make(dataset as unknown as typeof Datasets.deposits, {})
      const { key_properties, schema } = Singer.schema(part)
      const { properties } = schema as {
        readonly properties: Readonly<Record<string, { readonly description: string }>>
      }
      for (const [name, { description }] of Object.entries(properties)) {
        expect(description, `${dataset.name} ${name}`).toMatch(/\w/)
      }
      expect(Object.keys(properties)).toEqual(expect.arrayContaining([...key_properties]))
      const entry = Singer.catalogEntry(part)
      expect(isCatalogEntry(entry), ajv.errorsText(isCatalogEntry.errors)).toBe(true)
      expect(entry.schema).toEqual(schema)
    }
  })
})
