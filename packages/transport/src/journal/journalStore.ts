/** The log that the lines of a journal are appended to, and that is replaced when it has become too long or has failed. */
import * as Deferred from "effect/Deferred"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { JournalEntries } from "./journalEntries.js"
import { warnUnwritable } from "./journalEffects.js"
import * as journalFiles from "./journalFiles.js"
import type { FileFailure, Log, UsedFile } from "./journalFiles.js"
import { WriteJournalFailed } from "./WriteJournal.js"

/** Text to be appended. */
export interface Line {
  readonly text: string
  /** The id of the entry that this line begins; `undefined` for an outcome. */
  readonly begins?: string
  /** Called after the line was appended, and synced if it begins an entry. */
  readonly apply: () => void
}

/** A log that is to replace the present one, and the lines that the present one has since then. */
interface Successor {
  /** `undefined` until it has the entries. */
  log: Log | undefined
  missing: Array<string>
}

export interface Store {
  readonly files: journalFiles.Files
  readonly entries: JournalEntries
  readonly compactAt: number
  /** Prepares the successor of the log. */
  readonly compaction: FiberHandle.FiberHandle
  /** `undefined` if no file could be created. */
  log: Log | undefined
  /** The files that have the entries. */
  used: ReadonlyArray<UsedFile>
  sequence: number
  /** The size of the log from which it is compacted. */
  compactFrom: number
  isTakenOver: boolean
  /** After a failure an unknown part of the file is on disk and its last line can be torn, so nothing more is appended to it. */
  hasFailed: boolean
  successor: Successor | undefined
}

const takenOver = (detail: string) => new WriteJournalFailed({ reason: "TakenOver", detail })

/** Fails once another process has renamed a file of this journal. */
const checkOwned = (store: Store): Effect.Effect<void, FileFailure> =>
  Effect.gen(function* () {
    const { folder, fs } = store.files
    for (const { file } of store.used) store.isTakenOver ||= !(yield* fs.exists(file))
    if (store.isTakenOver) yield* takenOver(folder)
  })

/** A log with the entries of this step, whenever it is created. */
const nextOf = (store: Store): Effect.Effect<Log, FileFailure> =>
  journalFiles.createLog(store.files, ++store.sequence, store.entries, store.used)

// What an open journal is read from is at most this much longer than what it has to keep.
const sizeToCompact = ({ compactAt }: Store, live: number, size: number) => size + Math.max(compactAt, live / 4)

/**
 * Removes the files whose entries the next log has. Only the process that still owns the journal can remove the first: if another process has renamed it, the
 * next log is not used. Once it is removed, the other process finds the next log.
 */
const adopt = (store: Store, next: Log): Effect.Effect<Log, FileFailure> =>
  Effect.gen(function* () {
    const { folder, fs } = store.files
    const [oldest, ...older] = store.used
    const removed = yield* oldest === undefined ? Effect.succeed(Exit.void) : Effect.exit(fs.remove(oldest.file))
    if (Exit.isSuccess(removed)) {
      if (store.log !== undefined) yield* journalFiles.closeLog(store.log)
      store.log = next
      store.used = [next]
      yield* Effect.forEach(older, ({ file }) => Effect.ignore(fs.remove(file, { force: true })), { discard: true })
    } else yield* journalFiles.discardLog(fs, next)
    yield* journalFiles.syncFolder(fs, folder)
    yield* checkOwned(store)
    yield* removed
    store.compactFrom = sizeToCompact(store, next.live, next.live)
    store.hasFailed = false
    return next
  })

/** Ends the preparation of the successor, whose file is then removed. */
const abandonSuccessor = (store: Store): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* FiberHandle.clear(store.compaction)
    const log = store.successor?.log
    store.successor = undefined
    store.compactFrom = sizeToCompact(store, store.log?.live ?? 0, store.log?.size ?? 0)
    if (log !== undefined) yield* journalFiles.discardLog(store.files.fs, log)
  })

/** Writes the entries to a new log, while all lines wait. */
const replaceLog = (store: Store): Effect.Effect<Log, FileFailure> =>
  Effect.gen(function* () {
    yield* abandonSuccessor(store)
    yield* checkOwned(store)
    return yield* adopt(store, yield* nextOf(store))
  })

/** Creates a log, and appends the lines that the present one has meanwhile. */
const prepareSuccessor = (
  store: Store,
  successor: Successor,
  created: Effect.Effect<Log, FileFailure>
): Effect.Effect<void, FileFailure> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const log = yield* restore(created)
      const catchUp = Effect.gen(function* () {
        while (successor.missing.length > 0) yield* journalFiles.append(log, successor.missing.splice(0).join(""))
        yield* log.handle.sync
        // A later process that has taken the journal over by now would count this file beside what it has read.
        yield* checkOwned(store)
      })
      yield* Effect.onError(restore(catchUp), () => journalFiles.discardLog(store.files.fs, log))
      successor.log = log
    })
  )

/** Begins to prepare a successor, while lines are still appended to the present log. */
const beginSuccessor = (store: Store): Effect.Effect<void> =>
  Effect.suspend(() => {
    const successor: Successor = { log: undefined, missing: [] }
    store.successor = successor
    const prepared = Effect.catchAll(prepareSuccessor(store, successor, nextOf(store)), (error) =>
      Effect.zipRight(
        Effect.sync(() => {
          store.successor = undefined
          store.compactFrom = sizeToCompact(store, store.log?.live ?? 0, store.log?.size ?? 0)
        }),
        Effect.logDebug("the journal was not compacted", error)
      )
    )
    return Effect.asVoid(FiberHandle.run(store.compaction, Effect.interruptible(prepared)))
  })

