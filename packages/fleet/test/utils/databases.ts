import * as SqlLedger from "@effect-venue/fleet/SqlLedger"
import * as Servers from "@effect-venue/testing/Servers"
import { FileSystem } from "@effect/platform"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Effect, Layer, Redacted } from "effect"

const server = await Servers.postgres()

const sqlOf = <E, R>(layer: Layer.Layer<SqlClient.SqlClient, E, R>) =>
  Effect.map(Layer.build(layer), Context.get(SqlClient.SqlClient))

const sqlite = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return yield* sqlOf(LibsqlClient.layer({ url: `file:${yield* fs.makeTempDirectoryScoped()}/fleet.db` }))
})

const postgres = sqlOf(PgClient.layer({ url: Redacted.make(server.url), connectTimeout: 2_000 }))

/** The databases of a ledger. */
export const databases = [
  { name: "libSQL", isSkipped: false, database: sqlite },
  { name: server.label, isSkipped: server.isSkipped, database: postgres }
]

/** What the names of tables begin with that no other test uses. */
export const prefixIn = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const prefix = `fleet_${globalThis.crypto.randomUUID().slice(0, 8)}_`
    yield* Effect.addFinalizer(() =>
      Effect.ignore(
        Effect.forEach(["exports", "egresses", "removals"], (name) => sql`DROP TABLE IF EXISTS ${sql(prefix + name)}`)
      )
    )
    return prefix
  })

/** A ledger in tables that no other test uses. */
export const ledgerIn = (database: (typeof databases)[number]["database"]) =>
  Effect.gen(function* () {
    const sql = yield* database
    const prefix = yield* prefixIn(sql)
    return yield* Effect.provideService(SqlLedger.make({ prefix }), SqlClient.SqlClient, sql)
  })
