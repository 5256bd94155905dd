/** Verifies an export in tables. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Dataset from "../model/Dataset.js"
import * as FindDataset from "../requests/findDataset.js"
import * as CheckpointFile from "../files/checkpointFile.js"
import { isPostgres, select } from "./sqlSelect.js"
import * as Tables from "./sqlTables.js"
import * as Manifest from "../model/Manifest.js"
import { hasLastingIds } from "../store/reissued.js"
import * as Rows from "../formats/Rows.js"
import { wireOf } from "./sqlRecords.js"
import * as SqlDigest from "./sqlDigest.js"
import type { ReadOptions } from "./SqlSink.js"
import * as SqlSession from "./sqlSession.js"
import * as Verify from "../audit/Verify.js"

/** A count, which some databases return as text. */
type Count = number | string

interface WrittenWindow extends Readonly<Record<string, unknown>> {
  readonly number: Count
  readonly first: Count
  readonly past: Count
  readonly row_count: Count
  readonly moved: Count
  readonly digest: string
  readonly rejected: string
}

/** The location of the rows of a part. */
interface RowsPlace {
  readonly sql: SqlClient.SqlClient
  readonly name: string
  readonly prefix: string
  readonly part: Manifest.Part
  readonly dataset: Dataset.Dataset<never, unknown>
}

/** The condition that selects the rows of a part. */
const ofPart = (place: RowsPlace) => SqlSession.ofPart(place, place.part)

/** The rows of a window, counted, and their digest. */
interface WindowSum {
  readonly rows: number
  readonly digest: string
}

const noRows: WindowSum = { rows: 0, digest: "0" }

/** Counts and digests the rows of a part by window, in one reading. */
const sumRows = (place: RowsPlace) =>
  Effect.gen(function* () {
    const { dataset, prefix, sql } = place
    const table = sql(Tables.rowsTable(dataset.name, prefix))
    const condition = ofPart(place)
    const from = isPostgres(sql) ? sql`${table}` : sql`${table} NOT INDEXED`
    const [counted] = yield* sql<{ readonly n: Count }>`SELECT count(*) AS n FROM ${from} WHERE ${condition}`
    const all = Number(counted?.n ?? 0)
    const sums = new Map<number, WindowSum>()
    let rows = 0
    yield* Tables.pages(sql, dataset, prefix, condition).pipe(
      // In a damaged file the pages need not end.
      Stream.takeUntil((records) => (rows += records.length) > all),
      Stream.runForEach((records) =>
        Effect.sync(() => {
          for (const [window, own] of Object.entries(
            Arr.groupBy(records, ({ venue_window }) => String(venue_window))
          )) {
            const before = sums.get(Number(window)) ?? noRows
            const digest = SqlDigest.digest(sql, dataset, own, before.digest)
            sums.set(Number(window), { rows: before.rows + own.length, digest })
          }
        })
      )
    )
    return { rows, sums }
  })

/** Compares a window of the manifest with the record of its commit, and with its rows. */
const judgeWindow = (
  { dataset, part, prefix }: RowsPlace,
  window: Manifest.Window,
  written: WrittenWindow | undefined,
  { digest, rows }: WindowSum
): ReadonlyArray<Verify.Finding> => {
  const { from, to } = window
  const file = Tables.rowsTable(dataset.name, prefix)
  if (written === undefined || Number(written.first) !== from || Number(written.past) !== to) {
    return [new Verify.MissingWindow({ where: Tables.windowsTable(prefix), from, to })]
  }
  const expected = Number(written.row_count)
  if (expected + Number(written.moved) !== window.rows) {
    const because = `a window of ${part.name} has ${window.rows} rows, and had ${expected} when it was written`
    return [new Verify.ChangedManifest({ because })]
  }
  if (rows < expected) {
    return rows === 0
      ? [new Verify.MissingWindow({ where: file, from, to })]
      : [new Verify.RemovedRows({ file, from, to, rows, expected })]
  }
  return rows === expected && digest !== written.digest ? [new Verify.ChangedRows({ file, from, to })] : []
}

/** Compares the types of the columns in SQLite with those that the table was created with: they decide how values compare. */
const auditTypes = ({ dataset, prefix, sql }: RowsPlace) =>
  isPostgres(sql)
    ? Effect.succeed([])
    : Effect.map(Tables.findChangedTypes(sql, dataset, prefix), (columns) => {
        const file = Tables.rowsTable(dataset.name, prefix)
        return columns.map(
          (column) => new Verify.ChangedFile({ file, because: `the column ${column} is gone or has another type` })
        )
      })

/** Compares the rejected rows of a part with the digests of its windows. */
const auditRejected = (place: RowsPlace, written: ReadonlyArray<WrittenWindow>) =>
  Effect.gen(function* () {
    const { prefix, sql } = place
    const digest = yield* Stream.runFold(Tables.readRejectedLines(sql, prefix, ofPart(place)), "0", (digest, lines) =>
      SqlDigest.digestTexts(lines, digest)
    )
    const expected = SqlDigest.sum(written.map(({ rejected }) => rejected))
    return digest === expected
      ? []
      : [new Verify.ChangedFile({ file: Tables.nameOfRejected(prefix), because: undefined })]
  })

