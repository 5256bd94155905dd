import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import { entriesOf } from "../../src/accounts/accountExports.js"
import * as Ledger from "@effect-venue/fleet/Ledger"
import * as Owner from "@effect-venue/fleet/siblings/Owner"
import * as SqlLedger from "@effect-venue/fleet/SqlLedger"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import * as Connections from "@effect-venue/transport/Connections"
import * as Egress from "@effect-venue/transport/Egress"
import * as Settling from "@effect-venue/testing/Settling"
import { FileSystem, HttpClient, type Path } from "@effect/platform"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import { it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Option, type Scope, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"

export const today = Date.parse("2026-06-15T12:34:56.789Z")

export const day = Duration.toMillis("1 day")

/** Lets files and databases get on, which no test clock moves. */
export const breathe = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))

/** Runs an effect to its end, however long it waits by the clock, which is moved by `step`. */
export const settle = <A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.DurationInput = "1 second") =>
  Settling.settle(effect, step, breathe)

/** Defines tests on the day of the tests, each in a world of its own. */
export const testsIn =
  <R, E>(world: Layer.Layer<R, E>) =>
  (title: string, body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, R | Scope.Scope>>, void, never>) => {
    it.scoped(title, () => Effect.zipRight(TestClock.setTime(today), Effect.provide(Effect.gen(body), world)))
  }

/** An account of the sandbox: the role is that of its key. */
export const account = (name: string, more: Partial<FleetAccount> = {}): FleetAccount => ({
  name,
  masterUid: name,
  uid: Option.none(),
  baseUrl: Sandbox.baseUrl,
  egress: "any",
  datasets: ["executions"],
  categories: ["spot"],
  from: today - 10 * day,
  to: Option.none(),
  every: Duration.days(1),
  isPaused: false,
  ...more
})

/** The role whose key an account has: the part of its name before the first hyphen. */
const roleOf = (name: string) => name.split("-")[0] ?? ""

/**
 * Keys of the sandbox's roles. An account whose name goes on after the role has a key that no other has; with `-shared` at its end it has the key of
 * the account with `-0` there.
 */
export const credentials = Layer.effect(
  CredentialSource.CredentialSource,
  Effect.gen(function* () {
    const { control, credentials, uids } = yield* Sandbox.Sandbox
    // Two that ask for one key at once have the same.
    const inTurn = (yield* Effect.makeSemaphore(1)).withPermits(1)
    const opened = new Map<string, Credentials.Credentials.Shape>(Object.entries(credentials))
    const uidOf = new Map<string, string>(Object.entries(uids))
    const open = (name: string) =>
      Effect.gen(function* () {
        const uid = uidOf.get(roleOf(name))
        const detail = "no such role"
        if (uid === undefined) {
          return yield* new CredentialSource.CredentialsUnavailable({ account: name, reason: "Missing", detail })
        }
        const key = yield* Effect.orDie(control.openKey({ uid }))
        opened.set(name, key)
        return key
      })
    const get = (name: string) =>
      Effect.suspend(() => Effect.fromNullable(opened.get(name)).pipe(Effect.orElse(() => open(name))))
    return CredentialSource.make(({ name }) => inTurn(get(name.replace(/-shared$/, "-0"))))
  })
)

/** A ledger of its own, in a file. Its operations take as long as they do: the clock of a test runs ahead of files. */
export const ledger = Layer.unwrapScoped(
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()),
    (folder) =>
      SqlLedger.layer({ timeout: Duration.infinity }).pipe(
        Layer.provide(LibsqlClient.layer({ url: `file:${folder}/fleet.db` }))
      )
  )
)

/** A transport of the account of a role, with limits of its own. */
export const transportOf = (role: keyof Sandbox.Sandbox.Shape["credentials"]) =>
  Effect.gen(function* () {
    const { credentials } = yield* Sandbox.Sandbox
    const own = Layer.succeed(Credentials.Credentials, credentials[role])
    return yield* Effect.provide(Transport.Transport, Layer.provide(Transport.layerStandalone, own))
  })

/** An address whose calls lead into the sandbox. */
export const egressOf = (name: string, options: Egress.Options = { rest: false }) =>
  Effect.map(HttpClient.HttpClient, (client) =>
    Egress.make(
      name,
      Layer.merge(
        Layer.succeed(HttpClient.HttpClient, client),
        Layer.succeed(Connections.Connections, Connections.fromClient(client))
      ),
      options
    )
  )

/** A fleet of one address, without what runs it. */
export const fleetOf = (accounts: ReadonlyArray<FleetAccount>, options?: Egress.Options) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const ledger = yield* Ledger.Ledger
    const egress = yield* egressOf("a", options)
    const out = yield* fs.makeTempDirectoryScoped()
    const declared = new Map(accounts.map((account) => [account.name, account]))
    const register = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const all = [...declared.values()]
      const entries = entriesOf(all, new Map(all.map(({ name }) => [name, "a"])), now)
      yield* ledger.register(entries, { now, by: "test" })
    })
    yield* register
    const own = (more: Partial<Owner.Options<never, never, FileSystem.FileSystem | Path.Path>> = {}) =>
      Effect.flatMap(ledger.own("a", "test"), (ownership) =>
        Owner.run({
          egress,
          ownership,
          find: (name) => Effect.succeed(Option.fromNullable(declared.get(name))),
          sink: ({ name }, part) => Sink.ndjson(`${out}/${name}/${part}`),
          untilIdle: true,
          ...more
        })
      )
    return { ledger, out, declared, register, own }
  })
