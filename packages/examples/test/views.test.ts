/** The views of exports, whose rows are odd JSON: every format gives the same value for the same row. */
import * as Column from "@effect-venue/history/siblings/Column"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Breadth from "@effect-venue/testing/Breadth"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, FastCheck, Layer } from "effect"
import { ask } from "../src/parquet.js"

const day = 86_400_000

const exchange = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" })))

const sinks: Readonly<Record<string, (folder: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>>> = {
  ndjson: Sink.ndjson,
  "ndjson by month": (folder) => Sink.ndjson(folder, { partition: "month" }),
  "ndjson.gz": (folder) => Sink.ndjson(folder, { gzip: true }),
  csv: Sink.csv,
  "csv for spreadsheets": (folder) => Sink.csv(folder, { spreadsheetSafe: true }),
  parquet: Sink.parquet
}

interface OddRows {
  readonly begin: number
  readonly texts: ReadonlyArray<string>
  /** Other columns of the dataset. */
  readonly columns?: ReadonlyArray<Column.Column>
}

/** Exports rows into a folder, and reads them by its view, in the order of their instants. */
const exported = (sink: Sink.Sink<FileSystem.FileSystem | Path.Path>, { begin, columns, texts }: OddRows) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const dataset = columns === undefined ? Datasets.executions : { ...Datasets.executions, columns }
    const part: Part.Part = {
      ...Part.make(dataset, { category: "linear" }),
      page: ({ from }) => {
        const found = from <= begin ? texts.toReversed() : []
        return Effect.succeed({ rows: found.map((text) => JSON.parse(text) as unknown), texts: found, next: "" })
      }
    }
    const manifest = yield* History.runAll([part], { from: begin, to: begin + day }, sink)
    const views = yield* fs.readFileString(path.join(sink.location, "views.sql"))
    const cells = dataset.columns.map(({ name }) => `"${name}"::VARCHAR AS "${name}"`)
    const rows = yield* ask(
      `SET file_search_path = '${sink.location}'; ${views} SELECT account, category, ${cells.join(", ")}, extra FROM "executions-linear" ORDER BY "executions-linear".execTime`
    )
    return { manifest, rows }
  })

type ViewRow = Readonly<Record<string, unknown>>

/** The column extra as its fields, whatever their spelling. */
const parsed = ({ extra, ...row }: ViewRow): ViewRow => ({
  ...row,
  extra: typeof extra === "string" ? (JSON.parse(extra) as unknown) : extra
})

/** A symbol as JSON spells it, and its cell; null if only `extra` has it. */
const symbols: ReadonlyArray<readonly [json: string, cell: string | null]> = [
  ["BTCUSDT", "BTCUSDT"],
  [String.raw`a\ud83db`, null],
  [String.raw`\uDE80x`, null],
  [String.raw`\ud83d\ud83d\ude80`, null],
  [String.raw`\u0000x`, null],
  [String.raw`a\\ud83d`, String.raw`a\ud83d`],
  [String.raw`a\\\ud83d`, null],
  [String.raw`a\\u0000`, String.raw`a\u0000`],
  ["\u{1f680}", "\u{1f680}"],
  ["\ufdd0#1\ufdd0n", "\ufdd0#1\ufdd0n"],
  [String.raw`\u0001\u0002`, "\u0001\u0002"],
  [String.raw`tab\t'quote'\/`, "tab\t'quote'/"],
  ["=1+1", "=1+1"],
  ["'=quoted", "'=quoted"],
  ["''", "''"],
  [String.raw`\t@x`, "\t@x"],
  ["\uff1d1+1", "\uff1d1+1"]
]

/** Fields of rows, as JSON, that no column has. */
const others = [
  `"other": "${String.raw`\ud83d`}"`,
  `"${String.raw`\ud83d`}": 1`,
  `"nested": {"a": ["${String.raw`\ude80`}", 1.50, -0, {"b\\"": [ ]}]}`,
  `"number": 12345678901234567890.10`
]

const rowOf = (index: number, begin: number, fields: string): string =>
  `{"execId":"e${index}","execTime":"${begin + index * 1000}",${fields}}`

