import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Checkpoint from "../../shared/Checkpoint.js"
import type * as Dataset from "../../Dataset.js"
import type * as Manifest from "../../Manifest.js"
import type * as Part from "../../Part.js"
import * as Spool from "./spool.js"
import type * as Sink from "../../Sink.js"
import * as CheckpointFile from "./checkpointFile.js"
import type { Refused, SinkFailure } from "../../ExportFailure.js"
import { writtenRows } from "./fileDigest.js"
import * as Files from "./folderFiles.js"
import * as FolderPublish from "./folderPublish.js"
import * as FolderSession from "./folderSession.js"
import type { Session } from "./folderSession.js"
import { forEach } from "../model/forEach.js"
import type { Format } from "../formats/format.js"
import * as Journal from "./journal.js"
import * as Slices from "./slices.js"
import * as Ndjson from "../formats/ndjson.js"
import * as WorkFolder from "./workFolder.js"

/** The names that the files of a new export can have. */
const targetsOf = (
  { format, manifest, parts }: Session,
  { from, partition, since, to }: Checkpoint.Plan
): ReadonlyArray<string> =>
  parts.flatMap(({ dataset, name }) => {
    const before = since === null ? undefined : Files.partOf(manifest, name)
    const files = before?.files ?? []
    const first = Math.min(from, ...(before?.unsettled ?? []))
    const months = Slices.isSplit(dataset, partition) ? Slices.monthsOf({ from: first, to }) : [undefined]
    return [
      ...months.map((month) => Files.fileName(name, files, format.extension, month)),
      Files.rejectedName(name, files)
    ]
  })

const begin = (session: Session, checkpoint: Checkpoint.Checkpoint) =>
  Effect.gen(function* () {
    const { folder, journal, overwrite } = session
    const targets = targetsOf(session, checkpoint.plan)
    yield* FolderSession.checkOwned(session, targets, [])
    yield* FolderPublish.existingViews(session)
    // When the folder was opened, the files of earlier runs were removed.
    if (overwrite || Option.isSome(session.current)) yield* FolderSession.forget(session)
    const states = CheckpointFile.begun(checkpoint)
    const head = { ...CheckpointFile.headOf(checkpoint), claimed: overwrite ? targets : [] }
    const written = yield* FolderSession.writeCheckpoint(folder, journal, head, states)
    session.current = Option.some({ ...written, states })
  })

/** Appends rows to the journals of a part and syncs them to disk. */
const appendRows = (session: Session, part: { readonly name: string }, chunks: Sink.WindowRows["chunks"]) =>
  Effect.gen(function* () {
    const { folder, journal } = session
    const before = FolderSession.journalsOf(session, part)
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
    const journals = yield* appendRows(session, part, chunks)
    yield* folder.checkLock
    const reached = yield* checkpoint
    if (reached.starts !== run.head.starts) yield* FolderSession.saveHead(session, run, { starts: reached.starts })
    for (const { index, line, state } of CheckpointFile.steps(
      run.states,
      reached,
      FolderSession.indexOf(session, part.name),
      journals
    )) {
      const name = run.head.plan.parts[index]?.name ?? ""
      const log = yield* journal.append(name, "checkpoint", run.logs[index] ?? [], [line])
      yield* journal.sync(name, "checkpoint", log)
      run.logs[index] = log
      run.states[index] = state
    }
  })

/** The number of a file's first rows that lie in none of these windows: rows are in the order of the windows that they were read in. */
const skippedRows = (
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

const existing = (
  session: Session,
  { dataset, name }: Part.Part<unknown, unknown>,
  windows: ReadonlyArray<Dataset.Window>
): Stream.Stream<Dataset.Row, SinkFailure> => {
  const { folder, format, journal, manifest } = session
  const part = Files.partOf(manifest, name)
  let done = 0
  const files = (part?.files ?? []).map((file) => {
    const read = part?.windows.slice(done, (done += file.windows)) ?? []
    return writtenRows(folder.at(file.name), file, format, dataset, skippedRows(dataset, read, windows))
  })
  const finished = Stream.flatten(Stream.fromIterable(files))
  const committed = Stream.map(
    Ndjson.recordLines(journal.bytes(FolderSession.journalsOf(session, { name }).rows)),
    ({ row }) => row
  )
  return Stream.concat(finished, committed).pipe(
    Stream.provideService(FileSystem.FileSystem, folder.fs),
    Stream.mapError((error) => folder.failure(error))
  )
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
    const { manifest, saved } = yield* failing(FolderSession.inspect(folder, journal, overwrite))
    const current = yield* failing(FolderSession.adopt(folder, journal, manifest, saved))
    const session: Session = { location, format, partition, parts, overwrite, folder, journal, manifest, current }
    return {
      spool: yield* Spool.folder(folder.at(WorkFolder.folderName)),
      checkpoint: Option.map(saved, ({ head, states }) => CheckpointFile.checkpointOf(head, states)),
      manifest,
      begin: (checkpoint) => failing(begin(session, checkpoint)),
      append: (rows) => failing(append(session, rows)),
      forget: failing(FolderSession.forget(session)),
      existing: (part, windows) => existing(session, part, windows),
      publish: (unfinished) => failing(FolderPublish.publish(session, unfinished))
    }
  })
