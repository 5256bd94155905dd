import * as sha256 from "#sha256"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Checkpoint from "../Checkpoint.js"
import * as Dataset from "../Dataset.js"
import * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"
import * as Spool from "../Spool.js"
import type { Known, Store } from "../Store.js"
import type { Refused, SinkFailure } from "./failures.js"
import type { Format } from "./format.js"
import * as Journal from "./journal.js"
import * as Ndjson from "./ndjson.js"
import * as WorkFolder from "./workFolder.js"

const Journals = Schema.Struct({ rows: Schema.Array(Journal.Segment), rejectedRows: Schema.Array(Journal.Segment) })

/**
 * The checkpoint with what it covers: of each part the segments of its journals. `superseded` are the files of an earlier export that go
 * when the manifest no longer mentions them.
 */
const Saved = Schema.parseJson(
  Schema.Struct({
    checkpoint: Checkpoint.Checkpoint,
    journals: Schema.Record({ key: Schema.String, value: Journals }),
    superseded: Schema.Array(Schema.String)
  })
)

type Saved = typeof Saved.Type

const decodeSaved = Schema.decodeEither(Saved)
const encodeSaved = Schema.encodeSync(Saved)

const checkpointName = "checkpoint.json"

const filesOf = (manifest: Option.Option<Manifest.Manifest>): ReadonlyArray<string> =>
  Option.match(manifest, {
    onNone: () => [],
    onSome: ({ parts }) => parts.flatMap(({ files, rejected }) => [...files, ...rejected].map(({ name }) => name))
  })

/** How far an export that is not finished has come, where there is one that can be read. Takes no lock. */
export const begun = (
  location: string
): Effect.Effect<Option.Option<Checkpoint.Checkpoint>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(location, WorkFolder.folderName, checkpointName)
    const text = yield* Effect.option(fs.readFileString(file))
    return Option.map(
      Option.flatMap(text, (text) => Option.getRight(decodeSaved(text))),
      ({ checkpoint }) => checkpoint
    )
  })

const emptyJournals: typeof Journals.Type = { rows: [], rejectedRows: [] }

const segmentsOf = (saved: Saved): Journal.Segments =>
  Object.values(saved.journals).flatMap(({ rejectedRows, rows }) => [...rows, ...rejectedRows])

/**
 * What an earlier run left: the manifest of a finished export, the checkpoint of one under way. What cannot be read is taken for absent
 * when it is about to be overwritten.
 */
const inspect = (folder: WorkFolder.WorkFolder, journal: Journal.Journal, overwrite: boolean) =>
  Effect.gen(function* () {
    const read = <A>(file: string, name: string, decode: (text: string) => Either.Either<A, unknown>) =>
      Effect.flatMap(
        folder.readIfExists(file),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (text) =>
            Either.match(decode(text), {
              onLeft: () =>
                overwrite
                  ? Effect.succeedNone
                  : Effect.fail(
                      folder.fail(`${name} is none that this version wrote: overwrite it, or export elsewhere`)
                    ),
              onRight: Effect.succeedSome
            })
        })
      )
    // Before anything is read: what a frozen run has not published by now, it cannot publish any more.
    yield* folder.removePartials
    const manifest = yield* read(folder.at(Manifest.fileName), Manifest.fileName, Manifest.decode)
    const saved = yield* read(
      folder.work(checkpointName),
      folder.path.join(WorkFolder.folderName, checkpointName),
      decodeSaved
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
  return Effect.forEach(
    superseded.filter((name) => !mentioned.includes(name)),
    (name) => folder.discard(folder.at(name)),
    { discard: true }
  )
}

/** Takes over the journals of an earlier run, under names of this one, and removes what that run left besides. */
const adopt = (
  folder: WorkFolder.WorkFolder,
  journal: Journal.Journal,
  manifest: Option.Option<Manifest.Manifest>,
  saved: Option.Option<Saved>
) =>
  Effect.gen(function* () {
    const segments = Option.match(saved, { onNone: () => [], onSome: segmentsOf })
    yield* folder.sweep(
      new Map([
        ...filesOf(manifest).map((name) => [name, folder.at(name)] as const),
        ...segments.map(({ file }) => [file, folder.work(file)] as const),
        [checkpointName, folder.work(checkpointName)]
      ])
    )
    if (Option.isNone(saved)) return {}
    yield* journal.checkSegments(segments)
    const adopted: Record<string, typeof Journals.Type> = {}
    for (const [part, { rejectedRows, rows }] of Object.entries(saved.value.journals)) {
      adopted[part] = {
        rows: yield* journal.inherit(part, "rows", rows),
        rejectedRows: yield* journal.inherit(part, "rejectedRows", rejectedRows)
      }
    }
    yield* folder.replace(folder.work(checkpointName), encodeSaved({ ...saved.value, journals: adopted }))
    for (const { file } of segments) yield* folder.discard(folder.work(file))
    yield* removeSuperseded(folder, manifest, saved.value.superseded)
    return adopted
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
    yield* folder.writePartial(name, bytes, (chunk) => {
      hash.update(chunk)
      length += chunk.length
    })
    return { name, ...counts, bytes: length, sha256: hash.hex() } satisfies Manifest.File
  })

