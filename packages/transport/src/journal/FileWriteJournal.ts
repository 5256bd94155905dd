/**
 * A journal of writes in a folder: JSON lines with a checksum, which are appended and synced to disk before a write is sent. Writes that are sent at the same
 * time share a sync. Outcomes are synced with the next intent.
 *
 * A journal has a name, and only one process at a time uses a name. A process that opens a journal takes it over from the previous process, including its open
 * entries, and the previous process can send no more writes. Processes that run in parallel need different names.
 */
import * as Folders from "../stores/Folders.js"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as journalEntries from "./journalEntries.js"
import * as journalLines from "./journalLines.js"
import { warnUnwritable } from "./outsideTransaction.js"
import * as timeLimit from "../time/timeLimit.js"
import { type GuardedTotal, type RecordedEntry, WriteJournalFailed } from "./WriteJournal.js"
import { make as makeJournal, WriteJournal } from "./WriteJournal.js"

export interface Options {
  /**
   * The folder, which is created with mode 700 if it does not exist. Its files have mode 600. It can contain several journals with different names.
   */
  readonly folder: string
  /** 1 to 64 letters, digits, `-` and `_`. Defaults to `writes`. */
  readonly name?: string | undefined
  /** File size in bytes at which the journal is compacted to its open entries and the sums that a guard counts. Defaults to 1 MiB. */
  readonly compactAt?: number | undefined
  /** The time limit for writing an entry. Defaults to 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
}

type FileFailure = PlatformError.PlatformError | WriteJournalFailed

interface Files {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly folder: string
  readonly name: string
  /** Unique for every opened journal. */
  readonly token: string
}

/** The file that lines are appended to. */
interface Log {
  /** Its path, and its name in the files that replace it. A process that takes it over renames the path only. */
  readonly file: string
  readonly id: string
  readonly handle: FileSystem.File
  readonly scope: Scope.CloseableScope
  size: number
}

/** Text to be appended. */
interface Line {
  readonly text: string
  /** The id of the entry that this line begins; `undefined` for an outcome. */
  readonly begins?: string
  /** Called after the line was appended, and synced if it begins an entry. */
  readonly apply: () => void
}

const encoder = new TextEncoder()

const takenOver = (detail: string) => new WriteJournalFailed({ reason: "TakenOver", detail })

const isMissing = (error: FileFailure): boolean => error._tag === "SystemError" && error.reason === "NotFound"

const isStorage = (error: FileFailure): boolean => error._tag !== "WriteJournalFailed" || error.reason === "Storage"

/** Makes the file names in a folder durable. Some systems cannot open folders, and do not need this. */
const syncFolder = (fs: FileSystem.FileSystem, folder: string) =>
  Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (handle) => handle.sync)))

/** Creates the folder durably, so that it survives a power failure, and readable by its owner only. */
const makeFolder = ({ folder, fs, path }: Files) =>
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

const append = (log: Log, text: string) => {
  if (text === "") return Effect.void
  const bytes = encoder.encode(text)
  return Effect.tap(log.handle.writeAll(bytes), () =>
    Effect.sync(() => {
      log.size += bytes.length
    })
  )
}

/** The lines of the entries, in pieces. */
const piecesOf = (entries: ReadonlyArray<RecordedEntry>, totals: ReadonlyArray<GuardedTotal>) => [
  ...Chunk.chunksOf(Chunk.unsafeFromArray(entries), 100).pipe(
    Chunk.map((piece) => () => Chunk.toReadonlyArray(piece).map(journalLines.ofEntry).join(""))
  ),
  ...Chunk.chunksOf(Chunk.unsafeFromArray(totals), 1_000).pipe(
    Chunk.map((piece) => () => journalLines.ofTotals(Chunk.toReadonlyArray(piece)))
  )
]

/**
 * Creates a durable file with the entries of this step. Removes it again if this fails, for example because the disk is full. Each piece leaves the event loop to
 * others while it is written.
 */
