/**
 * Export into tables, through whatever `SqlClient` an application has: SQLite, libSQL, Postgres. Imported by its name, since it is the
 * only module that needs `@effect/sql`.
 *
 * @since 0.1.0
 */
import * as sha256 from "#sha256"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlError from "@effect/sql/SqlError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Column from "./Column.js"
import type * as Dataset from "./Dataset.js"
import * as Datasets from "./Datasets.js"
import * as Cell from "./internal/cell.js"
import * as CheckpointFile from "./internal/checkpointFile.js"
import { forEach } from "./internal/forEach.js"
import { recordOf, storedKey, wireOf } from "./internal/sqlRecords.js"
import { isPostgres as isPostgresClient, select } from "./internal/sqlSelect.js"
import * as Tables from "./internal/sqlTables.js"
import { newToken } from "./internal/token.js"
import * as Verbatim from "./internal/verbatim.js"
import * as Manifest from "./Manifest.js"
import * as ProcessIdentity from "./ProcessIdentity.js"
import * as Sink from "./Sink.js"
import type * as Spool from "./Spool.js"
import * as Store from "./Store.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The name of the export. Exports of different names are separate: each has its own rows, windows and manifest, in the same tables.
   * Names are case-sensitive. Defaults to `export`.
   */
  readonly name?: string | undefined
  /** The prefix of the names of tables. Defaults to `venue_`. */
  readonly prefix?: string | undefined
  /** Where it is, for people. Defaults to `database`. */
  readonly location?: string | undefined
  /** No other process can be at work here: the note of a run that was killed is ignored. */
  readonly alone?: boolean | undefined
  /** Where rows are buffered until their window has been read. Defaults to memory. */
  readonly spool?: Spool.Spool<Sink.SinkFailure> | undefined
  /**
   * Runs first in each transaction that writes, on its connection: where it fails nothing is written. It says who may write, so the note of
   * another run is ignored, and that run commits nothing after this one has opened the export. A row that it locks stays locked until the
   * transaction ends; Postgres ends a transaction whose process is silent for 5 seconds. Defaults to none.
   */
  readonly fence?: Effect.Effect<void, Sink.SinkFailure> | undefined
}

/** How long a process may be silent within a transaction with a fence, in milliseconds: others wait for what it has locked. */
const silentFor = 5000

const decodeIdentity = Schema.decodeOption(Schema.parseJson(ProcessIdentity.ProcessIdentity))
/** With a token: two runs of one process are two. */
const encodeIdentity = Schema.encodeSync(
  Schema.parseJson(Schema.Struct({ ...ProcessIdentity.ProcessIdentity.fields, token: Schema.String }))
)

/** Most values in a statement: about a page of rows. SQLite takes 32,766 since version 3.32, Postgres 65,535. */
const valuesAtOnce = 3600

/** Rows that are read at once. */
const rowsAtOnce = 1000

/**
 * The table that the rows of a dataset go to.
 *
 * @since 0.1.0
 * @category getters
 */
export const tableOf = (dataset: { readonly name: string }, prefix = "venue_"): string =>
  Tables.rowsTable(dataset.name, prefix)

/**
 * The table with the number of rows of every window, and their digest.
 *
 * @since 0.1.0
 * @category getters
 */
export const windowsTable = (prefix = "venue_"): string => `${prefix}windows`

const bits = 128

const utf8 = new TextEncoder()

/** The first half of a text's digest, as hexadecimal text. */
const sumOf = (text: string): string => {
  const digest = sha256.begin()
  digest.update(utf8.encode(text))
  return digest.hex().slice(0, 32)
}

