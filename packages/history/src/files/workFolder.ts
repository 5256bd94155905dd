import * as Folders from "@effect-venue/transport/siblings/Folders"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { type Refused, SinkFailure } from "../model/ExportFailure.js"
import * as FileErrors from "../platform/FileErrors.js"
import * as Lock from "./lock.js"

/** The folder inside an export's folder with the lock, the checkpoint, the journals and partial files. */
export const folderName = ".venue"

const lockName = "lock"

/** A name without folders. */
export const flat = (name: string): string => name.replaceAll("/", "+")

const utf8 = new TextEncoder()

/** Why a file operation, or the reading of a row, failed. */
const detail = (services: FileErrors.FileServices, error: unknown): Effect.Effect<string> => {
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "SystemError") {
    // The platform exports no guard for its errors, so check the tag.
    const system = error as PlatformError.SystemError
    // A folder that cannot be created was not there.
    return system.reason === "NotFound" && system.method !== "makeDirectory"
      ? Effect.succeed(
          `${system.pathOrDescriptor ?? "a file"} is gone: the folder was removed or cleared, or another process took it over`
        )
      : FileErrors.explain(services, system)
  }
  return Effect.succeed(error instanceof Error ? error.message : String(error))
}

/** The names of the files in an export's folder. Names of files that this run writes contain the token of its lock. */
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
  /** A rename is durable only after its folder is synced, which not every system supports. */
  const syncFolder = (folder: string) =>
    Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder), (file) => file.sync)))

  /** Writes a file under a private name and syncs it to disk. */
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

  /** Renames a partial file to its final name, and creates the folders of that name. */
  const publish = (name: string, target: string) =>
    Effect.gen(function* () {
      if (name.includes("/")) yield* Folders.makeFolder({ fs, path }, path.dirname(target))
      yield* checkLock
      yield* fs.rename(partialOf(name), target)
    })

  /** Replaces a text file atomically. */
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

  /** Removes files, and restores them if the lock was lost meanwhile. */
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
   * Restores the needed files that a process moved aside before it lost its lock, and removes all other files of earlier runs. `needed` contains the
   * files, by name, that the manifest and the checkpoint mention.
   */
  const sweep = (names: ReadonlyArray<string>, needed: ReadonlyMap<string, string>) =>
    Effect.gen(function* () {
      for (const name of names) {
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

  /** Removes the unpublished files of earlier runs, which then cannot publish them. Returns the names of the other files. */
  const removePartials = Effect.flatMap(listOf(locked), (names) => {
    const isPartial = (name: string) => name.endsWith(".spool") || name.endsWith(".partial")
    return Effect.as(
      discardAll(names.filter(isPartial).map(work)),
      names.filter((name) => !isPartial(name))
    )
  })

  return { discard, discardAll, sweep, removePartials }
}

/**
 * The work folder of a locked export. The name of every file that this run writes contains the lock's token. So a run that was frozen between its
 * check of the lock and its write, and replaced meanwhile, cannot change a file of its successor: it publishes by renaming a partial file, which the
 * successor has removed, and it removes by renaming, which it undoes if it has lost the lock.
 */
export const open = (location: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const fail = (what: string) => new SinkFailure({ location, detail: what })
    const failure = (error: unknown): Effect.Effect<never, SinkFailure> =>
      error instanceof SinkFailure ? Effect.fail(error) : Effect.flatMap(detail({ fs, path }, error), fail)
    const lockFile = path.join(location, folderName, lockName)
    const lock = yield* Effect.catchAll(
      Lock.acquire(lockFile, { folder: true }),
      (error): Effect.Effect<never, Refused | SinkFailure> =>
        error._tag === "Held" ? Lock.refused(location, lockFile, error) : failure(error)
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
        Effect.catchAll(effect, (error) => failure(error)),
      list: listOf(locked),
      readIfExists: (file: string) => Lock.noneWhenMissing(fs.readFileString(file)),
      ...writingIn(locked),
      ...removalIn(locked),
      fs,
      path
    }
  })

export type WorkFolder = Effect.Effect.Success<ReturnType<typeof open>>
