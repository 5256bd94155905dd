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
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { keyOf } from "./guardedTotals.js"
import * as journalEntries from "./journalEntries.js"
import * as journalLines from "./journalLines.js"
import { outsideTransaction, takeSteps, warnUnwritable } from "./journalEffects.js"
import * as TimeLimit from "../time/TimeLimit.js"
import { type GuardedTotal, type Intent, type Outcome, type RecordedEntry, WriteJournalFailed } from "./WriteJournal.js"
import { make as makeJournal, WriteJournal } from "./WriteJournal.js"

export interface Options {
  /** Defaults to `writes`. */
  readonly name?: string | undefined
  /** The prefix of the tables: `<prefix>entries`, `<prefix>totals` and `<prefix>owners`. Defaults to `venue_writes_`. */
  readonly prefix?: string | undefined
  /** The time limit of the database for an entry. Defaults to 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
  /** How long closed entries are kept, by the clock of this machine; a guard does not need them. Defaults to 7 days. */
  readonly retention?: Duration.DurationInput | undefined
}

/** Closed entries are removed, and those that a guard counts become sums, once per this number of outcomes. */
const tidyEvery = 1_000

/** The number of rows that are read at once, each of which takes as long to decode as a hundred sums. */
const entriesAtOnce = 200
const totalsAtOnce = 2_000

const toFailure = (error: SqlError.SqlError): WriteJournalFailed =>
  new WriteJournalFailed({
    reason: "Storage",
    detail: error.cause instanceof Error ? error.cause.message : error.message,
    cause: error
  })

const createTables = (sql: SqlClient.SqlClient, prefix: string) =>
  Effect.all(
    [
      sql`CREATE TABLE IF NOT EXISTS ${sql(`${prefix}owners`)} (name TEXT PRIMARY KEY, run TEXT NOT NULL)`,
      sql`CREATE TABLE IF NOT EXISTS ${sql(`${prefix}entries`)} (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        intent TEXT NOT NULL,
        outcome TEXT,
        closed_at BIGINT,
        guarded INTEGER NOT NULL
      )`,
      sql`CREATE TABLE IF NOT EXISTS ${sql(`${prefix}totals`)} (
        name TEXT NOT NULL,
        id TEXT NOT NULL,
        total TEXT NOT NULL,
        PRIMARY KEY (name, id)
      )`
    ],
    { discard: true }
  )

interface Row {
  readonly id: string
  readonly intent: string
  readonly outcome: string | null
}

interface TotalRow {
  readonly id: string
  readonly total: string
}

/** The statements of a journal. `run` identifies the process that owns it. */
const statementsOf = (sql: SqlClient.SqlClient, prefix: string, name: string, run: string) => {
  const [entries, owners, totals] = [sql(`${prefix}entries`), sql(`${prefix}owners`), sql(`${prefix}totals`)]
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
    /** Rows after an id: the open entries of a guard, and the closed ones that are not in its sums. */
    guarded: (after: string) => sql<Row>`SELECT id, intent, outcome FROM ${entries}
      WHERE name = ${name} AND guarded = 1 AND id > ${after} ORDER BY id LIMIT ${entriesAtOnce}`,
    totals: (after: string) => sql<TotalRow>`SELECT id, total FROM ${totals}
      WHERE name = ${name} AND id > ${after} ORDER BY id LIMIT ${totalsAtOnce}`,
    /** Returns a row only while this process owns the journal, and keeps others from taking it over until the end of the transaction. */
    own: sql`UPDATE ${owners} SET run = ${run} WHERE name = ${name} AND run = ${run} RETURNING run`,
    setTotals: (rows: ReadonlyArray<TotalRow>) =>
      sql`INSERT INTO ${totals} ${sql.insert(
        rows.map(({ id, total }) => ({ name, id, total }))
      )} ON CONFLICT (name, id) DO UPDATE SET total = excluded.total`,
    removeTotals: (ids: ReadonlyArray<string>) =>
      sql`DELETE FROM ${totals} WHERE name = ${name} AND ${sql.in("id", ids)}`,
    setCounted: (ids: ReadonlyArray<string>) =>
      sql`UPDATE ${entries} SET guarded = 0 WHERE name = ${name} AND closed_at IS NOT NULL AND ${sql.in("id", ids)}`,
    remove: (before: number) =>
      sql`DELETE FROM ${entries} WHERE name = ${name} AND closed_at < ${before} AND guarded = 0`
  }
}