/** Replaces the log by its successor, with all lines, if that is prepared. */
const takeSuccessor = (store: Store, text: string): Effect.Effect<Log | undefined, FileFailure> =>
  Effect.suspend(() => {
    const { successor } = store
    const next = successor?.log
    if (successor === undefined || next === undefined) return Effect.succeed(undefined)
    const appended = Effect.zipRight(
      journalFiles.append(next, successor.missing.join("") + text),
      Effect.suspend(() => next.handle.sync)
    )
    return Effect.matchEffect(appended, {
      onFailure: (error) =>
        Effect.as(
          Effect.zipRight(abandonSuccessor(store), Effect.logDebug("the journal was not compacted", error)),
          undefined
        ),
      onSuccess: () => {
        store.successor = undefined
        return adopt(store, next)
      }
    })
  })

const writeLines = (store: Store, lines: ReadonlyArray<Line>): Effect.Effect<void, FileFailure> =>
  Effect.gen(function* () {
    const text = lines.map((line) => line.text).join("")
    const present = store.hasFailed || store.log === undefined ? yield* replaceLog(store) : store.log
    store.hasFailed = true
    if ((yield* takeSuccessor(store, text)) === undefined) {
      yield* journalFiles.append(present, text)
      store.successor?.missing.push(text)
      if (lines.some(({ begins }) => begins !== undefined)) {
        yield* present.handle.sync
        // Checked after the sync: a process that takes the file over later reads these intents.
        yield* checkOwned(store)
      }
    }
    store.hasFailed = false
    for (const { apply } of lines) apply()
    if (store.successor === undefined && store.log !== undefined && store.log.size > store.compactFrom) {
      yield* beginSuccessor(store)
    }
  })

/**
 * Replaces the files that were taken over. On a full disk they are kept until there is space: their entries can be read and looked up, and nothing is
 * recorded.
 */
export const takeFiles = (store: Store, taken: ReadonlyArray<UsedFile>): Effect.Effect<void, FileFailure> =>
  Effect.suspend(() => {
    store.used = [...store.used, ...taken]
    store.hasFailed = true
    return Effect.catchIf(Effect.asVoid(replaceLog(store)), journalFiles.isStorage, warnUnwritable)
  })

/** A store whose first log is `first`, until the scope ends. */
export const makeStore = (
  files: journalFiles.Files,
  first: Log | undefined,
  entries: JournalEntries,
  compactAt: number
): Effect.Effect<Store, never, Scope.Scope> =>
  Effect.gen(function* () {
    const compaction = yield* FiberHandle.make()
    const store: Store = {
      ...{ files, entries, compactAt, compaction, log: first },
      used: first === undefined ? [] : [first],
      sequence: 0,
      compactFrom: compactAt,
      isTakenOver: false,
      hasFailed: first === undefined,
      successor: undefined
    }
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        abandonSuccessor(store),
        Effect.suspend(() => (store.log === undefined ? Effect.void : journalFiles.closeLog(store.log)))
      )
    )
    return store
  })

export interface LineQueue {
  /** Waits until a line is written. A line that begins an entry is withdrawn if its caller no longer waits for it; an outcome is not. */
  readonly add: (line: Line) => Effect.Effect<void, FileFailure>
  /** Whether the line that begins an entry waits to be written, or is being written. */
  readonly isPending: (id: string) => boolean
}

interface WaitingLine {
  readonly line: Line
  readonly done: Deferred.Deferred<void, FileFailure>
  progress: "waiting" | "withdrawn" | "written"
}

const closed = new WriteJournalFailed({ reason: "Storage", detail: "it is closed" })

/** A queue whose single fiber passes all waiting lines to the store at once. When the scope ends, it has written all lines that were added before. */
export const makeQueue = (store: Store): Effect.Effect<LineQueue, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* Effect.acquireRelease(Queue.unbounded<WaitingLine>(), Queue.shutdown)
    const pending = new Set<string>()

    const leave = ({ begins }: Line) => begins === undefined || pending.delete(begins)

    const writeNext = Effect.gen(function* () {
      const taken = Chunk.toReadonlyArray(yield* Queue.takeBetween(waiting, 1, Number.POSITIVE_INFINITY))
      const written = taken.filter(({ progress }) => progress === "waiting")
      if (written.length === 0) return
      for (const each of written) each.progress = "written"
      const lines = written.map(({ line }) => line)
      const exit = yield* Effect.exit(writeLines(store, lines))
      for (const { done, line } of written) {
        leave(line)
        Deferred.unsafeDone(done, exit)
      }
    })

    const add = (line: Line): Effect.Effect<void, FileFailure> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const added: WaitingLine = { line, done: yield* Deferred.make<void, FileFailure>(), progress: "waiting" }
          if (!Queue.unsafeOffer(waiting, added)) return yield* closed
          if (line.begins !== undefined) pending.add(line.begins)
          yield* Effect.onInterrupt(restore(Deferred.await(added.done)), () =>
            Effect.sync(() => {
              if (line.begins === undefined || added.progress !== "waiting") return
              added.progress = "withdrawn"
              leave(line)
            })
          )
        })
      )

    yield* Effect.forkScoped(Effect.interruptible(Effect.forever(writeNext)))
    yield* Effect.addFinalizer(() => Effect.ignore(add({ text: "", apply: () => undefined })))
    return { add, isPending: (id) => pending.has(id) }
  })
