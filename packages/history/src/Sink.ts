/**
 * Where an export goes. A sink takes rows in time order and, at the end, makes them visible all at once.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type * as Error from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Dataset from "./Dataset.js"

/**
 * A sink could not be written. `detail` says why in a few words.
 *
 * @since 0.1.0
 * @category failures
 */
export class SinkFailure extends Schema.TaggedError<SinkFailure>()("SinkFailure", {
  location: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `cannot write ${this.location}: ${this.detail}`
  }
}

/**
 * An open sink.
 *
 * @since 0.1.0
 * @category models
 */
export interface Writer {
  readonly write: (rows: ReadonlyArray<Dataset.Row>) => Effect.Effect<void, SinkFailure>
  /** Makes what was written visible under its final name. */
  readonly commit: Effect.Effect<void, SinkFailure>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Sink<out R = never> {
  /** Where the rows end up, for people: a path, a table. */
  readonly location: string
  /** Opens the sink. Left without `commit`, nothing of it remains. */
  readonly open: Effect.Effect<Writer, SinkFailure, Scope.Scope | R>
}

const detail = (error: Error.PlatformError): string =>
  error._tag === "SystemError" ? (error.description ?? error.reason) : error.message

/**
 * One JSON text a line, in a file. The file appears under its name when it is complete, never before; a folder that is missing
 * is made.
 *
 * @since 0.1.0
 * @category sinks
 */
export const ndjson = (location: string): Sink<FileSystem.FileSystem | Path.Path> => ({
  location,
  open: Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const failed = (error: Error.PlatformError) => new SinkFailure({ location, detail: detail(error) })
    const partial = `${location}.partial`
    yield* Effect.mapError(fs.makeDirectory(path.dirname(location), { recursive: true }), failed)
    const file = yield* Effect.mapError(fs.open(partial, { flag: "w" }), failed)
    yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(partial, { force: true })))
    const utf8 = new TextEncoder()
    return {
      write: (rows) =>
        rows.length === 0
          ? Effect.void
          : Effect.mapError(file.writeAll(utf8.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(""))), failed),
      commit: Effect.mapError(Effect.zipRight(file.sync, fs.rename(partial, location)), failed)
    }
  })
})
