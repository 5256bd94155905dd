import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Address } from "../options/databaseAddress.js"
import { Refusal } from "../run/failures.js"

/** An export in the tables of a database. */
export interface Database {
  readonly address: Address
  /** The name of the export. Defaults to that of `SqlSink`. */
  readonly name: string | undefined
  /** The prefix of its tables. Defaults to that of `SqlSink`. */
  readonly prefix: string | undefined
}

// Only exports into a database load its library.
const modules = Effect.tryPromise({
  try: async () => ({
    PgClient: await import("@effect/sql-pg/PgClient"),
    SqlSink: await import("@effect-venue/history/SqlSink")
  }),
  catch: () => new Refusal({ message: "an export in Postgres needs @effect/sql and @effect/sql-pg installed" })
})

const optionsOf = ({ address, name, prefix }: Database) => ({
  location: address.label,
  ...(name === undefined ? {} : { name }),
  ...(prefix === undefined ? {} : { prefix })
})

const unreachable = ({ address }: Database, error: unknown) =>
  new Refusal({
    message: `${address.label}: the database cannot be reached: ${error instanceof Error ? error.message : String(error)}`
  })

/** Compares the tables of an export with its manifest. */
export const verify = (database: Database) =>
  Effect.gen(function* () {
    const { PgClient, SqlSink } = yield* modules
    return yield* Effect.provide(
      SqlSink.verify(optionsOf(database)),
      PgClient.layer({ url: database.address.url })
    ).pipe(Effect.catchTag("SqlError", (error) => unreachable(database, error)))
  })

/** The rows of a part. */
export const rows = (database: Database, part: Manifest.Part): Stream.Stream<Dataset.Row, ExportFailure.Unreadable> =>
  Stream.unwrap(
    Effect.map(modules, ({ PgClient, SqlSink }) =>
      Stream.provideSomeLayer(SqlSink.rows(part, optionsOf(database)), PgClient.layer({ url: database.address.url }))
    )
  ).pipe(
    Stream.mapError((error) =>
      error._tag === "Unreadable"
        ? error
        : new ExportFailure.Unreadable({ location: database.address.label, detail: error.message })
    )
  )
