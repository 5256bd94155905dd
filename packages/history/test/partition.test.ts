import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import * as DatasetWindows from "../src/model/datasetWindows.js"
import * as Slices from "../src/store/slices.js"
import { part as scripted } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, filesOf, folder, onExchange } from "./utils/world.js"

const at = (text: string): number => Date.parse(`${text}Z`)

/** Deposits around a month's end, of which the one of May is in progress until the second reading, and a late one of May which only that reading has. */
const deposits = (isSecond: () => boolean) => {
  const row = (transaction_id: string, at: string, status: string, amount: string) => {
    const time = String(Date.parse(`${at}Z`) / 1000)
    return { transaction_id, coin: "USDT", amount, status, time, create_time: time }
  }
  const rows = () => [
    row("april", "2026-04-20T00:00", "1", "1"),
    row("may", "2026-05-31T23:00", isSecond() ? "1" : "0", "2"),
    ...(isSecond() ? [row("late", "2026-05-31T23:59:59", "1", "4")] : []),
    row("june", "2026-06-01T00:00", "1", "8")
  ]
  const page = ({ from, to }: Dataset.Ask) => ({
    rows: rows()
      .filter(({ create_time }) => Number(create_time) * 1000 >= from && Number(create_time) * 1000 <= to)
      .toReversed(),
    next: ""
  })
  return scripted(Datasets.deposits, {}, { page })
}

const range = { from: at("2026-04-10T00:00"), to: at("2026-06-01T00:30") }

/** An export that was read, and then continued over the end of May. */
const continued = (sink: (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>) =>
  Effect.gen(function* () {
    const directory = yield* folder
    let readings = 0
    const part = deposits(() => readings > 0)
    const first = yield* settle(History.runAll([part], range, sink(directory)))
    readings++
    const overlap = { incremental: { overlap: "2 hours" } } as const
    const manifest = yield* settle(History.runAll([part], { ...range, to: range.to + day }, sink(directory), overlap))
    return { directory, first, manifest, part }
  })

const namesOf = (directory: string) => Effect.map(filesOf(directory), (files) => files.map(([name]) => name))

describe("an export by month", () => {
  it("splits windows at the start of months", () => {
    expect(DatasetWindows.splitAtMonths({ from: at("2026-12-31T23:00"), to: at("2027-02-01T00:00:00.001") })).toEqual([
      { from: at("2026-12-31T23:00"), to: at("2027-01-01T00:00") },
      { from: at("2027-01-01T00:00"), to: at("2027-02-01T00:00") },
      { from: at("2027-02-01T00:00"), to: at("2027-02-01T00:00:00.001") }
    ])
  })

  it("has a slice for each month with rows, and windows without rows in the next one", () => {
    const window = (from: string, rows: number) => ({ from: at(from), to: at(from) + day, rows }) as never
    const [may1, may2, june, july, august] = [
      window("2026-05-01T00:00", 0),
      window("2026-05-02T00:00", 1),
      window("2026-06-01T00:00", 0),
      window("2026-07-01T00:00", 2),
      window("2026-08-01T00:00", 0)
    ]
    const slices = (windows: ReadonlyArray<never>) => Slices.make(Datasets.deposits, "month", windows)
    expect(slices([may1, may2, june, july, august])).toEqual([
      { month: "2026-05", windows: [may1, may2] },
      { month: "2026-07", windows: [june, july, august] }
    ])
    expect(slices([june, july])).toEqual([{ month: "2026-07", windows: [june, july] }])
    expect(slices([may1, june])).toEqual([{ month: "2026-05", windows: [may1, june] }])
    expect(Slices.make(Datasets.brokerVolume, "month", [may1, june])).toEqual([
      { month: undefined, windows: [may1, june] }
    ])
  })

  for (const [name, sink] of [
    ["ndjson", Sink.ndjson],
    ["csv", Sink.csv],
    ["parquet", Sink.parquet]
  ] as const) {
    onExchange(
      `puts late rows into the folder of their month, and is read and verified like any other (${name})`,
      function* () {
        const { directory, first, manifest } = yield* continued((directory) => sink(directory, { partition: "month" }))
        const [before] = first.parts
        const [section] = manifest.parts
        if (section === undefined) return yield* Effect.dieMessage("no part")
        const within = (month: string, file: string) => `deposits-main/month=${month}/${file}.${name}`
        expect(before?.files.map(({ name, rows }) => [name, rows])).toEqual([
          [within("2026-04", "deposits-main"), 1],
          [within("2026-05", "deposits-main"), 1],
          [within("2026-06", "deposits-main"), 1]
        ])
        expect(section.files.slice(3).map(({ name, rows }) => [name, rows])).toEqual([
          [within("2026-05", "deposits-main.2"), 2]
        ])
        expect([first.partition, manifest.partition]).toEqual(["month", "month"])
        expect(yield* namesOf(directory)).toEqual(
          [...section.files.map(({ name }) => name), "manifest.json", "views.sql"].toSorted()
        )
        const rows = yield* Stream.runCollect(Sink.rows(directory, manifest, section))
        expect(
          Chunk.toReadonlyArray(rows).map(({ status, transaction_id }) => [transaction_id, String(status)])
        ).toEqual([
          ["april", "1"],
          ["june", "1"],
          ["may", "1"],
          ["late", "1"]
        ])
        expect((yield* Verify.verify(directory)).findings).toEqual([])
      }
    )
  }

  onExchange("reports damaged and missing files", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { directory } = yield* continued((directory) => Sink.ndjson(directory, { partition: "month" }))
    const file = (month: string) => `deposits-main/month=${month}/deposits-main.ndjson`
    yield* fs.remove(path.join(directory, file("2026-04")))
    yield* fs.writeFileString(path.join(directory, file("2026-06")), "")
    const { findings } = yield* Verify.verify(directory)
    expect(findings.map(({ _tag, message }) => [_tag, message.split(" ")[0]])).toEqual([
      ["MissingFile", file("2026-04")],
      ["TruncatedFile", file("2026-06")]
    ])
  })

  onExchange("is not continued without months, and is replaced with all its files", function* () {
    const { directory, manifest, part } = yield* continued((directory) =>
      Sink.ndjson(directory, { partition: "month" })
    )
    const whole = { ...range, to: range.to + day }
    const refused = yield* settle(Effect.flip(History.runAll([part], whole, Sink.ndjson(directory))))
    expect(refused.message).toMatch(/the export that is here has partition month, not none/)
    yield* settle(History.runAll([part], whole, Sink.ndjson(directory), { overwrite: true }))
    expect(yield* namesOf(directory)).toEqual(["deposits-main.ndjson", "manifest.json", "views.sql"])
    expect(manifest.rows).toBe(5)
  })

  onExchange("does not replace a file of its names that another program wrote", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* folder
    const foreign = path.join(directory, "deposits-main", "month=2026-05")
    yield* fs.makeDirectory(foreign, { recursive: true })
    yield* fs.writeFileString(path.join(foreign, "deposits-main.ndjson"), "mine")
    const sink = Sink.ndjson(directory, { partition: "month" })
    const part = deposits(() => false)
    const refused = yield* settle(Effect.flip(History.runAll([part], range, sink)))
    expect(refused.message).toMatch(/deposits-main\/month=2026-05\/deposits-main\.ndjson is there already/)
    yield* settle(History.runAll([part], range, sink, { overwrite: true }))
    expect((yield* Verify.verify(directory)).findings).toEqual([])
  })
})
