/**
 * A fleet that is killed: the command as a process, SIGKILL again and again while it exports, the same command each time. Its exports are compared
 * with those of a fleet that nothing disturbed.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as path from "node:path"
import { bundle } from "../../cli/bundle.mjs"
import * as Results from "./exports/Results.js"
import * as Workload from "./shared/Workload.js"
import * as Exchange from "./shared/Exchange.js"
import * as Judged from "./shared/Judged.js"
import * as Processes from "./shared/Processes.js"

export interface Options {
  readonly accounts: number
  readonly kills: number
  readonly seed: number
}

const day = Duration.toMillis("1 day")

const roles = ["main", "sub", "customer"] as const

const datasets = ["executions", "deposits"]

/** Writes the file of accounts, which are of several exchanges, and the file of their keys: no two have the same one. */
const writeFiles = Effect.fnUntraced(function* (home: string, { accounts: count, seed }: Options) {
  const exchanges = yield* Effect.forEach([seed, seed + 1, seed + 2], (seed) => Exchange.make({ seed }))
  const keys = new Map<string, object>()
  const accounts = new Map<string, object>()
  for (let index = 0; index < count; index++) {
    const exchange = exchanges[index % exchanges.length]
    const role = roles[Math.floor(index / exchanges.length) % roles.length]
    if (exchange === undefined || role === undefined) continue
    const { control, uids } = exchange.sandbox
    const { apiKey, apiSecret } = yield* Effect.orDie(control.openKey({ uid: uids[role] }))
    const name = `account-${String(index).padStart(4, "0")}`
    keys.set(name, { apiKey: Redacted.value(apiKey), apiSecret: Redacted.value(apiSecret) })
    accounts.set(name, { masterUid: name, baseUrl: exchange.url })
  }
  const now = yield* Clock.currentTimeMillis
  const range = { from: new Date(now - 40 * day).toISOString(), to: new Date(now - 9 * day).toISOString() }
  const egresses = ["127.0.0.2", "127.0.0.3"].map((localAddress) => ({ name: localAddress, localAddress }))
  const file = {
    ...{ ...range, datasets, categories: ["linear"], egresses, credentials: { file: "keys.json" } },
    accounts: Object.fromEntries(accounts)
  }
  fs.writeFileSync(path.join(home, "keys.json"), JSON.stringify({ accounts: Object.fromEntries(keys) }))
  fs.writeFileSync(path.join(home, "accounts.json"), JSON.stringify(file))
})

/** The folders of exports: `<account>/<part>`. */
const placesIn = (folder: string): ReadonlyArray<string> =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder)
        .filter((name) => !name.startsWith("."))
        .flatMap((account) => fs.readdirSync(path.join(folder, account)).map((part) => path.join(account, part)))
    : []

const countFinished = (folder: string): number =>
  placesIn(folder).filter((place) => fs.existsSync(path.join(folder, place, "manifest.json"))).length

/** All exports of a folder. */
const resultsOf = (folder: string): Effect.Effect<Results.Result> =>
  Effect.map(
    Effect.forEach(placesIn(folder), (place) =>
      Effect.map(Results.read(path.join(folder, place)), (files) =>
        [...files].map(([name, text]) => [`${place}/${name}`, text] as const)
      )
    ),
    (all) => new Map(all.flat())
  )

/** Waits until a folder has so many finished exports, and a moment longer: the kill can land anywhere in what follows. */
const finishing = (folder: string, count: number, millis: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    countFinished(folder) >= count
      ? Effect.sleep(Duration.millis(millis))
      : Effect.zipRight(Effect.sleep("50 millis"), finishing(folder, count, millis))
  )

export const killFleet = (options: Options) =>
  Effect.gen(function* () {
    const { accounts, kills, seed } = options
    const roll = Workload.makeRoll(seed)
    const home = yield* Processes.temporaryFolder
    yield* writeFiles(home, options)
    const { file: command } = yield* Effect.promise(() => bundle(path.join(home, "command")))
    const exports = accounts * datasets.length
    const facts: Array<Judged.Fact> = []
    const at = (folder: string) => path.join(home, folder)
    const run = Effect.fnUntraced(function* (folder: string, doom: Effect.Effect<void>) {
      const args = [command, "fleet", "run", "accounts.json", "--out", folder, "--once"]
      const ended = yield* Processes.run(args, { cwd: home, env: {}, doom })
      facts.push(Results.toFact(Results.endOf(folder, ended), true))
      return ended.isKilled
    })

    yield* run("undisturbed", Effect.never)
    facts.push(Judged.differs("undisturbed", `${countFinished(at("undisturbed"))} exports`, `${exports} exports`))
    const finishedAtKills: Array<number> = []
    for (let kill = 0; kill < kills; kill++) {
      // Spread over the work: some at least before the first export is finished.
      const count = Math.floor((kill * exports) / (kills + 1))
      const isKilled = yield* run("killed", finishing(at("killed"), count, roll(kill === 0 ? 8000 : 2000)))
      if (isKilled) finishedAtKills.push(countFinished(at("killed")))
    }
    yield* run("killed", Effect.never)
    const undisturbed = yield* resultsOf(at("undisturbed"))
    facts.push(
      Judged.differs("killed", Results.differences(yield* resultsOf(at("killed")), undisturbed).join(", "), "")
    )
    return {
      problems: Judged.problems(facts),
      figures: { exports, kills: finishedAtKills.length, finishedAtKills, files: undisturbed.size }
    }
  })

export const workload: Workload.Workload = {
  title: "a fleet that is killed, and goes on",
  defaults: { accounts: 50, kills: 5, seed: 1 },
  run: (option) => killFleet({ accounts: option("accounts"), kills: option("kills"), seed: option("seed") })
}
