/** The files of a journal in a folder: their names, their creation, and how a process takes them over and reads them. */
import * as Folders from "../stores/Folders.js"
import type * as PlatformError from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { JournalEntries } from "./journalEntries.js"
import * as journalLines from "./journalLines.js"
import { WriteJournalFailed } from "./WriteJournal.js"

export type FileFailure = PlatformError.PlatformError | WriteJournalFailed

export interface Files {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly folder: string
  readonly name: string
  /** Unique for every opened journal. */
  readonly token: string
}

/** A file that has entries: its path, and its name in the files that replace it. A process that takes it over renames the path only. */
export interface UsedFile {
  readonly file: string
  readonly id: string
}

/** The file that lines are appended to. */
export interface Log extends UsedFile {
  readonly handle: FileSystem.File
  readonly scope: Scope.CloseableScope
  /** The bytes of the entries and sums with which it began. */
  live: number
  size: number
}

const encoder = new TextEncoder()

export const isMissing = (error: FileFailure): boolean => error._tag === "SystemError" && error.reason === "NotFound"

export const isStorage = (error: FileFailure): boolean =>
  error._tag !== "WriteJournalFailed" || error.reason === "Storage"

/** Makes the file names in a folder durable. Some systems cannot open folders, and do not need this. */
export const syncFolder = (fs: FileSystem.FileSystem, folder: string): Effect.Effect<void> =>
  Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (handle) => handle.sync)))

/** Creates the folder durably, so that it survives a power failure, and readable by its owner only. */
export const makeFolder = ({ folder, fs, path }: Files): Effect.Effect<void, FileFailure> =>
  Effect.gen(function* () {
    const parent = path.dirname(path.resolve(folder))
    const parents = [parent]
    for (let above = parent; !(yield* fs.exists(above)); above = path.dirname(above)) {
      parents.push(path.dirname(above))
    }
    yield* Folders.makeFolder({ fs, path }, parent)
    yield* Folders.makeFolder({ fs, path }, folder, { mode: 0o700 })
    yield* Effect.forEach(parents, (parent) => syncFolder(fs, parent), { discard: true })
  })

export const append = (log: Log, text: string): Effect.Effect<void, FileFailure> => {
  if (text === "") return Effect.void
  const bytes = encoder.encode(text)
  return Effect.tap(log.handle.writeAll(bytes), () =>
    Effect.sync(() => {
      log.size += bytes.length
    })
  )
}

/** Texts of so many rows each, which are made one by one. `Array.chunksOf` copies the rest of the rows for each piece. */
const inPieces = <A>(rows: ReadonlyArray<A>, size: number, toText: (piece: ReadonlyArray<A>) => string) =>
  Array.from(
    { length: Math.ceil(rows.length / size) },
    (_, piece) => () => toText(rows.slice(piece * size, (piece + 1) * size))
  )

/** The text of the entries and sums of this step, in pieces that are encoded one by one. */
const piecesOf = (entries: JournalEntries): ReadonlyArray<() => string> => [
  ...inPieces(entries.open(), 100, (piece) => piece.map(journalLines.ofEntry).join("")),
  ...inPieces(entries.totals(), 1_000, journalLines.ofTotals)
]

export const closeLog = ({ scope }: Log): Effect.Effect<void> => Scope.close(scope, Exit.void)

/** Removes a log that is not used. */
export const discardLog = (fs: FileSystem.FileSystem, log: Log): Effect.Effect<void> =>
  Effect.zipRight(closeLog(log), Effect.ignore(fs.remove(log.file, { force: true })))

/**
 * Creates a durable file with the entries of this step. Removes it again if this fails, for example because the disk is full. Each piece leaves the event loop to
 * others while it is written.
 */
