/**
 * A journal of writes in a SQLite or Postgres database: one row for each write, committed before the write is sent.
 *
 * A journal has a name, and only one process at a time uses a name. A process that opens a journal takes it over from the previous process, including its open
 * entries, and the previous process can send no more writes. Processes that run in parallel need different names.
 *
 * Entries are committed outside of the caller's transaction. A client with a single connection, such as one of SQLite, cannot do that while it runs a
 * transaction: the write then fails after `timeout`, before it is sent. Use a separate client for the journal.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as journalLines from "./journalLines.js"
import { warnUnwritable } from "./outsideTransaction.js"
import { outsideTransaction } from "./outsideTransaction.js"
import * as timeLimit from "../time/timeLimit.js"
import { type Intent, type Outcome, WriteJournalFailed } from "./WriteJournal.js"
import { make as makeJournal, WriteJournal } from "./WriteJournal.js"

export interface Options {
  /** Defaults to `writes`. */
  readonly name?: string | undefined
  /** The prefix of the tables: `<prefix>entries` and `<prefix>owners`. Defaults to `venue_writes_`. */
  readonly prefix?: string | undefined
  /** The time limit of the database for an entry. Defaults to 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
  /** How long closed entries are kept; those that a guard counts at least 25 hours. Defaults to 7 days. */
  readonly retention?: Duration.DurationInput | undefined
}

/** Entries that a guard counts are kept for a day plus the maximum difference between clocks. */
const guardedFor = Duration.toMillis("25 hours")

/** Closed entries are removed once per this number of outcomes. */
const removeEvery = 1_000

const toFailure = (error: SqlError.SqlError): WriteJournalFailed =>
  new WriteJournalFailed({
    reason: "Storage",
    detail: error.cause instanceof Error ? error.cause.message : error.message,
    cause: error
  })

const createTables = (sql: SqlClient.SqlClient, prefix: string) =>
  Effect.zipRight(
    sql`CREATE TABLE IF NOT EXISTS ${sql(`${prefix}owners`)} (name TEXT PRIMARY KEY, run TEXT NOT NULL)`,
    sql`CREATE TABLE IF NOT EXISTS ${sql(`${prefix}entries`)} (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      intent TEXT NOT NULL,
      outcome TEXT,
      closed_at BIGINT,
      guarded INTEGER NOT NULL
    )`
  )

interface Row {
  readonly id: string
  readonly intent: string
  readonly outcome: string | null
}

/** The statements of a journal. `run` identifies the process that owns it. */
const statementsOf = (sql: SqlClient.SqlClient, prefix: string, name: string, run: string) => {
  const [entries, owners] = [sql(`${prefix}entries`), sql(`${prefix}owners`)]
  // In Postgres a process that takes the journal over waits for the entries that are being recorded, so that it reads them.
  const locked = sql.onDialectOrElse({ pg: () => sql.literal("FOR SHARE"), orElse: () => sql.literal("") })
  return {
    takeOver: sql`INSERT INTO ${owners} (name, run) VALUES (${name}, ${run})
      ON CONFLICT (name) DO UPDATE SET run = excluded.run`,
    owner: sql<{ readonly run: string }>`SELECT run FROM ${owners} WHERE name = ${name}`,
    /** Returns a row unless the journal has another owner than `previous` by now. */
    takeOverFrom: (previous: string) => sql`UPDATE ${owners} SET run = ${run}
      WHERE name = ${name} AND run IN (${previous}, ${run}) RETURNING run`,
    /** Returns a row only while this process owns the journal. */
    begin: (intent: Intent) => sql`INSERT INTO ${entries} (id, name, intent, guarded)
      SELECT ${intent.id}, ${name}, ${JSON.stringify(intent)}, ${intent.amounts === undefined ? 0 : 1} FROM ${owners} WHERE name = ${name} AND run = ${run} ${locked}
      ON CONFLICT (id) DO UPDATE SET intent = excluded.intent RETURNING id`,
    end: (id: string, outcome: Outcome, closedAt: number | null) => sql`UPDATE ${entries}
      SET outcome = ${JSON.stringify(outcome)}, closed_at = ${closedAt} WHERE id = ${id} AND closed_at IS NULL`,
    open: sql<Row>`
      SELECT id, intent, outcome FROM ${entries} WHERE name = ${name} AND closed_at IS NULL`,
    since: (at: number) => sql<Row>`
      SELECT id, intent, outcome FROM ${entries} WHERE name = ${name} AND guarded = 1 AND (closed_at IS NULL OR closed_at >= ${at})`,
    remove: (before: number, guardedBefore: number) => sql`DELETE FROM ${entries} WHERE name = ${name}
      AND closed_at < ${before} AND (guarded = 0 OR closed_at < ${guardedBefore})`
  }
}

