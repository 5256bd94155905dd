import type * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Dataset from "../model/Dataset.js"
import { Unreadable } from "../model/ExportFailure.js"
import type * as Manifest from "../model/Manifest.js"
import * as FindDataset from "../requests/findDataset.js"
import * as Rows from "../formats/Rows.js"
import * as Formats from "../formats/formats.js"
import { writtenRows } from "./fileDigest.js"

/** Rows by the identity of their records, file by file. */
type Counts = Map<string, Array<number>>

/** The rows of later files that can be new versions of earlier rows. Their windows are narrow, so few rows are in memory. */
const laterVersions = <R>(
  dataset: Dataset.Dataset<never, unknown>,
  part: Pick<Manifest.Part, "files" | "windows">,
  read: (file: Manifest.File) => Stream.Stream<Dataset.Row, Unreadable, R>
): Effect.Effect<Counts, Unreadable, R> =>
  Effect.gen(function* () {
    const counts: Counts = new Map()
    let done = 0
    for (const [index, file] of part.files.entries()) {
      const changed = part.windows.slice(done, done + file.windows).filter((window) => window.changed > 0)
      done += file.windows
      if (index === 0 || changed.length === 0) continue
      yield* Stream.runForEach(read(file), (row) =>
        Effect.sync(() => {
          const at = Rows.instant(dataset, row)
          if (at === undefined || !changed.some(({ from, to }) => at >= from && at < to)) return
          const [identity] = Rows.version(dataset, row)
          const of = counts.get(identity) ?? part.files.map(() => 0)
          of[index] = (of[index] ?? 0) + 1
          counts.set(identity, of)
        })
      )
    }
    return counts
  })

/** Returns, row by row and file by file, which rows are current: a later version replaces the oldest row of its record. */
const currentVersions = (dataset: Dataset.Dataset<never, unknown>, later: Counts) => {
  const live = new Map<string, number>()
  return (file: number) => {
    const seen = new Map<string, number>()
    return {
      isLast: (row: Dataset.Row): boolean => {
        const [identity] = Rows.version(dataset, row)
        const counts = later.get(identity)
        if (counts === undefined) return true
        const place = seen.get(identity) ?? 0
        seen.set(identity, place + 1)
        const older = Math.max(0, (live.get(identity) ?? 0) - (counts[file] ?? 0))
        return older + place >= counts.slice(file + 1).reduce((sum, count) => sum + count, 0)
      },
      end: () => {
        for (const [identity, rows] of seen) {
          const replaced = later.get(identity)?.[file] ?? 0
          live.set(identity, Math.max(0, (live.get(identity) ?? 0) - replaced) + rows)
        }
      }
    }
  }
}

/** See `Sink.rows`. */
export const rows = (
  location: string,
  manifest: Pick<Manifest.Manifest, "format">,
  part: Pick<Manifest.Part, "name" | "dataset" | "files" | "windows">,
  options: { readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined } = {}
): Stream.Stream<Dataset.Row, Unreadable, FileSystem.FileSystem | Path.Path> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const path = yield* Path.Path
      const format = Formats.all.find(({ name }) => name === manifest.format)
      if (format === undefined) {
        return yield* new Unreadable({
          location,
          detail: `the format ${manifest.format} is unknown: was the export written by a later version?`
        })
      }
      const dataset = yield* FindDataset.ofPart(part, options)
      const read = (file: Manifest.File) =>
        writtenRows(path.join(location, file.name), file, format, dataset).pipe(
          // The reader can throw at a damaged file.
          Stream.catchAllCause((cause) => {
            if (Cause.isInterrupted(cause)) return Stream.fromEffect(Effect.interrupt)
            const error = Cause.squash(cause)
            const detail = error instanceof Error ? error.message : "it is damaged"
            return Stream.fail(new Unreadable({ location: file.name, detail }))
          })
        )
      const later = yield* laterVersions(dataset, part, read)
      const within = currentVersions(dataset, later)
      return Stream.flatMap(Stream.fromIterable(part.files.entries()), ([index, file]) => {
        if (later.size === 0) return read(file)
        const versions = within(index)
        return Stream.concat(Stream.filter(read(file), versions.isLast), Stream.drain(Stream.sync(versions.end)))
      })
    })
  )
