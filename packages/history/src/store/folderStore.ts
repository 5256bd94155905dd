import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import * as Reissued from "./reissued.js"
import * as Spool from "./spool.js"
import type * as Sink from "./Sink.js"
import * as CheckpointFile from "../files/checkpointFile.js"
import type { Refused, SinkFailure } from "../model/ExportFailure.js"
import { writtenRows } from "../files/fileDigest.js"
import * as Files from "../files/folderFiles.js"
import * as FolderPublish from "./folderPublish.js"
import * as FolderSession from "./folderSession.js"
import type { Session } from "./folderSession.js"
import { forEach } from "../platform/forEach.js"
import type { Format } from "../formats/format.js"
import * as Journal from "../files/journal.js"
import { linesOf } from "../formats/lines.js"
import * as Ndjson from "../formats/ndjson.js"
import * as WorkFolder from "../files/workFolder.js"

const begin = (session: Session, checkpoint: Checkpoint.Checkpoint) =>
  Effect.gen(function* () {
    const { overwrite } = session
    const targets = FolderSession.targetsOf(session, checkpoint.plan)
    // When the folder was opened, the files of earlier runs were removed.
    if (overwrite || Option.isSome(session.current)) yield* FolderSession.forget(session)
    const run: FolderSession.Current = {
      head: { ...CheckpointFile.headOf(checkpoint), claimed: overwrite ? targets : [] },
      states: CheckpointFile.begun(checkpoint),
      logs: undefined,
      begunAt: yield* Clock.currentTimeMillis
    }
    session.current = Option.some(run)
    // The manifest of an export that is continued has all that its checkpoint would have before the first row.
    if (checkpoint.plan.since === null) yield* FolderSession.save(session, run)
  })

/** How long a run that continues an export, and has no new rows, reads before it stores a checkpoint: a kill loses no more than that. */
const quietMillis = Duration.toMillis("5 seconds")

/** Appends rows to the journals of a part and syncs them to disk. */
const appendRows = (
  { folder, journal }: Session,
  part: { readonly name: string },
  before: CheckpointFile.Journals,
  chunks: Sink.WindowRows["chunks"]
) =>
  Effect.gen(function* () {
    let { rejectedRows, rows } = before
    yield* forEach(chunks, (chunk) =>
      Effect.gen(function* () {
        const lines = chunk.rows.map(({ text }) => text)
        rows = yield* journal.append(part.name, "rows", rows, lines)
        rejectedRows = yield* journal.append(part.name, "rejectedRows", rejectedRows, chunk.rejectedRows)
      })
    )
    yield* journal.sync(part.name, "rows", rows)
    yield* journal.sync(part.name, "rejectedRows", rejectedRows)
    if (rows === before.rows && rejectedRows === before.rejectedRows) return before
    const isNew = rows.length + rejectedRows.length > before.rows.length + before.rejectedRows.length
    if (isNew) yield* folder.syncFolder(folder.at(WorkFolder.folderName))
    return { rows, rejectedRows }
  })

const append = (session: Session, { checkpoint, chunks, part }: Sink.WindowRows) =>
  Effect.gen(function* () {
    const { folder, journal } = session
    if (Option.isNone(session.current)) return yield* folder.fail("no export was started here")
    const run = session.current.value
    // These files belong to this run only, so the lock can be checked after appending.
    const before = FolderSession.journalsOf(session, part)
    const journals = yield* appendRows(session, part, before, chunks)
    const reached = yield* checkpoint
    const steps = CheckpointFile.steps(run.states, reached, FolderSession.indexOf(session, part.name), journals)
    if (run.logs === undefined) {
      for (const { index, state } of steps) run.states[index] = state
      const isQuiet = journals === before && (yield* Clock.currentTimeMillis) < run.begunAt + quietMillis
      return isQuiet ? undefined : yield* FolderSession.save(session, run)
    }
    yield* folder.checkLock
    if (reached.starts !== run.head.starts) yield* FolderSession.saveHead(session, run, { starts: reached.starts })
    for (const { index, line, state } of steps) {
      const name = run.head.plan.parts[index]?.name ?? ""
      const log = yield* journal.append(name, "checkpoint", run.logs[index] ?? [], [line])
      yield* journal.sync(name, "checkpoint", log)
      run.logs[index] = log
      run.states[index] = state
    }
  })

