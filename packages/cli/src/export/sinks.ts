import * as Sink from "@effect-venue/history/Sink"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { databaseFile, type Format, formats } from "../options/options.js"
import { Refusal } from "../run/failures.js"
import type { Files } from "../output/files.js"

// Only exports into a database load its library.
export const sqlite = Effect.tryPromise({
  try: () => import("@effect-venue/history/SqliteSink"),
  catch: () => new Refusal({ message: "the format sqlite needs @effect/sql and @effect/sql-libsql installed" })
})

/** How the files of an export are written. */
export interface SinkSettings {
  readonly format: Format
  readonly gzip: boolean
  readonly spreadsheetSafe: boolean
  readonly partition?: "month" | undefined
}

/** The settings of the format that a plan or a manifest names; none if it is unknown. */
export const settingsOf = (named: string): Omit<SinkSettings, "partition"> | undefined => {
  const [name, more] = named.split(".")
  const format = formats.find((known) => known === name)
  return format && { format, gzip: more === "gz", spreadsheetSafe: more === "safe" }
}

export const sinkOf = (
  { format, gzip, partition, spreadsheetSafe }: SinkSettings,
  folder: string
): Effect.Effect<Sink.Sink<Files>, Refusal, Path.Path> =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    if (gzip && format !== "ndjson") return yield* new Refusal({ message: "--gzip needs --format ndjson" })
    if (spreadsheetSafe && format !== "csv") {
      return yield* new Refusal({ message: "--spreadsheet-safe needs --format csv" })
    }
    switch (format) {
      case "ndjson":
        return Sink.ndjson(folder, { gzip, partition })
      case "csv":
        return Sink.csv(folder, { partition, spreadsheetSafe })
      case "parquet":
        return Sink.parquet(folder, { partition })
      case "sqlite":
        if (partition !== undefined)
          return yield* new Refusal({ message: "--partition cannot be combined with --format sqlite" })
        return (yield* sqlite).make(path.join(folder, databaseFile))
    }
  })
