/**
 * Explains failures of file operations in words: a folder or a file that is read-only is named as one.
 *
 * @sibling
 */
import * as Folders from "@effect-venue/transport/siblings/Folders"
import type * as PlatformError from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The services that look for the reason of a failure. */
export interface FileServices {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

/** Whether the system refused an operation on a file because of its permissions, or because the file system is read-only. */
export const isDenied = (error: PlatformError.PlatformError): boolean =>
  error._tag === "SystemError" &&
  (error.reason === "PermissionDenied" || /^(EPERM|EROFS)\b/.test(error.description ?? ""))

/** Explains a failure. Of a denied operation, the first of the file and the folders that contain it is named that cannot be used. */
export const explain = ({ fs, path }: FileServices, error: PlatformError.PlatformError): Effect.Effect<string> =>
  Effect.gen(function* () {
    if (error._tag === "BadArgument") return error.message
    const words = Folders.wordsOf(error)
    const { pathOrDescriptor: at } = error
    if (typeof at !== "string") return words
    const isAllowed = (file: string, access: FileSystem.AccessFileOptions) => Effect.isSuccess(fs.access(file, access))
    for (let file = at, isEnd = !isDenied(error); !isEnd; file = path.dirname(file)) {
      isEnd = path.dirname(file) === file
      const info = yield* Effect.option(fs.stat(file))
      if (Option.isNone(info)) continue
      const isFolder = info.value.type === "Directory"
      const named = `the ${isFolder ? "folder" : "file"} ${file}`
      if (!(yield* isAllowed(file, { readable: true }))) return `${named} cannot be read: ${words}`
      if (!(yield* isAllowed(file, { writable: true }))) return `${named} is read-only: ${words}`
      isEnd ||= isFolder
    }
    return `${words} (${at})`
  })

/** Creates the folder of a file. Fails with an explanation if the folder, or an existing file, cannot be written. */
export const prepare = ({ fs, path }: FileServices, file: string): Effect.Effect<void, string> =>
  Effect.gen(function* () {
    const folder = path.dirname(file)
    yield* Folders.makeFolder({ fs, path }, folder)
    yield* fs.access(folder, { writable: true })
    if (yield* fs.exists(file)) yield* fs.access(file, { writable: true })
  }).pipe(Effect.catchAll((error) => Effect.flip(explain({ fs, path }, error))))
