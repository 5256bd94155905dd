import * as FileLedger from "@effect-venue/fleet/FileLedger"
import * as Fleet from "@effect-venue/fleet/Fleet"
import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import type * as Sink from "@effect-venue/history/Sink"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fleet from "./fleet.js"
import * as fleetStatus from "./fleetStatus.js"
import type { Format } from "../options/options.js"
import { sinkOf } from "../export/sinks.js"
import { runMonitored } from "../monitor/monitoring.js"
import type { Files } from "../output/files.js"

// A fleet of one process: its ledger and its exports are in a folder.

/** How it is run, on the command line. */
export interface FolderChoice extends fleet.FleetChoice {
  readonly out: string
  readonly format: Format
  readonly gzip: boolean
  readonly spreadsheetSafe: boolean
}

/** The ledger of a fleet, in its folder: no account has a name that begins with a dot. */
const ledgerIn = (out: string): Effect.Effect<string, never, Path.Path> =>
  Effect.map(Path.Path, (path) => path.join(out, ".fleet", "ledger.db"))

/** The sink of each export: a folder. */
const sinksIn = ({ format: named, gzip, out, spreadsheetSafe }: FolderChoice) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const context = yield* Effect.context<Path.Path>()
    // Refused once, since the format is the same for every folder.
    const settings = { format: named, gzip, spreadsheetSafe }
    const { format } = yield* sinkOf(settings, out)
    const deferSink = (folder: string): Sink.Sink<Files> => ({
      location: folder,
      format,
      open: (parts, options) =>
        Effect.flatMap(Effect.orDie(Effect.provide(sinkOf(settings, folder), context)), (sink) =>
          sink.open(parts, options)
        )
    })
    return ({ name }: FleetAccount, part: string) => deferSink(path.join(out, name, part))
  })

/** Runs a fleet until it is stopped, or until no export is due. */
export const run = (choice: FolderChoice) =>
  runMonitored(choice.monitoring, "venue-fleet", (monitor) =>
    Effect.gen(function* () {
      const { out } = choice
      const { credentials, declaration, options } = yield* fleet.readDeclared(choice)
      const sink = yield* sinksIn(choice)
      const ledger = FileLedger.layer(yield* ledgerIn(out))
      const layer = Fleet.layerLocal({ ...options, sink }).pipe(Layer.provide([ledger, credentials]))
      yield* Effect.provide(fleet.running(choice, declaration, `--out ${out}`, monitor), layer)
    })
  )

/** Prints the status of the fleet in a folder. */
export const status = ({ json, out }: { readonly json: boolean; readonly out: string }) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = yield* ledgerIn(out)
    // Opening a missing file would create it.
    if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) {
      return yield* new fleetStatus.NoFleet({ message: `there is no fleet in ${out}` })
    }
    yield* Effect.provide(fleetStatus.print(json), FileLedger.layer(file))
  })
