/** Writes files, and explains why one cannot be written. */
import * as FileErrors from "@effect-venue/history/siblings/FileErrors"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/** The services that read and write files. */
export type Files = FileSystem.FileSystem | Path.Path

/** A file cannot be written. */
export class CannotWrite extends Data.TaggedError("CannotWrite")<{ readonly message: string }> {}

/** Why an operation on a file failed; of another failure, its message. */
export const explain = (error: unknown): Effect.Effect<string, never, Files> =>
  Effect.gen(function* () {
    const services = { fs: yield* FileSystem.FileSystem, path: yield* Path.Path }
    if (Predicate.isTagged(error, "SystemError")) {
      // The platform exports no guard for its errors, so the tag decides.
      return yield* FileErrors.explain(services, error as unknown as PlatformError.SystemError)
    }
    return error instanceof Error ? error.message : String(error)
  })

/** Fails with the file and the reason. */
export const writing = <A, E, R>(
  file: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, CannotWrite, R | Files> =>
  Effect.catchAll(effect, (error) =>
    Effect.flatMap(explain(error), (reason) => new CannotWrite({ message: `cannot write ${file}: ${reason}` }))
  )

/** Writes a file wholly or not at all: `write` writes it under the name that it is passed. */
export const replace = <A, E, R>(
  file: string,
  write: (beside: string) => Effect.Effect<A, E, R>
): Effect.Effect<void, CannotWrite, R | Files> => {
  const beside = `${file}.part`
  const moved = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.rename(beside, file))
  return writing(file, Effect.zipRight(write(beside), moved))
}
