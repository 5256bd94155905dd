import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Option, Stream } from "effect"
import { parquetMetadata, parquetReadObjects } from "hyparquet"
import { createHash } from "node:crypto"
import { begin, part as scriptedPart } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchange, folder, onThatDay, today, transportOf, withFiles } from "./utils/world.js"

const range = { from: today - 9 * day, to: today - day }

/** Texts, and the cells of them that no spreadsheet evaluates. */
const safeCells = {
  "=1+1": "'=1+1",
  "+1": "'+1",
  "@SUM(A1)": "'@SUM(A1)",
  "-cmd": "'-cmd",
  "-1-1": "'-1-1",
  "'=quoted": "''=quoted",
  "''": "''",
  "\tx": "'\tx",
  "\rx": "'\rx",
  "\n=x": "'\n=x",
  "\uff1d1+1": "'\uff1d1+1",
  plain: "plain",
  "a=1": "a=1",
  "-0.5": "-0.5",
  "-2.5e-7": "-2.5e-7",
  "-.5": "-.5"
}

const orderLinkIds = Object.keys(safeCells)

const orders = orderLinkIds.map((orderLinkId, index) => ({
  orderId: `order-${index}`,
  orderLinkId,
  createdTime: String(range.from + index * 1000)
}))

/** A part of an account, which has these rows. */
const part = Effect.map(transportOf("main"), (transport) => ({
  ...Part.make(Datasets.orderHistory, { category: "linear" }, { name: "desk", transport }),
  page: ({ from }: Dataset.Ask) =>
    Effect.succeed({ rows: from < range.from ? orders.toReversed() : [], next: "" } satisfies Dataset.Page),
  pending: Effect.succeed([])
}))

const exported = (sink: (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const directory = yield* folder
    const manifest = yield* settle(History.runAll([yield* part], range, sink(directory)))
    const [section] = manifest.parts
    if (section === undefined) return yield* Effect.dieMessage("no part")
    const rows = yield* Stream.runCollect(Sink.rows(directory, manifest, section))
    const { findings } = yield* Verify.verify(directory)
    return {
      file: path.join(directory, section.files[0]?.name ?? ""),
      ids: Chunk.toReadonlyArray(rows).map(({ orderLinkId }) => orderLinkId),
      findings
    }
  }).pipe(Effect.provide(exchange({ prices: "still" })), onThatDay)

/** The SHA-256 of rows as NDJSON. */
const digestOf = (rows: ReadonlyArray<unknown>): string =>
  createHash("sha256")
    .update(rows.map((row) => `${JSON.stringify(row)}\n`).join(""))
    .digest("hex")

describe("rows in tables", () => {
  it("have names for account and category that no dataset has", () => {
    for (const { columns } of Datasets.datasets) {
      expect(columns.map(({ name }) => name)).not.toContain("account")
      expect(columns.map(({ name }) => name)).not.toContain("category")
    }
  })

  withFiles("contain account and category (csv)", function* () {
    const fs = yield* FileSystem.FileSystem
    const { file, findings, ids } = yield* exported(Sink.csv)
    const [header, first] = (yield* fs.readFileString(file)).split("\r\n")
    expect(header).toMatch(/^account,category,orderId,orderLinkId,/)
    expect(first).toMatch(/^desk,linear,order-0,=1\+1,/)
    expect([ids, findings]).toEqual([orderLinkIds, []])
  })

  withFiles("contain account and category (parquet)", function* () {
    const fs = yield* FileSystem.FileSystem
    const { file, findings, ids } = yield* exported(Sink.parquet)
    const bytes = yield* fs.readFile(file)
    const rows = yield* Effect.promise(() => parquetReadObjects({ file: Uint8Array.from(bytes).buffer }))
    expect(rows.map(({ account, category }) => [account, category])).toEqual(orders.map(() => ["desk", "linear"]))
    expect([ids, findings]).toEqual([orderLinkIds, []])
  })

  withFiles("are protected against formulas on request, and read back unchanged", function* () {
    const fs = yield* FileSystem.FileSystem
    const { file, findings, ids } = yield* exported((directory) => Sink.csv(directory, { spreadsheetSafe: true }))
    const cells = (yield* fs.readFileString(file))
      .split("\r\n")
      .slice(1, -1)
      .map((line) => /^desk,linear,order-\d+,(?:"([^"]*)"|([^,]*)),/.exec(line)?.slice(1).join(""))
    expect(cells).toEqual(Object.values(safeCells))
    expect([ids, findings]).toEqual([orderLinkIds, []])
  })

  withFiles("of Parquet have the same types for any content, and no value is lost", function* () {
    const fs = yield* FileSystem.FileSystem
    const long = "0.1234567890123456789012345"
    const typesOf = (fees: ReadonlyArray<unknown>) =>
      Effect.gen(function* () {
        const directory = yield* folder
        const rows = fees.map((execFee, index) => ({ execId: `e${index}`, execTime: String(begin + index), execFee }))
        const page = ({ from }: Dataset.Ask) => ({ rows: from < begin ? rows : [], next: "" })
        const scripted = {
          ...scriptedPart(Datasets.executions, { category: "linear" }, { page }),
          account: Option.none()
        }
        const range = { from: begin - 1, to: begin + day }
        const { parts } = yield* settle(History.runAll([scripted], range, Sink.parquet(directory))).pipe(onThatDay)
        const [section] = parts
        const file = section?.files[0]
        if (section === undefined || file === undefined) return yield* Effect.dieMessage("no file")
        const bytes = Uint8Array.from(yield* fs.readFile(`${directory}/${file.name}`)).buffer
        const read = yield* Stream.runCollect(Sink.rows(directory, { format: "parquet" }, section))
        const cells = yield* Effect.promise(() => parquetReadObjects({ file: bytes }))
        const metadata = parquetMetadata(bytes)
        const { columns: stated, ...facts } = Object.fromEntries(
          (metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value])
        )
        return {
          types: metadata.schema.map(({ name, converted_type, type }) => [name, type, converted_type]),
          facts,
          digest: digestOf(rows),
          columns: [section.columns, JSON.parse(stated ?? "null")],
          accounts: cells.map(({ account }) => account),
          fees: Chunk.toReadonlyArray(read).map(({ execFee }) => execFee),
          inExtra: file.inExtra
        }
      })
    const plain = yield* typesOf(["1.5", "-0.25"])
    const odd = yield* typesOf(["1.5", long, "many"])
    expect(odd.types).toEqual(plain.types)
    const columns = Datasets.executions.columns.map(({ kind, name }) => ({ name, kind }))
    expect([plain.columns, odd.columns]).toEqual([
      [columns, columns],
      [columns, columns]
    ])
    for (const { digest, facts } of [plain, odd]) {
      expect(facts).toEqual({
        export: "executions-main-linear",
        dataset: "executions",
        account: "1001",
        category: "linear",
        range: `${new Date(begin - 1).toISOString()}/${new Date(begin + day).toISOString()}`,
        version: "1",
        digest
      })
    }
    // The account has no name: its UID stands for it.
    expect(plain.accounts).toEqual(["1001", "1001"])
    expect(plain.types).toContainEqual(["execFee", "FIXED_LEN_BYTE_ARRAY", "DECIMAL"])
    expect([plain.fees, plain.inExtra]).toEqual([["1.5", "-0.25"], undefined])
    expect([odd.fees, odd.inExtra]).toEqual([["1.5", long, "many"], { execFee: 2 }])
  })
})
