import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import {
  day,
  exchange,
  folder,
  linesOf,
  mortal,
  onExchange,
  onStillExchange,
  onThatDay,
  today,
  withFiles
} from "./utils/world.js"

const parts = [Part.make(Datasets.executions, { category: "spot" }), Part.make(Datasets.deposits, {})]
const range = { from: today - 22 * day, to: today - day }

const dump = (file: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const executions = yield* sql`SELECT * FROM venue_executions ORDER BY execTime, execId`
    const deposits = yield* sql`SELECT * FROM venue_deposits ORDER BY create_time, transaction_id`
    const [state] = yield* sql<{
      readonly checkpoint: string | null
      readonly runner: string | null
    }>`SELECT checkpoint, runner FROM venue_exports`
    return { executions, deposits, state }
  }).pipe(Effect.provide(LibsqlClient.layer({ url: `file:${file}` })), Effect.scoped)

/** The same sink, killed before its `n`-th commit or right after it. */
const killedAt = <R>(sink: Sink.Sink<R>, n: number, moment: "before" | "after"): Sink.Sink<R> => ({
  ...sink,
  open: (parts) =>
    Effect.map(sink.open(parts), (store) => {
      let commits = 0
      return {
        ...store,
        append: (batch) =>
          ++commits === n
            ? moment === "before"
              ? Effect.die("killed")
              : Effect.zipRight(store.append(batch), Effect.die("killed"))
            : store.append(batch)
      }
    })
})

/** In the long tier a process is killed at each commit. */
const stride = Breadth.repeats(1, 7)

describe("an export into tables", () => {
  onStillExchange("is in the named file, even if the name has special characters of URLs", function* () {
    const path = yield* Path.Path
    const files = yield* FileSystem.FileSystem
    const directory = path.join(yield* folder, "a#b?c%20d")
    const file = path.join(directory, "history.db")
    const manifest = yield* settle(History.runAll(parts, range, SqliteSink.make(file)))
    expect(manifest.verdict).toBe("complete")
    expect(yield* files.readDirectory(directory)).toContain("history.db")
    expect((yield* SqliteSink.verify(file)).findings).toEqual([])
  })

  onExchange("has the same rows as files, with verbatim decimals and instants in milliseconds", function* () {
    const path = yield* Path.Path
    const directory = yield* folder
    const file = path.join(directory, "new", "history.db")
    const manifest = yield* settle(History.runAll(parts, range, SqliteSink.make(file)))
    yield* settle(History.runAll(parts, range, Sink.ndjson(directory)))
    const rows = yield* linesOf(path.join(directory, "executions-spot.ndjson"))
    const { executions, state } = yield* dump(file)
    expect(rows.length).toBeGreaterThan(20)
    expect(manifest.verdict).toBe("complete")
    expect(manifest.parts[0]?.rows).toBe(rows.length)
    const picked = (row: Readonly<Record<string, unknown>>) => [
      row.execId,
      row.execPrice,
      row.execFee,
      Number(row.execTime),
      Number(row.isMaker)
    ]
    expect(executions.map(picked).toSorted()).toEqual(rows.map(picked).toSorted())
    expect(state).toEqual({ checkpoint: null, runner: null })
    expect(yield* settle(History.runAll(parts, range, SqliteSink.make(file)))).toEqual(manifest)
  })

  onExchange("that is killed at any commit has the same result as without a kill", function* () {
    const path = yield* Path.Path
    const undisturbed = path.join(yield* folder, "history.db")
    const manifest = yield* settle(History.runAll(parts, range, SqliteSink.make(undisturbed)))
    const expected = yield* dump(undisturbed)
    const commits = manifest.parts.reduce((all, { windows }) => all + windows.length, 0)
    expect(commits).toBeGreaterThan(3)
    let pid = 100
    for (let n = 1; n <= commits; n += stride) {
      for (const moment of ["before", "after"] as const) {
        const sink = SqliteSink.make(path.join(yield* folder, "history.db"))
        const as = Effect.provideService(ProcessIdentity.Processes, mortal(++pid))
        const exit = yield* settle(Effect.exit(History.runAll(parts, range, killedAt(sink, n, moment)).pipe(as)))
        expect(Exit.isFailure(exit)).toBe(true)
        const again = Effect.provideService(ProcessIdentity.Processes, mortal(++pid))
        const resumed = yield* settle(History.runAll(parts, range, sink).pipe(again))
        expect({ ...resumed, run: manifest.run }).toEqual(manifest)
        expect(resumed.run.starts).toBe(2)
        expect(yield* dump(sink.location)).toEqual(expected)
      }
    }
  })
})

