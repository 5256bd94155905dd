import * as sha256 from "#sha256"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import type { Format } from "../formats/format.js"

/** The size and the digest of a file for the manifest. */
export const digestOf = (
  file: string
): Effect.Effect<Pick<Manifest.File, "bytes" | "sha256">, PlatformError.PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const hash = sha256.begin()
    let bytes = 0
    yield* Stream.runForEach(fs.stream(file), (chunk) =>
      Effect.sync(() => {
        hash.update(chunk)
        bytes += chunk.length
      })
    )
    return { bytes, sha256: hash.hex() }
  })

/**
 * The rows of a file of an export. A file whose reader does not tolerate damage is compared with the manifest before it is opened. `skipped`: as many first
 * rows can be left out; of a file that has another size than it was written with, none are.
 */
export const writtenRows = (
  location: string,
  { bytes, name, sha256 }: Manifest.File,
  format: Format,
  dataset: Dataset.Dataset<never, unknown>,
  skipped = 0
): Stream.Stream<Dataset.Row, unknown, FileSystem.FileSystem> => {
  const rowsAfter = (count: number) => format.rows(location, dataset, count)
  if (!format.toleratesDamage) {
    return Stream.unwrap(
      Effect.map(digestOf(location), (found) =>
        found.sha256 === sha256
          ? rowsAfter(skipped)
          : Stream.fail(new Error(`${name} was changed after it was written`))
      )
    )
  }
  if (skipped === 0) return rowsAfter(0)
  const found = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(location))
  return Stream.unwrap(Effect.map(found, ({ size }) => rowsAfter(Number(size) === bytes ? skipped : 0)))
}
