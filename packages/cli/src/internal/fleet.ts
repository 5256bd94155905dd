import * as Accounts from "@effect-venue/fleet/Accounts"
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import * as FileLedger from "@effect-venue/fleet/FileLedger"
import * as Fleet from "@effect-venue/fleet/Fleet"
import type { FleetAccount } from "@effect-venue/fleet/FleetAccount"
import type * as Sink from "@effect-venue/history/Sink"
import * as Egress from "@effect-venue/transport/Egress"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as NodeCommandExecutor from "@effect/platform-node/NodeCommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { ledgerIn } from "./fleetFiles.js"
import { line } from "./fleetText.js"
import type { Format } from "./formats.js"
import { Refusal } from "./refusal.js"
import { sinkOf } from "./sinks.js"

/** How a fleet is run, on the command line. */
export interface Choice {
  readonly file: string
  readonly out: string
  readonly format: Format
  readonly gzip: boolean
  readonly once: boolean
  readonly rebalance: boolean
  readonly accountsAtOnce: number
}

/** Exports failed, were stopped or may lack rows. */
export class FleetTroubled extends Data.TaggedError("FleetTroubled")<{ readonly message: string }> {}

type Files = FileSystem.FileSystem | Path.Path

const refused = ({ message }: Accounts.AccountsInvalid) => new Refusal({ message })

const egressOf = ({ localAddress, name, proxy }: Accounts.DeclaredEgress): Egress.Egress => {
  if (Option.isSome(localAddress)) return Egress.make(name, NodeConnections.layerAddress(localAddress.value))
  return Egress.make(name, Option.isSome(proxy) ? NodeConnections.layerProxy(proxy.value) : NodeConnections.layer)
}

const sourceOf = (
  declared: Accounts.DeclaredCredentials
): Layer.Layer<CredentialSource.CredentialSource, never, FileSystem.FileSystem> => {
  switch (declared._tag) {
    case "Environment":
      return CredentialSource.layerEnvironment
    case "File":
      return CredentialSource.layerFile(declared.file)
    case "Command":
      return Layer.provide(CredentialSource.layerCommand(...declared.command), NodeCommandExecutor.layer)
  }
}

/** The sink of each export, in a folder of its own. */
const sinksIn = ({ format, gzip, out }: Choice) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const context = yield* Effect.context<Path.Path>()
    // Refused here where the format is, and the same for every folder.
    yield* sinkOf(format, gzip, out)
    const deferred = (folder: string): Sink.Sink<Files> => ({
      location: folder,
      format,
      open: (parts, options) =>
        Effect.flatMap(Effect.orDie(Effect.provide(sinkOf(format, gzip, folder), context)), (sink) =>
          sink.open(parts, options)
        )
    })
    return ({ name }: FleetAccount, part: string) => deferred(path.join(out, name, part))
  })

const every = { bar: Duration.seconds(1), line: Duration.seconds(10) }

/** Shows how far the fleet is: a line that is redrawn on a terminal, a line from time to time elsewhere. */
const showing = (fleet: Fleet.Fleet.Shape) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal.Terminal
    const isTTY = yield* terminal.isTTY
    const show = Effect.gen(function* () {
      const text = line(yield* fleet.status)
      const columns = yield* terminal.columns
      // A line that is wrapped cannot be drawn over.
      const drawn = columns > 0 ? text.slice(0, columns - 1) : text
      yield* terminal.display(isTTY ? `\r\u001b[2K${drawn}` : `${text}\n`)
    }).pipe(Effect.ignore)
    yield* Effect.addFinalizer(() => Effect.zipRight(show, isTTY ? Effect.ignore(terminal.display("\n")) : Effect.void))
    yield* Effect.forkScoped(Effect.repeat(show, Schedule.spaced(isTTY ? every.bar : every.line)))
  })

const lookEvery = Duration.seconds(5)

const namesOf = ({ egresses }: Accounts.Declaration) => egresses.map(({ name }) => name).join(", ")

/** Reads the file again whenever it has changed. */
const watching = (file: string, fleet: Fleet.Fleet.Shape, first: Accounts.Declaration) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = Effect.option(fs.readFileString(file))
    let before = yield* text
    const look = Effect.gen(function* () {
      const now = yield* text
      if (Option.isNone(now) || Option.getOrNull(before) === now.value) return
      before = now
      const declaration = yield* Accounts.read(file)
      if (namesOf(declaration) !== namesOf(first)) {
        return yield* Console.error(`venue: ${file}: other addresses are used when the command is started again`)
      }
      yield* fleet.declare(declaration.accounts)
      yield* Console.error(`venue: ${file} was read again`)
    }).pipe(Effect.catchAll(({ message }) => Console.error(`venue: ${message}: the accounts stay as they were`)))
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
  })

/** Runs a fleet until it is stopped, or until no export is due. */
export const run = (choice: Choice) =>
  Effect.gen(function* () {
    const { accountsAtOnce, file, once, out, rebalance } = choice
    if (accountsAtOnce < 1) return yield* new Refusal({ message: "--accounts-at-once must be at least 1" })
    const declaration = yield* Effect.mapError(Accounts.read(file), refused)
    const sink = yield* sinksIn(choice)
    const [first, ...rest] = declaration.egresses
    const fleet = Fleet.layerLocal({
      accounts: declaration.accounts,
      egresses: [egressOf(first), ...rest.map(egressOf)],
      sink,
      accountsAtOnce,
      untilIdle: once,
      rebalance
    })
    const ledger = FileLedger.layer(yield* ledgerIn(out))
    yield* Effect.gen(function* () {
      const fleet = yield* Fleet.Fleet
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* showing(fleet)
          yield* watching(file, fleet, declaration)
          yield* fleet.ended
        })
      )
      const { failing, incomplete, stopped } = yield* fleet.status
      const troubled = failing + incomplete + stopped
      if (troubled > 0) {
        return yield* new FleetTroubled({
          message: `${troubled} exports failed, were stopped or may lack rows: see venue fleet status --out ${out}`
        })
      }
    }).pipe(Effect.provide(fleet), Effect.provide(ledger), Effect.provide(sourceOf(declaration.credentials)))
  })
