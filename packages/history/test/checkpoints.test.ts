import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import * as Reader from "@effect-venue/history/Reader"
import * as Sink from "@effect-venue/history/Sink"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as SqlVerify from "@effect-venue/history/SqlVerify"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Verify from "@effect-venue/history/Verify"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { fileURLToPath } from "node:url"
import { databases } from "./utils/databases.js"
import { begin, part, parts, rows } from "./utils/scripted.js"
import { day, filesOf, folder, linesOf, onThatDay, settle, today } from "./utils/world.js"

const range = { from: begin, to: begin + 28 * day }
const finished = { from: begin, to: begin + 20 * day }

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/checkpoint-1/${name}`, import.meta.url))

/** A copy of a folder that an earlier version wrote. */
const copied = (name: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* folder
    yield* fs.copy(fixture(name), directory, { overwrite: true })
    return directory
  })

/** Runs the statements of a dump that an earlier version's database gave. */
const restore = (name: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const sql = yield* SqlClient.SqlClient
    const dump = yield* fs.readFileString(fixture(name))
    const statements = dump.split(/;\n/).filter((each) => /^\s*(ALTER|CREATE|INSERT)/.test(each))
    yield* sql.withTransaction(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
  })

/** An SQLite file that an earlier version wrote. */
const restoredFile = (name: string) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const file = path.join(yield* folder, "history.db")
    yield* restore(name).pipe(Effect.provide(LibsqlClient.layer({ url: `file:${file}` })), Effect.scoped)
    return file
  })

const postgres = databases.filter(({ dialect }) => dialect === "postgres")

describe("an export that an earlier version began", () => {
  for (const sink of [Sink.ndjson, Sink.csv]) {
    const { format } = sink("")
    it.scoped(`is finished in ${format}, with the files of one that this version began`, () =>
      Effect.gen(function* () {
        const directory = yield* copied(`begun-${format}`)
        expect(yield* Effect.flip(Verify.verify(directory))).toMatchObject({
          begun: { from: range.from, to: range.to }
        })
        const undisturbed = yield* folder
        yield* settle(History.runAll(parts(), range, sink(undisturbed)))
        const resumed = yield* settle(History.runAll(parts(), range, sink(directory)))
        expect(resumed).toMatchObject({ verdict: "complete", rows: 2 * rows.length, run: { starts: 2 } })
        expect(yield* filesOf(directory)).toEqual(yield* filesOf(undisturbed))
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
    )
  }

  it.scoped("is finished after it was migrated and killed again", () =>
    Effect.gen(function* () {
      const directory = yield* copied("begun-ndjson")
      yield* Effect.exit(settle(History.runAll(parts(begin + 21 * day), range, Sink.ndjson(directory))))
      const resumed = yield* settle(History.runAll(parts(), range, Sink.ndjson(directory)))
      expect(resumed).toMatchObject({ verdict: "complete", rows: 2 * rows.length })
      expect((yield* Verify.verify(directory)).findings).toEqual([])
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )

  for (const { isReachable, layer, name } of postgres) {
    it.scoped.skipIf(!isReachable)(`is finished in tables (${name})`, () =>
      Effect.gen(function* () {
        yield* restore("begun.postgres.sql")
        expect(yield* Effect.flip(SqlVerify.verify())).toMatchObject({ begun: { from: range.from, to: range.to } })
        const resumed = yield* settle(History.runAll(parts(), range, SqlSink.make()))
        expect(resumed).toMatchObject({ verdict: "complete", rows: 2 * rows.length, run: { starts: 2 } })
        expect(yield* SqlVerify.verify()).toEqual({ manifest: resumed, findings: [] })
      }).pipe(Effect.provide(layer), onThatDay, Effect.provide(NodeContext.layer))
    )
  }

  it.scoped("is finished in tables (SQLite)", () =>
    Effect.gen(function* () {
      const file = yield* restoredFile("begun.sqlite.sql")
      expect(yield* Effect.flip(SqliteSink.verify(file))).toMatchObject({ begun: { from: range.from, to: range.to } })
      const resumed = yield* settle(History.runAll(parts(), range, SqliteSink.make(file)))
      expect(resumed).toMatchObject({ verdict: "complete", rows: 2 * rows.length, run: { starts: 2 } })
      expect((yield* SqliteSink.verify(file)).findings).toEqual([])
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("an export that an earlier version finished", () => {
  it.scoped("is read, verified and continued", () =>
    Effect.gen(function* () {
      const directory = yield* copied("finished-ndjson")
      const { findings, manifest } = yield* Verify.verify(directory)
      expect(findings).toEqual([])
      expect(manifest).toMatchObject({ from: finished.from, to: finished.to, rows: 80 })
      const continued = yield* settle(
        History.runAll(parts(), range, Sink.ndjson(directory), { incremental: { overlap: "2 days" } })
      )
      expect(continued).toMatchObject({ verdict: "complete", rows: 2 * rows.length })
      const [section] = continued.parts
      if (section === undefined) return
      const read = yield* Stream.runCollect(Reader.rows(directory, continued, section))
      expect(Chunk.toReadonlyArray(read)).toEqual(rows)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )

  for (const { isReachable, layer, name } of postgres) {
    it.scoped.skipIf(!isReachable)(`is continued in tables (${name})`, () =>
      Effect.gen(function* () {
        yield* restore("finished.postgres.sql")
        const continued = yield* settle(
          History.runAll(parts(), range, SqlSink.make(), { incremental: { overlap: "2 days" } })
        )
        expect(continued).toMatchObject({ verdict: "complete", rows: 2 * rows.length })
        expect(yield* SqlVerify.verify()).toEqual({ manifest: continued, findings: [] })
      }).pipe(Effect.provide(layer), onThatDay, Effect.provide(NodeContext.layer))
    )
  }

  it.scoped("is continued in tables (SQLite)", () =>
    Effect.gen(function* () {
      const file = yield* restoredFile("finished.sqlite.sql")
      const continued = yield* settle(
        History.runAll(parts(), range, SqliteSink.make(file), { incremental: { overlap: "2 days" } })
      )
      expect(continued).toMatchObject({ verdict: "complete", rows: 2 * rows.length })
      expect((yield* SqliteSink.verify(file)).findings).toEqual([])
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

/** In the long tier a year. */
const days = process.env.VENUE_TESTS === "long" ? 365 : 40

describe("the checkpoints of an export", () => {
  it.scoped("are one file for each part, to which each window adds one line", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* folder
      yield* Effect.exit(settle(History.runAll(parts(begin + 14 * day), range, Sink.ndjson(directory))))
      const work = path.join(directory, ".venue")
      const logs = (yield* fs.readDirectory(work)).filter((name) => name.endsWith(".checkpoint.ndjson")).toSorted()
      expect(logs.map((name) => name.split(".")[0])).toEqual(["executions-main-linear", "executions-main-spot"])
      for (const log of logs) expect(yield* linesOf(path.join(work, log))).toHaveLength(1 + 3)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )

  it.scoped(`of ${days} days of an account are a tenth at most of what they were when each had all windows`, () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      let bytes = 0
      const counting: FileSystem.FileSystem = {
        ...fs,
        open: (file, options) =>
          Effect.map(
            fs.open(file, options),
            (handle) =>
              new Proxy(handle, {
                get: (target, name) =>
                  name === "writeAll"
                    ? (chunk: Uint8Array) => {
                        if (path.basename(file).includes("checkpoint")) bytes += chunk.length
                        return target.writeAll(chunk)
                      }
                    : Reflect.get(target, name, target)
              })
          )
      }
      const year = Datasets.datasets
        .filter(({ name }) => name !== "broker-volume")
        .flatMap((dataset) =>
          (dataset.categories.length === 0 ? [{}] : dataset.categories.map((category) => ({ category }))).map((query) =>
            part(dataset, query, { page: () => ({ rows: [], next: "" }) })
          )
        )
      const to = today - day
      const run = History.runAll(year, { from: to - days * day, to }, Sink.ndjson(yield* folder))
      const manifest = yield* settle(Effect.provideService(run, FileSystem.FileSystem, counting))
      const windows = manifest.parts.reduce((sum, { windows }) => sum + windows.length, 0)
      expect(windows).toBeGreaterThan((700 * days) / 365)
      // What all windows of all parts took with each of them grew with their square.
      expect(bytes).toBeLessThan((60_622_295 / 10) * (windows / 741) ** 2)
      // What it is: a line of some 300 bytes for each window, of which a year has 741, and the head.
      expect(bytes).toBeLessThan(30_000 + 365 * windows)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})
