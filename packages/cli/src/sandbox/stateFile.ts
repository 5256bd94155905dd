import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as StateText from "@effect-venue/sandbox/State"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Files from "../output/files.js"
import { Refusal } from "../run/failures.js"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The state cannot be kept in this file. */
export class StateFileUnusable extends Data.TaggedError("StateFileUnusable")<{ readonly message: string }> {}

const explain = (file: string, cause: PlatformError.PlatformError | StateText.StateFileInvalid) =>
  Effect.map(Files.explain(cause), (reason) => ({ message: `${file}: ${reason}` }))

/** The state in the file; `none` if the file does not exist and can be created. */
export const load = (
  file: string
): Effect.Effect<Option.Option<Exchange.State>, Refusal, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    if (yield* fs.exists(file)) return Option.some(yield* StateText.parse(yield* fs.readFileString(file)))
    // Fails now, before any state can be lost.
    yield* fs.access(path.dirname(file), { writable: true })
    return Option.none()
  }).pipe(Effect.catchAll((cause) => Effect.flatMap(explain(file, cause), (reason) => new Refusal(reason))))

/** Writes the file anew, wholly or not at all: a reader sees the old state or this one. */
export const save = (
  file: string,
  state: Exchange.State
): Effect.Effect<void, StateFileUnusable, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const beside = `${file}.part`
    yield* Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* fs.open(beside, { flag: "w" })
        yield* handle.writeAll(new TextEncoder().encode(StateText.print(state)))
        yield* handle.sync
      })
    )
    yield* fs.rename(beside, file)
  }).pipe(Effect.catchAll((cause) => Effect.flatMap(explain(file, cause), (reason) => new StateFileUnusable(reason))))