const createLog = (
  files: Files,
  sequence: number,
  entries: journalEntries.JournalEntries,
  replaces: ReadonlyArray<string>
): Effect.Effect<Log, FileFailure> => {
  const pieces = piecesOf(entries.open(), entries.totals())
  const { folder, fs, name, path, token } = files
  const file = path.join(folder, `${name}.${token}.${sequence}.journal`)
  const id = `${token}.${sequence}`
  return Effect.gen(function* () {
    const scope = yield* Scope.make()
    return yield* Effect.gen(function* () {
      const handle = yield* Scope.extend(fs.open(file, { flag: "ax", mode: 0o600 }), scope)
      const log: Log = { file, id, handle, scope, size: 0 }
      yield* append(log, journalLines.ofFile(id, replaces))
      yield* Effect.forEach(pieces, (text) => append(log, text()), { discard: true })
      yield* handle.sync
      yield* syncFolder(fs, folder)
      return log
    }).pipe(
      Effect.onError((cause) =>
        Effect.zipRight(Scope.close(scope, Exit.failCause(cause)), Effect.ignore(fs.remove(file, { force: true })))
      )
    )
  })
}

const closeLog = ({ scope }: Log) => Scope.close(scope, Exit.void)

/** The files of other processes for this journal: those in use, and those that a process was taking over when it ended. */
const others = ({ folder, fs, name, token }: Files) =>
  Effect.map(fs.readDirectory(folder), (names) =>
    names.filter((file) => {
      const [of, owner, ...rest] = file.split(".")
      return of === name && owner !== undefined && owner !== token && rest.at(-1) === "journal"
    })
  )

/** Renames the files of other processes, which ends their use of the journal, until none is left. Returns the new paths. */
const takeOver = (files: Files) =>
  Effect.gen(function* () {
    const { folder, fs, name, path, token } = files
    const taken: Array<string> = []
    for (;;) {
      const found = yield* others(files)
      if (found.length === 0) return taken
      for (const file of found) {
        const to = path.join(folder, `${name}.${token}.taken-${taken.length}.journal`)
        const isTaken = yield* Effect.as(fs.rename(path.join(folder, file), to), true).pipe(
          Effect.catchIf(isMissing, () => Effect.succeed(false))
        )
        if (isTaken) taken.push(to)
      }
    }
  })

const inTime = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  duration: Duration.Duration
): Effect.Effect<A, E | WriteJournalFailed, R> =>
  timeLimit.within(effect, duration, () => {
    const detail = `its folder did not answer within ${Duration.format(duration)}`
    return new WriteJournalFailed({ reason: "Storage", detail })
  })

const makeDamaged = (found: string): WriteJournalFailed => {
  const remedy = "look up the writes that the file may have, then remove the line or move the file to another folder"
  return new WriteJournalFailed({ reason: "Damaged", detail: `${found}: ${remedy}` })
}

const storageFailed = (error: FileFailure): WriteJournalFailed =>
  error._tag === "WriteJournalFailed"
    ? error
    : new WriteJournalFailed({ reason: "Storage", detail: error.message, cause: error })

/** A file that has entries: its path, and its name in the files that replace it. */
interface UsedFile {
  readonly file: string
  readonly id: string
}

/** A log that is to replace the present one, and the lines that the present one has since then. */
interface Successor {
  readonly fiber: Fiber.RuntimeFiber<Log, FileFailure>
  readonly missing: Array<string>
}

