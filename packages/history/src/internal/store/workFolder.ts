import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { SinkFailure } from "../model/failures.js"
import * as Lock from "./lock.js"

/** The folder inside an export's folder that contains the lock, the checkpoint, the journals, and files that are not ready. */
export const folderName = ".venue"

const lockName = "lock"

/** A name without folders. */
export const flat = (name: string): string => name.replaceAll("/", "+")

const utf8 = new TextEncoder()

const detail = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "SystemError") {
    // Recognised by its tag: the platform's errors have no guard of their own.
    const system = error as PlatformError.SystemError
    if (system.reason === "NotFound") {
      return `${system.pathOrDescriptor ?? "a file"} is gone: the folder was removed or cleared, or another process took it over`
    }
    return system.description ?? system.reason
  }
  return error instanceof Error ? error.message : String(error)
}

/**
 * The work folder of a locked export. Every file that this run writes carries the lock's token in its name. A run that was frozen
 * between its check of the lock and its write, and was replaced meanwhile, therefore reaches no file of its successor: it publishes by
 * renaming a partial file, which the successor removed, and removes by renaming, which it undoes when the lock is not its own.
 */
export const open = (location: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const at = (...names: ReadonlyArray<string>) => path.join(location, ...names)
    const work = (name: string) => at(folderName, name)
    const fail = (what: string) => new SinkFailure({ location, detail: what })
    const failure = (error: unknown) => (error instanceof SinkFailure ? error : fail(detail(error)))
    const failing = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, SinkFailure, R> =>
      Effect.mapError(effect, failure)

    const lock = yield* Effect.mapError(Lock.acquire(work(lockName), { folder: true }), (error) =>
      error._tag === "Held" ? Lock.refused(location, work(lockName), error) : fail(detail(error))
    )
    const checkLock = Effect.mapError(lock.check, ({ detail }) => fail(detail))

    const isOwn = (name: string) => name.includes(lock.token)
    const partialOf = (name: string) => work(`${flat(name)}.${lock.token}.partial`)
    const removedOf = (name: string) => work(`${name}.${lock.token}.removed`)
    const removed = /^(.+)\.[0-9a-f]{32}\.removed$/

    const list = Effect.map(fs.readDirectory(at(folderName)), (names) =>
      names.filter((name) => !Lock.isLockFile(name, lockName))
    )

    /** A rename is only sure to last when its folder is on disk too; not every system can do that. */
    const syncFolder = (folder: string) =>
      Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder), (file) => file.sync)))

    const readIfExists = (file: string) =>
      Effect.flatMap(fs.exists(file), (exists): Effect.Effect<Option.Option<string>, PlatformError.PlatformError> =>
        exists ? Effect.asSome(fs.readFileString(file)) : Effect.succeedNone
      )

    /** Writes a file under a private name and brings it to disk. */
    const writePartial = <E, R>(
      name: string,
      write: (append: FileSystem.File["writeAll"]) => Effect.Effect<unknown, E, R>
    ) =>
      Effect.scoped(
        Effect.gen(function* () {
          const handle = yield* fs.open(partialOf(name), { flag: "w" })
          yield* write((bytes) => handle.writeAll(bytes))
          yield* handle.sync
        })
      )

    /** Renames a partial file to its own name, and makes the folders of that name. */
    const publish = (name: string, target: string) =>
      Effect.gen(function* () {
        if (name.includes("/")) yield* fs.makeDirectory(path.dirname(target), { recursive: true })
        yield* checkLock
        yield* fs.rename(partialOf(name), target)
      })

    /** The name in the work folder that stands for a file of the export. */
    const flatName = (target: string): string => {
      const [first = "", ...rest] = path.relative(location, target).split(path.sep)
      return flat((first === folderName ? rest : [first, ...rest]).join("/"))
    }

    /** Replaces a text as a whole. */
    const replace = (target: string, text: string) =>
      Effect.gen(function* () {
        const name = path.basename(target)
        yield* writePartial(name, (append) => append(utf8.encode(text)))
        yield* publish(name, target)
        yield* syncFolder(path.dirname(target))
      })

    /** Removes files, and takes that back when the lock was lost before it was done. */
    const discardAll = (targets: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        if (targets.length === 0) return
        yield* checkLock
        const moved: Array<readonly [aside: string, target: string]> = []
        const moving = Effect.forEach(
          targets,
          (target) =>
            Effect.gen(function* () {
              if (!(yield* fs.exists(target))) return
              const aside = removedOf(flatName(target))
              moved.push([aside, target])
              yield* fs.rename(target, aside)
            }),
          { discard: true }
        )
        const restore = Effect.suspend(() =>
          Effect.forEach(moved, ([aside, target]) => Effect.ignore(fs.link(aside, target)))
        )
        yield* Effect.tapError(Effect.zipRight(moving, checkLock), () => restore)
        for (const [aside] of moved) yield* fs.remove(aside, { force: true })
      })

    const discard = (target: string) => discardAll([target])

    /**
     * Restores what a process that lost its lock moved aside and did not bring back, and removes all else that earlier runs left.
     * `needed` are the files, by their names, that the manifest and the checkpoint mention.
     */
    const sweep = (needed: ReadonlyMap<string, string>) =>
      Effect.gen(function* () {
        for (const name of yield* list) {
          if (isOwn(name) || needed.has(name)) continue
          const original = removed.exec(name)?.[1]
          if (original === undefined) {
            yield* discard(work(name))
            continue
          }
          const target = needed.get(original)
          yield* checkLock
          if (target === undefined || (yield* fs.exists(target))) yield* fs.remove(work(name), { force: true })
          else yield* fs.rename(work(name), target)
        }
      })

    /** Removes what earlier runs had not published: from here on they cannot. */
    const removePartials = Effect.flatMap(list, (names) =>
      discardAll(names.filter((name) => name.endsWith(".spool") || name.endsWith(".partial")).map(work))
    )

    return {
      checkLock,
      token: lock.token,
      at,
      work,
      fail,
      failure,
      failing,
      list,
      syncFolder,
      readIfExists,
      writePartial,
      publish,
      replace,
      discard,
      discardAll,
      removePartials,
      sweep,
      fs,
      path
    }
  })

export type WorkFolder = Effect.Effect.Success<ReturnType<typeof open>>