type Statements = ReturnType<typeof statementsOf>

/** Runs a statement for each piece of a list. */
const forPieces = <A, E>(
  values: ReadonlyArray<A>,
  statement: (piece: ReadonlyArray<A>) => Effect.Effect<unknown, E>
): Effect.Effect<void, E> =>
  Effect.forEach(
    Chunk.chunksOf(Chunk.unsafeFromArray(values), entriesAtOnce),
    (piece) => statement(Chunk.toReadonlyArray(piece)),
    { discard: true }
  )

/** The sums that a guard needs, in memory and in the database. */
const makeSums = (sql: SqlClient.SqlClient, statements: Statements) => {
  /** The sums that are not in the database as in memory; `undefined` for one that was removed. */
  let changed = new Map<string, GuardedTotal | undefined>()
  /** Closed entries that are in the sums of memory only. */
  let closed: Array<string> = []
  const entries = journalEntries.make((total, isRemoved) => changed.set(keyOf(total), isRemoved ? undefined : total))

  return {
    entries,
    restore: (earlier: ReadonlyArray<RecordedEntry>, totals: ReadonlyArray<GuardedTotal>) =>
      Effect.map(takeSteps(entries.restore(earlier, totals)), () => {
        // Sums of the database change only with entries that were closed since.
        for (const total of totals) {
          const { at, value } = changed.get(keyOf(total)) ?? {}
          if (at === total.at && value === total.value) changed.delete(keyOf(total))
        }
        closed = earlier.flatMap(({ intent, outcome }) =>
          outcome === undefined || outcome._tag === "Unknown" ? [] : [intent.id]
        )
      }),
    end: (id: string, outcome: Outcome) => {
      if (!entries.has(id)) return
      entries.end(id, outcome)
      if (outcome._tag !== "Unknown") closed.push(id)
    },
    /** Stores the sums of memory in the database. */
    store: Effect.suspend(() => {
      const [sums, counted] = [changed, closed]
      changed = new Map()
      closed = []
      const rows = [...sums].flatMap(([id, total]) =>
        total === undefined ? [] : [{ id, total: JSON.stringify(total) }]
      )
      const removed = [...sums].flatMap(([id, total]) => (total === undefined ? [id] : []))
      const stored = Effect.gen(function* () {
        const owned = yield* statements.own
        if (owned.length === 0) return
        yield* forPieces(rows, statements.setTotals)
        yield* forPieces(removed, statements.removeTotals)
        yield* forPieces(counted, statements.setCounted)
      })
      return Effect.onError(sql.withTransaction(stored), () =>
        Effect.sync(() => {
          changed = new Map([...sums, ...changed])
          closed = [...counted, ...closed]
        })
      )
    })
  }
}

/** Reads and decodes rows in pieces, each of which leaves the event loop to others. */
const readPieces = <Row extends { readonly id: string }, A, E>(
  read: (after: string) => Effect.Effect<ReadonlyArray<Row>, E>,
  decode: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<A>, E>
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    for (let after = ""; ;) {
      const piece = yield* read(after)
      for (const each of yield* decode(piece)) all.push(each)
      const last = piece.at(-1)
      if (last === undefined) return all
      after = last.id
    }
  })

/**
 * Opens a journal, creating missing tables. A previous process with this journal can no longer write.
 *
 * If the database can be read and not written, for example because its disk is full, a journal that exists is opened with a warning in the log: its entries can
 * be read and looked up with `OpenWrites.reconcile`. It is taken over, and writes are sent, when the database can be written again.
 */