/** Stores the entries in a log that is replaced when it has become too long or has failed. `first` is `undefined` if no file could be created. */
const makeStore = (files: Files, first: Log | undefined, entries: journalEntries.JournalEntries, compactAt: number) => {
  const { folder, fs } = files
  let log = first
  /** The files that have the entries. */
  let used: ReadonlyArray<UsedFile> = log === undefined ? [] : [log]
  let sequence = 0
  let compactNext = compactAt
  let isTakenOver = false
  // After a failure an unknown part of the file is on disk and its last line can be torn, so nothing more is appended to it.
  let hasFailed = log === undefined
  let successor: Successor | undefined

  const owned: Effect.Effect<void, FileFailure> = Effect.gen(function* () {
    for (const { file } of used) isTakenOver ||= !(yield* fs.exists(file))
    if (isTakenOver) yield* takenOver(folder)
  })

  const create = () =>
    createLog(
      files,
      ++sequence,
      entries,
      used.map(({ id }) => id)
    )

  const discard = (log: Log) => Effect.zipRight(closeLog(log), Effect.ignore(fs.remove(log.file, { force: true })))

  /**
   * Removes the files whose entries the next log has. Only the process that still owns the journal can remove the first: if another process has renamed it, the
   * next log is not used. Once it is removed, the other process finds the next log.
   */
  const adopt = (next: Log): Effect.Effect<Log, FileFailure> =>
    Effect.gen(function* () {
      const [oldest, ...older] = used
      const removed = yield* oldest === undefined ? Effect.succeed(Exit.void) : Effect.exit(fs.remove(oldest.file))
      if (Exit.isSuccess(removed)) {
        if (log !== undefined) yield* closeLog(log)
        log = next
        used = [next]
        yield* Effect.forEach(older, ({ file }) => Effect.ignore(fs.remove(file, { force: true })), { discard: true })
      } else yield* discard(next)
      yield* syncFolder(fs, folder)
      yield* owned
      yield* removed
      compactNext = Math.max(compactAt, 2 * next.size)
      hasFailed = false
      return next
    })

  /** Ends the creation of the next log, whose file is then removed. */
  const abandon = Effect.suspend(() => {
    if (successor === undefined) return Effect.void
    const { fiber } = successor
    successor = undefined
    compactNext = Math.max(compactAt, 2 * (log?.size ?? 0))
    return Effect.flatMap(Fiber.interrupt(fiber), (exit) => (Exit.isSuccess(exit) ? discard(exit.value) : Effect.void))
  })

  /** Writes the entries to a new log, while all lines wait. */
  const replace = Effect.zipRight(Effect.zipRight(abandon, owned), Effect.flatMap(Effect.suspend(create), adopt))

  /** Begins to write the entries to a new log, while lines are still appended to the present one. */
  const beginSuccessor = Effect.suspend(() =>
    Effect.map(Effect.forkDaemon(Effect.interruptible(create())), (fiber) => {
      successor = { fiber, missing: [] }
    })
  )

  /** The next log with all lines, if it is complete. */
  const takeSuccessor = (text: string): Effect.Effect<Log | undefined, FileFailure> =>
    Effect.suspend(() => {
      const exit = successor?.fiber.unsafePoll()
      if (successor === undefined || exit === undefined || exit === null) return Effect.succeed(undefined)
      const { missing } = successor
      if (Exit.isFailure(exit)) {
        return Effect.as(
          Effect.zipRight(abandon, Effect.logDebug("the journal was not compacted", exit.cause)),
          undefined
        )
      }
      const next = exit.value
      return Effect.zipRight(append(next, missing.join("") + text), next.handle.sync).pipe(
        Effect.matchEffect({
          onFailure: (error) =>
            Effect.as(Effect.zipRight(abandon, Effect.logDebug("the journal was not compacted", error)), undefined),
          onSuccess: () => {
            successor = undefined
            return adopt(next)
          }
        })
      )
    })

  const write = (lines: ReadonlyArray<Line>): Effect.Effect<void, FileFailure> =>
    Effect.gen(function* () {
      const text = lines.map((line) => line.text).join("")
      const present = hasFailed || log === undefined ? yield* replace : log
      hasFailed = true
      if ((yield* takeSuccessor(text)) === undefined) {
        yield* append(present, text)
        successor?.missing.push(text)
        if (lines.some(({ begins }) => begins !== undefined)) {
          yield* present.handle.sync
          // Checked after the sync: a process that takes the file over later reads these intents.
          yield* owned
        }
      }
      hasFailed = false
      for (const { apply } of lines) apply()
      if (successor === undefined && log !== undefined && log.size > compactNext) yield* beginSuccessor
    })

  /**
   * Replaces the files that were taken over. On a full disk they are kept until there is space: their entries can be read and looked up, and nothing is
   * recorded.
   */
  const take = (taken: ReadonlyArray<UsedFile>) =>
    Effect.suspend(() => {
      used = [...used, ...taken]
      hasFailed = true
      return Effect.catchIf(Effect.asVoid(replace), isStorage, warnUnwritable)
    })

  return {
    write,
    take,
    /** Removes the first file, which has no entries. */
    remove: first === undefined ? Effect.void : Effect.ignore(fs.remove(first.file, { force: true })),
    close: Effect.zipRight(
      abandon,
      Effect.suspend(() => (log === undefined ? Effect.void : closeLog(log)))
    )
  }
}

