/**
 * Reads the rows of a finished export again.
 *
 * @since 0.1.0
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Dataset from "./Dataset.js"
import * as Datasets from "./Datasets.js"
import * as Formats from "./internal/formats.js"
import type * as Manifest from "./Manifest.js"

/**
 * The rows of a part cannot be read: its file is not there or is damaged, or its format or dataset is not known.
 *
 * @since 0.1.0
 * @category failures
 */
export class Unreadable extends Schema.TaggedError<Unreadable>()("Unreadable", {
  location: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.location}: ${this.detail}`
  }
}

/**
 * The rows of a part, from its files one after the other, a piece of a file in memory at once. They are as they came, as far as the
 * format keeps that: tables have text where there was a flag or a number, and no fields that are not columns. `datasets`: what is known
 * beside the library's own.
 *
 * @since 0.1.0
 * @category streams
 */
export const rows = (
  location: string,
  manifest: Pick<Manifest.Manifest, "format">,
  part: Pick<Manifest.Part, "name" | "dataset" | "files">,
  options: { readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined } = {}
): Stream.Stream<Dataset.Row, Unreadable, FileSystem.FileSystem | Path.Path> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const path = yield* Path.Path
      const format = Formats.all.find(({ name }) => name === manifest.format)
      if (format === undefined) {
        return yield* new Unreadable({ location, detail: `files of format ${manifest.format} cannot be read` })
      }
      const known: ReadonlyArray<Dataset.Dataset<never, unknown>> = [...Datasets.datasets, ...(options.datasets ?? [])]
      const dataset = known.find(({ name }) => name === part.dataset)
      if (dataset === undefined) {
        return yield* new Unreadable({ location: part.name, detail: `there is no dataset ${part.dataset}` })
      }
      return Stream.flatMap(Stream.fromIterable(part.files), ({ name }) =>
        format.rows(path.join(location, name), dataset).pipe(
          // A damaged file may make its reader throw.
          Stream.catchAllCause((cause) => {
            if (Cause.isInterrupted(cause)) return Stream.fromEffect(Effect.interrupt)
            const error = Cause.squash(cause)
            const detail = error instanceof Error ? error.message : "it is damaged"
            return Stream.fail(new Unreadable({ location: name, detail }))
          })
        )
      )
    })
  )