/** The rows whose id an earlier row has at another instant, without those that the manifest lists. Rows of one id follow each other by their keys. */
const auditIds = (place: RowsPlace) =>
  Effect.gen(function* () {
    const { dataset, part, prefix, sql } = place
    if (!hasLastingIds(dataset)) return []
    const listed = new Set(part.windows.flatMap(({ conflicts }) => conflicts.map(({ id }) => id)))
    const found: Array<Verify.Finding> = []
    let before: string | undefined
    yield* Stream.runForEach(Tables.pagesByKey(sql, dataset, prefix, ofPart(place)), (records) =>
      Effect.sync(() => {
        for (const record of records) {
          const own = Rows.idOfKey(String(record.venue_key))
          if (own === before) {
            const row = wireOf(dataset, record)
            const id = Rows.id(dataset, row) ?? own
            const at = Rows.instant(dataset, row) ?? null
            if (!listed.has(id)) found.push(new Verify.ConflictingRow({ part: part.name, id, at }))
          }
          before = own
        }
      })
    )
    return found
  })

const auditPart = (place: RowsPlace) =>
  Effect.gen(function* () {
    const { dataset, part, prefix, sql } = place
    const file = Tables.rowsTable(dataset.name, prefix)
    const notes = yield* select<WrittenWindow>(
      sql,
      ["number", "first", "past", "row_count", "moved", "digest", "rejected"],
      sql`FROM ${sql(Tables.windowsTable(prefix))} WHERE ${ofPart(place)}`
    )
    const written = new Map(notes.map((note) => [Number(note.number), note]))
    const { rows, sums } = yield* sumRows(place)
    const found: Array<Verify.Finding> = part.windows.flatMap((window, number) =>
      judgeWindow(place, window, written.get(number), sums.get(number) ?? noRows)
    )
    const expected = notes.reduce((sum, { row_count }) => sum + Number(row_count), 0)
    if (rows > expected && found.length === 0) found.push(new Verify.AddedRows({ file, rows, expected }))
    const repeated = yield* auditIds(place)
    return [...found, ...repeated, ...(yield* auditTypes(place)), ...(yield* auditRejected(place, notes))]
  })

/** The finding about a table that cannot be read. */
const unreadable = (file: string, error: SqlError.SqlError): Verify.Finding => {
  const because = error.cause instanceof Error ? error.cause.message : error.message
  return /no such table|does not exist/.test(because)
    ? new Verify.MissingFile({ file })
    : new Verify.ChangedFile({ file, because })
}

/** Lets SQLite check its file: a query that uses a damaged index misses rows that the table has. */
const auditFile = (sql: SqlClient.SqlClient, location: string) =>
  isPostgres(sql)
    ? Effect.succeed([])
    : Effect.match(
        select<{ readonly integrity_check: string }>(sql, ["integrity_check"], sql`FROM pragma_integrity_check(1)`),
        {
          onFailure: (error) => [unreadable(location, error)],
          onSuccess: (lines) => {
            const because = lines.map(({ integrity_check }) => integrity_check.replaceAll(/\s+/g, " ")).join("; ")
            return because === "ok" ? [] : [new Verify.ChangedFile({ file: location, because })]
          }
        }
      )

/** See `SqlSink.verify`. */
export const verify = (
  options: ReadOptions = {}
): Effect.Effect<Verify.Report, Verify.NotAnExport, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const { location = "database", name = Tables.defaultName, prefix = "venue_" } = options
    const refuse = (detail: string) => new Verify.NotAnExport({ location, detail })
    const sql = yield* SqlClient.SqlClient

    const [row] = yield* Effect.mapError(
      select<{ readonly manifest: string | null; readonly checkpoint: string | null }>(
        sql,
        ["manifest", "checkpoint"],
        sql`FROM ${sql(`${prefix}exports`)} WHERE name = ${name}`
      ),
      ({ cause }) =>
        refuse(`there is no ${prefix}exports that can be read${cause instanceof Error ? ` (${cause.message})` : ""}`)
    )
    if (row === undefined || row.manifest === null) {
      const text = row?.checkpoint ?? undefined
      const begun = text === undefined ? Option.none() : yield* Effect.option(Tables.readSaved(sql, prefix, name, text))
      return yield* Option.isSome(begun)
        ? Verify.unfinished(location, CheckpointFile.toCheckpoint(begun.value.head, begun.value.states))
        : refuse("the export is unfinished, or in another place")
    }
    const manifest = Either.getOrUndefined(Manifest.decode(row.manifest))
    if (manifest === undefined) return yield* refuse(`the manifest in ${prefix}exports cannot be read`)

    const findings: Array<Verify.Finding> = [
      ...Verify.inspect(manifest, row.manifest),
      ...(yield* auditFile(sql, location))
    ]
    for (const part of manifest.parts) {
      const dataset = FindDataset.find(part.dataset, options)
      if (dataset === undefined) continue
      const audited = yield* Effect.either(auditPart({ sql, name, prefix, part, dataset }))
      findings.push(
        ...Either.getOrElse(audited, (error) => [unreadable(Tables.rowsTable(dataset.name, prefix), error)])
      )
    }
    return { manifest, findings }
  })