/** Passes all waiting lines to the store at once. */
const makeQueue = (write: (lines: ReadonlyArray<Line>) => Effect.Effect<void, FileFailure>) => {
  let waiting: Array<{ readonly line: Line; readonly done: Deferred.Deferred<void, FileFailure> }> = []
  let isWriting = false
  const pending = new Set<string>()

  const leave = ({ begins }: Line) => begins === undefined || pending.delete(begins)

  const writeAll: Effect.Effect<void> = Effect.suspend(() => {
    const written = waiting
    waiting = []
    if (written.length === 0) {
      isWriting = false
      return Effect.void
    }
    const exit = Effect.exit(write(written.map(({ line }) => line)))
    return Effect.flatMap(exit, (exit) => {
      for (const { done, line } of written) {
        leave(line)
        Deferred.unsafeDone(done, exit)
      }
      return writeAll
    })
  })

  // A single fiber writes for all callers. Each caller waits only for its line.
  const add = (line: Line): Effect.Effect<void, WriteJournalFailed> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const added = { line, done: yield* Deferred.make<void, FileFailure>() }
        waiting.push(added)
        if (line.begins !== undefined) pending.add(line.begins)
        if (!isWriting) {
          isWriting = true
          yield* Effect.forkDaemon(writeAll)
        }
        // An intent is withdrawn if its caller no longer waits for it. An outcome is not.
        const withdrawn = Effect.sync(() => {
          if (line.begins === undefined || !waiting.includes(added)) return
          waiting = waiting.filter((each) => each !== added)
          leave(line)
        })
        yield* Effect.onInterrupt(restore(Deferred.await(added.done)), () => withdrawn)
      })
    ).pipe(Effect.mapError(storageFailed))

  return {
    add,
    /** Waits until all lines that were added before are written. */
    flushed: Effect.ignore(add({ text: "", apply: () => undefined })),
    /** Whether the line that begins an entry waits to be written, or is being written. */
    isPending: (id: string) => pending.has(id)
  }
}

const pieceSize = 65_536

/** Reads a file in pieces, each of which leaves the event loop to others. */
const readFile = (
  { fs, path }: Files,
  file: string
): Effect.Effect<ReadonlyArray<journalLines.JournalLine>, FileFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* fs.open(file, { flag: "r" })
      const decoder = new journalLines.FileDecoder(path.basename(file))
      const text = new TextDecoder()
      for (;;) {
        const piece = yield* handle.readAlloc(pieceSize)
        if (Option.isNone(piece)) break
        yield* Effect.mapError(decoder.push(text.decode(piece.value, { stream: true })), makeDamaged)
      }
      return yield* Effect.mapError(decoder.end(), makeDamaged)
    })
  )

const longestOpening = Duration.seconds(30)

