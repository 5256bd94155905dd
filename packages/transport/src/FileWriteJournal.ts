/**
 * A journal of writes in a folder: JSON lines that are appended, and synced to disk before a write is sent. Writes that are sent at the same
 * time share a sync. Outcomes are synced with the next intent.
 *
 * A journal has a name, and a name belongs to one process at a time: a process that opens a journal takes it over from the process
 * before, with its open entries, and that process can send no more writes. Processes that work side by side have names of their own.
 *
 * @since 0.1.0
 */
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as journalEntries from "./internal/journalEntries.js"
import * as journalLines from "./internal/journalLines.js"
import { WriteJournalFailed } from "./WriteEntry.js"
import { make as makeJournal, WriteJournal } from "./WriteJournal.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** It is made where it does not exist. It may have journals of several names. */
  readonly folder: string
  /** 1 to 64 letters, digits, `-` and `_`. Defaults to `writes`. */
  readonly name?: string | undefined
  /** Size in bytes at which the file is replaced by one with the open entries alone. Defaults to 1 MiB. */
  readonly compactAt?: number | undefined
}

type Failed = PlatformError.PlatformError | WriteJournalFailed

interface Files {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly folder: string
  readonly name: string
  /** Different for every journal that is opened. */
  readonly token: string
}

/** The file that lines are appended to. */
interface Log {
  readonly file: string
  readonly handle: FileSystem.File
  readonly scope: Scope.CloseableScope
  size: number
}

/** Text to be appended; `done` when it was, or could not be. */
interface Line {
  readonly text: string
  readonly isIntent: boolean
  /** Called once it was appended, and synced if it is an intent. */
  readonly apply: () => void
  readonly done: Deferred.Deferred<void, Failed>
}

const encoder = new TextEncoder()

const takenOver = (detail: string) => new WriteJournalFailed({ reason: "TakenOver", detail })

const isMissing = (error: PlatformError.PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

/** Makes the names in a folder durable. Some systems open no folders, and need no such thing. */
const syncFolder = (fs: FileSystem.FileSystem, folder: string) =>
  Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (handle) => handle.sync)))

/** Makes the folder, so that it is there after a failure of the power too. */
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

/** A new file with these entries, durable. */
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
    }).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
  })

const closeLog = ({ scope }: Log) => Scope.close(scope, Exit.void)

/** The journal's files of other processes: those in use, and those that a process was about to take over when it ended. */
const others = ({ folder, fs, name, token }: Files) =>
  Effect.map(fs.readDirectory(folder), (names) =>
    names.filter((file) => {
      const [of, owner, ...rest] = file.split(".")
      return of === name && owner !== undefined && owner !== token && rest.at(-1) === "journal"
    })
  )

/** Renames the files of other processes, which ends their use of the journal, until there are none. Gives the new paths. */
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

const storageFailed = (error: Failed): WriteJournalFailed =>
  error._tag === "WriteJournalFailed"
    ? error
    : new WriteJournalFailed({ reason: "Storage", detail: error.message, cause: error })

/** Appends lines, in groups, to a file that is replaced when it has become too long. */
const makeAppender = (files: Files, first: Log, entries: journalEntries.JournalEntries, compactAt: number) => {
  const { folder, fs } = files
  let log = first
  let sequence = 0
  let isTorn = false
  let compactNext = Math.max(compactAt, 2 * first.size)
  let waiting: Array<Line> = []
  let isAppending = false

  const owned = Effect.suspend(() =>
    Effect.flatMap(fs.exists(log.file), (isOwn) => (isOwn ? Effect.void : Effect.fail(takenOver(folder))))
  )

  /** The old file is removed by the one process that has the journal: where another has renamed it, the new file is not used. */
  const compact = Effect.gen(function* () {
    const next = yield* createLog(files, ++sequence, entries)
    const removed = yield* Effect.exit(fs.remove(log.file))
    const old = Exit.isSuccess(removed) ? log : next
    if (Exit.isSuccess(removed)) log = next
    else yield* Effect.ignore(fs.remove(next.file, { force: true }))
    compactNext = Math.max(compactAt, 2 * next.size)
    yield* closeLog(old)
    yield* syncFolder(fs, folder)
  }).pipe(Effect.catchAllCause((cause) => Effect.logDebug("the journal of writes was not compacted", cause)))

  const write = (lines: ReadonlyArray<Line>): Effect.Effect<void, Failed> =>
    Effect.gen(function* () {
      // A line that was written in part is ended here, so that it spoils no other.
      const text = (isTorn ? "\n" : "") + lines.map((line) => line.text).join("")
      isTorn = true
      yield* append(log, text)
      isTorn = false
      if (!lines.some(({ isIntent }) => isIntent)) return
      yield* log.handle.sync
      // After the sync: a process that takes the file over from here on reads these intents.
      yield* owned
    })

  /** Appends the lines that wait, all of them at once, until there are none. */
  const appendAll: Effect.Effect<void> = Effect.suspend(() => {
    const lines = waiting
    waiting = []
    if (lines.length === 0) {
      isAppending = false
      return Effect.void
    }
    const appended = Effect.gen(function* () {
      const exit = yield* Effect.exit(write(lines))
      if (Exit.isSuccess(exit)) for (const { apply } of lines) apply()
      if (log.size > compactNext) yield* compact
      for (const { done } of lines) Deferred.unsafeDone(done, exit)
    })
    return Effect.zipRight(appended, appendAll)
  })

  // One fiber appends for all callers: each waits for its own line, not for the lines of others.
  const add = (line: Omit<Line, "done">): Effect.Effect<void, WriteJournalFailed> =>
    Effect.fiberIdWith((id) => {
      const done = Deferred.unsafeMake<void, Failed>(id)
      waiting.push({ ...line, done })
      const begun = isAppending ? Effect.void : Effect.forkDaemon(appendAll)
      isAppending = true
      return Effect.zipRight(begun, Effect.mapError(Deferred.await(done), storageFailed))
    }).pipe(Effect.uninterruptible)
  const restored = Effect.gen(function* () {
    yield* append(log, entries.all().map(journalLines.ofEntry).join(""))
    yield* log.handle.sync
    yield* owned
  })
  // An empty line is done when all before it are.
  const close = Effect.ignore(add({ text: "", isIntent: false, apply: () => undefined })).pipe(
    Effect.zipRight(Effect.suspend(() => closeLog(log)))
  )
  return { add, restored, close }
}

