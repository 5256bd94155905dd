import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundle } from "../../../../cli/bundle.mjs"
import * as Child from "../kill/child.js"
import * as Results from "../kill/results.js"

// Several exchanges, accounts of all of them, and the command as a process that exports these.

const day = Duration.toMillis("1 day")

const roles = ["main", "sub", "customer"] as const

/** How many exchanges there are, each with a history of its own. */
const exchanges = 3

const datasets = ["executions", "deposits"]

export interface World {
  /** Names of the accounts, each a folder of an export. */
  readonly accounts: ReadonlyArray<string>
  /** How many exports there are to be. */
  readonly exports: number
  /** Runs the fleet into a folder until it is done, or until `doom` has come. */
  readonly run: (folder: string, doom: Effect.Effect<void>) => Effect.Effect<Child.Ended>
  /** How many exports of a folder are finished. */
  readonly finished: (folder: string) => Effect.Effect<number>
  /** All exports of a folder: every byte but how their runs went. */
  readonly results: (folder: string) => Effect.Effect<Results.Result>
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "venue-kill-fleet-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

const exchange = (seed: number) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ seed, limits: "off", prices: "still" })
    const { url } = yield* Effect.orDie(Effect.provideService(Server.serve(), Sandbox.Sandbox, sandbox))
    return { sandbox, url }
  })

/** The file of accounts, and that of their keys: no two have the same one. */
const filesOf = Effect.fnUntraced(function* (
  servers: ReadonlyArray<Effect.Effect.Success<ReturnType<typeof exchange>>>,
  names: ReadonlyArray<string>,
  range: { readonly from: string; readonly to: string }
) {
  const keys: Record<string, object> = {}
  const accounts: Record<string, object> = {}
  for (const [index, name] of names.entries()) {
    const server = servers[index % servers.length]
    const role = roles[Math.floor(index / servers.length) % roles.length] ?? "main"
    if (server === undefined) continue
    const { control, uids } = server.sandbox
    const { apiKey, apiSecret } = yield* Effect.orDie(control.openKey({ uid: uids[role] }))
    keys[name] = { apiKey: Redacted.value(apiKey), apiSecret: Redacted.value(apiSecret) }
    accounts[name] = { masterUid: name, baseUrl: server.url }
  }
  const egresses = ["127.0.0.2", "127.0.0.3"].map((localAddress) => ({ name: localAddress, localAddress }))
  const credentials = { file: "keys.json" }
  return {
    keys: { accounts: keys },
    accounts: { ...range, datasets, categories: ["linear"], egresses, credentials, accounts }
  }
})

/** The folders of exports: `<account>/<part>`. */
const placesIn = (folder: string): ReadonlyArray<string> =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder)
        .filter((name) => !name.startsWith("."))
        .flatMap((account) => fs.readdirSync(path.join(folder, account)).map((part) => path.join(account, part)))
    : []

export const make = Effect.fnUntraced(function* (seed: number, count: number) {
  const home = yield* temporaryFolder
  const servers = yield* Effect.forEach(Array.from({ length: exchanges }), (_, index) => exchange(seed + index))
  const { file: command } = yield* Effect.promise(() => bundle(path.join(home, "command")))
  const now = yield* Clock.currentTimeMillis
  const iso = (at: number) => new Date(at).toISOString()
  const names = Array.from({ length: count }, (_, index) => `account-${String(index).padStart(4, "0")}`)
  const { accounts, keys } = yield* filesOf(servers, names, { from: iso(now - 40 * day), to: iso(now - 9 * day) })
  fs.writeFileSync(path.join(home, "keys.json"), JSON.stringify(keys))
  fs.writeFileSync(path.join(home, "accounts.json"), JSON.stringify(accounts))
  const at = (folder: string) => path.join(home, folder)

  const world: World = {
    accounts: names,
    exports: names.length * datasets.length,
    run: (folder, doom) =>
      Child.run(command, ["fleet", "run", "accounts.json", "--out", folder, "--once"], { cwd: home, env: {}, doom }),
    finished: (folder) =>
      Effect.sync(
        () =>
          placesIn(at(folder)).filter((place) => fs.existsSync(path.join(at(folder), place, "manifest.json"))).length
      ),
    results: (folder) =>
      Effect.map(
        Effect.forEach(placesIn(at(folder)), (place) =>
          Effect.map(Results.read(path.join(at(folder), place)), (files) =>
            [...files].map(([name, text]) => [`${place}/${name}`, text] as const)
          )
        ),
        (all) => new Map(all.flat())
      )
  }
  return world
})
