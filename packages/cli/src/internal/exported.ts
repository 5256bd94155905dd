import type * as Dataset from "@effect-venue/history/Dataset"
import * as Manifest from "@effect-venue/history/Manifest"
import type * as Reader from "@effect-venue/history/Reader"
import type * as Verify from "@effect-venue/history/Verify"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { isAddress, shown } from "./address.js"
import * as Database from "./database.js"
import type { Refusal } from "./refusal.js"
import * as verifyFolder from "./verifyFolder.js"

type Files = FileSystem.FileSystem | Path.Path

/** An export that was made, wherever it is. */
export interface Exported {
  /** For people. */
  readonly location: string
  readonly verify: Effect.Effect<Verify.Report, Verify.NotAnExport | Refusal, Files>
  /** The text of the manifest: of a folder that of its file. */
  readonly manifestText: (manifest: Manifest.Manifest) => Effect.Effect<string, never, Files>
  readonly rows: (
    manifest: Manifest.Manifest,
    part: Manifest.Part
  ) => Stream.Stream<Dataset.Row, Reader.Unreadable, Files>
}

/** The export in a folder, or in a Postgres database where the location is its address. */
export const at = (location: string, names: Pick<Database.Database, "name" | "prefix">): Exported => {
  if (!isAddress(location)) {
    return {
      location,
      verify: verifyFolder.verify(location),
      manifestText: (manifest) => verifyFolder.manifestText(location, manifest),
      rows: (manifest, part) => verifyFolder.rows(location, manifest, part)
    }
  }
  const database = { url: location, ...names }
  return {
    location: shown(location),
    verify: Database.verify(database),
    manifestText: (manifest) => Effect.succeed(Manifest.encode(manifest)),
    rows: (_manifest, part) => Database.rows(database, part)
  }
}
