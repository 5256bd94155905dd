/**
 * Creates folders, and says in words what the system refused.
 *
 * @sibling
 */
import type * as PlatformError from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"

interface FolderServices {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

/** The words of the system without its codes: "no space left on device". */
export const wordsOf = ({ description, reason }: PlatformError.SystemError): string =>
  description === undefined ? reason : description.replace(/^[A-Z][A-Z0-9]+: /, "").replace(/, [a-z]+( '.*)?$/s, "")

const isAbsent = (error: PlatformError.PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

/**
 * Creates a folder and the folders that contain it. Each is created by itself, because on a file system that refuses new folders, such as `/proc`,
 * Node's recursive creation never ends.
 */
export const makeFolder = (
  { fs, path }: FolderServices,
  folder: string,
  options: { readonly mode?: number } = {}
): Effect.Effect<void, PlatformError.PlatformError> => {
  const make = Effect.catchAll(fs.makeDirectory(folder, options), (error) =>
    error._tag === "SystemError" && error.reason === "AlreadyExists"
      ? Effect.flatMap(fs.stat(folder), ({ type }) => (type === "Directory" ? Effect.void : Effect.fail(error)))
      : Effect.fail(error)
  )
  const parent = path.dirname(folder)
  return Effect.catchIf(
    make,
    (error) => isAbsent(error) && parent !== folder,
    () => Effect.zipRight(makeFolder({ fs, path }, parent), make)
  )
}
