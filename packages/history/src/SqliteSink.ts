/**
 * Export into an SQLite file. Imported by its name, since it is the only module that needs `@effect/sql-libsql`.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "./Sink.js"
import * as Spool from "./Spool.js"
import * as SqlSink from "./SqlSink.js"

/**
 * The tables of `SqlSink.make` in a file of their own. A folder that is missing is made.
 *
 * @since 0.1.0
 * @category sinks
 */
export const make = (
  file: string,
  options: Omit<SqlSink.Options, "location"> = {}
): Sink.Sink<FileSystem.FileSystem | Path.Path> => ({
  location: file,
  format: "sqlite",
  open: (parts) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const failed = (detail: string) => new Sink.SinkFailure({ location: file, detail })
      yield* Effect.mapError(fs.makeDirectory(path.dirname(file), { recursive: true }), (error) =>
        failed(error.message)
      )
      const client = yield* Effect.catchAllDefect(Layer.build(LibsqlClient.layer({ url: `file:${file}` })), (defect) =>
        Effect.fail(failed(defect instanceof Error ? defect.message : String(defect)))
      )
      const aside = `${file}-spool`
      const spool = options.spool ?? (yield* Spool.folder(aside))
      const store = yield* Effect.provide(SqlSink.make({ ...options, spool, location: file }).open(parts), client)
      // Not before: it belongs to whoever has the lock.
      const clear = Effect.ignore(fs.remove(aside, { recursive: true, force: true }))
      yield* Effect.acquireRelease(clear, () => clear)
      return store
    })
})