/** The open entries of the files that were taken over. */
const readTaken = ({ fs }: Files, taken: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const texts = yield* Effect.forEach(taken, (file) => fs.readFileString(file)).pipe(
      Effect.catchIf(isMissing, () => Effect.fail(takenOver("at the moment at which this one was opened")))
    )
    const found = journalLines.read(texts)
    if (Either.isLeft(found)) {
      const detail = `its files are of a version that this library does not read: ${found.left}`
      return yield* new WriteJournalFailed({ reason: "Storage", detail })
    }
    const { entries, unreadable } = found.right
    if (unreadable > 0) {
      yield* Effect.logWarning("lines of the journal of writes cannot be read: their writes were refused", {
        unreadable
      })
    }
    return entries
  })

const open = (files: Files, compactAt: number) =>
  Effect.gen(function* () {
    const { folder, fs } = files
    yield* makeFolder(files)
    // Before the files of others are looked for: of two processes that begin at the same moment at least one finds the other's.
    const entries = journalEntries.make()
    const first = createLog(files, 0, entries)
    const appender = yield* Effect.acquireRelease(
      Effect.map(first, (log) => makeAppender(files, log, entries, compactAt)),
      ({ close }) => close
    )
    const taken = yield* takeOver(files)
    entries.restore(yield* readTaken(files, taken))
    yield* appender.restored
    yield* Effect.forEach(taken, (file) => fs.remove(file, { force: true }), { discard: true })
    yield* syncFolder(fs, folder)
    return { appender, entries }
  })

/**
 * Opens a journal until the scope ends, and takes it over from the process before. Fails where its folder cannot be written, and where
 * another process opens the same journal at the same moment.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<WriteJournal.Shape, WriteJournalFailed, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const { compactAt = 1024 * 1024, folder, name = "writes" } = options
    if (!/^[\w-]{1,64}$/.test(name)) {
      const detail = "its name must be 1 to 64 letters, digits, - and _"
      return yield* new WriteJournalFailed({ reason: "Storage", detail })
    }
    const token = globalThis.crypto.randomUUID()
    const files: Files = { fs: yield* FileSystem.FileSystem, path: yield* Path.Path, folder, name, token }
    const { appender, entries } = yield* Effect.mapError(open(files, compactAt), storageFailed)
    let count = 0
    return makeJournal({
      nextId: Effect.sync(() => `${token}-${count++}`),
      begin: (intent) =>
        appender.add({
          text: journalLines.ofIntent(intent),
          isIntent: true,
          apply: () => {
            entries.begin(intent)
          }
        }),
      end: (id, outcome) =>
        Effect.suspend(() => {
          entries.leave(id)
          if (!entries.has(id)) return Effect.void
          return appender.add({
            text: journalLines.ofOutcome(id, outcome),
            isIntent: false,
            apply: () => {
              entries.end(id, outcome)
            }
          })
        }),
      open: Effect.sync(entries.open)
    })
  })

/**
 * A journal in a folder, for the layer of the transport and for `OpenWrites.reconcile`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<WriteJournal, WriteJournalFailed, FileSystem.FileSystem | Path.Path> =>
  Layer.scoped(WriteJournal, make(options))