/** A record as text, the same before it is written and after it was read, whatever the database makes of numbers. */
const spelled = (dataset: Dataset.Dataset<never, unknown>, record: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([
    record.venue_key,
    record.venue_extra,
    record.venue_account,
    record.venue_category,
    ...dataset.columns.map((column) => {
      const value = record[column.name]
      if (value === null || value === undefined) return null
      return column.kind === "boolean"
        ? Number(value)
        : Cell.canonical({ ...column, kind: digested[column.kind] }, value)
    })
  ])

const digested: Readonly<Record<Column.Kind, Column.Kind>> = {
  text: "text",
  decimal: "decimal",
  integer: "text",
  boolean: "text",
  flag: "text",
  millis: "text",
  seconds: "text",
  instant: "text",
  json: "text"
}

/**
 * Adds records to the digest of a window, or takes them away: a sum, which does not depend on their order. As hexadecimal text.
 *
 * @since 0.1.0
 * @category getters
 */
export const digest = (
  dataset: Dataset.Dataset<never, unknown>,
  records: ReadonlyArray<Readonly<Record<string, unknown>>>,
  before = "0",
  sign: 1n | -1n = 1n
): string =>
  BigInt.asUintN(
    bits,
    records.reduce((sum, record) => sum + sign * BigInt(`0x${sumOf(spelled(dataset, record))}`), BigInt(`0x${before}`))
  ).toString(16)

/**
 * Rows go to one table per dataset, `venue_executions` and so on, created if missing: the columns of the dataset, with
 * `venue_export`, `venue_part` and `venue_key`, which make a row unique, `venue_extra`, `venue_window`, `venue_account` and `venue_category`. Rows are inserted or updated by
 * that key, in one transaction with the checkpoint. A query for one export of several says `WHERE venue_export = 'export'`. Decimals are NUMERIC on Postgres and verbatim text elsewhere; instants are milliseconds since 1970.
 *
 * The manifest is in `venue_exports`, checkpoints in `venue_checkpoints`, windows with their rows and digests in `venue_windows`, rows that do not fit the domain
 * side in `venue_rejected`. An export that starts anew replaces the rows that it had, of all its parts, and no rows of another export;
 * while it is under way there is no manifest.
 *
 * SQLite is of version 3.32 or newer.
 *
 * @since 0.1.0
 * @category sinks
 */
export const make = (options: Options = {}): Sink.Sink<SqlClient.SqlClient> => {
  const { location = "database", name = Tables.defaultName, prefix = "venue_" } = options
  return {
    location,
    format: "sql",
    open: (parts, { overwrite = false } = {}) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const isPostgres = isPostgresClient(sql)
        const exports = sql(`${prefix}exports`)
        const rejected = sql(`${prefix}rejected`)
        const windows = sql(windowsTable(prefix))
        const table = (part: { readonly dataset: { readonly name: string } }) => sql(tableOf(part.dataset, prefix))
        const failed = (error: SqlError.SqlError) => new Sink.SinkFailure({ location, detail: detailOf(error) })
        const failing = <A, R>(effect: Effect.Effect<A, SqlError.SqlError | Sink.SinkFailure, R>) =>
          Effect.mapError(effect, (error) => (error._tag === "SqlError" ? failed(error) : error))

        const fence =
          options.fence === undefined
            ? Effect.void
            : Effect.zipRight(
                isPostgres
                  ? sql`SELECT set_config('idle_in_transaction_session_timeout', ${String(silentFor)}, true)`
                  : Effect.void,
                options.fence
              )
        const transaction = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
          // A connection that is lost in it ends with a defect: there is nothing to roll back.
          Effect.catchSomeDefect(sql.withTransaction(Effect.zipRight(fence, writes)), (defect) =>
            defect instanceof SqlError.SqlError ? Option.some(Effect.fail(defect)) : Option.none()
          )

        const processes = yield* ProcessIdentity.Processes
        const own = yield* processes.self
        const ownRunner = encodeIdentity({ ...own, token: yield* newToken })
        const lock = transaction(
          Effect.gen(function* () {
            yield* Tables.prepare(prefix, parts)
            yield* sql`INSERT INTO ${exports} (name) VALUES (${name}) ON CONFLICT (name) DO UPDATE SET name = excluded.name`
            const [row] = yield* select<{ readonly runner: string | null }>(
              sql,
              ["runner"],
              sql`FROM ${exports} WHERE name = ${name}`
            )
            const holder = row?.runner === null || row === undefined ? Option.none() : decodeIdentity(row.runner)
            const isFree =
              options.alone === true ||
              options.fence !== undefined ||
              Option.isNone(holder) ||
              (yield* processes.isAlive(holder.value)) === false
            if (!isFree && Option.isSome(holder)) {
              return yield* new Sink.Refused({
                location,
                reason: "Locked",
                detail: `another export is at work here (process ${holder.value.pid}); if there is no such process, set runner to NULL in ${prefix}exports`
              })
            }
            yield* sql`UPDATE ${exports} SET runner = ${ownRunner} WHERE name = ${name}`
          })
        )
        yield* Effect.acquireRelease(
          Effect.catchTag(lock, "SqlError", (error) => Effect.fail(failed(error))),
          () => Effect.ignore(sql`UPDATE ${exports} SET runner = NULL WHERE name = ${name} AND runner = ${ownRunner}`)
        )

        const [row] = yield* failing(
          select<{ readonly checkpoint: string | null; readonly manifest: string | null }>(
            sql,
            ["checkpoint", "manifest"],
            sql`FROM ${exports} WHERE name = ${name}`
          )
        )
        const refuse = (detail: string) =>
          new Sink.SinkFailure({ location, detail: `${detail}: overwrite it, or export elsewhere` })
        const read = <A>(
          text: string | null | undefined,
          decode: (text: string) => Effect.Effect<A, Sink.SinkFailure>
        ) =>
          text === null || text === undefined
            ? Effect.succeedNone
            : overwrite
              ? Effect.option(decode(text))
              : Effect.asSome(decode(text))
        const saved = yield* read(row?.checkpoint, (text) =>
          Effect.mapError(Tables.readSaved(sql, prefix, name, text), (error) =>
            typeof error === "string" ? refuse(error) : failed(error)
          )
        )
        const manifest = yield* read(row?.manifest, (text) =>
          Either.mapLeft(Manifest.decodeWritten(text), (detail) => refuse(`the manifest in ${prefix}exports ${detail}`))
        )
        const checkpoint = Option.map(saved, ({ head, states }) => CheckpointFile.checkpointOf(head, states))
        let states = Option.match(saved, { onNone: () => [], onSome: ({ states }) => [...states] })
        let starts = Option.match(saved, { onNone: () => 0, onSome: ({ head }) => head.starts })

        /** In the transaction of the rows that it goes with: a run that has lost its lock writes none of them. */
        const update = (state: {
          readonly checkpoint?: string | null
          readonly manifest?: string | null
          readonly runner?: string
        }) =>
          Effect.filterOrFail(
            sql`UPDATE ${exports} SET ${sql.update(state)} WHERE name = ${name} AND runner = ${ownRunner} RETURNING name`,
            (rows) => rows.length > 0,
            () => new Sink.SinkFailure({ location, detail: `another process took over the export ${name}` })
          )
        const ofExport = sql`venue_export = ${name}`
        const clearCheckpoint = sql`DELETE FROM ${sql(Tables.checkpointsTable(prefix))} WHERE ${ofExport}`

        /** Writes the checkpoints of parts anew, a line each, and their head. */
        const writeCheckpoint = (
          head: CheckpointFile.Head,
          lines: ReadonlyArray<CheckpointFile.State>,
          more: { readonly manifest?: null } = {}
        ) =>
          Effect.gen(function* () {
            yield* clearCheckpoint
            for (const [index, { name: part }] of head.plan.parts.entries()) {
              const state = lines[index]
              if (state === undefined) continue
              yield* Tables.appendLine(sql, prefix, { name, part, line: CheckpointFile.lineOf(state) })
            }
            yield* update({ checkpoint: CheckpointFile.encode(head), ...more })
          })

        /** Deletes what this export wrote, also for parts that it had and has no more. */
        const clear = Effect.gen(function* () {
          const had = [
            ...Option.match(manifest, { onNone: () => [], onSome: ({ parts }) => parts }),
            ...Option.match(checkpoint, { onNone: () => [], onSome: ({ plan }) => plan.parts })
          ]
          const datasets = new Set([
            // Of what cannot be read it is not known which datasets it had.
            ...Datasets.datasets.map(({ name }) => name),
            ...had.map(({ dataset }) => dataset),
            ...parts.map(({ dataset }) => dataset.name)
          ])
          for (const dataset of datasets) {
            const table = tableOf({ name: dataset }, prefix)
            const columns = yield* Tables.columnsOf(sql, table)
            if (columns.length > 0) yield* sql`DELETE FROM ${sql(table)} WHERE ${ofExport}`
          }
          yield* sql`DELETE FROM ${rejected} WHERE ${ofExport}`
          yield* sql`DELETE FROM ${windows} WHERE ${ofExport}`
        })

        const store: Store.Store = {
          checkpoint,
          manifest,
          begin: (checkpoint) =>
            failing(
              Effect.gen(function* () {
                const begun = checkpoint.parts.map((progress) => ({
                  progress,
                  rereads: 0,
                  retries: 0,
                  journals: CheckpointFile.noJournals
                }))
                const isNew = checkpoint.plan.since === null
                yield* transaction(
                  Effect.zipRight(
                    isNew ? clear : Effect.void,
                    writeCheckpoint(CheckpointFile.headOf(checkpoint), begun, isNew ? { manifest: null } : {})
                  )
                )
                states = begun
                starts = checkpoint.starts
              })
            ),
          spool: options.spool,
          commit: ({ checkpoint, part, pieces }) =>
            Effect.catchTag(
              transaction(
                Effect.gen(function* () {
                  const ofPart = sql`${ofExport} AND venue_part = ${part.name}`
                  const columns = [
                    ...part.dataset.columns.map((column) => column.name),
                    ...["venue_extra", "venue_window", "venue_account", "venue_category"]
                  ]
                  const set = sql.csv(
                    columns.map((column) => sql`${sql(column)} = ${sql.literal("excluded.")}${sql(column)}`)
                  )
                  const size = Math.max(1, Math.floor(valuesAtOnce / (columns.length + 3)))
                  const [counted] = yield* sql<{
                    readonly n: number | string
                  }>`SELECT count(*) AS n FROM ${windows} WHERE ${ofPart}`
                  const number = Number(counted?.n ?? 0)
                  let written = 0
                  let sum = "0"

                  /** Takes rows out of the window that they are counted in: they are about to be replaced. */
                  const release = (keys: ReadonlyArray<string>) =>
                    Effect.gen(function* () {
                      const there = yield* select(
                        sql,
                        Tables.rowColumns(part.dataset),
                        sql`FROM ${table(part)} WHERE ${ofPart} AND ${sql.in("venue_key", keys)}`
                      )
                      for (const record of there) {
                        const own = Number(record.venue_window)
                        if (own === number) {
                          written--
                          sum = digest(part.dataset, [record], sum, -1n)
                          continue
                        }
                        const [before] = yield* sql<{
                          readonly digest: string
                        }>`SELECT digest FROM ${windows} WHERE ${ofPart} AND number = ${own}`
                        yield* sql`UPDATE ${windows} SET row_count = row_count - 1, moved = moved + 1,
                          digest = ${digest(part.dataset, [record], before?.digest, -1n)} WHERE ${ofPart} AND number = ${own}`
                      }
                    })

                  yield* forEach(pieces, ({ rejectedRows, rows }) =>
                    Effect.gen(function* () {
                      for (const { key, replaces } of rows) {
                        if (replaces === undefined || replaces === key) continue
                        const replaced = storedKey(replaces)
                        yield* release([replaced])
                        yield* sql`DELETE FROM ${table(part)} WHERE ${ofPart} AND venue_key = ${replaced}`
                      }
                      for (let start = 0; start < rows.length; start += size) {
                        const records = rows
                          .slice(start, start + size)
                          .map(({ key, text }) =>
                            recordOf({ name, part, window: number }, key, Verbatim.line(text), isPostgres)
                          )
                        yield* release(records.map(({ venue_key }) => venue_key))
                        yield* sql`INSERT INTO ${table(part)} ${sql.insert(records)} ON CONFLICT (venue_export, venue_part, venue_key) DO UPDATE SET ${set}`
                        written += records.length
                        sum = digest(part.dataset, records, sum)
                      }
                      for (const line of rejectedRows) {
                        yield* sql`INSERT INTO ${rejected} ${sql.insert({ venue_export: name, venue_part: part.name, line })}`
                      }
                    })
                  )
                  const reached = yield* checkpoint
                  const window =
                    reached.parts[reached.plan.parts.findIndex(({ name }) => name === part.name)]?.windows.at(-1)
                  yield* sql`INSERT INTO ${windows} ${sql.insert({
                    venue_export: name,
                    venue_part: part.name,
                    number,
                    first: window?.from ?? 0,
                    past: window?.to ?? 0,
                    row_count: written,
                    moved: 0,
                    digest: sum
                  })}`
                  const index = reached.plan.parts.findIndex(({ name }) => name === part.name)
                  const steps = CheckpointFile.steps(states, reached, index, CheckpointFile.noJournals)
                  for (const { index, line } of steps) {
                    const part = reached.plan.parts[index]?.name ?? ""
                    yield* Tables.appendLine(sql, prefix, { name, part, line })
                  }
                  // Also where it does not change: a run that has lost its lock must not commit.
                  yield* update(
                    reached.starts === starts
                      ? { runner: ownRunner }
                      : { checkpoint: CheckpointFile.encode(CheckpointFile.headOf(reached)) }
                  )
                  return { steps, starts: reached.starts }
                })
              ).pipe(
                Effect.map((committed) => {
                  for (const { index, state } of committed.steps) states[index] = state
                  starts = committed.starts
                })
              ),
              "SqlError",
              (error) => Effect.fail(failed(error))
            ),
          forget: failing(transaction(Effect.zipRight(clearCheckpoint, update({ checkpoint: null })))).pipe(
            Effect.asVoid
          ),
          existing: (part, windows) => {
            const { dataset } = part
            const instants = [...Option.toArray(dataset.instant), ...Option.toArray(dataset.filedBy)]
            const [own] = instants
            if (own === undefined) return Stream.empty
            const places = [
              sql`${sql(own.name)} IS NULL`,
              ...windows.flatMap(({ from, to }) =>
                instants.map(({ name }) => sql`(${sql(name)} >= ${from} AND ${sql(name)} < ${to})`)
              )
            ]
            const page = (after: string) =>
              select(
                sql,
                Tables.rowColumns(dataset),
                sql`FROM ${table(part)} WHERE ${ofExport} AND venue_part = ${part.name} AND venue_key > ${after}
                  AND ${sql.or(places)} ORDER BY venue_key LIMIT ${rowsAtOnce}`
              )
            return Stream.paginateChunkEffect("", (after) =>
              Effect.map(page(after), (rows) => [
                Chunk.map(Chunk.fromIterable(rows), (row) => Store.existingRow(dataset, wireOf(dataset, row))),
                rows.length < rowsAtOnce ? Option.none() : Option.some(String(rows.at(-1)?.venue_key))
              ])
            ).pipe(Stream.mapError(failed))
          },
          finish: (unfinished) => {
            const finished: Manifest.Manifest = {
              ...unfinished,
              parts: unfinished.parts.map((part) => ({
                ...part,
                files: [
                  ...part.files,
                  {
                    name: tableOf({ name: part.dataset }, prefix),
                    rows: part.rows - part.files.reduce((rows, file) => rows + file.rows, 0),
                    windows: part.windows.length - part.files.reduce((windows, file) => windows + file.windows, 0),
                    // A database keeps its own bytes.
                    bytes: 0,
                    sha256: ""
                  }
                ]
              }))
            }
            const shown = update({ manifest: Manifest.encode(finished), checkpoint: null })
            return failing(Effect.as(transaction(Effect.zipRight(clearCheckpoint, shown)), finished))
          }
        }
        return store
      })
  }
}

const detailOf = (error: SqlError.SqlError): string =>
  error.cause instanceof Error ? error.cause.message : error.message
