/**
 * A journal of writes in a folder: JSON lines with a checksum, which are appended and synced to disk before a write is sent. Writes that are sent at the same
 * time share a sync. Outcomes are synced with the next intent.
 *
 * A journal has a name, and only one process at a time uses a name. A process that opens a journal takes it over from the previous process, including its open
 * entries, and the previous process can send no more writes. Processes that run in parallel need different names.
 */
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as journalEntries from "./journalEntries.js"
import * as journalLines from "./journalLines.js"
import { warnUnwritable } from "./outsideTransaction.js"
import * as timeLimit from "../time/timeLimit.js"
import { WriteJournalFailed } from "./WriteJournal.js"
import { make as makeJournal, WriteJournal } from "./WriteJournal.js"

export interface Options {
  /**
   * The folder, which is created with mode 700 if it does not exist. Its files have mode 600. It can contain several journals with different names.
   */
  readonly folder: string
  /** 1 to 64 letters, digits, `-` and `_`. Defaults to `writes`. */
  readonly name?: string | undefined
  /** File size in bytes at which the journal is compacted to its open entries and those that a guard counts. Defaults to 1 MiB. */
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
  readonly file: string
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
    yield* fs.makeDirectory(parent, { recursive: true })
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
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

/** Creates a durable file with these entries. Removes it again if this fails, for example because the disk is full. */
const createLog = (
  files: Files,
  sequence: number,
  entries: journalEntries.JournalEntries
): Effect.Effect<Log, FileFailure> =>
  Effect.gen(function* () {
    const { folder, fs, name, path, token } = files
    const file = path.join(folder, `${name}.${token}.${sequence}.journal`)
    const scope = yield* Scope.make()
    return yield* Effect.gen(function* () {
      const handle = yield* Scope.extend(fs.open(file, { flag: "ax", mode: 0o600 }), scope)
      const log: Log = { file, handle, scope, size: 0 }
      yield* append(log, journalLines.header + entries.all().map(journalLines.ofEntry).join(""))
      yield* handle.sync
      yield* syncFolder(fs, folder)
      return log
    }).pipe(
      Effect.onError((cause) =>
        Effect.zipRight(Scope.close(scope, Exit.failCause(cause)), Effect.ignore(fs.remove(file, { force: true })))
      )
    )
  })

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

/** Stores the entries in a log that is replaced when it has become too long or has failed. `first` is `undefined` if no file could be created. */
const makeStore = (files: Files, first: Log | undefined, entries: journalEntries.JournalEntries, compactAt: number) => {
  const { folder, fs } = files
  let log = first
  /** The files that have the entries. */
  let used: ReadonlyArray<string> = log === undefined ? [] : [log.file]
  let sequence = 0
  let compactNext = compactAt
  let isTakenOver = false
  // After a failure an unknown part of the file is on disk and its last line can be torn, so nothing more is appended to it.
  let hasFailed = log === undefined

  const owned: Effect.Effect<void, FileFailure> = Effect.gen(function* () {
    for (const file of used) isTakenOver ||= !(yield* fs.exists(file))
    if (isTakenOver) yield* takenOver(folder)
  })

  /**
   * Writes the entries to a new log, and removes the files that had them. Only the process that still owns the journal can remove the first: if another process
   * has renamed it, the new log is not used. Once it is removed, the other process finds the new log.
   */
  const replace: Effect.Effect<Log, FileFailure> = Effect.gen(function* () {
    yield* owned
    const next = yield* createLog(files, ++sequence, entries)
    const [oldest = next.file, ...older] = used
    const removed = yield* Effect.exit(fs.remove(oldest))
    const unused = Exit.isSuccess(removed) ? log : next
    if (Exit.isSuccess(removed)) {
      log = next
      used = [next.file]
      yield* Effect.forEach(older, (file) => Effect.ignore(fs.remove(file, { force: true })), { discard: true })
    } else yield* Effect.ignore(fs.remove(next.file, { force: true }))
    if (unused !== undefined) yield* closeLog(unused)
    yield* syncFolder(fs, folder)
    yield* owned
    yield* removed
    compactNext = Math.max(compactAt, 2 * next.size)
    hasFailed = false
    return next
  })

  const compact = Effect.catchAllCause(replace, (cause) =>
    Effect.map(Effect.logDebug("the journal of writes was not compacted", cause), () => {
      compactNext = Math.max(compactAt, 2 * (log?.size ?? 0))
    })
  )

  const write = (lines: ReadonlyArray<Line>): Effect.Effect<void, FileFailure> =>
    Effect.gen(function* () {
      const current = hasFailed || log === undefined ? yield* replace : log
      hasFailed = true
      yield* append(current, lines.map((line) => line.text).join(""))
      if (lines.some(({ begins }) => begins !== undefined)) {
        yield* current.handle.sync
        // Checked after the sync: a process that takes the file over later reads these intents.
        yield* owned
      }
      hasFailed = false
      for (const { apply } of lines) apply()
      if (current.size > compactNext) yield* compact
    })

  /**
   * Replaces the files that were taken over. On a full disk they are kept until there is space: their entries can be read and looked up, and nothing is
   * recorded.
   */
  const take = (taken: ReadonlyArray<string>) =>
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
    close: Effect.suspend(() => (log === undefined ? Effect.void : closeLog(log)))
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

/** Reads files of the journal. A file is read before and after it is taken over, and decoded once. */
const makeReader = ({ fs, path }: Files) => {
  const decoded = new Map<string, ReadonlyArray<journalLines.Line>>()
  return (file: string): Effect.Effect<ReadonlyArray<journalLines.Line>, FileFailure> =>
    Effect.gen(function* () {
      const text = yield* fs.readFileString(file)
      const lines =
        decoded.get(text) ??
        (yield* Effect.mapError(journalLines.decode({ name: path.basename(file), text }), makeDamaged))
      decoded.set(text, lines)
      return lines
    })
}

const longestOpening = Duration.seconds(30)

const open = (files: Files, compactAt: number, timeout: Duration.Duration) =>
  Effect.gen(function* () {
    const { folder, path } = files
    const read = makeReader(files)
    yield* makeFolder(files)
    // Before anything is renamed: a damaged journal stays as it is.
    yield* Effect.forEach(yield* others(files), (name) =>
      Effect.catchIf(read(path.join(folder, name)), isMissing, () => Effect.succeed([]))
    )
    // The new file is created before looking for the files of others: if two processes begin at the same moment, at least one finds the file of the other.
    const entries = journalEntries.make()
    const { created, queue, store } = yield* Effect.acquireRelease(
      Effect.map(Effect.either(createLog(files, 0, entries)), (created) => {
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
      entries.restore(journalLines.entriesOf(lines.flat()))
      yield* store.take(taken)
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
        guarded: (since) => Effect.sync(() => entries.guarded(since))
      },
      { timeout }
    )
  })

/** A journal in a folder, for the layer of the transport and for `OpenWrites.reconcile`. */
export const layer = (
  options: Options
): Layer.Layer<WriteJournal, WriteJournalFailed, FileSystem.FileSystem | Path.Path> =>
  Layer.scoped(WriteJournal, make(options))
