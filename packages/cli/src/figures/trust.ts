import * as Manifest from "@effect-venue/history/Manifest"
import type * as Verify from "@effect-venue/history/Verify"

const namesOf = (part: Manifest.Part): ReadonlyArray<string> => [
  ...[...part.files, ...part.rejected].map(({ name }) => name),
  `${Manifest.fileName}, ${part.name},`
]

const placeOf = (finding: Verify.Finding): string | undefined => {
  switch (finding._tag) {
    case "ChangedManifest":
      return undefined
    case "ConflictingRow":
      return `${Manifest.fileName}, ${finding.part},`
    case "MissingWindow":
      return finding.where
    default:
      return finding.file
  }
}

/** The names of changed parts: all of them if the manifest was changed. */
export const findChangedParts = (
  { parts }: Pick<Manifest.Manifest, "parts">,
  findings: ReadonlyArray<Verify.Finding>
): ReadonlySet<string> => {
  const places = findings.map(placeOf)
  const isWhole = places.some((place) => place === undefined || !parts.some((part) => namesOf(part).includes(place)))
  return new Set(
    parts
      .filter((part) => isWhole || places.some((place) => place !== undefined && namesOf(part).includes(place)))
      .map(({ name }) => name)
  )
}
