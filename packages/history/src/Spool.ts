/**
 * Where rows lie while the window that they belong to is being read: the service gives the newest first, an export the oldest.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { SinkFailure } from "./internal/failures.js"
import { encode, linesOf } from "./internal/lines.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Spool<out E = never> {
  /** A place for blocks of lines, until the scope ends. */
  readonly open: Effect.Effect<Place<E>, E, Scope.Scope>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Place<out E = never> {
  /** Puts lines aside, and gives the number of their block: the first is 0. A line has no line break in it. */
  readonly put: (lines: ReadonlyArray<string>) => Effect.Effect<number, E>
  /** The lines of a block. */
  readonly get: (block: number) => Effect.Effect<ReadonlyArray<string>, E>
}

/**
 * Keeps them in memory: as much of it is needed as the windows hold that are read side by side.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memory: Spool = {
  open: Effect.sync(() => {
    const blocks: Array<ReadonlyArray<string>> = []
    return {
      put: (lines) => Effect.sync(() => blocks.push(lines) - 1),
      get: (block) => Effect.sync(() => blocks[block] ?? [])
    }
  })
}

/**
 * Keeps them in files of a folder, which is made where it is not there: memory holds a few thousand rows, however many there are. What
 * a run that was killed leaves behind may be removed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const folder = (location: string): Effect.Effect<Spool<SinkFailure>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    let opened = 0
    const failing = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
      Effect.mapError(effect, (error) => new SinkFailure({ location, detail: error.message }))
    return {
      open: Effect.gen(function* () {
        const file = path.join(location, `${++opened}.spool`)
        /** Where each block begins, and where the next one will. */
        const offsets = [0]
        let handle: FileSystem.File | undefined
        const scope = yield* Effect.scope
        // Most windows need none.
        const opening = Effect.gen(function* () {
          yield* fs.makeDirectory(location, { recursive: true })
          yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(file, { force: true })))
          return yield* fs.open(file, { flag: "w" })
        })
        return {
          put: (lines) =>
            failing(
              Effect.gen(function* () {
                handle ??= yield* Effect.provideService(opening, Scope.Scope, scope)
                const bytes = encode(lines)
                yield* handle.writeAll(bytes)
                return offsets.push((offsets.at(-1) ?? 0) + bytes.length) - 2
              })
            ),
          get: (block) => {
            const offset = offsets[block] ?? 0
            const bytesToRead = (offsets[block + 1] ?? offset) - offset
            return failing(
              Effect.map(Stream.runCollect(linesOf(fs.stream(file, { offset, bytesToRead }))), (lines) =>
                Array.from(lines)
              )
            )
          }
        }
      })
    }
  })