export const createLog = (
  { folder, fs, name, path, token }: Files,
  sequence: number,
  entries: JournalEntries,
  replaces: ReadonlyArray<UsedFile>
): Effect.Effect<Log, FileFailure> => {
  const pieces = piecesOf(entries)
  const file = path.join(folder, `${name}.${token}.${sequence}.journal`)
  const id = `${token}.${sequence}`
  return Effect.gen(function* () {
    const scope = yield* Scope.make()
    return yield* Effect.gen(function* () {
      const handle = yield* Scope.extend(fs.open(file, { flag: "ax", mode: 0o600 }), scope)
      const log: Log = { file, id, handle, scope, live: 0, size: 0 }
      const names = replaces.map(({ id }) => id)
      yield* append(log, journalLines.ofFile(id, names))
      yield* Effect.forEach(pieces, (text) => append(log, text()), { discard: true })
      yield* handle.sync
      yield* syncFolder(fs, folder)
      log.live = log.size
      return log
    }).pipe(
      Effect.onError((cause) =>
        Effect.zipRight(Scope.close(scope, Exit.failCause(cause)), Effect.ignore(fs.remove(file, { force: true })))
      )
    )
  })
}

/** The files of other processes for this journal: those in use, and those that a process was taking over when it ended. */
const listOthers = ({ folder, fs, name, token }: Files) =>
  Effect.map(fs.readDirectory(folder), (names) =>
    names.filter((file) => {
      const [of, owner, ...rest] = file.split(".")
      return of === name && owner !== undefined && owner !== token && rest.at(-1) === "journal"
    })
  )

/** The lines of a file, as far as they were read. */
interface ReadLines {
  readonly decoder: journalLines.FileDecoder
  readonly text: TextDecoder
  offset: number
}

const pieceSize = 65_536

const makeDamaged = (found: string): WriteJournalFailed => {
  const remedy = "look up the writes that the file may have, then remove the line or move the file to another folder"
  return new WriteJournalFailed({ reason: "Damaged", detail: `${found}: ${remedy}` })
}

/** Reads the rest of a file in pieces, each of which leaves the event loop to others. */
const readOn = ({ fs }: Files, file: string, read: ReadLines): Effect.Effect<void, FileFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* fs.open(file, { flag: "r" })
      if (read.offset > 0) yield* handle.seek(read.offset, "start")
      for (;;) {
        const piece = yield* handle.readAlloc(pieceSize)
        if (Option.isNone(piece)) return
        read.offset += piece.value.length
        yield* Effect.mapError(read.decoder.push(read.text.decode(piece.value, { stream: true })), makeDamaged)
      }
    })
  )

const makeRead = (name: string): ReadLines => ({
  decoder: new journalLines.FileDecoder(name),
  text: new TextDecoder(),
  offset: 0
})

/** The files of other processes that were read, by their names. */
export type OtherFiles = ReadonlyMap<string, ReadLines>

/** Reads the files of other processes, and changes nothing. */
export const readOthers = (files: Files): Effect.Effect<OtherFiles, FileFailure> =>
  Effect.gen(function* () {
    const others = new Map<string, ReadLines>()
    for (const name of yield* listOthers(files)) {
      const read = makeRead(name)
      others.set(name, read)
      yield* Effect.catchIf(readOn(files, files.path.join(files.folder, name), read), isMissing, () => Effect.void)
    }
    return others
  })

/** A file that was taken over, with its lines. */
export interface TakenFile extends UsedFile {
  readonly lines: ReadonlyArray<journalLines.JournalLine>
}

/** Renames the files of other processes, which ends their use of the journal, until none is left, and reads what they have by then. */
export const takeOver = (files: Files, others: OtherFiles): Effect.Effect<ReadonlyArray<TakenFile>, FileFailure> =>
  Effect.gen(function* () {
    const { folder, fs, name, path, token } = files
    const taken: Array<readonly [file: string, read: ReadLines]> = []
    for (;;) {
      const found = yield* listOthers(files)
      if (found.length === 0) break
      for (const other of found) {
        const to = path.join(folder, `${name}.${token}.taken-${taken.length}.journal`)
        const isTaken = yield* Effect.as(fs.rename(path.join(folder, other), to), true).pipe(
          Effect.catchIf(isMissing, () => Effect.succeed(false))
        )
        if (isTaken) taken.push([to, others.get(other) ?? makeRead(path.basename(to))])
      }
    }
    return yield* Effect.forEach(taken, ([file, read]) =>
      Effect.gen(function* () {
        yield* readOn(files, file, read)
        const lines = yield* Effect.mapError(read.decoder.end(), makeDamaged)
        return { file, id: journalLines.nameOf(lines) ?? file, lines }
      })
    )
  })
