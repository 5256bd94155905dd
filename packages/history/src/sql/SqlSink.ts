/**
 * Export into tables, through the `SqlClient` of the application: SQLite, libSQL or Postgres. Import it from `@effect-venue/history/SqlSink`, because
 * it is the only module that needs `@effect/sql`.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { SinkFailure, Unreadable } from "../model/ExportFailure.js"
import * as SqlCommit from "./sqlCommit.js"
import * as SqlNumbers from "./sqlNumbers.js"
import * as SqlReader from "./sqlReader.js"
import * as SqlVerify from "./sqlVerify.js"
import { hasLastingIds } from "../store/reissued.js"
import { id, idOfKey, instant } from "../formats/Rows.js"
import { wireOf } from "./sqlRecords.js"
import { select } from "./sqlSelect.js"
import * as SqlSession from "./sqlSession.js"
import * as Tables from "./sqlTables.js"
import * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import type * as Verify from "../audit/Verify.js"
import type * as Dataset from "../model/Dataset.js"

export interface Options {
  /**
   * The name of the export. Exports of different names are separate: each has rows, windows and a manifest in the same tables.
   * Names are case-sensitive. Defaults to `export`.
   */
  readonly name?: string | undefined
  /** The prefix of the names of tables. Defaults to `venue_`. */
  readonly prefix?: string | undefined
  /** The location in messages. Defaults to `database`. */
  readonly location?: string | undefined
  /** Declares that no other process writes here, so the lock of a killed run is ignored. */
  readonly alone?: boolean | undefined
  /** The buffer of rows until their window has been read. Defaults to memory. */
  readonly spool?: Sink.Spool<SinkFailure> | undefined
  /**
   * Runs first in each transaction that writes, on its connection; if it fails, nothing is written. The fence decides which process writes, so the
   * lock of another run is ignored, and that run commits nothing after this one has opened the export. Rows that the fence locks stay locked until
   * the transaction ends. Postgres ends a transaction if its process sends nothing for 5 seconds. Defaults to none.
   */
  readonly fence?: Effect.Effect<void, SinkFailure> | undefined
}

const existing = (
  session: SqlSession.Session,
  { dataset, name: part }: Part.Part<unknown, unknown>,
  windows: ReadonlyArray<Dataset.Window>
): Stream.Stream<Dataset.Row, SinkFailure> => {
  const { name, prefix, sql } = session
  const instants = [...Option.toArray(dataset.instant), ...Option.toArray(dataset.filedBy)]
  const [own] = instants
  if (own === undefined) return Stream.empty
  const places = [
    sql`${sql(own.name)} IS NULL`,
    ...windows.flatMap(({ from, to }) =>
      instants.map(({ name }) => sql`(${sql(name)} >= ${from} AND ${sql(name)} < ${to})`)
    )
  ]
  const condition = sql`venue_export = ${name} AND venue_part = ${part} AND ${sql.or(places)}`
  return Tables.pagesByKey(sql, dataset, prefix, condition).pipe(
    Stream.mapConcat((records) => records.map((record) => wireOf(dataset, record))),
    Stream.mapError(SqlSession.toFailure(session))
  )
}

/** The keys that begin with an id. */
const keysOfIds = (
  { name, prefix, sql }: SqlSession.Session,
  { dataset, name: part }: Part.Part<unknown, unknown>,
  beginnings: ReadonlyArray<string>
) =>
  select<{ readonly venue_key: string; readonly venue_window: number | string }>(
    sql,
    ["venue_key", "venue_window"],
    // A key is an id, a space and an instant: the next character after a space ends the keys of an id.
    sql`FROM ${sql(Tables.rowsTable(dataset.name, prefix))} WHERE venue_export = ${name} AND venue_part = ${part}
      AND ${sql.or(beginnings.map((id) => sql`(venue_key >= ${`${id} `} AND venue_key < ${`${id}!`})`))}`
  )

/** The most ids of one query. */
const idsAtOnce = 200

/** The rows of the export under way whose id a row of the finished export has at another instant, by the index of the keys. */
const reissued = (session: SqlSession.Session, part: Part.Part<unknown, unknown>) => {
  const { manifest, name, prefix, sql } = session
  const { dataset } = part
  const before = Option.flatMapNullable(manifest, ({ parts }) => parts.find((each) => each.name === part.name))
  if (!hasLastingIds(dataset) || Option.isNone(before)) return Effect.succeed([])
  const first = before.value.windows.length
  const condition = sql`venue_export = ${name} AND venue_part = ${part.name} AND venue_window >= ${first}`
  return Tables.pagesByKey(sql, dataset, prefix, condition).pipe(
    Stream.mapConcat((records) => records),
    Stream.grouped(idsAtOnce),
    Stream.mapEffect((records) =>
      Effect.gen(function* () {
        const keys = new Map(Array.from(records, (record) => [idOfKey(String(record.venue_key)), record]))
        const found = yield* keysOfIds(session, part, [...keys.keys()])
        const earlier = found.filter(({ venue_window }) => Number(venue_window) < first)
        return earlier.flatMap(({ venue_key }): ReadonlyArray<Manifest.Conflict> => {
          const record = keys.get(idOfKey(venue_key))
          if (record === undefined || record.venue_key === venue_key) return []
          const row = wireOf(dataset, record)
          return [{ id: id(dataset, row) ?? "", at: instant(dataset, row) ?? null }]
        })
      })
    ),
    Stream.runFold<ReadonlyArray<Manifest.Conflict>, ReadonlyArray<Manifest.Conflict>>([], (all, some) => [
      ...all,
      ...some
    ]),
    Effect.mapError(SqlSession.toFailure(session))
  )
}

