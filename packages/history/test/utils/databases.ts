import * as Servers from "@effect-venue/testing/Servers"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { FileSystem } from "@effect/platform"
import { Effect, Layer, Random, Redacted } from "effect"

const server = await Servers.postgres()
const { url } = server

/** A schema of its own in the Postgres at `VENUE_TEST_POSTGRES`, until the scope ends. */
const postgres = Layer.unwrapScoped(
  Effect.gen(function* () {
    const schema = `venue_test_${yield* Random.nextIntBetween(0, 2 ** 48)}`
    const admin = PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    const tell = (statement: string) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(admin), Effect.scoped)
    yield* Effect.acquireRelease(tell(`CREATE SCHEMA ${schema}`), () =>
      Effect.orDie(tell(`DROP SCHEMA ${schema} CASCADE`))
    )
    const own = new URL(url)
    own.searchParams.set("options", `-c search_path=${schema}`)
    return PgClient.layer({ url: Redacted.make(own.href), maxConnections: 4 })
  })
)

const sqlite = Layer.unwrapScoped(
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return LibsqlClient.layer({ url: `file:${yield* fs.makeTempDirectoryScoped()}/history.db` })
  })
)

interface Database {
  readonly name: string
  readonly dialect: "sqlite" | "postgres"
  readonly isReachable: boolean
  readonly layer: Layer.Layer<SqlClient.SqlClient, unknown, FileSystem.FileSystem>
}

/** Every database that tables are written to. A new and empty one for each test. */
export const databases: ReadonlyArray<Database> = [
  { name: "SQLite", dialect: "sqlite", isReachable: true, layer: sqlite },
  { name: server.label, dialect: "postgres", isReachable: !server.isSkipped, layer: postgres }
]