/** Numbers, and texts that are nearly numbers, as JSON. */
const numbers = FastCheck.oneof(
  FastCheck.constantFrom(
    ...["0", "-0", "1.50", "1e3", "2.829e-05", "1E-7", "1e400", "12345678901234567890.5", "1e-400", "true", "null"],
    ...["[]", "[1.0]", '{"a":1e2}', '""', '"NaN"', '"Infinity"', '" 1.5 "', '"1_000"', '"0x10"', '"1,234.5"', '"true"'],
    ...['"+1.50"', '".5"', '"5."', '"."', '"-"', '"e5"', '"1e"', '"000.100"', '"1e999"', '"1e1000"', '"-1E+3"', '"t"'],
    ...[
      "9223372036854775807",
      "9223372036854775808",
      "-9223372036854775808",
      '"99999999999999999999.999999999999999999"'
    ],
    ...[
      '"253402300799999"',
      '"253402300800000"',
      "-62135596800000",
      '"-62135596800001"',
      '"9007199254740993"',
      '"1.0"'
    ],
    ...['"1700000000000.5"', '"1.7e12"', "1700000000", '"99999999999"', '"100000000000"']
  ),
  FastCheck.tuple(
    FastCheck.constantFrom("", "-", "+"),
    FastCheck.stringMatching(/^[0-9]{0,25}$/),
    FastCheck.stringMatching(/^(|[.][0-9]{0,25})$/),
    FastCheck.stringMatching(/^(|[eE][+-]?[0-9]{1,2})$/)
  ).map((pieces) => `"${pieces.join("")}"`),
  FastCheck.tuple(
    FastCheck.integer({ min: -99, max: 99 }),
    FastCheck.stringMatching(/^([.][0-9]{1,22})?(e-?[0-9]{1,2})?$/)
  ).map((pieces) => pieces.join(""))
)

/** Columns of all kinds, and those that every view of executions needs. */
const oddColumns = Column.make(Column.Kind.literals.map((kind) => [`a ${kind}`, kind] as const))
const columns = [
  ...Column.make([
    ["execId", "text"],
    ["execTime", "millis"],
    ["symbol", "text"]
  ] as const),
  ...oddColumns
]

const rows = FastCheck.array(
  FastCheck.record(Object.fromEntries(oddColumns.map(({ name }) => [name, numbers])), { requiredKeys: [] }),
  { minLength: 40, maxLength: 40 }
)

describe("the views of an export", () => {
  it.scopedLive.each(Object.entries(sinks))("have texts and fields that few programs accept, from %s", ([, sink]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const begin = (yield* Clock.currentTimeMillis) - 3 * day
      const fields = [
        ...symbols.map(([json]) => `"symbol":"${json}","execFee":"+1.5"`),
        ...others.map((other) => `"symbol":"OTHER","execFee":"+1.5",${other}`)
      ]
      const texts = fields.map((each, index) => rowOf(index, begin, each))
      const { manifest, rows } = yield* exported(sink(folder), { texts, begin })
      expect(rows.map(({ execFee }) => execFee)).toEqual(texts.map(() => "1.500000000000000000"))
      for (const [index, [json, cell]] of symbols.entries()) {
        expect(rows[index]).toMatchObject({ symbol: cell, extra: cell === null ? `{"symbol":"${json}"}` : null })
      }
      const compact = others.map((other) => `{${other.replaceAll(/("(?:[^"\\]|\\.)*")|\s/g, "$1")}}`)
      expect(rows.slice(symbols.length).map(({ extra }) => extra)).toEqual(compact)
      const unfit = symbols.filter(([, cell]) => cell === null).length
      expect(manifest.parts[0]?.files.map(({ inExtra }) => inExtra)).toEqual([{ symbol: unfit }])
      expect((yield* Verify.verify(folder)).findings).toEqual([])
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )

  it.scopedLive("give the same value for the same row in every format", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const begin = (yield* Clock.currentTimeMillis) - 3 * day
      for (const [run, sample] of FastCheck.sample(rows, Breadth.repeats(20, 3)).entries()) {
        const texts = sample.map((fields, index) =>
          rowOf(
            index,
            begin,
            Object.entries(fields)
              .map(([name, value]) => `"${name}": ${value}`)
              .join(",") || `"other": ""`
          )
        )
        const read = yield* Effect.forEach(Object.values(sinks), (sink) =>
          Effect.gen(function* () {
            const folder = yield* fs.makeTempDirectoryScoped()
            const { manifest, rows } = yield* exported(sink(folder), { texts, begin, columns })
            return { rows: rows.map(parsed), inExtra: manifest.parts[0]?.files.map(({ inExtra }) => inExtra) }
          })
        )
        const [first, ...rest] = read
        expect(first?.rows).toHaveLength(texts.length)
        for (const [index, each] of rest.entries())
          expect(each, `run ${run}, ${Object.keys(sinks)[index + 1]}`).toEqual(first)
      }
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )
})
