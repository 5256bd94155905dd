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
  if (month === undefined) return numberFile(part, files.length + 1, ending)
  const folder = `${part}/month=${month}/`
  return `${folder}${numberFile(part, files.filter(({ name }) => name.startsWith(folder)).length + 1, ending)}`
}

/** The name of the next file with the rejected rows of a part that has these files. */
export const nextRejectedName = (part: string, files: ReadonlyArray<Manifest.File>): string =>
  numberFile(part, files.length + 1, "rejected.ndjson")

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
