import { collecting } from "@effect-venue/testing/Spans"
import * as Servers from "@effect-venue/testing/Servers"
import * as SqlWriteJournal from "@effect-venue/transport/SqlWriteJournal"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted, type Scope } from "effect"
import { idsOf, intent, testsOf } from "./utils/writeJournals.js"

type Sql = SqlClient.SqlClient
type Database = Effect.Effect<Sql, unknown, FileSystem.FileSystem | Scope.Scope>

const sqlOf = <E, R>(layer: Layer.Layer<Sql, E, R>) => Effect.map(Layer.build(layer), Context.get(SqlClient.SqlClient))

const sqlite = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return yield* sqlOf(LibsqlClient.layer({ url: `file:${yield* fs.makeTempDirectoryScoped()}/journal.db` }))
})

const server = await Servers.postgres()

const postgres = sqlOf(PgClient.layer({ url: Redacted.make(server.url), connectTimeout: 2_000 }))

/** A database, and tables in it that no other test uses. */
interface Storage {
  readonly sql: Sql
  readonly prefix: string
}

const storageIn = (database: Database) =>
  Effect.gen(function* () {
    const sql = yield* database
    const prefix = `writes_${globalThis.crypto.randomUUID().slice(0, 8)}_`
    const dropped = Effect.forEach(["owners", "entries"], (name) => sql`DROP TABLE IF EXISTS ${sql(prefix + name)}`)
    yield* Effect.addFinalizer(() => Effect.ignore(dropped))
    return { sql, prefix }
  })

const open = ({ prefix, sql }: Storage) =>
  Effect.provideService(SqlWriteJournal.make({ prefix, timeout: "3 seconds" }), SqlClient.SqlClient, sql)

const unwritable = (database: Database) =>
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
    testsOf({ storage: storageIn(database), open, unwritable: unwritable(database) })

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
        const other = yield* sqlite
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