const rejectedLines = (session: SqlSession.Session, part: Part.Part<unknown, unknown>) =>
  Tables.readRejectedLines(session.sql, session.prefix, SqlSession.ofPart(session, part)).pipe(
    Stream.mapConcat((lines) => lines),
    Stream.mapError(SqlSession.toFailure(session))
  )

/** The entry of a part in the manifest. A database stores its bytes itself. */
const fileOf = ({ prefix }: SqlSession.Session, { dataset, rows, windows }: Manifest.Part): Manifest.File => ({
  name: Tables.rowsTable(dataset, prefix),
  rows,
  windows: windows.length,
  bytes: 0,
  sha256: ""
})

const publish = (session: SqlSession.Session, unfinished: Manifest.Manifest) => {
  const writes = Effect.gen(function* () {
    const parts = yield* Effect.forEach(unfinished.parts, (part) => SqlNumbers.renumber(session, part))
    const finished = { ...unfinished, parts: parts.map((part) => ({ ...part, files: [fileOf(session, part)] })) }
    yield* SqlSession.clearCheckpoint(session)
    yield* SqlSession.update(session, { manifest: Manifest.encode(finished), checkpoint: null })
    yield* Effect.forEach(session.parts, ({ dataset }) => Tables.createIndex(session.sql, dataset, session.prefix))
    return finished
  })
  return SqlSession.transaction(session, writes)
}

/**
 * Rows go to one table per dataset, `venue_executions` and so on, created if missing: the columns of the dataset, with
 * `venue_export`, `venue_part` and `venue_key`, which make a row unique, `venue_extra`, `venue_window`, `venue_account` and `venue_category`. Rows are inserted or updated by
 * that key, in one transaction with the checkpoint. A query for one of several exports needs `WHERE venue_export = 'export'`. Decimals are NUMERIC on Postgres and verbatim text elsewhere; instants are milliseconds since 1970. A
 * value that no file has in its column either (see `Sink.parquet`) is NULL, and is in `venue_extra`.
 *
 * The manifest is in `venue_exports`, checkpoints in `venue_checkpoints`, windows with their rows and digests in `venue_windows`, rows that do not fit the domain
 * side in `venue_rejected`. An export that starts anew replaces the rows of all its parts, and no rows of another export. It has
 * no manifest until it is finished.
 *
 * SQLite is of version 3.32 or newer and has its JSON functions, which are always built in since 3.38.
 *
 * @category sinks
 */
export const make = (options: Options = {}): Sink.Sink<SqlClient.SqlClient> => {
  const { alone = false, fence, location = "database", name = Tables.defaultName, prefix = "venue_" } = options
  return {
    location,
    format: "sql",
    open: (parts, { overwrite = false } = {}) =>
      Effect.map(SqlSession.open({ alone, fence, location, name, prefix }, parts, overwrite), (session): Sink.Store => {
        const forgotten = Effect.zipRight(
          SqlSession.clearCheckpoint(session),
          SqlSession.update(session, { checkpoint: null })
        )
        return {
          checkpoint: session.checkpoint,
          manifest: session.manifest,
          begin: (checkpoint) => SqlSession.failing(session, SqlSession.begin(session, checkpoint)),
          spool: options.spool,
          append: (rows) => SqlSession.failing(session, SqlCommit.append(session, rows)),
          forget: Effect.asVoid(SqlSession.failing(session, SqlSession.transaction(session, forgotten))),
          existing: (part, windows) => existing(session, part, windows),
          rejectedLines: (part) => rejectedLines(session, part),
          reissued: (part) => reissued(session, part),
          publish: (unfinished) => SqlSession.failing(session, publish(session, unfinished))
        }
      })
  }
}

export interface ReadOptions extends Pick<Options, "location" | "name" | "prefix"> {
  /** Custom datasets, in addition to those of the library. */
  readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined
}

/**
 * The rows of a part, window by window, in each the oldest first. If a record changed between two exports, the later version is emitted.
 *
 * @category streams
 */
export const rows: (
  part: Pick<Manifest.Part, "name" | "dataset" | "windows">,
  options?: ReadOptions
) => Stream.Stream<Dataset.Row, Unreadable, SqlClient.SqlClient> = SqlReader.rows

/**
 * Compares the tables of an export with its manifest and the digests of its windows. Their key prevents duplicate rows. In SQLite, tables are read
 * without their indexes, and `PRAGMA integrity_check` compares the two.
 *
 * @category running
 */
export const verify: (options?: ReadOptions) => Effect.Effect<Verify.Report, Verify.NotAnExport, SqlClient.SqlClient> =
  SqlVerify.verify
