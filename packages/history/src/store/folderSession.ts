import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Checkpoint from "../model/Checkpoint.js"
import * as Manifest from "../model/Manifest.js"
import { decodeWritten } from "../files/folderFiles.js"
import type * as Part from "../model/Part.js"
import * as CheckpointFile from "../files/checkpointFile.js"
import * as Files from "../files/folderFiles.js"
import type { Format } from "../formats/format.js"
import type * as Journal from "../files/journal.js"
import * as Slices from "./slices.js"
import * as Views from "../formats/views.js"
import * as WorkFolder from "../files/workFolder.js"

/** Reads the checkpoint of an unfinished export. Fails with the file that cannot be read. */
const readSaved = <E, R>(text: string, read: (file: string) => Effect.Effect<string, E, R>) =>
  CheckpointFile.readSaved(text, `${WorkFolder.folderName}/${CheckpointFile.headName}`, (_part, index, { files }) => {
    const at = files[index]
    if (at === undefined) return Effect.fail(`${CheckpointFile.headName} lacks parts`)
    return Effect.mapBoth(read(at), {
      onFailure: () => `${at} is gone`,
      onSuccess: (text) => ({ at, lines: CheckpointFile.wholeLines(text) })
    })
  }).pipe(Effect.mapError((detail) => `${detail}: overwrite it, or export elsewhere`))

/** The progress of an unfinished export; `none` if no readable one exists. Takes no lock. */
export const begun = (
  location: string
): Effect.Effect<Option.Option<Checkpoint.Checkpoint>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const read = (file: string) => fs.readFileString(path.join(location, WorkFolder.folderName, file))
    const { head, states } = yield* Effect.flatMap(read(CheckpointFile.headName), (text) => readSaved(text, read))
    return CheckpointFile.toCheckpoint(head, states)
  }).pipe(Effect.option)

const segmentsOf = ({ states }: CheckpointFile.Saved): Journal.Segments =>
  states.flatMap(({ journals: { rejectedRows, rows } }) => [...rows, ...rejectedRows])

/** Reads the manifest of a finished export and the checkpoint of an unfinished one. With `overwrite`, unreadable files count as absent. */
export const inspect = (folder: WorkFolder.WorkFolder, journal: Journal.Journal, overwrite: boolean) =>
  Effect.gen(function* () {
    const read = <A, R>(file: string, decode: (text: string) => Effect.Effect<A, string, R>) =>
      Effect.flatMap(
        folder.readIfExists(file),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (text) =>
            Effect.matchEffect(decode(text), {
              onFailure: (detail) => (overwrite ? Effect.succeedNone : Effect.fail(folder.fail(detail))),
              onSuccess: Effect.succeedSome
            })
        })
      )
    // Remove partial files before reading, so that a frozen run cannot publish them later.
    const names = yield* folder.removePartials
    const manifest = yield* read(folder.at(Manifest.fileName), (text) =>
      Either.mapLeft(
        decodeWritten(text),
        (detail) => `${Manifest.fileName} ${detail}: overwrite it, or export elsewhere`
      )
    )
    if (!names.includes(CheckpointFile.headName)) return { names, manifest, saved: Option.none<CheckpointFile.Saved>() }
    const saved = yield* read(folder.work(CheckpointFile.headName), (text) =>
      readSaved(text, (file) => folder.fs.readFileString(folder.work(file)))
    )
    if (!overwrite || Option.isNone(saved)) return { names, manifest, saved }
    const isWhole = yield* Effect.isSuccess(journal.checkSegments(segmentsOf(saved.value)))
    return { names, manifest, saved: isWhole ? saved : Option.none() }
  })

/** Rewrites the checkpoint of each part as one line, and then the head that names them. */
export const writeCheckpoint = (
  folder: WorkFolder.WorkFolder,
  journal: Journal.Journal,
  head: CheckpointFile.Head,
  states: ReadonlyArray<CheckpointFile.PartState>
) =>
  Effect.gen(function* () {
    const logs = yield* Effect.forEach(head.plan.parts, ({ name }, index) =>
      Effect.gen(function* () {
        const state = states[index]
        if (state === undefined) return yield* Effect.fail(folder.fail(`there is no part ${name}`))
        const log = yield* journal.append(name, "checkpoint", [], [CheckpointFile.lineOf(state)])
        yield* journal.sync(name, "checkpoint", log)
        return log
      })
    )
    const written = { ...head, files: head.plan.parts.map(({ name }) => journal.fileOf(name, "checkpoint")) }
    yield* folder.syncFolder(folder.at(WorkFolder.folderName))
    yield* folder.replace(folder.work(CheckpointFile.headName), CheckpointFile.encode(written))
    return { head: written, logs }
  })

/** The export that this process is writing. */
export interface Current {
  head: CheckpointFile.Head
  readonly states: Array<CheckpointFile.PartState>
  /** The checkpoints of the parts, in order; `undefined` while none is stored. */
  logs: Array<Journal.Segments> | undefined
  readonly begunAt: number
}