/** The number of a file's first rows that lie in none of these windows: rows are in the order of the windows that they were read in. */
const countSkipped = (
  { filedBy, instant }: Dataset.Dataset<never, unknown>,
  read: ReadonlyArray<Manifest.Window>,
  windows: ReadonlyArray<Dataset.Window>
): number => {
  if (Option.isNone(instant) || Option.isSome(filedBy)) return 0
  const first = read.findIndex(
    ({ anomalies, from, to }) =>
      anomalies.noInstant !== undefined || windows.some((window) => from < window.to && to > window.from)
  )
  return read.slice(0, first === -1 ? read.length : first).reduce((rows, window) => rows + window.rows, 0)
}

/** The rows of the finished export, and those of the export under way. */
const rowsOf = (
  session: Session,
  { dataset, name }: Part.Part<unknown, unknown>,
  skip: (read: ReadonlyArray<Manifest.Window>) => number
) => {
  const { folder, format, journal, manifest } = session
  const part = Files.partOf(manifest, name)
  let done = 0
  const files = (part?.files ?? []).map((file) => {
    const read = part?.windows.slice(done, (done += file.windows)) ?? []
    return writtenRows(folder.at(file.name), file, format, dataset, skip(read))
  })
  const provided = <A, E>(rows: Stream.Stream<A, E, FileSystem.FileSystem>) =>
    rows.pipe(Stream.provideService(FileSystem.FileSystem, folder.fs), Stream.catchAll(folder.failure))
  return {
    finished: provided(Stream.flatten(Stream.fromIterable(files))),
    // The journals grow until the export is published.
    committed: Stream.suspend(() =>
      provided(
        Stream.map(
          Ndjson.recordLines(journal.bytes(FolderSession.journalsOf(session, { name }).rows)),
          ({ row }) => row
        )
      )
    )
  }
}

const existing = (
  session: Session,
  part: Part.Part<unknown, unknown>,
  windows: ReadonlyArray<Dataset.Window>
): Stream.Stream<Dataset.Row, SinkFailure> => {
  const { committed, finished } = rowsOf(session, part, (read) => countSkipped(part.dataset, read, windows))
  return Stream.concat(finished, committed)
}

const rejectedLines = ({ folder, manifest }: Session, { name }: Part.Part<unknown, unknown>) =>
  Stream.fromIterable(Files.partOf(manifest, name)?.rejected ?? []).pipe(
    Stream.flatMap((file) => linesOf(folder.fs.stream(folder.at(file.name)))),
    Stream.catchAll(folder.failure)
  )

const reissued = (session: Session, part: Part.Part<unknown, unknown>) => {
  const { committed, finished } = rowsOf(session, part, () => 0)
  return Reissued.find(part.dataset, committed, finished)
}

export const open = (
  location: string,
  format: Format,
  partition: Checkpoint.Plan["partition"],
  parts: ReadonlyArray<Part.Part<unknown, unknown>>,
  overwrite: boolean
): Effect.Effect<Sink.Store, SinkFailure | Refused, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    // A finished export leaves only its files.
    const folder = yield* WorkFolder.open(location)
    const { failing } = folder
    const journal = yield* Journal.make(folder)
    const found = yield* failing(FolderSession.inspect(folder, journal, overwrite))
    const current = yield* failing(FolderSession.adopt(folder, journal, found))
    const { manifest, saved } = found
    const session: Session = { location, format, partition, parts, overwrite, folder, journal, manifest, current }
    return {
      spool: yield* Spool.folder(folder.at(WorkFolder.folderName)),
      checkpoint: Option.map(saved, ({ head, states }) => CheckpointFile.toCheckpoint(head, states)),
      manifest,
      begin: (checkpoint) => failing(begin(session, checkpoint)),
      append: (rows) => failing(append(session, rows)),
      forget: failing(FolderSession.forget(session)),
      existing: (part, windows) => existing(session, part, windows),
      rejectedLines: (part) => rejectedLines(session, part),
      reissued: (part) => reissued(session, part),
      publish: (unfinished) => failing(FolderPublish.publish(session, unfinished))
    }
  })
