import type * as Dataset from "@effect-venue/history/Dataset"
import * as Manifest from "@effect-venue/history/Manifest"
import type * as ExportFailure from "@effect-venue/history/ExportFailure"
import type * as Verify from "@effect-venue/history/Verify"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import { isDatabase } from "../run/address.js"
import * as Database from "./database.js"
import * as DatabaseAddress from "../options/databaseAddress.js"
import type { Refusal } from "../run/failures.js"
import * as verifyFolder from "./verifyFolder.js"
import type { Files } from "../output/files.js"

export { isDifference } from "@effect-venue/history/Verify"

/** A finished export, in files, SQLite or Postgres. */
export interface Exported {
  /** For people. */
  readonly location: string
  readonly verify: Effect.Effect<Verify.Report, Verify.NotAnExport | Refusal, Files>
  /** The text of the manifest: of a folder that of its file. */
  readonly manifestText: (manifest: Manifest.Manifest) => Effect.Effect<string, never, Files>
  readonly rows: (
    manifest: Manifest.Manifest,
    part: Manifest.Part
  ) => Stream.Stream<Dataset.Row, ExportFailure.Unreadable, Files>
}

/** The export in a folder. */
export const at = (folder: string): Exported => ({
  location: folder,
  verify: verifyFolder.verify(folder),
  manifestText: (manifest) => verifyFolder.manifestText(folder, manifest),
  rows: (manifest, part) => verifyFolder.rows(folder, manifest, part)
})

const inDatabase = (database: Database.Database): Exported => ({
  location: database.address.label,
  verify: Database.verify(database),
  manifestText: (manifest) => Effect.succeed(Manifest.encode(manifest)),
  rows: (_manifest, part) => Database.rows(database, part)
})

/** The location of an export, as named on the command line. */
export interface Place {
  /** A folder, the address of a Postgres database, or `env:NAME` for the address in a variable. */
  readonly location: string
  readonly name: Option.Option<string>
  readonly prefix: Option.Option<string>
}

/** The export in a folder or in a Postgres database. */
export const find = ({ location, name, prefix }: Place, subject: DatabaseAddress.Subject) =>
  isDatabase(location)
    ? Effect.map(DatabaseAddress.resolve(Redacted.make(location), subject), (address) =>
        inDatabase({ address, name: Option.getOrUndefined(name), prefix: Option.getOrUndefined(prefix) })
      )
    : Effect.succeed(at(location))
