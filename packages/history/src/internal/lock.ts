import type * as Error from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Runner from "../Runner.js"

const decode = Schema.decodeOption(Schema.parseJson(Runner.Id))
const encode = Schema.encodeSync(Schema.parseJson(Runner.Id))

/** Another run has the lock. */
export interface Held {
  readonly _tag: "Held"
  readonly by: Runner.Id
}

const isThere = (error: Error.PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "AlreadyExists"

/**
 * Takes a lock until the scope ends. One that a dead process left behind is taken over. It is moved away before it is judged: of two
 * that find it at once only one can move it.
 */
export const acquire = (
  file: string
): Effect.Effect<void, Error.PlatformError | Held, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const runner = yield* Runner.Runner
    const own = yield* runner.self
    const path = yield* Path.Path
    const write = Effect.scoped(
      Effect.flatMap(fs.open(file, { flag: "wx" }), (handle) =>
        Effect.zipRight(handle.writeAll(new TextEncoder().encode(`${encode(own)}\n`)), handle.sync)
      )
    )
    // Whoever is done removes the folder: it may go between the two.
    const create = Effect.zipRight(fs.makeDirectory(path.dirname(file), { recursive: true }), write).pipe(
      Effect.retry({ times: 3, while: (error) => error._tag === "SystemError" && error.reason === "NotFound" })
    )
    const attempt: Effect.Effect<void, Error.PlatformError | Held> = Effect.catchAll(create, (error) =>
      isThere(error)
        ? Effect.gen(function* () {
            const holder = decode(yield* fs.readFileString(file))
            if (holder._tag === "Some" && (yield* runner.isAlive(holder.value))) {
              return yield* Effect.fail<Held>({ _tag: "Held", by: holder.value })
            }
            const aside = `${file}.${own.pid}`
            yield* fs.rename(file, aside)
            const moved = decode(yield* fs.readFileString(aside))
            if (moved._tag === "Some" && (yield* runner.isAlive(moved.value))) {
              yield* fs.rename(aside, file)
              return yield* Effect.fail<Held>({ _tag: "Held", by: moved.value })
            }
            yield* fs.remove(aside, { force: true })
            yield* create
          })
        : Effect.fail(error)
    )
    yield* Effect.acquireRelease(attempt, () => Effect.ignore(fs.remove(file, { force: true })))
  })
