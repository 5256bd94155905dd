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

/** The names of the files in an export's folder. A file that this run writes carries the token of its lock. */
const namesOf = (path: Path.Path, location: string, token: string) => {
  const at = (...names: ReadonlyArray<string>) => path.join(location, ...names)
  const work = (name: string) => at(folderName, name)
  return {
    at,
    work,
    isOwn: (name: string) => name.includes(token),
    partialOf: (name: string) => work(`${flat(name)}.${token}.partial`),
    removedOf: (name: string) => work(`${name}.${token}.removed`),
    /** The name in the work folder that stands for a file of the export. */
    flatName: (target: string): string => {
      const [first = "", ...rest] = path.relative(location, target).split(path.sep)
      return flat((first === folderName ? rest : [first, ...rest]).join("/"))
    }
  }
}

const removed = /^(.+)\.[0-9a-f]{32}\.removed$/

/** A locked folder. */
interface Locked extends ReturnType<typeof namesOf> {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly checkLock: Effect.Effect<void, SinkFailure>
}

const listOf = ({ at, fs }: Locked) =>
  Effect.map(fs.readDirectory(at(folderName)), (names) => names.filter((name) => !Lock.isLockFile(name, lockName)))

/** Writes files under private names and renames them. */
const writingIn = ({ checkLock, fs, partialOf, path }: Locked) => {
  /** A rename is only sure to last when its folder is on disk too; not every system can do that. */
  const syncFolder = (folder: string) =>
    Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder), (file) => file.sync)))

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

  /** Replaces a text as a whole. */
  const replace = (target: string, text: string) =>
    Effect.gen(function* () {
      const name = path.basename(target)
      yield* writePartial(name, (append) => append(utf8.encode(text)))
      yield* publish(name, target)
      yield* syncFolder(path.dirname(target))
    })

  return { syncFolder, writePartial, publish, replace }
}

/** Removes files by renaming them first. */
const removalIn = (locked: Locked) => {
  const { checkLock, flatName, fs, isOwn, removedOf, work } = locked

  /** Removes files, and takes that back when the lock was lost before it was done. */
  const discardAll = (targets: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      if (targets.length === 0) return
      yield* checkLock
      const moved: Array<readonly [aside: string, target: string]> = []
      const move = Effect.fnUntraced(function* (target: string) {
        if (!(yield* fs.exists(target))) return
        const aside = removedOf(flatName(target))
        moved.push([aside, target])
        yield* fs.rename(target, aside)
      })
      const moving = Effect.forEach(targets, move, { discard: true })
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
      for (const name of yield* listOf(locked)) {
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
  const removePartials = Effect.flatMap(listOf(locked), (names) =>
    discardAll(names.filter((name) => name.endsWith(".spool") || name.endsWith(".partial")).map(work))
  )

  return { discard, discardAll, sweep, removePartials }
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
    const fail = (what: string) => new SinkFailure({ location, detail: what })
    const failure = (error: unknown) => (error instanceof SinkFailure ? error : fail(detail(error)))
    const lockFile = path.join(location, folderName, lockName)
    const lock = yield* Effect.mapError(Lock.acquire(lockFile, { folder: true }), (error) =>
      error._tag === "Held" ? Lock.refused(location, lockFile, error) : fail(detail(error))
    )
    const names = namesOf(path, location, lock.token)
    const checkLock = Effect.mapError(lock.check, ({ detail }) => fail(detail))
    const locked: Locked = { ...names, fs, path, checkLock }
    return {
      checkLock,
      token: lock.token,
      at: names.at,
      work: names.work,
      fail,
      failure,
      failing: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, SinkFailure, R> =>
        Effect.mapError(effect, failure),
      list: listOf(locked),
      readIfExists: (file: string) =>
        Effect.flatMap(fs.exists(file), (exists): Effect.Effect<Option.Option<string>, PlatformError.PlatformError> =>
          exists ? Effect.asSome(fs.readFileString(file)) : Effect.succeedNone
        ),
      ...writingIn(locked),
      ...removalIn(locked),
      fs,
      path
    }
  })

export type WorkFolder = Effect.Effect.Success<ReturnType<typeof open>>
