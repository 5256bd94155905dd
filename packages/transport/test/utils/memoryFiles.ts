import { Error as PlatformError, FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"

const fail = (reason: PlatformError.SystemErrorReason, method: string, pathOrDescriptor: string) =>
  Effect.fail(new PlatformError.SystemError({ reason, module: "FileSystem", method, pathOrDescriptor }))

interface MemoryFile {
  bytes: Uint8Array
}

const handleOf = (file: MemoryFile, path: string, isFull: () => boolean): FileSystem.File => {
  let at = 0
  const append = (bytes: Uint8Array) => {
    const before = file.bytes
    file.bytes = new Uint8Array(before.length + bytes.length)
    file.bytes.set(before)
    file.bytes.set(bytes, before.length)
  }
  const unused = () => fail("Unknown", "unused", path)
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    fd: FileSystem.FileDescriptor(0),
    stat: unused(),
    read: unused,
    truncate: unused,
    write: unused,
    sync: Effect.void,
    seek: (offset) =>
      Effect.sync(() => {
        at = Number(offset)
      }),
    readAlloc: (size) =>
      Effect.sync(() => {
        const bytes = file.bytes.slice(at, at + Number(size))
        at += bytes.length
        return bytes.length === 0 ? Option.none() : Option.some(bytes)
      }),
    writeAll: (bytes) =>
      Effect.suspend(() => {
        append(isFull() ? bytes.subarray(0, bytes.length >> 1) : bytes)
        return isFull() ? fail("WriteZero", "write", path) : Effect.void
      })
  }
}

/** The files of one folder in memory. While the disk is full, half of what is appended is written, and the rest fails. */
export const makeMemoryFiles = (folder: string, isFull: () => boolean): FileSystem.FileSystem => {
  const files = new Map<string, MemoryFile>()
  const at = (path: string, method: string) =>
    Option.match(Option.fromNullable(files.get(path)), {
      onNone: () => fail("NotFound", method, path),
      onSome: Effect.succeed
    })
  const isFolder = (path: string) => folder === path || folder.startsWith(path)
  return FileSystem.makeNoop({
    exists: (path) => Effect.sync(() => isFolder(path) || files.has(path)),
    makeDirectory: () => Effect.void,
    readDirectory: () => Effect.sync(() => [...files.keys()].map((path) => path.slice(folder.length + 1))),
    remove: (path, options) =>
      Effect.suspend(() =>
        files.delete(path) || options?.force === true ? Effect.void : fail("NotFound", "remove", path)
      ),
    rename: (from, to) =>
      Effect.map(
        Effect.suspend(() => at(from, "rename")),
        (file) => {
          files.delete(from)
          files.set(to, file)
        }
      ),
    open: (path, { flag = "r" } = {}) =>
      Effect.suspend(() => {
        if (isFolder(path)) return Effect.succeed(handleOf({ bytes: new Uint8Array(0) }, path, isFull))
        if (flag === "ax") files.set(path, { bytes: new Uint8Array(0) })
        return Effect.map(at(path, "open"), (file) => handleOf(file, path, isFull))
      })
  })
}
