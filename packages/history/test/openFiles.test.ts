import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as ExecutionEndpoints from "@effect-venue/schemas/Executions"
import * as Breadth from "@effect-venue/testing/Breadth"
import { FileSystem, type Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { begin, trade } from "./utils/hostile.js"
import { pagesOf } from "@effect-venue/testing/BadNights"
import { exchangeWith } from "./utils/listing.js"
import * as MortalFiles from "./utils/mortalFiles.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, filesOf, folder, mortal, onThatDay, type withFiles } from "./utils/world.js"

const hour = day / 24
const first = begin + 4 * day

/** A row every hour for four days, the last ones while the export is continued. */
const trades = Array.from({ length: 4 * 24 }, (_, index) => trade(`e${index}`, 2 * day + index * hour + 1))

const exchange = exchangeWith(ExecutionEndpoints.list.path, pagesOf(trades, "execTime"))

const part = Part.make(Datasets.executions, { category: "linear" })

const onFiles = (title: string, body: Parameters<typeof withFiles>[1]) => {
  it.scoped(title, () => Effect.gen(body).pipe(onThatDay, Effect.provide(NodeContext.layer)))
}

type FileSink = (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>

const run = (directory: string, to: number, sinkOf: FileSink) =>
  settle(History.runAll([part], { from: begin, to }, sinkOf(directory), { incremental: true }))

const sinks: Readonly<Record<string, FileSink>> = {
  ndjson: Sink.ndjson,
  "ndjson.gz": (directory) => Sink.ndjson(directory, { gzip: true }),
  "ndjson by month": (directory) => Sink.ndjson(directory, { partition: "month" }),
  csv: Sink.csv,
  "csv for spreadsheets": (directory) => Sink.csv(directory, { spreadsheetSafe: true })
}

const idsOf = (directory: string, manifest: Manifest.Manifest) =>
  Effect.map(
    Stream.runCollect(
      Stream.flatMap(Stream.fromIterable(manifest.parts), (part) => Sink.rows(directory, manifest, part))
    ),
    (rows) => Array.from(rows, ({ execId }) => execId)
  )

describe("an export that is continued every hour", () => {
  for (const [name, sinkOf] of Object.entries(sinks).slice(0, Breadth.repeats(Infinity, 1))) {
    onFiles(`has a file a day, with every row once, and no file of an earlier day changes: ${name}`, function* () {
      const directory = yield* folder
      const manifests: Array<Manifest.Manifest> = []
      for (let hours = 0; hours <= 30; hours++) {
        manifests.push(yield* Effect.provide(run(directory, first + hours * hour, sinkOf), exchange))
      }
      const filesAfter = manifests.map(({ parts }) => parts[0]?.files ?? [])
      expect(filesAfter.map((files) => files.length).slice(0, 3)).toEqual([1, 2, 2])
      expect(filesAfter.at(-1)?.length).toBe(3)
      for (const [index, files] of filesAfter.entries()) {
        expect(filesAfter[index + 1]?.slice(0, files.length - 1) ?? []).toEqual(
          filesAfter[index + 1] === undefined ? [] : files.slice(0, -1)
        )
      }
      const sizes = manifests.map((manifest) => Manifest.encode(manifest).length)
      expect(Math.abs((sizes[20] ?? 0) - (sizes[10] ?? 0))).toBeLessThan(50)
      const last = manifests.at(-1)
      const ids = last === undefined ? [] : yield* idsOf(directory, last)
      expect(ids).toEqual(
        trades.filter(({ execTime }) => Number(execTime) < first + 30 * hour).map(({ execId }) => execId)
      )
      expect((yield* Verify.verify(directory)).findings).toEqual([])
    })
  }

  onFiles("adds no rows to a file that was changed after it was written", function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* folder
    yield* Effect.provide(run(directory, first, Sink.ndjson), exchange)
    const before = yield* Effect.provide(run(directory, first + hour, Sink.ndjson), exchange)
    const name = before.parts[0]?.files.at(-1)?.name ?? ""
    yield* fs.writeFileString(`${directory}/${name}`, "{}\n", { flag: "a" })
    const after = yield* Effect.provide(run(directory, first + 2 * hour, Sink.ndjson), exchange)
    expect(after.parts[0]?.files.slice(0, 2)).toEqual(before.parts[0]?.files)
    expect((yield* Verify.verify(directory)).findings.map(({ _tag }) => _tag)).toContain("ChangedFile")
  })

  onFiles("can be killed at any change of a file, and ends with the same files", function* () {
    let pid = 500
    const runMortal = (directory: string, to: number) =>
      Effect.suspend(() =>
        Effect.provideService(
          Effect.provide(run(directory, to, Sink.ndjson), exchange),
          ProcessIdentity.Processes,
          mortal(++pid)
        )
      )
    const killed = (directory: string, n: number, moment: "before" | "halfway") =>
      Effect.gen(function* () {
        yield* runMortal(directory, first)
        yield* runMortal(directory, first + hour)
        const files = yield* MortalFiles.make(n, moment)
        yield* Effect.exit(Effect.provide(runMortal(directory, first + 2 * hour), files.layer))
        return files.changes()
      })
    const undisturbed = yield* folder
    const changes = yield* killed(undisturbed, 0, "before")
    const expected = yield* filesOf(undisturbed)
    for (let n = 1; n <= changes; n += Breadth.repeats(1, 11)) {
      for (const moment of ["before", "halfway"] as const) {
        const directory = yield* folder
        yield* killed(directory, n, moment)
        yield* runMortal(directory, first + 2 * hour)
        expect(yield* filesOf(directory), `killed ${moment} change ${n}`).toEqual(expected)
      }
    }
  })
})
