import * as Servers from "@effect-venue/testing/Servers"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted } from "effect"
import { connect, createServer, type Socket } from "node:net"

/** The Postgres of the tests. */
export const server = await Servers.postgres()

const connected = (url: string): Layer.Layer<SqlClient.SqlClient> =>
  Layer.orDie(PgClient.layer({ url: Redacted.make(url), connectTimeout: 2_000, maxConnections: 20 }))

/** A client of the Postgres of the tests. */
export const layer = connected(server.url)

/** A prefix of the test's own, whose tables and functions are removed at the end. */
export const prefix = Effect.acquireRelease(
  Effect.sync(() => `venue_${globalThis.crypto.randomUUID().slice(0, 8)}_`),
  (prefix) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(`DO $$ DECLARE each record; BEGIN
        FOR each IN SELECT oid::regprocedure AS name FROM pg_proc WHERE starts_with(proname, '${prefix}') LOOP
          EXECUTE 'DROP FUNCTION ' || each.name;
        END LOOP;
        FOR each IN SELECT tablename AS name FROM pg_tables WHERE starts_with(tablename, '${prefix}') LOOP
          EXECUTE 'DROP TABLE ' || each.name || ' CASCADE';
        END LOOP;
      END $$`)
    ).pipe(Effect.provide(layer), Effect.orDie)
)

/** A client whose connection can be cut, and silenced. */
export const severable = Effect.gen(function* () {
  const sockets = new Set<Socket>()
  const { hostname, port } = new URL(server.url)
  const silenced = new Set<Socket>()
  let isSilent = false
  const proxy = createServer((inbound) => {
    const outbound = connect({ host: hostname, port: port === "" ? 5432 : Number(port) })
    for (const socket of [inbound, outbound]) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        inbound.destroy()
        outbound.destroy()
      })
    }
    inbound.pipe(outbound)
    outbound.on("data", (bytes) => {
      if (isSilent) silenced.add(inbound)
      else inbound.write(bytes)
    })
  })
  const at = yield* Effect.acquireRelease(
    Effect.async<number>((resume) => {
      proxy.listen(0, "127.0.0.1", () => {
        const address = proxy.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        proxy.close()
        for (const socket of sockets) socket.destroy()
      })
  )
  const url = new URL(server.url)
  url.hostname = "127.0.0.1"
  url.port = String(at)
  return {
    layer: connected(url.href),
    cut: Effect.sync(() => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    }),
    /** Its answers are lost from now on, or not. A connection that has lost some ends then: none goes on without a part of its bytes. */
    silence: (on: boolean) =>
      Effect.sync(() => {
        isSilent = on
        for (const socket of silenced) socket.destroy()
        silenced.clear()
      })
  }
})