describe("tables that are read again", () => {
  const change = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const file = path.join(yield* folder, "history.db")
      const manifest = yield* settle(History.runAll(parts, range, SqliteSink.make(file)))
      expect(yield* SqliteSink.verify(file)).toEqual({ manifest, findings: [] })
      yield* Effect.flatMap(SqlClient.SqlClient, statement).pipe(
        Effect.provide(LibsqlClient.layer({ url: `file:${file}` })),
        Effect.scoped
      )
      return { manifest, findings: (yield* SqliteSink.verify(file)).findings }
    }).pipe(Effect.provide(exchange()), onThatDay, Effect.provide(NodeContext.layer))

  const table = "venue_executions"
  const first = "(SELECT venue_key FROM venue_executions WHERE venue_window = 1 LIMIT 1)"

  const cases: ReadonlyArray<
    readonly [change: string, statement: string | ReadonlyArray<string>, found: (manifest: Manifest.Manifest) => object]
  > = [
    [
      "a changed value",
      `UPDATE venue_executions SET execPrice = '1' WHERE venue_key = ${first}`,
      ({ parts }) => ({ _tag: "ChangedRows", from: parts[0]?.windows[1]?.from, to: parts[0]?.windows[1]?.to })
    ],
    [
      "a removed row",
      `DELETE FROM venue_executions WHERE venue_key = ${first}`,
      ({ parts }) => {
        const { from, rows = 0, to } = parts[0]?.windows[1] ?? {}
        return { _tag: "RemovedRows", from, to, rows: rows - 1, expected: rows }
      }
    ],
    [
      "a row too many",
      `INSERT INTO venue_executions (venue_export, venue_part, venue_key, venue_window) VALUES ('export', '${parts[0]?.name ?? ""}', 'more', 1)`,
      ({ parts: [part] }) => ({ _tag: "AddedRows", rows: (part?.rows ?? 0) + 1, expected: part?.rows })
    ],
    [
      "another notation of a decimal",
      `UPDATE venue_executions SET execPrice = '+' || execPrice WHERE venue_key = ${first}`,
      () => ({ _tag: "ChangedRows" })
    ],
    [
      "a text that became bytes",
      `UPDATE venue_executions SET execPrice = CAST(execPrice AS BLOB) WHERE venue_key = ${first}`,
      () => ({ _tag: "ChangedFile" })
    ],
    [
      "a column of another type",
      [
        "PRAGMA writable_schema = ON",
        `UPDATE sqlite_master SET sql = replace(sql, '"execPrice" TEXT', '"execPrice" BLOB') WHERE name = 'venue_executions'`
      ],
      () => ({ _tag: "ChangedFile", because: "the column execPrice is gone or has another type" })
    ],
    [
      "a rejected row too many",
      `INSERT INTO venue_rejected (venue_export, venue_part, line) VALUES ('export', '${parts[0]?.name ?? ""}', '{}')`,
      () => ({ _tag: "ChangedFile", file: "venue_rejected" })
    ],
    ["a table that is gone", "DROP TABLE venue_executions", () => ({ _tag: "MissingFile" })]
  ]
  for (const [name, statement, found] of cases) {
    it.scoped(`${name} is found`, () =>
      Effect.gen(function* () {
        const { findings, manifest } = yield* change((sql) =>
          Effect.forEach([statement].flat(), (each) => sql.unsafe(each))
        )
        expect(findings).toMatchObject([{ file: table, ...found(manifest) }])
      })
    )
  }

  it.scoped("a window that was removed with its rows and its record is found", () =>
    Effect.gen(function* () {
      const rows = yield* change((sql) => sql`DELETE FROM venue_executions WHERE venue_window = 1`)
      const { from, to } = rows.manifest.parts[0]?.windows[1] ?? {}
      expect(rows.findings).toMatchObject([{ _tag: "MissingWindow", where: table, from, to }])
      const noted = yield* change((sql) => sql`DELETE FROM venue_windows WHERE venue_part = 'deposits'`)
      expect(noted.findings).toMatchObject([{ _tag: "MissingWindow", where: "venue_windows" }])
    })
  )

  withFiles("a file that is not a database is not an export", function* () {
    const path = yield* Path.Path
    const nowhere = yield* Effect.flip(SqliteSink.verify(path.join(yield* folder, "none.db")))
    expect(nowhere).toMatchObject({ _tag: "NotAnExport" })
  })
})
