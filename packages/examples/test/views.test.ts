/** The views of exports whose rows are odd JSON. */
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
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

/** Symbols as JSON spells them, and as the views of NDJSON show them. A table leaves half a pair to the column extra. */
const symbols: ReadonlyArray<readonly [json: string, shown: string]> = [
  ["BTCUSDT", "BTCUSDT"],
  [String.raw`a\ud83db`, "a\ufffdb"],
  [String.raw`\uDE80x`, "\ufffdx"],
  [String.raw`x\ud83d`, "x\ufffd"],
  [String.raw`\ud83d\ud83d\ude80`, "\ufffd\u{1f680}"],
  [String.raw`\ud83d\ude80\ude80`, "\u{1f680}\ufffd"],
  [String.raw`a\\ud83d`, String.raw`a\ud83d`],
  [String.raw`a\\\ud83d`, "a\\\ufffd"],
  [String.raw`a\\\\ud83d\"\ud83d`, `a\\\\ud83d"\ufffd`],
  ["\u{1f680}", "\u{1f680}"],
  [String.raw`\u0001\u0002`, "\u0001\u0002"],
  [String.raw`tab\t'quote'`, "tab\t'quote'"],
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
  `"nested": {"a": ["${String.raw`\ude80`}"]}`
]

const textsOf = (begin: number, withHalves: boolean): ReadonlyArray<string> => {
  const isWhole = (json: string) => !/\\u[dD]/.test(json)
  const rows = [...symbols.map(([json]) => [json, `"other": 1`]), ...others.map((other) => ["OTHER", other])]
  return rows
    .filter(([symbol = "", other = ""]) => withHalves || (isWhole(symbol) && isWhole(other)))
    .map(
      ([symbol, other], index) =>
        `{"symbol":"${symbol}","execId":"e${index}","execFee":"+1.5","isMaker":true,"execTime":"${begin + index * 1000}",${other}}`
    )
}

const exported = (sink: Sink.Sink<FileSystem.FileSystem | Path.Path>, withHalves: boolean) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const begin = (yield* Clock.currentTimeMillis) - 3 * day
    const texts = textsOf(begin, withHalves)
    const part: Part.Part = {
      ...Part.make(Datasets.executions, { category: "linear" }),
      page: ({ from }) => {
        const found = from <= begin ? texts.toReversed() : []
        return Effect.succeed({ rows: found.map((text) => JSON.parse(text) as unknown), texts: found, next: "" })
      }
    }
    const manifest = yield* History.runAll([part], { from: begin, to: begin + day }, sink)
    const views = yield* fs.readFileString(path.join(sink.location, "views.sql"))
    const rows = yield* ask(
      `SET file_search_path = '${sink.location}'; ${views} SELECT *, execFee::VARCHAR AS fee FROM "executions-linear" ORDER BY execTime`
    )
    return { manifest, rows, views, texts }
  })

describe("the views of an export", () => {
  it.scopedLive.each(Object.entries(sinks))("have a row with half of a surrogate pair, from %s", ([name, sink]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const { manifest, rows, texts } = yield* exported(sink(folder), true)
      expect(manifest.rows).toBe(texts.length)
      expect(rows).toHaveLength(texts.length)
      for (const row of rows) expect(row).toMatchObject({ fee: "1.500000000000000000", isMaker: true })
      for (const [index, [, shown]] of symbols.entries()) {
        const isWhole = !shown.includes("\ufffd")
        if (name.startsWith("ndjson") || isWhole) expect(rows[index]?.symbol).toBe(shown)
        else expect(rows[index]?.extra).toContain(`"symbol":"${symbols[index]?.[0]}"`)
      }
      const halves = symbols.filter(([, shown]) => shown.includes("\ufffd")).length
      expect(manifest.parts[0]?.files[0]).toMatchObject(
        name.startsWith("ndjson") ? { escapedSurrogates: true } : { inExtra: { symbol: halves } }
      )
      expect((yield* Verify.verify(folder)).findings).toEqual([])
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )

  it.scopedLive("read JSON as such if no row has an escaped surrogate", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { manifest, rows, texts, views } = yield* exported(Sink.ndjson(yield* fs.makeTempDirectoryScoped()), false)
      expect(rows).toHaveLength(texts.length)
      expect(manifest.parts[0]?.files[0]?.escapedSurrogates).toBeUndefined()
      expect(views).toContain("read_json(")
    }).pipe(Effect.provide(exchange), Effect.provide(NodeContext.layer))
  )
})
