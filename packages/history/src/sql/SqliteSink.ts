/** Export into an SQLite file. Imported by its name, since it is the only module that needs `@effect/sql-libsql`. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as Dataset from "../model/Dataset.js"
import { type Refused, SinkFailure } from "../model/ExportFailure.js"
import * as FileErrors from "../platform/FileErrors.js"
import * as Lock from "../files/lock.js"
import type * as Manifest from "../model/Manifest.js"
import * as ExportFailure from "../model/ExportFailure.js"
import type * as Sink from "../store/Sink.js"
import * as Spool from "../store/spool.js"
import * as SqlSink from "./SqlSink.js"
import * as Verify from "../audit/Verify.js"

const clientOf = (file: string) =>
  // The name is read as that of a URL, percent-decoded.
  Effect.catchAllDefect(
    Layer.build(LibsqlClient.layer({ url: `file:${file.replace(/[%?#]/g, encodeURIComponent)}` })),
    (defect) => Effect.fail(defect instanceof Error ? defect.message : String(defect))
  )

/**
 * The tables of `SqlSink.make` in a SQLite file. A missing folder is created.
 *
 * @category sinks
 */
export const make = (
  file: string,
  options: Omit<SqlSink.Options, "location" | "alone"> = {}
): Sink.Sink<FileSystem.FileSystem | Path.Path> => ({
  location: file,
  format: "sqlite",
  open: (parts, opening) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const toFailure = (detail: string) => new SinkFailure({ location: file, detail })
      yield* Effect.mapError(FileErrors.prepare({ fs, path }, file), toFailure)
      const lock = yield* Effect.catchAll(
        Lock.acquire(`${file}.lock`),
        (error): Effect.Effect<never, Refused | SinkFailure> =>
          error._tag === "Held"
            ? Lock.refused(file, `${file}.lock`, error)
            : Effect.flatMap(FileErrors.explain({ fs, path }, error), toFailure)
      )
      const client = yield* Effect.mapError(clientOf(file), toFailure)
      const aside = `${file}-spool`
      const spool = options.spool ?? (yield* Spool.folder(aside))
      const check = Effect.mapError(lock.check, ({ detail }) => toFailure(detail))
      const fence = Effect.zipRight(check, options.fence ?? Effect.void)
      const store = yield* Effect.provide(
        SqlSink.make({ ...options, fence, spool, alone: true, location: file }).open(parts, opening),
        client
      )
      // Not before: it belongs to the process that holds the lock.
      const clear = Effect.ignore(fs.remove(aside, { recursive: true, force: true }))
      yield* Effect.acquireRelease(clear, () => clear)
      return store
    })
})

/**
 * Verifies the tables of a file (see `SqlSink.verify`).
 *
 * @category running
 */
export const verify = (
  file: string,
  options: Omit<Parameters<typeof SqlSink.verify>[0] & object, "location"> = {}
): Effect.Effect<Verify.Report, Verify.NotAnExport, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const refuse = (detail: string) => new Verify.NotAnExport({ location: file, detail })
    // Opening a file that is not there would create one.
    const isThere = yield* Effect.orElseSucceed(fs.exists(file), () => false)
    if (!isThere) return yield* refuse("the file does not exist")
    const client = yield* Effect.mapError(clientOf(file), refuse)
    return yield* Effect.provide(SqlSink.verify({ ...options, location: file }), client)
  }).pipe(Effect.scoped)

/**
 * The rows of a part of an export in a file (see `SqlSink.rows`).
 *
 * @category running
 */
export const rows = (
  file: string,
  part: Pick<Manifest.Part, "name" | "dataset" | "windows">,
  options: Omit<Parameters<typeof SqlSink.rows>[1] & object, "location"> = {}
): Stream.Stream<Dataset.Row, ExportFailure.Unreadable> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const client = yield* Effect.mapError(
        clientOf(file),
        (detail) => new ExportFailure.Unreadable({ location: file, detail })
      )
      return Stream.provideContext(SqlSink.rows(part, { ...options, location: file }), client)
    })
  )