/** Takes over the journals and checkpoints of an earlier run under names of this run, and removes its other files. */
export const adopt = (
  folder: WorkFolder.WorkFolder,
  journal: Journal.Journal,
  { manifest, names, saved }: Effect.Effect.Success<ReturnType<typeof inspect>>
) =>
  Effect.gen(function* () {
    const segments = Option.match(saved, { onNone: () => [], onSome: segmentsOf })
    const logs = Option.match(saved, { onNone: () => [], onSome: ({ head }) => head.files })
    yield* folder.sweep(
      names,
      new Map([
        ...Files.filesOf(manifest).map((name) => [WorkFolder.flat(name), folder.at(name)] as const),
        ...[...logs, ...segments.map(({ file }) => file)].map((file) => [file, folder.work(file)] as const),
        [CheckpointFile.headName, folder.work(CheckpointFile.headName)]
      ])
    )
    if (Option.isNone(saved)) return Option.none<Current>()
    yield* journal.checkSegments(segments)
    const { head } = saved.value
    const states = yield* Effect.forEach(saved.value.states, ({ journals, ...state }, index) =>
      Effect.gen(function* () {
        const part = head.plan.parts[index]?.name ?? ""
        const rows = yield* journal.inherit(part, "rows", journals.rows)
        const rejectedRows = yield* journal.inherit(part, "rejectedRows", journals.rejectedRows)
        return { ...state, journals: { rows, rejectedRows } }
      })
    )
    const written = yield* writeCheckpoint(folder, journal, head, states)
    yield* folder.discardAll([...logs, ...segments.map(({ file }) => file)].map(folder.work))
    yield* Files.removeSuperseded(folder, manifest, head.superseded)
    return Option.some<Current>({ ...written, states, begunAt: 0 })
  })

/** An open folder, which one run owns until its scope ends. */
export interface Session {
  readonly location: string
  readonly format: Format
  readonly partition: Checkpoint.Plan["partition"]
  readonly parts: ReadonlyArray<Part.Part<unknown, unknown>>
  readonly overwrite: boolean
  readonly folder: WorkFolder.WorkFolder
  readonly journal: Journal.Journal
  /** The manifest of the finished export in the folder. */
  readonly manifest: Option.Option<Manifest.Manifest>
  current: Option.Option<Current>
}

export const indexOf = ({ current }: Session, name: string): number =>
  Option.match(current, {
    onNone: () => -1,
    onSome: ({ head }) => head.plan.parts.findIndex((part) => part.name === name)
  })

export const journalsOf = (session: Session, { name }: { readonly name: string }): CheckpointFile.Journals =>
  Option.flatMapNullable(session.current, ({ states }) => states[indexOf(session, name)]?.journals).pipe(
    Option.getOrElse(() => CheckpointFile.noJournals)
  )

/** The names that the files of a new export can have. */
export const targetsOf = (
  { format, manifest, parts }: Session,
  { from, partition, since, to }: Checkpoint.Plan
): ReadonlyArray<string> =>
  parts.flatMap(({ dataset, name }) => {
    const before = since === null ? undefined : Files.partOf(manifest, name)
    const files = before?.files ?? []
    const first = (before?.unsettled ?? []).reduce((first, { at }) => Math.min(first, at), from)
    const months = Slices.isSplit(dataset, partition) ? Slices.monthsOf({ from: first, to }) : [undefined]
    return [
      ...months.map((month) => Files.fileName(name, files, format.extension, month)),
      Files.nextRejectedName(name, before?.rejected ?? [])
    ]
  })

/** Stores the first checkpoint of an export. Fails if files of others have the names of its files. */
export const save = (session: Session, run: Current) =>
  Effect.gen(function* () {
    const { folder, journal } = session
    yield* checkOwned(session, targetsOf(session, run.head.plan), [])
    yield* existingViews(session)
    Object.assign(run, yield* writeCheckpoint(folder, journal, run.head, run.states))
  })

export const saveHead = (session: Session, run: Current, change: Partial<CheckpointFile.Head>) =>
  Effect.suspend(() => {
    const { folder } = session
    run.head = { ...run.head, ...change }
    return run.logs === undefined
      ? save(session, run)
      : folder.replace(folder.work(CheckpointFile.headName), CheckpointFile.encode(run.head))
  })

export const forget = (session: Session) =>
  Effect.gen(function* () {
    const { current, folder, journal, overwrite } = session
    session.current = Option.none()
    // When the folder was opened, the files of earlier runs were removed, except an unreadable checkpoint that is overwritten.
    if (!overwrite && !Option.exists(current, ({ logs }) => logs !== undefined)) return
    // Remove directly instead of discarding: a frozen run would otherwise restore the checkpoint after its successor has finished. Without a
    // checkpoint the next run starts again.
    yield* folder.checkLock
    yield* journal.close
    yield* folder.fs.remove(folder.work(CheckpointFile.headName), { force: true })
    yield* folder.discardAll((yield* folder.list).map(folder.work))
  })

/** The existing views, unless they are to be overwritten. Fails if another program wrote the file. */
export const existingViews = ({ folder, overwrite }: Session) =>
  Effect.gen(function* () {
    const text = Option.getOrElse(yield* folder.readIfExists(folder.at(Views.fileName)), () => "")
    if (text !== "" && !overwrite && !Views.isOwn(text)) {
      return yield* folder.fail(
        `${Views.fileName} is there already, and no export wrote it: overwrite it, or export elsewhere`
      )
    }
    return text
  })

/** Fails if one of these files exists and does not belong to this export. */
export const checkOwned = (
  { folder, manifest, overwrite }: Session,
  names: ReadonlyArray<string>,
  claimed: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    if (overwrite) return
    const owned = new Set([...Files.filesOf(manifest), ...claimed])
    for (const name of names) {
      if (owned.has(name) || !(yield* folder.fs.exists(folder.at(name)))) continue
      return yield* folder.fail(
        `${name} is there already, and no ${Manifest.fileName} mentions it: overwrite it, or export elsewhere`
      )
    }
  })