const open = (files: Files, compactAt: number, timeout: Duration.Duration) =>
  Effect.gen(function* () {
    const { folder, path } = files
    const read = (file: string) => readFile(files, file)
    yield* makeFolder(files)
    // Before anything is renamed: a damaged journal stays as it is.
    yield* Effect.forEach(yield* others(files), (name) =>
      Effect.catchIf(read(path.join(folder, name)), isMissing, () => Effect.succeed([]))
    )
    // The new file is created before looking for the files of others: if two processes begin at the same moment, at least one finds the file of the other.
    const entries = journalEntries.make()
    const { created, queue, store } = yield* Effect.acquireRelease(
      Effect.map(Effect.either(createLog(files, 0, entries, [])), (created) => {
        const store = makeStore(files, Either.getOrUndefined(created), entries, compactAt)
        return { created, store, queue: makeQueue(store.write) }
      }),
      ({ queue, store }) => Effect.ignore(inTime(Effect.zipRight(queue.flushed, store.close), timeout))
    )
    const taking = Effect.gen(function* () {
      const taken = yield* takeOver(files)
      if (taken.length === 0) return yield* Effect.asVoid(created)
      const lines = yield* Effect.catchIf(Effect.forEach(taken, read), isMissing, () =>
        Effect.fail(takenOver("at the moment at which this one was opened"))
      )
      const contents = journalLines.contentsOf(lines)
      entries.restore(contents.entries, contents.totals)
      yield* store.take(taken.map((file, index) => ({ file, id: journalLines.nameOf(lines[index] ?? []) ?? file })))
    })
    yield* Effect.onError(taking, () => store.remove)
    return { entries, queue }
  })

/**
 * Opens a journal until the scope ends, and takes it over from the previous process.
 *
 * Fails with `Damaged` if a line of its files was changed after it was written; nothing in the folder is then changed. Fails with `TakenOver` if another process
 * opens the same journal at the same moment, and with `Storage` if the folder cannot be used or does not respond within 30 seconds. No entry is lost by any
 * failure.
 *
 * On a full disk, a journal with entries is opened with a warning in the log: its entries can be read and looked up with `OpenWrites.reconcile`. No write is
 * recorded or sent until there is space.
 */
export const make = (
  options: Options
): Effect.Effect<WriteJournal.Shape, WriteJournalFailed, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const { compactAt = 1024 * 1024, folder, name = "writes" } = options
    const timeout = Duration.decode(options.timeout ?? "5 seconds")
    if (!/^[\w-]{1,64}$/.test(name)) {
      const detail = "its name must be 1 to 64 letters, digits, - and _"
      return yield* new WriteJournalFailed({ reason: "Storage", detail })
    }
    const token = globalThis.crypto.randomUUID()
    const files: Files = { fs: yield* FileSystem.FileSystem, path: yield* Path.Path, folder, name, token }
    const { entries, queue } = yield* inTime(
      Effect.mapError(open(files, compactAt, timeout), storageFailed),
      longestOpening
    )
    let count = 0
    return makeJournal(
      {
        nextId: Effect.sync(() => `${token}-${count++}`),
        begin: (intent) =>
          Effect.suspend(() =>
            queue.add({
              text: journalLines.ofIntent(intent),
              begins: intent.id,
              apply: () => entries.begin(intent)
            })
          ),
        end: (id, outcome) =>
          Effect.suspend(() =>
            entries.has(id) || queue.isPending(id)
              ? queue.add({ text: journalLines.ofOutcome(id, outcome), apply: () => entries.end(id, outcome) })
              : Effect.void
          ),
        open: Effect.sync(entries.open),
        guarded: Effect.sync(entries.guarded)
      },
      { timeout }
    )
  })

/** A journal in a folder, for the layer of the transport and for `OpenWrites.reconcile`. */
export const layer = (
  options: Options
): Layer.Layer<WriteJournal, WriteJournalFailed, FileSystem.FileSystem | Path.Path> =>
  Layer.scoped(WriteJournal, make(options))
