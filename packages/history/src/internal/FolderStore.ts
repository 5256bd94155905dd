import * as sha256 from "#sha256"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Checkpoint from "../Checkpoint.js"
import * as Dataset from "../Dataset.js"
import * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"
import * as Spool from "../Spool.js"
import * as Store from "../Store.js"
import * as CheckpointFile from "./checkpointFile.js"
import type { Refused, SinkFailure } from "./failures.js"
import { writtenRows } from "./fileDigest.js"
import { forEach } from "./forEach.js"
import type { Format } from "./format.js"
import * as Journal from "./journal.js"
import * as Ndjson from "./ndjson.js"
import * as Views from "./views.js"
import { withoutFile } from "./withoutFile.js"
import * as WorkFolder from "./workFolder.js"

/** An export under way: what all parts have in common, and how far each has come. */
interface Saved {
  readonly head: CheckpointFile.Head
  readonly states: ReadonlyArray<CheckpointFile.State>
}

const filesOf = (manifest: Option.Option<Manifest.Manifest>): ReadonlyArray<string> =>
  Option.match(manifest, {
    onNone: () => [],
    onSome: ({ parts }) => parts.flatMap(({ files, rejected }) => [...files, ...rejected].map(({ name }) => name))
  })

const partOf = (manifest: Option.Option<Manifest.Manifest>, name: string): Manifest.Part | undefined =>
  Option.getOrUndefined(Option.flatMapNullable(manifest, ({ parts }) => parts.find((part) => part.name === name)))

/** The names of the files of a part, behind the name of the part. */
const fileEnding = /^(\.\d+)?(\.rejected)?\.(ndjson|csv|parquet)(\.gz)?$/

/** The name of a file of a part. The first file of a part has its name alone; those of later exports are numbered. */
const fileName = (part: string, number: number, ending: string): string =>
  `${number === 1 ? part : `${part}.${number}`}.${ending}`

const rejectedEnding = "rejected.ndjson"

const isCut = (file: string, detail: string): string => `${file} ${detail}: overwrite it, or export elsewhere`

/** Reads the checkpoint of an export under way; fails with what cannot be read. */
const readSaved = <E, R>(
  text: string,
  read: (file: string) => Effect.Effect<string, E, R>
): Effect.Effect<Saved, string, R> =>
  Effect.gen(function* () {
    const head = yield* Either.mapLeft(CheckpointFile.decode(text), (detail) =>
      isCut(`${WorkFolder.folderName}/${CheckpointFile.headName}`, detail)
    )
    if (head.files.length !== head.plan.parts.length)
      return yield* Effect.fail(isCut(CheckpointFile.headName, "lacks parts"))
    return {
      head,
      states: yield* Effect.forEach(head.files, (file) =>
        Effect.gen(function* () {
          const lines = yield* Effect.mapError(read(file), () => isCut(file, "is gone"))
          return yield* Either.mapLeft(CheckpointFile.replay(CheckpointFile.wholeLines(lines)), (detail) =>
            isCut(file, detail)
          )
        })
      )
    }
  })

/** How far an export that is not finished has come, where there is one that can be read. Takes no lock. */
export const begun = (
  location: string
): Effect.Effect<Option.Option<Checkpoint.Checkpoint>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const read = (file: string) => fs.readFileString(path.join(location, WorkFolder.folderName, file))
    const { head, states } = yield* Effect.flatMap(read(CheckpointFile.headName), (text) => readSaved(text, read))
    return CheckpointFile.checkpointOf(head, states)
  }).pipe(Effect.option)

const segmentsOf = ({ states }: Saved): Journal.Segments =>
  states.flatMap(({ journals: { rejectedRows, rows } }) => [...rows, ...rejectedRows])

/**
 * What an earlier run left: the manifest of a finished export, the checkpoint of one under way. What cannot be read is taken for absent
 * when it is about to be overwritten.
 */
const inspect = (folder: WorkFolder.WorkFolder, journal: Journal.Journal, overwrite: boolean) =>
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
    // Before anything is read: what a frozen run has not published by now, it cannot publish any more.
    yield* folder.removePartials
    const manifest = yield* read(folder.at(Manifest.fileName), (text) =>
      Either.mapLeft(Manifest.decodeWritten(text), (detail) => isCut(Manifest.fileName, detail))
    )
    const saved = yield* read(folder.work(CheckpointFile.headName), (text) =>
      readSaved(text, (file) => folder.fs.readFileString(folder.work(file)))
    )
    if (!overwrite || Option.isNone(saved)) return { manifest, saved }
    const isWhole = yield* Effect.isSuccess(journal.checkSegments(segmentsOf(saved.value)))
    return { manifest, saved: isWhole ? saved : Option.none() }
  })

