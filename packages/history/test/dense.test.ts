import * as Breadth from "@effect-venue/testing/Breadth"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as MortalFiles from "./utils/mortalFiles.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, filesOf, folder, linesOf, mortal, onExchange, today } from "./utils/world.js"

const from = today - 20 * day

/** Executions a second apart, the last few of them at one instant. */
const rows = (count: number): ReadonlyArray<Dataset.Row> =>
  Array.from({ length: count }, (_, index) => ({
    execId: `e${index}`,
    execTime: String(from + Math.min(index, count - 30) * 1000)
  }))

/** A list of the service: both ends of the range included, in pages of a hundred, in the order of `order`. */
const part = (all: ReadonlyArray<Dataset.Row>, order: (row: Dataset.Row, index: number) => number) => {
  const sorted = all
    .map((row, index) => ({ row, by: order(row, index) }))
    .toSorted((one, other) => other.by - one.by)
    .map(({ row }) => row)
  return {
    ...Part.make(Datasets.executions, { category: "linear" }),
    page: ({ cursor, from, to }: Dataset.Ask) =>
      Effect.sync((): Dataset.Page => {
        const within = sorted.filter(({ execTime }) => Number(execTime) >= from && Number(execTime) <= to)
        const start = Number(cursor ?? 0)
        return { rows: within.slice(start, start + 100), next: start + 100 < within.length ? String(start + 100) : "" }
      })
  }
}

const newestFirst = (_: Dataset.Row, index: number) => index
/** Off by up to a few hundred rows. */
const roughly = (_: Dataset.Row, index: number) => index + 300 * Math.sin(index * 7)
const inNoOrder = (_: Dataset.Row, index: number) => Math.sin(index * 7)

const range = { from, to: today }

/** Every fourth change of a file; in the long tier every one. */
const stride = Breadth.repeats(1, 20)

describe("a window with more rows than stay in memory", () => {
  for (const [name, order] of Object.entries({ newestFirst, roughly, inNoOrder })) {
    onExchange(`is exported oldest first with every row once, for any order of the list (${name})`, function* () {
      const path = yield* Path.Path
      const directory = yield* folder
      const all = rows(1200)
      const { verdict } = yield* settle(History.runAll([part(all, order)], range, Sink.ndjson(directory)))
      expect(verdict).toBe("complete")
      const given = yield* linesOf(path.join(directory, "executions-linear.ndjson"))
      const instants = given.map(({ execTime }) => Number(execTime))
      expect(instants).toEqual(instants.toSorted((one, other) => one - other))
      expect(new Set(given.map(({ execId }) => execId)).size).toBe(1200)
      expect(given).toHaveLength(1200)
      // Rows of one instant stand in the order in which they came about.
      if (name === "newestFirst") expect(given).toEqual(all)
      expect((yield* filesOf(directory)).map(([file]) => file)).toEqual([
        "executions-linear.ndjson",
        // A row has no more than its identity, which does not fit.
        "executions-linear.rejected.ndjson",
        "manifest.json",
        "views.sql"
      ])
    })
  }

  onExchange("exports duplicate rows once, even if they are pages apart", function* () {
    const all = rows(1000)
    // The last rows of every page come again as the first of the next one but one.
    const doubled = all.flatMap((row, index) => (index % 100 < 5 ? [row, row] : [row]))
    const { parts } = yield* settle(History.runAll([part(doubled, newestFirst)], range, Sink.ndjson(yield* folder)))
    expect(parts[0]).toMatchObject({ rows: 1000, duplicates: doubled.length - 1000, verdict: "complete" })
  })

  onExchange("has the same result if it is killed while rows are spooled", function* () {
    const undisturbed = yield* folder
    const dense = part(rows(900), newestFirst)
    const run = (directory: string, pid: number) =>
      Effect.provideService(
        History.runAll([dense], range, Sink.ndjson(directory)),
        ProcessIdentity.Processes,
        mortal(pid)
      )
    const counting = yield* MortalFiles.make(0, "before")
    yield* settle(run(undisturbed, 1)).pipe(Effect.provide(counting.layer))
    const expected = yield* filesOf(undisturbed)
    const changes = counting.changes()
    expect(changes).toBeGreaterThan(20)
    for (let n = 1; n <= changes; n += stride) {
      const directory = yield* folder
      const files = yield* MortalFiles.make(n, "halfway")
      yield* settle(Effect.exit(run(directory, 2 * n))).pipe(Effect.provide(files.layer))
      yield* settle(run(directory, 2 * n + 1))
      expect(yield* filesOf(directory), `killed at change ${n}`).toEqual(expected)
    }
  })

  onExchange("can be exported into tables, without leaving a spool", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* folder
    const file = path.join(directory, "history.db")
    const exit = yield* settle(
      Effect.exit(History.runAll([part(rows(1200), newestFirst)], range, SqliteSink.make(file)))
    )
    expect(Exit.isSuccess(exit)).toBe(true)
    const [counted] = yield* Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`SELECT count(*) AS n, count(DISTINCT execId) AS ids FROM venue_executions`
    ).pipe(Effect.provide(LibsqlClient.layer({ url: `file:${file}` })), Effect.scoped)
    expect(counted).toEqual({ n: 1200, ids: 1200 })
    expect((yield* fs.readDirectory(directory)).filter((name) => name.endsWith("-spool"))).toEqual([])
  })
})
