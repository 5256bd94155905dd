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
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as journalEntries from "./internal/journal/journalEntries.js"
import * as journalLines from "./internal/journal/journalLines.js"
import * as timeLimit from "./internal/time/timeLimit.js"
import { WriteJournalFailed } from "./WriteJournal.js"
import { make as makeJournal, WriteJournal } from "./WriteJournal.js"

export interface Options {
  /** The folder, which is created if it does not exist. It can contain several journals with different names. */
  readonly folder: string
  /** 1 to 64 letters, digits, `-` and `_`. Defaults to `writes`. */
  readonly name?: string | undefined
  /** File size in bytes at which the journal is compacted to its open entries and those that a guard counts. Defaults to 1 MiB. */
  readonly compactAt?: number | undefined
  /** The time limit for writing an entry. Defaults to 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
}

type Failed = PlatformError.PlatformError | WriteJournalFailed

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

const isMissing = (error: PlatformError.PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

/** Makes the file names in a folder durable. Some systems cannot open folders, and do not need this. */
const syncFolder = (fs: FileSystem.FileSystem, folder: string) =>
  Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (handle) => handle.sync)))

/** Creates the folder durably, so that it survives a power failure. */
const makeFolder = ({ folder, fs, path }: Files) =>
  Effect.gen(function* () {
    const parents = [path.dirname(path.resolve(folder))]
    for (let parent = parents[0] ?? ""; !(yield* fs.exists(parent)); parent = path.dirname(parent)) {
      parents.push(path.dirname(parent))
    }
    yield* fs.makeDirectory(folder, { recursive: true })
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
): Effect.Effect<Log, Failed> =>
  Effect.gen(function* () {
    const { folder, fs, name, path, token } = files
    const file = path.join(folder, `${name}.${token}.${sequence}.journal`)
    const scope = yield* Scope.make()
    return yield* Effect.gen(function* () {
      const handle = yield* Scope.extend(fs.open(file, { flag: "ax" }), scope)
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

const damaged = (found: string): WriteJournalFailed => {
  const remedy = "look up the writes that the file may have, then remove the line or move the file to another folder"
  return new WriteJournalFailed({ reason: "Damaged", detail: `${found}: ${remedy}` })
}

const storageFailed = (error: Failed): WriteJournalFailed =>
  error._tag === "WriteJournalFailed"
    ? error
    : new WriteJournalFailed({ reason: "Storage", detail: error.message, cause: error })

/** Stores the entries in a file that is replaced when it has become too long or has failed. */
const makeStore = (files: Files, first: Log, entries: journalEntries.JournalEntries, compactAt: number) => {
  const { folder, fs } = files
  let log = first
  let sequence = 0
  let compactNext = Math.max(compactAt, 2 * first.size)
  let isTakenOver = false
  // After a failure an unknown part of the file is on disk and its last line can be torn, so nothing more is appended to it.
  let hasFailed = false

  const owned: Effect.Effect<void, Failed> = Effect.gen(function* () {
    isTakenOver ||= !(yield* fs.exists(log.file))
    if (isTakenOver) yield* takenOver(folder)
  })

  /** Removes the old file. Only the process that still owns the journal can do this: if another process has renamed the old file, the new file is not used. */
  const replace: Effect.Effect<void, Failed> = Effect.gen(function* () {
    yield* owned
    const next = yield* createLog(files, ++sequence, entries)
    const removed = yield* Effect.exit(fs.remove(log.file))
    const unused = Exit.isSuccess(removed) ? log : next
    if (Exit.isSuccess(removed)) log = next
    else yield* Effect.ignore(fs.remove(next.file, { force: true }))
    yield* closeLog(unused)
    yield* syncFolder(fs, folder)
    yield* owned
    yield* removed
  })

  const compact = Effect.map(
    Effect.catchAllCause(replace, (cause) => Effect.logDebug("the journal of writes was not compacted", cause)),
    () => {
      compactNext = Math.max(compactAt, 2 * log.size)
    }
  )

  const write = (lines: ReadonlyArray<Line>): Effect.Effect<void, Failed> =>
    Effect.gen(function* () {
      if (hasFailed) yield* replace
      hasFailed = true
      yield* append(log, lines.map((line) => line.text).join(""))
      if (lines.some(({ begins }) => begins !== undefined)) {
        yield* log.handle.sync
        // Checked after the sync: a process that takes the file over later reads these intents.
        yield* owned
      }
      hasFailed = false
      for (const { apply } of lines) apply()
      if (log.size > compactNext) yield* compact
    })

  /** Writes the entries that were taken over. */
  const restored = Effect.gen(function* () {
    yield* append(log, entries.all().map(journalLines.ofEntry).join(""))
    yield* log.handle.sync
    yield* owned
  })
  const remove = Effect.ignore(Effect.suspend(() => fs.remove(log.file, { force: true })))
  return { write, restored, remove, close: Effect.suspend(() => closeLog(log)) }
}

/** Passes all waiting lines to the store at once. */
const makeQueue = (write: (lines: ReadonlyArray<Line>) => Effect.Effect<void, Failed>) => {
  let waiting: Array<{ readonly line: Line; readonly done: Deferred.Deferred<void, Failed> }> = []
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
        const added = { line, done: yield* Deferred.make<void, Failed>() }
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

/** The entries of the files that were taken over. */
const readTaken = ({ fs, path }: Files, taken: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const texts = yield* Effect.forEach(taken, (file) =>
      Effect.map(fs.readFileString(file), (text): journalLines.File => ({ name: path.basename(file), text }))
    ).pipe(Effect.catchIf(isMissing, () => Effect.fail(takenOver("at the moment at which this one was opened"))))
    return yield* Effect.mapError(journalLines.read(texts), damaged)
  })

const longestOpening = Duration.seconds(30)

const open = (files: Files, compactAt: number, timeout: Duration.Duration) =>
  Effect.gen(function* () {
    const { folder, fs } = files
    yield* makeFolder(files)
    // The new file is created before looking for the files of others: if two processes begin at the same moment, at least one finds the file of the other.
    const entries = journalEntries.make()
    const first = createLog(files, 0, entries)
    const { queue, store } = yield* Effect.acquireRelease(
      Effect.map(first, (log) => {
        const store = makeStore(files, log, entries, compactAt)
        return { store, queue: makeQueue(store.write) }
      }),
      ({ queue, store }) => Effect.ignore(inTime(Effect.zipRight(queue.flushed, store.close), timeout))
    )
    const taken = yield* takeOver(files)
    // On success the files of others are removed, since the new file has all their entries. On failure the new file is removed.
    yield* Effect.onError(
      Effect.gen(function* () {
        entries.restore(yield* readTaken(files, taken))
        yield* store.restored
      }),
      () => store.remove
    )
    yield* Effect.forEach(taken, (file) => fs.remove(file, { force: true }), { discard: true })
    yield* syncFolder(fs, folder)
    return { entries, queue }
  })

/**
 * Opens a journal until the scope ends, and takes it over from the previous process. Fails if the folder cannot be written or does not respond within 30
 * seconds, if another process opens the same journal at the same moment, or if a line of its files was changed after it was written. The files are then left
 * unchanged.
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
