import * as Folders from "@effect-venue/transport/siblings/Folders"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { SinkFailure } from "../model/ExportFailure.js"
import * as FileErrors from "../platform/FileErrors.js"
import type * as Sink from "./Sink.js"
import { decode, encode } from "../formats/lines.js"
import { newToken } from "../platform/token.js"

/** Fills an array with the bytes of a file from an offset on. Returns whether the file has so many. */
const readFully = (handle: FileSystem.File, offset: number, bytes: Uint8Array) =>
  Effect.gen(function* () {
    yield* handle.seek(offset, "start")
    for (let length = 0; length < bytes.length;) {
      const read = Number(yield* handle.read(bytes.subarray(length)))
      if (read === 0) return false
      length += read
    }
    return true
  })

/** See `Sink.folderSpool`. */
export const folder = (
  location: string
): Effect.Effect<Sink.Spool<SinkFailure>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    // Two processes can work in one folder if one of them was judged dead.
    const token = yield* newToken
    let opened = 0
    const failing = <A, R>(effect: Effect.Effect<A, PlatformError.PlatformError | SinkFailure, R>) =>
      Effect.catchAll(effect, (error) =>
        error._tag === "SinkFailure"
          ? Effect.fail(error)
          : Effect.flatMap(FileErrors.explain({ fs, path }, error), (detail) => new SinkFailure({ location, detail }))
      )
    return {
      open: Effect.gen(function* () {
        const file = path.join(location, `${token}.${++opened}.spool`)
        /** The offset of each block, and of the next one. */
        const offsets = [0]
        const scope = yield* Effect.scope
        // Most windows need none.
        const opening = Effect.gen(function* () {
          yield* Folders.makeFolder({ fs, path }, location)
          yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(file, { force: true })))
          return yield* fs.open(file, { flag: "w+" })
        })
        let handle: FileSystem.File | undefined

        const put = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
          const end = offsets.at(-1) ?? 0
          handle ??= yield* Effect.provideService(opening, Scope.Scope, scope)
          const bytes = encode(lines)
          yield* handle.seek(end, "start")
          yield* handle.writeAll(bytes)
          return offsets.push(end + bytes.length) - 2
        })

        const get = Effect.fnUntraced(function* (block: number) {
          const offset = offsets[block] ?? 0
          const bytes = new Uint8Array((offsets[block + 1] ?? offset) - offset)
          if (handle === undefined || bytes.length === 0) return []
          if (yield* readFully(handle, offset, bytes)) return decode(bytes)
          return yield* new SinkFailure({
            location,
            detail: `${file} was truncated by another program: start the export again`
          })
        })

        return {
          put: (lines) => failing(put(lines)),
          get: (block) => failing(get(block))
        }
      })
    }
  })
