import * as sha256 from "#sha256"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import { forEach } from "../platform/forEach.js"
import type * as CheckpointFile from "../files/checkpointFile.js"
import { digestOf } from "../files/fileDigest.js"
import * as Files from "../files/folderFiles.js"
import type { Session } from "./folderSession.js"
import * as Slices from "./slices.js"
import type * as WorkFolder from "../files/workFolder.js"

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

/** The range of windows, half-open: `2026-05-01T00:00:00.000Z/2026-06-01T00:00:00.000Z`. */
const rangeOf = (windows: ReadonlyArray<Manifest.Window>): string => {
  const from = windows.reduce((least, window) => Math.min(least, window.from), Number.POSITIVE_INFINITY)
  const to = windows.reduce((most, window) => Math.max(most, window.to), 0)
  return [from, to].map((at) => new Date(at).toISOString()).join("/")
}

/** How old the rows of a file or a window can be to which later rows are added. */
const openFor = Duration.toMillis("1 day")

const isPlain = ({ changed, conflicts, missing }: Manifest.Window): boolean =>
  changed === 0 && conflicts.length === 0 && missing.length === 0

/** Whether windows of several runs can be one: all of them are of one day, and no row is a new version of another. */
export const canBeOne = (windows: ReadonlyArray<Manifest.Window>): boolean => {
  const from = windows.reduce((least, window) => Math.min(least, window.from), Number.POSITIVE_INFINITY)
  const to = windows.reduce((most, window) => Math.max(most, window.to), 0)
  return windows.every(isPlain) && to - from <= openFor
}

/**
 * The last file of a part, if the rows of some windows can be added to it: all of them are of one day, and no row is a new version of another. Its windows are
 * the last ones of the part. A file that was changed after it was written stays as it is.
 */
const findOpenFile = (
  { folder, format, partition }: Session,
  { files, name, windows }: Pick<Manifest.Part, "files" | "name" | "windows">,
  { month, windows: added }: Slices.Slice
) =>
  Effect.gen(function* () {
    const last = files.at(-1)
    if (last === undefined || format.append === undefined) return Option.none()
    if (partition !== undefined && (month === undefined || !last.name.startsWith(Files.folderOf(name, month)))) {
      return Option.none()
    }
    const end = files.reduce((sum, file) => sum + file.windows, 0)
    const all = [...windows.slice(end - last.windows, end), ...added]
    if (!canBeOne(all)) return Option.none()
    const digest = yield* Effect.either(
      Effect.provideService(digestOf(folder.at(last.name)), FileSystem.FileSystem, folder.fs)
    )
    return Either.isRight(digest) && digest.right.sha256 === last.sha256
      ? Option.some({ last, windows: all, append: format.append })
      : Option.none()
  })

/** Some windows as one window. */
export const joinWindows = ([first, ...rest]: ReadonlyArray<Manifest.Window>): ReadonlyArray<Manifest.Window> =>
  first === undefined ? [] : [rest.reduce(Manifest.joinWindow, first)]

/** A part with its new files. */
interface WrittenPart {
  readonly part: Manifest.Part
  readonly written: ReadonlyArray<Manifest.File>
}

/** Writes the rows in the journals of a part to new files under private names. Returns the part with them, and what was written. */
export const writeRows = (
  session: Session,
  dataset: Part.Part["dataset"],
  part: Manifest.Part,
  rows: CheckpointFile.Journals["rows"]
) =>
  Effect.gen(function* () {
    const { folder, format, journal, partition } = session
    yield* journal.checkSegments(rows)
    const done = part.files.reduce((all, { windows }) => all + windows, 0)
    const slices = Slices.make(dataset, partition, part.windows.slice(done))
    const pieces = yield* journal.cut(rows, slices.map(Slices.rowsOf))
    const written: Array<Manifest.File> = []
    let files = part.files
    let windows = part.windows.slice(0, done)
    for (const [slice, { lines, stretches }] of Arr.zip(slices, pieces)) {
      const source = {
        dataset,
        labels: Manifest.labelsOf(part),
        bytes: journal.bytes(stretches),
        metadata: { export: part.name, dataset: part.dataset, range: rangeOf(slice.windows), version: "1" }
      }
      const open = yield* findOpenFile(session, { ...part, files, windows }, slice)
      const counts = Option.match(open, {
        onNone: () => ({ rows: lines, windows: slice.windows }),
        onSome: (open) => ({ rows: open.last.rows + lines, windows: joinWindows(open.windows) })
      })
      const file = yield* writeFile(
        folder,
        Files.fileName(part.name, files, format.extension, slice.month),
        { rows: counts.rows, windows: counts.windows.length },
        Option.match(open, {
          onNone: () => format.render(source),
          onSome: ({ append, last }) => append(folder.fs.stream(folder.at(last.name)), source)
        })
      )
      const inExtra = Manifest.inExtraOf(counts.windows)
      const added = Object.keys(inExtra).length === 0 ? file : { ...file, inExtra }
      const replaced = Option.match(open, { onNone: () => 0, onSome: ({ last }) => last.windows })
      windows = [...windows.slice(0, windows.length - replaced), ...counts.windows]
      files = [...(Option.isSome(open) ? files.slice(0, -1) : files), added]
      written.push(added)
    }
    return { part: { ...part, files, windows }, written } satisfies WrittenPart
  })

/** Writes the lines of rejected rows in the journals of a part to a new file under a private name, if there are any. */
export const writeRejected = (
  { folder, journal }: Session,
  { part, written }: WrittenPart,
  rejectedRows: CheckpointFile.Journals["rejectedRows"]
) =>
  Effect.gen(function* () {
    if (rejectedRows.length === 0) return { part, written }
    yield* journal.checkSegments(rejectedRows)
    const [all] = yield* journal.cut(rejectedRows, [])
    const rejected = yield* writeFile(
      folder,
      Files.nextRejectedName(part.name, part.rejected),
      { rows: all?.lines ?? 0, windows: 0 },
      journal.bytes(rejectedRows)
    )
    return { part: { ...part, rejected: [...part.rejected, rejected] }, written: [...written, rejected] }
  })
