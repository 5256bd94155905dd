import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Manifest from "../model/Manifest.js"
import * as Formats from "../formats/formats.js"
import type * as WorkFolder from "./workFolder.js"

export const filesOf = (manifest: Option.Option<Manifest.Manifest>): ReadonlyArray<string> =>
  Option.match(manifest, {
    onNone: () => [],
    onSome: ({ parts }) => parts.flatMap(({ files, rejected }) => [...files, ...rejected].map(({ name }) => name))
  })

export const partOf = (manifest: Option.Option<Manifest.Manifest>, name: string): Manifest.Part | undefined =>
  Option.getOrUndefined(Option.flatMapNullable(manifest, ({ parts }) => parts.find((part) => part.name === name)))

/** The ending of the names of a part's files, after the name of the part. */
export const fileEnding = new RegExp(
  `^(\\.\\d+)?(\\.rejected)?\\.(${Formats.all.map(({ extension }) => extension.replace(".", "\\.")).join("|")})$`
)

const numberFile = (part: string, number: number, ending: string): string =>
  `${number === 1 ? part : `${part}.${number}`}.${ending}`

/** The number of the next file: a file can take the place of the one before, whose name is not used again. */
const nextNumber = (files: ReadonlyArray<Manifest.File>): number =>
  1 + files.reduce((last, { name }) => Math.max(last, Number(/\.(\d+)\.[a-z.]+$/.exec(name)?.[1] ?? 1)), 0)

/**
 * The name of the next file of a part that has these files, in the folder of a month if it has one. The first file has the name of the part alone; those of later exports are
 * numbered.
 */
export const fileName = (
  part: string,
  files: ReadonlyArray<Manifest.File>,
  ending: string,
  month: string | undefined
): string => {
  if (month === undefined) return numberFile(part, nextNumber(files), ending)
  const folder = folderOf(part, month)
  return `${folder}${numberFile(part, nextNumber(files.filter(({ name }) => name.startsWith(folder))), ending)}`
}

/** The folder of the files of a month. */
export const folderOf = (part: string, month: string): string => `${part}/month=${month}/`

/** The name of the next file with rejected rows of a part that has such files. */
export const nextRejectedName = (part: string, rejected: ReadonlyArray<Manifest.File>): string =>
  numberFile(part, nextNumber(rejected), "rejected.ndjson")

export const removeSuperseded = (
  folder: WorkFolder.WorkFolder,
  manifest: Option.Option<Manifest.Manifest>,
  superseded: ReadonlyArray<string>
) => {
  const mentioned = filesOf(manifest)
  return folder.discardAll(superseded.filter((name) => !mentioned.includes(name)).map((name) => folder.at(name)))
}

/** Reads a manifest from the text that `Manifest.encode` returned; fails with the reason if one byte of it differs. */
export const decodeWritten = (text: string): Either.Either<Manifest.Manifest, string> =>
  Either.flatMap(
    Either.mapLeft(Manifest.decode(text), () => "was not written by this version"),
    (manifest) =>
      Manifest.encode(manifest) === text ? Either.right(manifest) : Either.left("was changed after it was written")
  )