/** Renders what the journals of a part add to its files, under private names. */
const writePart = (
  folder: WorkFolder.WorkFolder,
  journal: Journal.Journal,
  format: Format,
  dataset: Part.Part["dataset"],
  part: Manifest.Part,
  { rejectedRows, rows }: typeof Journals.Type
) =>
  Effect.gen(function* () {
    const number = part.files.length + 1
    const base = number === 1 ? part.name : `${part.name}.${number}`
    yield* journal.checkSegments([...rows, ...rejectedRows])
    const file = yield* writeFile(
      folder,
      `${base}.${format.extension}`,
      {
        rows: yield* journal.lineCount(rows),
        windows: part.windows.length - part.files.reduce((all, { windows }) => all + windows, 0)
      },
      format.render({
        dataset,
        labels: { account: part.account ?? "", category: part.parameters.category ?? "" },
        bytes: journal.bytes(rows)
      })
    )
    if (rejectedRows.length === 0) return { files: [file], rejected: [] }
    const rejected = yield* writeFile(
      folder,
      `${base}.rejected.ndjson`,
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
): Effect.Effect<Store, SinkFailure | Refused, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    // An export that is finished leaves nothing but its files.
    const folder = yield* WorkFolder.open(location)
    const { at, checkLock, fail, failing, fs } = folder
    const journal = yield* Journal.make(folder)
    const { manifest, saved } = yield* failing(inspect(folder, journal, overwrite))
    const journals = new Map(Object.entries(yield* failing(adopt(folder, journal, manifest, saved))))
    const journalsOf = (part: { readonly name: string }) => journals.get(part.name) ?? emptyJournals

    let latest = Option.map(saved, ({ checkpoint }) => checkpoint)
    const save = (checkpoint: Checkpoint.Checkpoint, superseded: ReadonlyArray<string> = []) => {
      latest = Option.some(checkpoint)
      const text = encodeSaved({ checkpoint, journals: Object.fromEntries(journals), superseded })
      return folder.replace(folder.work(checkpointName), text)
    }

    const forget = Effect.gen(function* () {
      // Not discarded: a frozen run that brought back its successor's would do so after that one has finished. Without a checkpoint the
      // next run begins anew.
      yield* checkLock
      journals.clear()
      yield* fs.remove(folder.work(checkpointName), { force: true })
      for (const name of yield* folder.list) yield* folder.discard(folder.work(name))
    })

    const begin: Store["begin"] = (checkpoint) =>
      failing(
        Effect.gen(function* () {
          yield* journal.close
          yield* forget
          for (const part of checkpoint.plan.parts) journals.set(part.name, emptyJournals)
          yield* save(checkpoint)
        })
      )

    const commit: Store["commit"] = ({ checkpoint, part, pieces }) =>
      failing(
        Effect.gen(function* () {
          yield* checkLock
          let { rejectedRows, rows } = journalsOf(part)
          yield* Stream.runForEach(pieces, (piece) =>
            Effect.gen(function* () {
              rows = yield* journal.append(
                part.name,
                "rows",
                rows,
                piece.rows.map(({ text }) => text)
              )
              rejectedRows = yield* journal.append(part.name, "rejectedRows", rejectedRows, piece.rejectedRows)
            })
          )
          yield* journal.sync(part.name, "rows", rows)
          yield* journal.sync(part.name, "rejectedRows", rejectedRows)
          journals.set(part.name, { rows, rejectedRows })
          yield* save(yield* checkpoint)
        })
      )

    const known: Store["known"] = ({ dataset, name }, windows) => {
      const files = Option.match(manifest, {
        onNone: () => [],
        onSome: ({ parts }) => parts.find((part) => part.name === name)?.files ?? []
      })
      const finished = Stream.flatMap(Stream.fromIterable(files), (file) => format.rows(at(file.name), dataset))
      const committed = Ndjson.parsed(journal.bytes(journalsOf({ name }).rows))
      return failing(
        Stream.concat(finished, committed).pipe(
          Stream.filter((row) => {
            const instant = Dataset.instant(dataset, row)
            return instant !== undefined && windows.some(({ from, to }) => instant >= from && instant < to)
          }),
          Stream.map((row): Known => {
            const [identity, version] = Dataset.version(dataset, row)
            return { identity, version }
          }),
          Stream.runCollect,
          Effect.map(Chunk.toReadonlyArray),
          Effect.provideService(FileSystem.FileSystem, fs)
        )
      )
    }

    const finish: Store["finish"] = (unfinished) =>
      failing(
        Effect.gen(function* () {
          yield* checkLock
          yield* journal.close
          const written = yield* Effect.forEach(unfinished.parts, (part) => {
            const dataset = parts.find(({ name }) => name === part.name)?.dataset
            return dataset === undefined
              ? Effect.fail(fail(`there is no part ${part.name}`))
              : writePart(folder, journal, format, dataset, part, journalsOf(part))
          })
          const finished = {
            ...unfinished,
            parts: unfinished.parts.map((part, index) => ({
              ...part,
              files: [...part.files, ...(written[index]?.files ?? [])],
              rejected: [...part.rejected, ...(written[index]?.rejected ?? [])]
            }))
          }
          const after = filesOf(Option.some(finished))
          const superseded = filesOf(manifest).filter((name) => !after.includes(name))
          if (superseded.length > 0 && Option.isSome(latest)) yield* save(latest.value, superseded)
          for (const { files, rejected } of written) {
            for (const { name } of [...files, ...rejected]) yield* folder.publish(name, at(name))
          }
          yield* folder.syncFolder(location)
          yield* folder.replace(at(Manifest.fileName), Manifest.encode(finished))
          yield* removeSuperseded(folder, Option.some(finished), superseded)
          yield* forget
          return finished
        })
      )

    const spool = yield* Spool.folder(at(WorkFolder.folderName))

    return {
      spool,
      checkpoint: Option.map(saved, ({ checkpoint }) => checkpoint),
      manifest,
      begin,
      commit,
      forget: failing(forget),
      known,
      finish
    }
  })
