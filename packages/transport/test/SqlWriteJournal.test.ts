import { collecting } from "@effect-venue/testing/Spans"
import * as Servers from "@effect-venue/testing/Servers"
import * as SqlWriteJournal from "@effect-venue/transport/SqlWriteJournal"
import type { Intent, Outcome } from "@effect-venue/transport/WriteJournal"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted, type Scope } from "effect"
import { idsOf, intent, testsOf } from "./utils/writeJournals.js"

type Sql = SqlClient.SqlClient

/** A database: each run of `connect` is a client with one connection. `readOnly` makes a connection refuse to write. */
interface Database {
  readonly connect: Effect.Effect<Sql, unknown, Scope.Scope>
  readonly readOnly: (isReadOnly: boolean) => string
}

type Made = Effect.Effect<Database, unknown, FileSystem.FileSystem | Scope.Scope>

const sqlOf = <E, R>(layer: Layer.Layer<Sql, E, R>) => Effect.map(Layer.build(layer), Context.get(SqlClient.SqlClient))

const sqlite: Made = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const url = `file:${yield* fs.makeTempDirectoryScoped()}/journal.db`
  return {
    connect: sqlOf(LibsqlClient.layer({ url })),
    readOnly: (isReadOnly) => `PRAGMA query_only = ${isReadOnly ? "ON" : "OFF"}`
  }
})

const server = await Servers.postgres()

const postgres: Made = Effect.succeed({
  connect: sqlOf(PgClient.layer({ url: Redacted.make(server.url), connectTimeout: 2_000 })),
  readOnly: (isReadOnly) => `SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`
})

/** A database, and tables in it that no other test uses. */
interface Storage {
  readonly database: Database
  readonly sql: Sql
  readonly prefix: string
}

const storageIn = (made: Made): Effect.Effect<Storage, unknown, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* made
    const sql = yield* database.connect
    const prefix = `writes_${globalThis.crypto.randomUUID().slice(0, 8)}_`
    const dropped = Effect.forEach(
      ["owners", "entries", "totals"],
      (name) => sql`DROP TABLE IF EXISTS ${sql(prefix + name)}`
    )
    yield* Effect.addFinalizer(() => Effect.ignore(dropped))
    return { database, sql, prefix }
  })

const open = ({ prefix, sql }: Pick<Storage, "prefix" | "sql">) =>
  Effect.provideService(SqlWriteJournal.make({ prefix, timeout: "3 seconds" }), SqlClient.SqlClient, sql)

/** Opens the journal of a storage over a connection that can write only while the result of `isFull` is `false`. */
const full = ({ database: { connect, readOnly }, prefix }: Storage, isFull: () => boolean) =>
  Effect.gen(function* () {
    const sql = yield* connect
    const set = Effect.orDie(Effect.suspend(() => sql.unsafe(readOnly(isFull()))))
    yield* set
    const journal = yield* open({ prefix, sql })
    return {
      ...journal,
      begin: (intent: Intent) => Effect.zipRight(set, journal.begin(intent)),
      end: (id: string, outcome: Outcome) => Effect.zipRight(set, journal.end(id, outcome))
    }
  })

const unwritable = (database: Made) =>
  Effect.gen(function* () {
    const { prefix, sql } = yield* storageIn(database)
    const journal = yield* open({ prefix, sql })
    yield* sql`DROP TABLE ${sql(`${prefix}entries`)}`
    return journal
  })

const databases = [
  { name: "SQLite", isSkipped: false, database: sqlite },
  { name: server.label, isSkipped: server.isSkipped, database: postgres }
]

for (const { database, isSkipped, name } of databases) {
  describe.skipIf(isSkipped)(`a journal of writes in ${name}`, () => {
    testsOf({ storage: storageIn(database), open, unwritable: unwritable(database), full })

    it.scopedLive("keeps an intent if the caller's transaction is rolled back", () =>
      Effect.gen(function* () {
        const storage = yield* storageIn(database)
        const journal = yield* open(storage)
        const begun: Array<boolean> = []
        const begin = Effect.flatMap(Effect.isSuccess(journal.begin(intent("a"))), (isBegun) => {
          begun.push(isBegun)
          return Effect.fail("rolled back")
        })
        yield* Effect.flip(storage.sql.withTransaction(begin))
        // SQLite has one connection, which the transaction has: the intent is refused.
        expect(begun).toEqual([name !== "SQLite"])
        expect(yield* idsOf(yield* open(storage))).toEqual(name === "SQLite" ? [] : ["a"])
      }).pipe(Effect.provide(NodeContext.layer))
    )

    it.scopedLive("creates client spans of its statements below the span of the call, without values", () =>
      Effect.gen(function* () {
        const { spans, tracer } = collecting()
        const journal = yield* open(yield* storageIn(database))
        yield* journal.begin(intent("canary")).pipe(Effect.withSpan("call"), Effect.withTracer(tracer))
        const [call, statement] = spans
        expect(statement).toMatchObject({ kind: "client", parent: Option.fromNullable(call) })
        expect(Object.fromEntries(statement?.attributes ?? [])).toMatchObject({
          "db.system.name": name === "SQLite" ? "sqlite" : "postgresql",
          "db.operation.name": "execute",
          "db.query.text": expect.stringContaining("INSERT INTO"),
          ...(name === "SQLite" ? {} : { "db.namespace": new URL(server.url).pathname.slice(1) })
        })
        expect(statement?.attributes.get("db.query.text")).not.toContain("canary")
      }).pipe(Effect.provide(NodeContext.layer))
    )

    it.scopedLive("is not written in a transaction of another database", () =>
      Effect.gen(function* () {
        const storage = yield* storageIn(database)
        const other = yield* Effect.flatMap(sqlite, ({ connect }) => connect)
        const journal = yield* open(storage)
        yield* other.withTransaction(journal.begin(intent("a")))
        expect(yield* idsOf(yield* open(storage))).toEqual(["a"])
      }).pipe(Effect.provide(NodeContext.layer))
    )

    it.scopedLive("removes closed entries after their retention", () =>
      Effect.gen(function* () {
        const storage = yield* storageIn(database)
        const { prefix, sql } = storage
        const count = Effect.map(
          sql<{ readonly count: number | string }>`SELECT count(*) AS count FROM ${sql(`${prefix}entries`)}`,
          ([row]) => Number(row?.count)
        )
        const opened = (retention: number) =>
          Effect.provideService(SqlWriteJournal.make({ prefix, retention }), SqlClient.SqlClient, sql)
        const first = yield* opened(60_000)
        yield* Effect.forEach(["a", "b", "c"], (id) => first.begin(intent(id)))
        yield* first.end("a", { _tag: "Done" })
        yield* first.end("b", { _tag: "Unknown", failure: "ConnectionFailed (Timeout)" })
        yield* opened(60_000)
        expect(yield* count).toBe(3)
        yield* Effect.sleep("5 millis")
        yield* opened(0)
        expect(yield* count).toBe(2)
      }).pipe(Effect.provide(NodeContext.layer))
    )
  })
}
