import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Manifest from "@effect-venue/history/Manifest"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type SinkSettings, settingsOf } from "./sinks.js"
import { databaseFile } from "../options/options.js"
import { Refusal } from "../run/failures.js"
import type { Subject } from "../options/subjects.js"

/** The subjects of the finished export in a folder. */
export interface Continued {
  readonly subjects: ReadonlyArray<Subject>
  /** Names of its accounts; empty if its files are not named after accounts. */
  readonly accounts: ReadonlyArray<string>
  readonly settings: SinkSettings
}

const distinct = <A>(all: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(all.map((item) => [key(item), item])).values()
]

const ofManifest = (
  folder: string,
  { format, partition, parts }: Manifest.Manifest
): Either.Either<Continued, Refusal> =>
  Either.gen(function* () {
    const settings = settingsOf(format)
    if (settings === undefined) {
      return yield* Either.left(
        new Refusal({ message: `${folder}: its format ${format} is unknown: choose one with --format` })
      )
    }
    const subjects = parts.flatMap(({ dataset: name, parameters }): ReadonlyArray<Subject> => {
      const dataset = Datasets.datasets.find((dataset) => dataset.name === name)
      return dataset === undefined ? [] : [{ dataset, query: parameters }]
    })
    const accounts = parts.flatMap(({ account }) => (account === null ? [] : [account]))
    return {
      subjects: distinct(subjects, ({ dataset, query }) => JSON.stringify([dataset.name, query])),
      accounts: distinct(accounts, (name) => name),
      settings: { ...settings, partition }
    }
  })

/** The export to continue in a folder; none without a finished export in files. */
export const read = (
  folder: string
): Effect.Effect<Option.Option<Continued>, Refusal, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(folder, Manifest.fileName)
    const isDatabase = yield* Effect.orElseSucceed(fs.exists(path.join(folder, databaseFile)), () => false)
    if (isDatabase) {
      return yield* new Refusal({
        message: `${folder}: the export is in ${databaseFile}: name its datasets, and --format sqlite`
      })
    }
    const text = yield* Effect.option(fs.readFileString(file))
    if (Option.isNone(text)) return Option.none()
    const manifest = yield* Either.mapLeft(
      Manifest.decode(text.value),
      () => new Refusal({ message: `${folder}: ${Manifest.fileName} cannot be read: name the datasets` })
    )
    return Option.some(yield* ofManifest(folder, manifest))
  })