/**
 * Opens a journal, creating missing tables. A previous process with this journal can no longer write.
 *
 * If the database can be read and not written, for example because its disk is full, a journal that exists is opened with a warning in the log: its entries can
 * be read and looked up with `OpenWrites.reconcile`. It is taken over, and writes are sent, when the database can be written again.
 */
export const make = (
  options: Options = {}
): Effect.Effect<WriteJournal.Shape, WriteJournalFailed, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const { name = "writes", prefix = "venue_writes_" } = options
    const sql = yield* SqlClient.SqlClient
    const timeout = Duration.decode(options.timeout ?? "5 seconds")
    const retention = Duration.toMillis(options.retention ?? "7 days")
    const owner = globalThis.crypto.randomUUID()
    const statements = statementsOf(sql, prefix, name, owner)
    let count = 0
    let outcomes = 0

    const run = <A>(effect: Effect.Effect<A, SqlError.SqlError>) =>
      Effect.mapError(outsideTransaction(effect), toFailure)

    const inTime = <A>(effect: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, WriteJournalFailed> =>
      timeLimit.within(run(effect), timeout, () => {
        const detail = `the database did not answer within ${Duration.format(timeout)}`
        return new WriteJournalFailed({ reason: "Storage", detail })
      })

    const read = (rows: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>) =>
      Effect.flatMap(run(rows), (rows) =>
        Effect.mapError(
          Effect.forEach(rows, journalLines.ofRow),
          () =>
            new WriteJournalFailed({
              reason: "Damaged",
              detail: `a row of ${prefix}entries cannot be read: look up the writes of the account, then delete the row`
            })
        )
      )

    const removeClosed = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.ignoreLogged(inTime(statements.remove(now - retention, now - guardedFor)))
    )

    const opened = yield* Effect.either(inTime(Effect.zipRight(createTables(sql, prefix), statements.takeOver)))
    /** The owner from which the journal is still to be taken over. */
    let previous: string | undefined
    if (Either.isLeft(opened)) {
      const [owner] = yield* Effect.mapError(inTime(statements.owner), () => opened.left)
      if (owner === undefined) return yield* opened.left
      previous = owner.run
      yield* warnUnwritable(opened.left)
    } else yield* removeClosed

    const takenOver = new WriteJournalFailed({ reason: "TakenOver", detail: name })

    const owned = Effect.suspend(() =>
      previous === undefined
        ? Effect.void
        : Effect.flatMap(run(statements.takeOverFrom(previous)), (rows) => {
            if (rows.length === 0) return Effect.fail(takenOver)
            previous = undefined
            return Effect.void
          })
    )

    return makeJournal(
      {
        nextId: Effect.sync(() => `${owner}-${count++}`),
        begin: (intent) =>
          Effect.flatMap(Effect.zipRight(owned, run(statements.begin(intent))), (rows) =>
            rows.length > 0 ? Effect.void : Effect.fail(takenOver)
          ),
        end: (id, outcome) =>
          Effect.gen(function* () {
            yield* owned
            const closedAt = outcome._tag === "Unknown" ? null : yield* Clock.currentTimeMillis
            yield* run(statements.end(id, outcome, closedAt))
            if (++outcomes % removeEvery === 0) yield* Effect.forkDaemon(removeClosed)
          }),
        open: Effect.map(read(statements.open), (entries) =>
          entries.flatMap(({ intent, outcome }) =>
            outcome === undefined || outcome._tag === "Unknown" ? [{ intent, outcome }] : []
          )
        ),
        guarded: (since) =>
          Effect.map(read(statements.since(since)), (entries) => entries.filter(({ intent }) => intent.at >= since))
      },
      { timeout }
    )
  })

/** A journal in a database, for the layer of the transport and for `OpenWrites.reconcile`. */
export const layer = (options: Options = {}): Layer.Layer<WriteJournal, WriteJournalFailed, SqlClient.SqlClient> =>
  Layer.effect(WriteJournal, make(options))