const removeSuperseded = (
  folder: WorkFolder.WorkFolder,
  manifest: Option.Option<Manifest.Manifest>,
  superseded: ReadonlyArray<string>
) => {
  const mentioned = filesOf(manifest)
  return folder.discardAll(superseded.filter((name) => !mentioned.includes(name)).map((name) => folder.at(name)))
}

/** Writes the checkpoints of parts anew, a line each, and then the head that names them. */
const writeCheckpoint = (
  folder: WorkFolder.WorkFolder,
  journal: Journal.Journal,
  head: CheckpointFile.Head,
  states: ReadonlyArray<CheckpointFile.State>
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

/** An export under way in this process. */
interface Current {
  head: CheckpointFile.Head
  states: Array<CheckpointFile.State>
  /** The checkpoints of the parts, in their order. */
  logs: Array<Journal.Segments>
}

/** Takes over the journals and checkpoints of an earlier run, under names of this one, and removes what that run left besides. */
const adopt = (
  folder: WorkFolder.WorkFolder,
  journal: Journal.Journal,
  manifest: Option.Option<Manifest.Manifest>,
  saved: Option.Option<Saved>
) =>
  Effect.gen(function* () {
    const segments = Option.match(saved, { onNone: () => [], onSome: segmentsOf })
    const logs = Option.match(saved, { onNone: () => [], onSome: ({ head }) => head.files })
    yield* folder.sweep(
      new Map([
        ...filesOf(manifest).map((name) => [name, folder.at(name)] as const),
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
    yield* removeSuperseded(folder, manifest, head.superseded)
    return Option.some<Current>({ ...written, states })
  })

/** Writes a file under a private name. */
const writeFile = (
  folder: WorkFolder.WorkFolder,
  name: string,
  counts: { readonly rows: number; readonly windows: number },
  bytes: Stream.Stream<Uint8Array, unknown>
) =>
  Effect.gen(function* () {
    const hash = sha256.begin()
    let length = 0
    yield* folder.writePartial(name, (append) =>
      forEach(bytes, (chunk) => {
        hash.update(chunk)
        length += chunk.length
        return append(chunk)
      })
    )
    return { name, ...counts, bytes: length, sha256: hash.hex() } satisfies Manifest.File
  })

/** Renders what the journals of a part add to its files, under private names. */
const writePart = (
  folder: WorkFolder.WorkFolder,
  journal: Journal.Journal,
  format: Format,
  dataset: Part.Part["dataset"],
  part: Manifest.Part,
  { rejectedRows, rows }: CheckpointFile.Journals
) =>
  Effect.gen(function* () {
    const number = part.files.length + 1
    yield* journal.checkSegments([...rows, ...rejectedRows])
    const unfit = new Map<string, number>()
    const written = yield* writeFile(
      folder,
      fileName(part.name, number, format.extension),
      {
        rows: yield* journal.lineCount(rows),
        windows: part.windows.length - part.files.reduce((all, { windows }) => all + windows, 0)
      },
      format.render({
        dataset,
        labels: {
          account: part.account ?? part.identity.uid ?? "",
          category: part.parameters.category ?? ""
        },
        bytes: journal.bytes(rows),
        onUnfit: (column) => unfit.set(column, (unfit.get(column) ?? 0) + 1)
      })
    )
    const file: Manifest.File = unfit.size === 0 ? written : { ...written, inExtra: Object.fromEntries(unfit) }
    if (rejectedRows.length === 0) return { files: [file], rejected: [] }
    const rejected = yield* writeFile(
      folder,
      fileName(part.name, number, rejectedEnding),
      { rows: yield* journal.lineCount(rejectedRows), windows: 0 },
      journal.bytes(rejectedRows)
    )
    return { files: [file], rejected: [rejected] }
  })

export const open = (
  location: string,
  format: Format,
  parts: ReadonlyArray<Part.Part<unknown, unknown>>,
  overwrite: boolean
): Effect.Effect<Store.Store, SinkFailure | Refused, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    // An export that is finished leaves nothing but its files.
    const folder = yield* WorkFolder.open(location)
    const { at, checkLock, fail, failing, fs } = folder
    const journal = yield* Journal.make(folder)
    const { manifest, saved } = yield* failing(inspect(folder, journal, overwrite))
    let current = yield* failing(adopt(folder, journal, manifest, saved))
    const indexOf = (name: string) =>
      Option.match(current, {
        onNone: () => -1,
        onSome: ({ head }) => head.plan.parts.findIndex((part) => part.name === name)
      })
    const journalsOf = ({ name }: { readonly name: string }): CheckpointFile.Journals =>
      Option.flatMapNullable(current, ({ states }) => states[indexOf(name)]?.journals).pipe(
        Option.getOrElse(() => CheckpointFile.noJournals)
      )

    const saveHead = (run: Current, change: Partial<CheckpointFile.Head>) => {
      run.head = { ...run.head, ...change }
      return folder.replace(folder.work(CheckpointFile.headName), CheckpointFile.encode(run.head))
    }

    const forget = Effect.gen(function* () {
      // Not discarded: a frozen run that brought back its successor's would do so after that one has finished. Without a checkpoint the
      // next run begins anew.
      yield* checkLock
      yield* journal.close
      current = Option.none()
      yield* fs.remove(folder.work(CheckpointFile.headName), { force: true })
      yield* folder.discardAll((yield* folder.list).map(folder.work))
    })

    /** The names that the files of a new export can have. */
    const targetsOf = ({ parts, since }: Checkpoint.Plan): ReadonlyArray<string> =>
      parts.flatMap(({ name }) => {
        const before = since === null ? undefined : partOf(manifest, name)
        const number = (before?.files.length ?? 0) + 1
        return [format.extension, rejectedEnding].map((ending) => fileName(name, number, ending))
      })

    /** Fails if one of these files is there and does not belong to this export. */
    const checkOwned = (names: ReadonlyArray<string>, claimed: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        if (overwrite) return
        const owned = new Set([...filesOf(manifest), ...claimed])
        for (const name of names) {
          if (owned.has(name) || !(yield* fs.exists(at(name)))) continue
          return yield* fail(
            `${name} is there already, and no ${Manifest.fileName} mentions it: overwrite it, or export elsewhere`
          )
        }
      })

    /** The views that are there, unless they are to be overwritten; fails if the file is another's. */
    const existingViews = Effect.gen(function* () {
      const text = Option.getOrElse(yield* folder.readIfExists(at(Views.fileName)), () => "")
      if (text !== "" && !overwrite && !Views.isOwn(text)) {
        return yield* fail(
          `${Views.fileName} is there already, and no export wrote it: overwrite it, or export elsewhere`
        )
      }
      return text
    })

    const writeViews = (manifest: Manifest.Manifest) =>
      Effect.gen(function* () {
        const views = Views.make(manifest, (part) => parts.find(({ name }) => name === part.name)?.dataset)
        if (views !== (yield* existingViews)) yield* folder.replace(at(Views.fileName), views)
      })

    const begin: Store.Store["begin"] = (checkpoint) =>
      failing(
        Effect.gen(function* () {
          const targets = targetsOf(checkpoint.plan)
          yield* checkOwned(targets, [])
          yield* existingViews
          yield* forget
          const states = checkpoint.parts.map((progress) => ({
            progress,
            rereads: 0,
            retries: 0,
            journals: CheckpointFile.noJournals
          }))
          const head = { ...CheckpointFile.headOf(checkpoint), claimed: overwrite ? targets : [] }
          const written = yield* writeCheckpoint(folder, journal, head, states)
          current = Option.some({ ...written, states })
        })
      )

    /** Appends rows to the journals of a part and brings them to disk. */
    const appendRows = (part: { readonly name: string }, pieces: Store.Batch["pieces"]) =>
      Effect.gen(function* () {
        const before = journalsOf(part)
        let { rejectedRows, rows } = before
        yield* forEach(pieces, (piece) =>
          Effect.gen(function* () {
            const lines = piece.rows.map(({ text }) => text)
            rows = yield* journal.append(part.name, "rows", rows, lines)
            rejectedRows = yield* journal.append(part.name, "rejectedRows", rejectedRows, piece.rejectedRows)
          })
        )
        yield* journal.sync(part.name, "rows", rows)
        yield* journal.sync(part.name, "rejectedRows", rejectedRows)
        if (rows === before.rows && rejectedRows === before.rejectedRows) return before
        const isNew = rows.length + rejectedRows.length > before.rows.length + before.rejectedRows.length
        if (isNew) yield* folder.syncFolder(at(WorkFolder.folderName))
        return { rows, rejectedRows }
      })

    const commit: Store.Store["commit"] = ({ checkpoint, part, pieces }) =>
      failing(
        Effect.gen(function* () {
          if (Option.isNone(current)) return yield* fail("no export was begun here")
          const run = current.value
          // Appends to files of this run alone, which no other run misses: the lock is asked after them.
          const journals = yield* appendRows(part, pieces)
          yield* checkLock
          const reached = yield* checkpoint
          if (reached.starts !== run.head.starts) yield* saveHead(run, { starts: reached.starts })
          for (const { index, line, state } of CheckpointFile.steps(
            run.states,
            reached,
            indexOf(part.name),
            journals
          )) {
            const name = run.head.plan.parts[index]?.name ?? ""
            const log = yield* journal.append(name, "checkpoint", run.logs[index] ?? [], [line])
            yield* journal.sync(name, "checkpoint", log)
            run.logs[index] = log
            run.states[index] = state
          }
        })
      )

    const existing: Store.Store["existing"] = ({ dataset, name }, windows) => {
      const files = partOf(manifest, name)?.files ?? []
      const finished = Stream.flatMap(Stream.fromIterable(files), (file) =>
        writtenRows(at(file.name), file, format, dataset)
      )
      const committed = Stream.map(Ndjson.recordLines(journal.bytes(journalsOf({ name }).rows)), ({ row }) => row)
      return Stream.concat(finished, committed).pipe(
        Stream.filter((row) => Dataset.isWithin(dataset, row, windows)),
        Stream.map((row) => Store.existingRow(dataset, row)),
        Stream.provideService(FileSystem.FileSystem, fs),
        Stream.mapError((error) => folder.failure(error))
      )
    }

    /** Files that have the names of these parts, also what a run left that was frozen or killed while it removed them. */
    const filesOfParts = Effect.map(fs.readDirectory(location), (names) =>
      names.filter((name) =>
        parts.some((part) => name.startsWith(`${part.name}.`) && fileEnding.test(name.slice(part.name.length)))
      )
    )

    const finish: Store.Store["finish"] = (unfinished) =>
      failing(
        Effect.gen(function* () {
          yield* checkLock
          yield* journal.close
          const finishedPart = (part: Manifest.Part) =>
            Effect.gen(function* () {
              const dataset = parts.find(({ name }) => name === part.name)?.dataset
              if (dataset === undefined) return yield* fail(`there is no part ${part.name}`)
              const journals = journalsOf(part)
              const isEmpty = journals.rows.length === 0 && journals.rejectedRows.length === 0
              if (isEmpty && part.files.length > 0) return { part: withoutFile(part, dataset), written: [] }
              const { files, rejected } = yield* writePart(folder, journal, format, dataset, part, journals)
              return {
                part: { ...part, files: [...part.files, ...files], rejected: [...part.rejected, ...rejected] },
                written: [...files, ...rejected]
              }
            })
          const ended = yield* Effect.forEach(unfinished.parts, finishedPart)
          const finished = { ...unfinished, parts: ended.map(({ part }) => part) }
          const after = filesOf(Option.some(finished))
          const before = overwrite ? [...filesOf(manifest), ...(yield* filesOfParts)] : filesOf(manifest)
          const superseded = [...new Set(before)].filter((name) => !after.includes(name))
          const published = ended.flatMap(({ written }) => written.map(({ name }) => name))
          yield* checkOwned(published, Option.isSome(current) ? current.value.head.claimed : [])
          if (Option.isSome(current)) yield* saveHead(current.value, { superseded, claimed: published })
          for (const name of published) yield* folder.publish(name, at(name))
          yield* folder.syncFolder(location)
          yield* writeViews(finished)
          yield* folder.replace(at(Manifest.fileName), Manifest.encode(finished))
          yield* removeSuperseded(folder, Option.some(finished), superseded)
          yield* forget
          return finished
        })
      )

    const spool = yield* Spool.folder(at(WorkFolder.folderName))

    return {
      spool,
      checkpoint: Option.map(saved, ({ head, states }) => CheckpointFile.checkpointOf(head, states)),
      manifest,
      begin,
      commit,
      forget: failing(forget),
      existing,
      finish
    }
  })
