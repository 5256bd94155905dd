import * as Either from "effect/Either"
import * as Manifest from "../model/Manifest.js"

/** Reads a manifest from the text that `Manifest.encode` returned; fails with the reason if one byte of it differs. */
export const decodeWritten = (text: string): Either.Either<Manifest.Manifest, string> =>
  Either.flatMap(
    Either.mapLeft(Manifest.decode(text), () => "was not written by this version"),
    (manifest) =>
      Manifest.encode(manifest) === text ? Either.right(manifest) : Either.left("was changed after it was written")
  )
