import * as Verify from "@effect-venue/history/Verify"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { database } from "./formats.js"
import { sqlite } from "./sinks.js"

/** Of a folder without a manifest but with a database, the database is meant. */
export const verify = (folder: string) =>
  Effect.catchTag(Verify.verify(folder), "NotAnExport", (failure) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const file = path.join(folder, database)
      const isDatabase = yield* Effect.orElseSucceed(fs.exists(file), () => false)
      return isDatabase ? yield* (yield* sqlite).verify(file) : yield* failure
    })
  )
