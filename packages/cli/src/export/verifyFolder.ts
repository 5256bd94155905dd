import type * as Checkpoint from "@effect-venue/history/siblings/Checkpoint"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Manifest from "@effect-venue/history/Manifest"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { databaseFile } from "../options/options.js"
import { spellCall } from "../run/invocation.js"
import { settingsOf, sqlite } from "./sinks.js"

const iso = (at: number): string => new Date(at).toISOString()

const distinct = (values: ReadonlyArray<string | null | undefined>): ReadonlyArray<string> => [
  ...new Set(values.filter((value) => value !== null && value !== undefined))
]

/** The shell command that resumes an export. */
export const resuming = ({ format, from, parts, since, to }: Checkpoint.Plan, folder: string): string => {
  const options = (name: string, values: ReadonlyArray<string>) => values.flatMap((value) => [`--${name}`, value])
  const settings = settingsOf(format)
  const parameter = (name: string) => options(name, distinct(parts.map(({ parameters }) => parameters[name])))
  return spellCall([
    "export",
    ...distinct(parts.map(({ dataset }) => dataset)),
    ...(since === null ? ["--from", iso(from)] : ["--incremental"]),
    ...["--to", iso(to)],
    ...parameter("category"),
    ...parameter("symbol"),
    ...parameter("coin"),
    ...options("account", distinct(parts.map(({ account }) => account))),
    ...["--format", settings?.format ?? format],
    ...(settings?.gzip === true ? ["--gzip"] : []),
    ...(settings?.spreadsheetSafe === true ? ["--spreadsheet-safe"] : []),
    ...["--out", folder]
  ])
}

const withCall = (folder: string) => (failure: Verify.NotAnExport) =>
  failure.begun === undefined
    ? failure
    : new Verify.NotAnExport({
        location: folder,
        detail: `${failure.detail}: ${resuming(failure.begun, folder)}`
      })

/** Of a folder without a manifest but with a database, the database is meant. */
export const verify = (folder: string) =>
  Effect.catchTag(Verify.verify(folder), "NotAnExport", (failure) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const file = path.join(folder, databaseFile)
      const isDatabase = yield* Effect.orElseSucceed(fs.exists(file), () => false)
      return isDatabase ? yield* (yield* sqlite).verify(file) : yield* failure
    })
  ).pipe(Effect.mapError((error) => (error._tag === "NotAnExport" ? withCall(folder)(error) : error)))

/** The text of the manifest: that of its file, or the same text for a manifest in a database. */
export const manifestText = (
  folder: string,
  manifest: Manifest.Manifest
): Effect.Effect<string, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    return yield* Effect.orElseSucceed(fs.readFileString(path.join(folder, Manifest.fileName)), () =>
      Manifest.encode(manifest)
    )
  })

/** The rows of a part of an export, in files or in a database. */
export const rows = (
  folder: string,
  manifest: Manifest.Manifest,
  part: Manifest.Part
): Stream.Stream<Dataset.Row, ExportFailure.Unreadable, FileSystem.FileSystem | Path.Path> =>
  manifest.format === "sqlite"
    ? Stream.unwrap(
        Effect.gen(function* () {
          const path = yield* Path.Path
          const { rows } = yield* Effect.mapError(
            sqlite,
            ({ message }) => new ExportFailure.Unreadable({ location: folder, detail: message })
          )
          return rows(path.join(folder, databaseFile), part)
        })
      )
    : Sink.rows(folder, manifest, part)
