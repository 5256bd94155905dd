import * as Servers from "@effect-venue/testing/Servers"
import type * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { ago, folder } from "./venue.js"

type Accounts = Sandbox.Sandbox.Shape["credentials"]

/** Writes accounts and their keys, which are those of the same names. */
export const declare = (credentials: Accounts, name: string, accounts: Record<string, object>, more: object = {}) => {
  const keys = Object.fromEntries(
    Object.keys(accounts).map((account) => {
      const found = new Map(Object.entries(credentials)).get(account) ?? credentials.main
      return [account, { apiKey: Redacted.value(found.apiKey), apiSecret: Redacted.value(found.apiSecret) }]
    })
  )
  fs.mkdirSync(folder(), { recursive: true })
  fs.writeFileSync(path.join(folder(), `${name}.keys.json`), JSON.stringify({ accounts: keys }))
  const file = {
    baseUrl: credentials.main.baseUrl,
    from: ago(75),
    to: ago(61),
    datasets: ["executions"],
    categories: ["linear"],
    credentials: { file: `${name}.keys.json` },
    accounts,
    ...more
  }
  fs.writeFileSync(path.join(folder(), `${name}.json`), JSON.stringify(file))
  return `${name}.json`
}

export const server = await Servers.postgres()

/** A password that no line may show: the Postgres of the tests asks for none. */
export const password = "hidden-word"

/** A schema of its own in the Postgres of the tests. */
export const schemaNamed = (name: string) => {
  const schema = `venue_${name}_${process.pid}`
  const url = new URL(server.url)
  if (url.password === "") url.password = password
  url.searchParams.set("options", `-c search_path=${schema}`)
  const query = <A extends object>(statement: string): Promise<ReadonlyArray<A>> =>
    Effect.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement)).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(url.href), maxConnections: 1, connectTimeout: 2000 }))
      )
    )
  return {
    address: url.href,
    query,
    create: () => query(`CREATE SCHEMA ${schema}`),
    drop: () => query(`DROP SCHEMA ${schema} CASCADE`)
  }
}