export const make = (
  options: Options = {}
): Effect.Effect<WriteJournal.Shape, WriteJournalFailed, SqlClient.SqlClient> =>
  // One function, because each of its parts needs the owner that the journal is to be taken over from.
  Effect.gen(function* () {
    const { name = "writes", prefix = "venue_writes_" } = options
    const sql = yield* SqlClient.SqlClient
    const timeout = Duration.decode(options.timeout ?? "5 seconds")
    const retention = Duration.toMillis(options.retention ?? "7 days")
    const owner = globalThis.crypto.randomUUID()
    const statements = statementsOf(sql, prefix, name, owner)
    const sums = makeSums(sql, statements)
    let count = 0
    let outcomes = 0

    const run = <A>(effect: Effect.Effect<A, SqlError.SqlError>) =>
      Effect.mapError(outsideTransaction(effect), toFailure)

    const inTime = <A>(effect: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, WriteJournalFailed> =>
      TimeLimit.within(run(effect), timeout, () => {
        const detail = `the database did not answer within ${Duration.format(timeout)}`
        return new WriteJournalFailed({ reason: "Storage", detail })
      })

    const damaged = new WriteJournalFailed({
      reason: "Damaged",
      detail: `a row of ${prefix}entries cannot be read: look up the writes of the account, then delete the row`
    })

    const decodeWith =
      <Row, A>(decode: (row: Row) => Option.Option<A>) =>
      (rows: ReadonlyArray<Row>) => {
        const decoded = rows.flatMap((row) => Option.toArray(decode(row)))
        return decoded.length === rows.length ? Effect.succeed(decoded) : Effect.fail(damaged)
      }

    const tidy = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.ignoreLogged(inTime(Effect.zipRight(sums.store, statements.remove(now - retention))))
    )

    const restore = Effect.gen(function* () {
      const entries = yield* readPieces((after) => inTime(statements.guarded(after)), decodeWith(journalLines.ofRow))
      const totals = yield* readPieces((after) => inTime(statements.totals(after)), decodeWith(journalLines.ofTotalRow))
      yield* sums.restore(entries, totals)
    })

    const opened = yield* Effect.either(inTime(Effect.zipRight(createTables(sql, prefix), statements.takeOver)))
    /** The owner from which the journal is still to be taken over. */
    let previous: string | undefined
    if (Either.isLeft(opened)) {
      const [owner] = yield* Effect.mapError(inTime(statements.owner), () => opened.left)
      if (owner === undefined) return yield* opened.left
      previous = owner.run
      yield* warnUnwritable(opened.left)
    }
    yield* restore
    if (previous === undefined) yield* tidy

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
          Effect.flatMap(Effect.zipRight(owned, run(statements.begin(intent))), (rows) => {
            if (rows.length === 0) return Effect.fail(takenOver)
            if (intent.amounts !== undefined) sums.entries.begin(intent)
            return Effect.void
          }),
        end: (id, outcome) =>
          Effect.gen(function* () {
            yield* owned
            const closedAt = outcome._tag === "Unknown" ? null : yield* Clock.currentTimeMillis
            yield* run(statements.end(id, outcome, closedAt))
            sums.end(id, outcome)
            // A journal of a database has no scope: a tidying that outlives its process is repeated by the next one.
            if (++outcomes % tidyEvery === 0) yield* Effect.forkDaemon(tidy)
          }),
        open: Effect.map(Effect.flatMap(run(statements.open), decodeWith(journalLines.ofRow)), (entries) =>
          entries.flatMap(({ intent, outcome }) =>
            outcome === undefined || outcome._tag === "Unknown" ? [{ intent, outcome }] : []
          )
        ),
        guarded: Effect.sync(sums.entries.guarded)
      },
      { timeout }
    )
  })

/** A journal in a database, for the layer of the transport and for `OpenWrites.reconcile`. */
export const layer = (options: Options = {}): Layer.Layer<WriteJournal, WriteJournalFailed, SqlClient.SqlClient> =>
  Layer.effect(WriteJournal, make(options))
