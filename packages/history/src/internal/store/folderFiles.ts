import * as sha256 from "#sha256"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as Manifest from "../../Manifest.js"
import type * as Part from "../../Part.js"
import type * as CheckpointFile from "./checkpointFile.js"
import { forEach } from "../model/forEach.js"
import type { Format } from "../formats/format.js"
import * as Formats from "../formats/formats.js"
import type * as Journal from "./journal.js"
import type * as WorkFolder from "./workFolder.js"

export const filesOf = (manifest: Option.Option<Manifest.Manifest>): ReadonlyArray<string> =>
  Option.match(manifest, {
    onNone: () => [],
    onSome: ({ parts }) => parts.flatMap(({ files, rejected }) => [...files, ...rejected].map(({ name }) => name))
  })

export const partOf = (manifest: Option.Option<Manifest.Manifest>, name: string): Manifest.Part | undefined =>
  Option.getOrUndefined(Option.flatMapNullable(manifest, ({ parts }) => parts.find((part) => part.name === name)))

/** The names of the files of a part, behind the name of the part. */
export const fileEnding = new RegExp(
  `^(\\.\\d+)?(\\.rejected)?\\.(${Formats.all.map(({ extension }) => extension.replace(".", "\\.")).join("|")})$`
)

/** The name of a file of a part. The first file of a part has its name alone; those of later exports are numbered. */
export const fileName = (part: string, number: number, ending: string): string =>
  `${number === 1 ? part : `${part}.${number}`}.${ending}`

export const rejectedEnding = "rejected.ndjson"

export const removeSuperseded = (
  folder: WorkFolder.WorkFolder,
  manifest: Option.Option<Manifest.Manifest>,
  superseded: ReadonlyArray<string>
) => {
  const mentioned = filesOf(manifest)
  return folder.discardAll(superseded.filter((name) => !mentioned.includes(name)).map((name) => folder.at(name)))
}

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
export const writePart = (
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
