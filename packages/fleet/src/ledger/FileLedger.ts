/** The ledger in a libSQL file, for a fleet of one process. Imported by its name, since it is the only module that needs `@effect/sql-libsql`. */
import * as FileErrors from "@effect-venue/history/siblings/FileErrors"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Ledger, LedgerFailed } from "./Ledger.js"
import * as SqlLedger from "./SqlLedger.js"

const makeFailure = (file: string, detail: string) => new LedgerFailed({ detail: `${file}: ${detail}` })

const detailOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const client = (file: string) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* Effect.mapError(FileErrors.prepare({ fs, path }, file), (detail) => makeFailure(file, detail))
      // The client dies if the file cannot be opened.
      const context = yield* Effect.catchAllDefect(Layer.build(LibsqlClient.layer({ url: `file:${file}` })), (defect) =>
        Effect.fail(makeFailure(file, detailOf(defect)))
      )
      // A status is read by another process while this one writes.
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA journal_mode = WAL`).pipe(
        Effect.provide(context),
        Effect.mapError(({ cause }) => makeFailure(file, detailOf(cause)))
      )
      return Layer.succeedContext(context)
    })
  )

/** The ledger in a file, which is created with its folder if missing. */
export const layer = (file: string): Layer.Layer<Ledger, LedgerFailed, FileSystem.FileSystem | Path.Path> =>
  // A file answers while this process waits for it: no limit of time could end that.
  SqlLedger.layer({ timeout: Duration.infinity }).pipe(Layer.provide(client(file)))
