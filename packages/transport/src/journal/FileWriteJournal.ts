/**
 * A journal of writes in a folder: JSON lines with a checksum, which are appended and synced to disk before a write is sent. Writes that are sent at the same
 * time share a sync. Outcomes are synced with the next intent.
 *
 * A journal has a name, and only one process at a time uses a name. A process that opens a journal takes it over from the previous process, including its open
 * entries, and the previous process can send no more writes. Processes that run in parallel need different names.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as journalEntries from "./journalEntries.js"
import { takeSteps } from "./journalEffects.js"
import * as journalFiles from "./journalFiles.js"
import type { FileFailure, Files } from "./journalFiles.js"
import * as journalLines from "./journalLines.js"
import * as journalStore from "./journalStore.js"
import * as Folders from "../stores/Folders.js"
import * as TimeLimit from "../time/TimeLimit.js"
import { make as makeJournal, WriteJournal, WriteJournalFailed } from "./WriteJournal.js"

export interface Options {
  /**
   * The folder, which is created with mode 700 if it does not exist. Its files have mode 600. It can contain several journals with different names.
   */
  readonly folder: string
  /** 1 to 64 letters, digits, `-` and `_`. Defaults to `writes`. */
  readonly name?: string | undefined
  /**
   * A file is compacted when it is so many bytes longer than its open entries and the sums that a guard counts, or by a quarter of them if that is more. Defaults
   * to 1 MiB.
   */
  readonly compactAt?: number | undefined
  /** The time limit for writing an entry. Defaults to 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
}

const inTime = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  duration: Duration.Duration
): Effect.Effect<A, E | WriteJournalFailed, R> =>
  TimeLimit.within(effect, duration, () => {
    const detail = `its folder did not answer within ${Duration.format(duration)}`
    return new WriteJournalFailed({ reason: "Storage", detail })
  })

const toFailure = (error: FileFailure): WriteJournalFailed => {
  if (error._tag === "WriteJournalFailed") return error
  const detail =
    error._tag === "SystemError" ? `${String(error.pathOrDescriptor)}: ${Folders.wordsOf(error)}` : error.message
  return new WriteJournalFailed({ reason: "Storage", detail, cause: error })
}

const longestOpening = Duration.seconds(30)

/** Takes the journal over from the previous process. Fails if its files cannot be read, or if there are none and none can be created. */
const takeEntries = (
  store: journalStore.Store,
  others: journalFiles.OtherFiles,
  created: Either.Either<journalFiles.Log, FileFailure>
): Effect.Effect<void, FileFailure> =>
  Effect.gen(function* () {
    const taken = yield* Effect.catchIf(journalFiles.takeOver(store.files, others), journalFiles.isMissing, () =>
      Effect.fail(new WriteJournalFailed({ reason: "TakenOver", detail: "at the moment at which this one was opened" }))
    )
    if (taken.length === 0) return yield* Effect.asVoid(created)
    const { entries, totals } = journalLines.contentsOf(taken.map(({ lines }) => lines))
    yield* takeSteps(store.entries.restore(entries, totals))
    yield* journalStore.takeFiles(store, taken)
  })

const open = (files: Files, compactAt: number) =>
  Effect.gen(function* () {
    yield* journalFiles.makeFolder(files)
    // Before anything is renamed: a damaged journal stays as it is.
    const others = yield* journalFiles.readOthers(files)
    // The new file is created before looking for the files of others: if two processes begin at the same moment, at least one finds the file of the other.
    const entries = journalEntries.make()
    const created = yield* Effect.either(journalFiles.createLog(files, 0, entries, []))
    const first = Either.getOrUndefined(created)
    const store = yield* journalStore.makeStore(files, first, entries, compactAt)
    const discard = first === undefined ? Effect.void : journalFiles.discardLog(files.fs, first)
    yield* Effect.onError(takeEntries(store, others, created), () => discard)
    return { entries, queue: yield* journalStore.makeQueue(store) }
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
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) =>
      Effect.ignore(inTime(Scope.close(scope, exit), timeout))
    )
    const { entries, queue } = yield* inTime(
      Scope.extend(Effect.mapError(open(files, compactAt), toFailure), scope),
      longestOpening
    )
    const add = (line: journalStore.Line) => Effect.mapError(queue.add(line), toFailure)
    let count = 0
    return makeJournal(
      {
        nextId: Effect.sync(() => `${token}-${count++}`),
        begin: (intent) =>
          Effect.suspend(() =>
            add({
              text: journalLines.ofIntent(intent),
              begins: intent.id,
              apply: () => entries.begin(intent)
            })
          ),
        end: (id, outcome) =>
          Effect.suspend(() =>
            entries.has(id) || queue.isPending(id)
              ? add({ text: journalLines.ofOutcome(id, outcome), apply: () => entries.end(id, outcome) })
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
