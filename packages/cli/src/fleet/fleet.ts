import * as Accounts from "@effect-venue/fleet/Accounts"
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import * as Fleet from "@effect-venue/fleet/Fleet"
import * as Egress from "@effect-venue/transport/Egress"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import * as NodeCommandExecutor from "@effect/platform-node/NodeCommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Terminal from "@effect/platform/Terminal"
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Str from "effect/String"
import * as Struct from "effect/Struct"
import * as Connections from "../account/connections.js"
import type * as Monitoring from "../monitor/monitoring.js"
import { jsonLine, line } from "./fleetText.js"
import { Refusal } from "../run/failures.js"

// Shared by fleets in a folder and fleets in a database.

/** The options of a fleet, for both kinds of ledger. */
export interface FleetChoice {
  readonly file: string
  readonly once: boolean
  readonly rebalance: boolean
  readonly accountsAtOnce: number
  readonly monitoring: Monitoring.MonitoringSettings
}

/** Exports failed, were stopped or can lack rows. */
export class FleetTroubled extends Data.TaggedError("FleetTroubled")<{ readonly message: string }> {}

const refuse = ({ message }: Accounts.AccountsInvalid) => new Refusal({ message })

/** An address of the file. One that names neither a local address nor a proxy uses the usual variables. */
const egressOf = ({ localAddress, name, proxy }: Accounts.DeclaredEgress) =>
  Effect.map(Connections.usual, (usual): Egress.Egress => {
    if (Option.isSome(localAddress)) return Egress.make(name, NodeConnections.layerAddress(localAddress.value))
    return Egress.make(name, Option.isSome(proxy) ? NodeConnections.layerProxy(proxy.value) : usual)
  })

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

const every = { bar: Duration.seconds(1), line: Duration.seconds(10) }

/** Shows the progress of the fleet: a redrawn line on a terminal, otherwise a line from time to time. */
const showing = (fleet: Fleet.Fleet.Shape, format: Monitoring.Format) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal.Terminal
    const isTTY = format === "pretty" && (yield* terminal.isTTY)
    const show = Effect.gen(function* () {
      const status = yield* fleet.status
      const columns = yield* terminal.columns
      // A wrapped line cannot be redrawn.
      yield* terminal.display(
        isTTY && columns > 0
          ? `\r\u001b[2K${line(status, columns - 1)}`
          : `${format === "json" ? jsonLine(status) : line(status, Number.POSITIVE_INFINITY)}\n`
      )
    }).pipe(Effect.ignore)
    yield* Effect.addFinalizer(() => Effect.zipRight(show, isTTY ? Effect.ignore(terminal.display("\n")) : Effect.void))
    yield* Effect.forkScoped(Effect.repeat(show, Schedule.spaced(isTTY ? every.bar : every.line)))
  })

const lookEvery = Duration.seconds(5)

const sameAddress = Struct.getEquivalence({
  name: Str.Equivalence,
  localAddress: Option.getEquivalence(Str.Equivalence),
  proxy: Option.getEquivalence(Redacted.getEquivalence(Str.Equivalence))
})

const sameAddresses = Arr.getEquivalence<Accounts.DeclaredEgress>(sameAddress)

/** Whether the addresses and the source of keys are those with which the command was started. */
export const isStartedWith = (left: Accounts.Declaration, right: Accounts.Declaration): boolean =>
  sameAddresses(left.egresses, right.egresses) && JSON.stringify(left.credentials) === JSON.stringify(right.credentials)

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
      if (!isStartedWith(declaration, first)) {
        return yield* Effect.logWarning(
          `${file}: other egresses and credentials are used when the command is started again: the previous accounts stay in force`
        )
      }
      yield* fleet.declare(declaration.accounts)
      yield* Effect.logInfo(`${file} was read again`)
    }).pipe(Effect.catchAll(({ message }) => Effect.logWarning(`${message}: the previous accounts stay in force`)))
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
  })

/** The accounts in the file, with the services that their fleet needs. */
export const readDeclared = ({ accountsAtOnce, file, once, rebalance }: FleetChoice) =>
  Effect.gen(function* () {
    if (accountsAtOnce < 1) return yield* new Refusal({ message: "--accounts-at-once must be at least 1" })
    const declaration = yield* Effect.mapError(Accounts.read(file), refuse)
    const [first, ...rest] = declaration.egresses
    const egresses: [Egress.Egress, ...Array<Egress.Egress>] = [
      yield* egressOf(first),
      ...(yield* Effect.forEach(rest, egressOf))
    ]
    const { accounts } = declaration
    return {
      declaration,
      credentials: sourceOf(declaration.credentials),
      options: { accounts, egresses, accountsAtOnce, untilIdle: once, rebalance }
    }
  })

/** Runs a fleet until it is stopped, or until no export is due. `where` is the option for `venue fleet status`. */
export const running = (
  { file, monitoring }: FleetChoice,
  declaration: Accounts.Declaration,
  where: string,
  { readyUnless }: Monitoring.Monitor
) =>
  Effect.gen(function* () {
    const fleet = yield* Fleet.Fleet
    yield* readyUnless(
      Effect.match(fleet.status, { onFailure: () => "the ledger cannot be read", onSuccess: () => undefined })
    )
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* showing(fleet, monitoring.logFormat)
        yield* watching(file, fleet, declaration)
        yield* fleet.ended
      })
    )
    const { failing, incomplete, stopped } = yield* fleet.status
    const troubled = failing + incomplete + stopped
    if (troubled > 0) {
      return yield* new FleetTroubled({
        message: `${countNoun(troubled, "export")} failed, stopped or may lack rows: see venue fleet status ${where}`
      })
    }
  })
