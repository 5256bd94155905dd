import * as sha256 from "#sha256"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import { forEach } from "../platform/forEach.js"
import type * as CheckpointFile from "../files/checkpointFile.js"
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

/** Writes the rows in the journals of a part to new files under private names. */
export const writePart = (
  { folder, format, journal, partition }: Session,
  dataset: Part.Part["dataset"],
  part: Manifest.Part,
  { rejectedRows, rows }: CheckpointFile.Journals
) =>
  Effect.gen(function* () {
    yield* journal.checkSegments([...rows, ...rejectedRows])
    const added = part.windows.slice(part.files.reduce((all, { windows }) => all + windows, 0))
    const slices = Slices.make(dataset, partition, added)
    const pieces = yield* journal.cut(rows, slices.map(Slices.rowsOf))
    const files: Array<Manifest.File> = []
    for (const [{ month, windows }, { lines, stretches }] of Arr.zip(slices, pieces)) {
      const written = yield* writeFile(
        folder,
        Files.fileName(part.name, [...part.files, ...files], format.extension, month),
        { rows: lines, windows: windows.length },
        format.render({
          dataset,
          labels: Manifest.labelsOf(part),
          bytes: journal.bytes(stretches),
          metadata: { export: part.name, dataset: part.dataset, range: rangeOf(windows), version: "1" }
        })
      )
      const inExtra = Manifest.inExtraOf(windows)
      files.push(Object.keys(inExtra).length === 0 ? written : { ...written, inExtra })
    }
    if (rejectedRows.length === 0) return { files, rejected: [] }
    const [all] = yield* journal.cut(rejectedRows, [])
    const rejected = yield* writeFile(
      folder,
      Files.nextRejectedName(part.name, part.files),
      { rows: all?.lines ?? 0, windows: 0 },
      journal.bytes(rejectedRows)
    )
    return { files, rejected: [rejected] }
  })
